"""Games on a device: here on this processor, by the code that a GPU gets, row by row."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from cyberdeck import ActionError, Batch, EpisodeError, OptionError, StateError
from cyberdeck.api.device_env import DeviceVectorEnv
from cyberdeck.api.registration import load_file
from cyberdeck.device.code import GPU, Setting, code_of
from cyberdeck.engine import registry
from cyberdeck.engine.loops import SAME_STEP
from cyberdeck.engine.others import ITSELF
from cyberdeck.errors import KernelError
from cyberdeck.players import built_in_names
from tests.engine.games import edited, example

ROWS = 33

#: Code for a device takes ten seconds of each game.
SLOW = pytest.mark.slow


@pytest.fixture(scope="module")
def tandem(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game of teams, with a table that is a part of another."""
    end = "if at % SIDE < 3]\n)"
    # It holds what it held: here its loops are those of the example, compiled once for all tests.
    again, name = f"{end}[:, ::-1].repeat(2, axis=1)[:, ::-2]", "tandem_tictactoe"
    return load_file(edited(tmp_path_factory.mktemp("games"), name, end, again, name=name)).name


def standing(batch: Batch) -> list[Any]:
    """All that games are, as NumPy has it."""
    core, found = batch._core, list[Any]()
    for name in ("states", "rows", "masks", "observations", "finals"):
        each = getattr(core, name)
        if isinstance(each, torch.Tensor):
            each = each.cpu().numpy()
        elif each.dtype.names:
            each = each.view(np.uint8).reshape(len(each), -1)
        found.append(each)
    return found


def both(game: str, count: int, **arguments: Any) -> list[Batch]:
    """The same games here and on the device."""
    return [Batch(game, count, seed=1, device=device, **arguments) for device in (None, "cpu")]


def assert_refused_alike(pair: Sequence[Any], call: Callable[[Any], object]) -> None:
    """In the same words, and nothing is applied."""
    said = []
    for each in pair:
        with pytest.raises((ActionError, EpisodeError, OptionError)) as error:
            call(each)
        said.append(str(error.value))
    assert said[0] == said[1]


def assert_same(there: Batch, here: Batch) -> None:
    for one, other in zip(standing(there), standing(here), strict=True):
        np.testing.assert_array_equal(one, other)


def check_same(game: str, steps: int, count: int = ROWS, **arguments: Any) -> None:
    """The same games by two ways, by every means there is of going on with them."""
    here = Batch(game, count, seed=3, **arguments)
    there = Batch(game, count, seed=3, device="cpu", **arguments)
    assert_same(there, here)
    for _ in range(steps):
        actions = here.choose("random")
        assert there.choose("random").tolist() == actions.tolist()
        here.step(actions)
        there.step(actions)
    assert_same(there, here)
    for player in built_in_names(here.variant.game):
        assert there.choose(player).tolist() == here.choose(player).tolist()
        here.play(player, steps)
        there.play(player, steps)
        assert_same(there, here)


@SLOW
def test_a_device_plays_the_same_games(tandem: str) -> None:
    for autoreset in ("SameStep", "NextStep", "Disabled"):
        check_same(tandem, 40, autoreset=autoreset)
    check_same(tandem, 60, seat="team")


def test_a_game_whose_file_was_edited_since_is_not_another_on_a_device(tmp_path: Path) -> None:
    game = load_file(edited(tmp_path, "tictactoe", name="edited_since")).name
    edited(tmp_path, "tictactoe", "[2, 4, 6]])", "[0, 1, 5]])", name="edited_since")
    with pytest.raises(KernelError, match=r"edited_since .* have changed since it was loaded"):
        Batch(game, 3, device="cpu")


@SLOW
def test_a_device_plays_the_same_games_of_the_suite() -> None:
    pool = ["random", "heuristic"]
    check_same("hackthegrid", 200, count=129, seat="random", opponent=pool)


@SLOW
def test_what_is_shown_lies_on_the_device(tandem: str) -> None:
    """Tensors are views of the games, and PyTorch's own: nothing is copied to look at them."""
    batch = Batch(tandem, ROWS, seed=0, device="cpu")
    shown = {name: getattr(batch, name) for name in ("observation", "mask", "mover", "reward")}
    before = {name: each.clone() for name, each in shown.items()}
    batch.step(batch.choose("random"))
    assert isinstance(batch.observation, torch.Tensor)
    assert batch.observation.shape == (ROWS, *batch.variant.observation_shape)
    assert batch.terminated.dtype == torch.bool
    for name in ("observation", "mask", "mover"):
        assert getattr(batch, name) is shown[name]
        assert (before[name] != shown[name]).any()
    assert np.from_dlpack(batch.mask).__array_interface__["data"][0] == batch.mask.data_ptr()


@SLOW
def test_rows_are_looked_at_saved_and_copied_as_here(tandem: str) -> None:
    """A game's bytes fit wherever it is played; twins go their own way."""
    here, there = Batch(tandem, 4, seed=1), Batch(tandem, 4, seed=2, device="cpu")
    here.play("random", 2)
    for row in range(4):
        there.set_state(row, here.get_state(row))
    assert there.text(2) == here.text(2)
    assert there.svg(2) == here.svg(2)
    assert there.action_name(2, 0) == here.action_name(2, 0)
    for one, other in zip(there.look(2, 1), here.look(2, 1), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(OptionError, match="there is no row 4: rows are 0 to 3"):
        there.text(4)
    # How games ended before these is no part of them.
    assert [there.get_state(row) for row in range(4)] == [here.get_state(row) for row in range(4)]
    twins = [there.clone(), copy.deepcopy(there), pickle.loads(pickle.dumps(there))]
    for each in (*twins, here, there):
        each.play("random", 5)
    for twin in twins:
        assert_same(twin, there)
    for row in range(4):
        assert there.get_state(row) == here.get_state(row)
    with pytest.raises(StateError):
        there.set_state(0, b"nothing")
    assert_same(there, twins[0])
    state = here.get_state(0)
    for batch in (here, there):
        batch.reset(seed=4, options={"state": state})
    assert_same(there, here)


@SLOW
@pytest.mark.filterwarnings("ignore:.*(quantize|nested)")
def test_errors_are_the_same_as_here(tandem: str) -> None:
    pair = both(tandem, 8)
    there, before = pair[1], pair[1].clone()
    illegal = [np.array(wrong) for wrong in ([0, 16, 0, 0, -1, 0, 99, 7], [16] * 8)]
    for odd in (*illegal, [0.5] * 8, [0] * 7, np.zeros((8, 1), np.int64), ["a"] * 8, None):
        assert_refused_alike(pair, lambda batch, odd=odd: batch.step(odd))
        assert_same(there, before)
    for odd in (torch.zeros(8, 1, dtype=torch.int64), torch.zeros(8), torch.ones(8).bool()):
        with pytest.raises(ActionError, match=r"actions (have the shape|are of type)"):
            there.step(odd)
    right = torch.zeros(8, dtype=torch.int64)
    packed = torch.quantize_per_tensor(torch.zeros(8), 0.1, 0, torch.qint8)
    for odd in (right.to("meta"), right.to_sparse(), packed, torch.nested.nested_tensor([right])):
        for each in pair:
            with pytest.raises(ActionError, match="nothing was applied"):
                each.step(odd)
    assert_same(there, before)
    with pytest.raises(OptionError, match=r"games take .* choose [0-9,]+ or fewer"):
        Batch(tandem, 2**62, device="cpu")
    with pytest.raises(OptionError, match="give history=True, and no device="):
        there.beliefs()


@SLOW
def test_an_illegal_action_loses(tandem: str) -> None:
    here, there = both(tandem, 6, illegal="lose")
    for batch in (here, there):
        batch.step([0, 1, 2, 0, 1, 2])
        batch.step([0, 0, 2, 2, 1, 1])
    assert_same(there, here)
    assert there.terminated.sum() == 3
    there.step([99] * 6)  # one that does not exist loses as well: nothing is looked at before
    assert there.terminated.all()
    with pytest.raises(OptionError, match="is asked from Python"):
        there.choose("search")


def test_what_is_not_possible_on_a_device() -> None:
    game = example("tictactoe").name
    for arguments, said in [
        ({"device": "cuda:77"}, r"device='cuda:77' is not there: .*; device='cpu' does the same"),
        ({"device": "mps"}, "device='mps' is not possible: choose 'cuda', 'cuda:1' or 'cpu'"),
        ({"device": "cpu", "threads": 2}, "threads= is for games on this processor"),
        ({"device": "cpu", "history": True}, "history= is for games on this processor"),
        ({"device": "cpu", "disguise": 3}, "games on a device take no game in disguise"),
        ({"device": "cpu", "observation": "history"}, "observation='history' is not possible on"),
        ({"device": "cpu", "reward": "regret"}, "reward='regret' is not possible on a device"),
        (
            {"device": "cpu", "seat": 0, "opponent": "search"},
            "is asked from Python, which is not possible on a device",
        ),
    ]:
        with pytest.raises(OptionError, match=said):
            Batch(game, 4, **arguments)


def check_same_envs(game: str, **arguments: Any) -> None:
    """The same games in a vector env of arrays and in one of tensors."""
    name = registry.game(game).gym_id
    for mode in ("NextStep", "SameStep"):
        here, there = (
            gymnasium.make_vec(name, num_envs=9, autoreset_mode=mode, **arguments, **more)
            for more in ({}, {"device": "cpu"})
        )
        assert isinstance(there.unwrapped, DeviceVectorEnv)
        (seen, infos), (there_seen, there_infos) = here.reset(seed=5), there.reset(seed=5)
        for _ in range(20):
            np.testing.assert_array_equal(there_seen, seen)
            for key in ("action_mask", "seat", "reason"):
                np.testing.assert_array_equal(there_infos[key], infos[key])
            actions = infos["action_mask"].argmax(axis=1)
            seen, *brought, infos = here.step(actions)
            there_seen, *there_brought, there_infos = there.step(torch.from_numpy(actions))
            for one, other in zip(there_brought, brought, strict=True):
                np.testing.assert_array_equal(one, other)
            for row in np.flatnonzero(infos.get("_final_obs", [])):
                assert there_infos["_final_obs"][row]
                np.testing.assert_array_equal(
                    there_infos["final_obs"][row], infos["final_obs"][row]
                )
                for key in ("seat", "reason"):
                    assert there_infos["final_info"][key][row] == infos["final_info"][key][row]


@SLOW
@pytest.mark.parametrize("seat", ["random", "team"])
def test_a_vector_env_gives_what_the_arrays_are(tandem: str, seat: str) -> None:
    check_same_envs(tandem, seat=seat)


@SLOW
def test_a_vector_env_is_as_strict_as_that_of_arrays(tandem: str) -> None:
    name = registry.game(tandem).gym_id
    here, there = (
        gymnasium.make_vec(name, num_envs=4, autoreset_mode="Disabled", **more).unwrapped
        for more in ({}, {"device": "cpu"})
    )
    with pytest.raises(EpisodeError, match="the other rows have no games yet"):
        there.set_state(0, b"")
    state = np.array([True, False, False, True])
    for arguments in (
        {"options": {"reset_mask": state}},  # before the first game
        *({"seed": seed} for seed in (1.5, "abcd", [1, 2, 3], [1.5, 2, 3, 4])),
        *(
            {"options": {"reset_mask": mask}}
            for mask in ([0, 2], np.ones(5, np.bool_), np.zeros(4, np.bool_), state.astype(int))
        ),
        *(
            {"options": {"reset_mask": mask}}
            for mask in (torch.ones(4).bool().to("meta"), torch.ones(4).bool().to_sparse())
        ),
        {"options": 5},
    ):
        assert_refused_alike((here, there), lambda envs, given=arguments: envs.reset(**given))
    for seed in (np.int64(3), [None, 2, None, 4]):
        (seen, _), (there_seen, _) = here.reset(seed=seed), there.reset(seed=seed)
        np.testing.assert_array_equal(there_seen, seen)
    with pytest.raises(OptionError, match="its opponent cannot be the caller"):
        gymnasium.make_vec(name, num_envs=4, device="cpu", opponent=ITSELF)


@SLOW
def test_a_vector_env_begins_the_games_that_are_named(tandem: str) -> None:
    name = registry.game(tandem).gym_id
    envs = gymnasium.make_vec(name, num_envs=3, autoreset_mode="Disabled", device="cpu")
    with pytest.raises(EpisodeError, match="call reset"):
        envs.step([0, 0, 0])
    observations, infos = envs.reset(seed=1)
    first, over = observations.clone(), torch.zeros(3, dtype=torch.bool)
    while not over.any():
        observations, _, over, _, infos = envs.step(infos["action_mask"].argmax(1))
    over, last = over.clone(), observations.clone()
    with pytest.raises(EpisodeError, match="are over and autoreset is disabled"):
        envs.step(infos["action_mask"].argmax(1))
    observations, _ = envs.reset(seed=1, options={"reset_mask": over.numpy()})
    np.testing.assert_array_equal(observations, torch.where(over[:, None, None, None], first, last))


@SLOW
def test_code_for_a_gpu_needs_nothing_else(tandem: str) -> None:
    """Nothing that a driver would have to find elsewhere; no sum and product rounded as one."""
    variant = registry.variant(tandem)
    sizes = variant.action_count, variant.observation_size
    made = code_of(variant, Setting(*sizes, (0,), (0,), SAME_STEP), GPU).decode()
    kernels = re.findall(rf"\.visible \.entry gpu_loop_{tandem}_(\w+)\(", made)
    assert sorted(kernels) == [
        *("advance", "begin", "choose_0", "choose_1", "play_0", "play_1"),
    ]
    assert ".extern" not in made
    assert not re.search(r"\bfma\.", made)
