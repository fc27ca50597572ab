"""tmp"""
from cyberdeck.registry import game, variant
