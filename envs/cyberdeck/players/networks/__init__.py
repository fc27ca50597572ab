"""Saved policies: the weights of a small network in a file that holds no code.

A ``.safetensors`` file: numbers, and a few words about the game. It is run by NumPy alone, so that
a policy trained with PyTorch plays anywhere. Needs the extra ``evaluate``.

The file names the features that the network reads: it plays wherever a game shows them, whatever
else is shown and in whatever order.
"""

from cyberdeck.players.networks.files import MOST_WORLDS as MOST_WORLDS
from cyberdeck.players.networks.files import SUFFIX as SUFFIX
from cyberdeck.players.networks.files import BelievedObservations as BelievedObservations
from cyberdeck.players.networks.network import InOwnView as InOwnView
from cyberdeck.players.networks.network import Network as Network
from cyberdeck.players.networks.network import chosen as chosen
from cyberdeck.players.networks.network import load as load
from cyberdeck.players.networks.network import probabilities as probabilities
from cyberdeck.players.networks.network import shown_as as shown_as
from cyberdeck.players.networks.perceptron import Encoding as Encoding
from cyberdeck.players.networks.perceptron import Layer as Layer
from cyberdeck.players.networks.perceptron import Prior as Prior
from cyberdeck.players.networks.perceptron import Value as Value
from cyberdeck.players.networks.perceptron import Whole as Whole
from cyberdeck.players.networks.perceptron import stored as stored
