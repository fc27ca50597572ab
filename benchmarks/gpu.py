"""Games on a GPU: decisions a second over batch sizes, and whether they are the CPU's, bit for bit.

    python benchmarks/gpu.py                          the suite's games and connect four
    python benchmarks/gpu.py hackthegrid --sizes 65536 1048576
    python benchmarks/gpu.py --pgx                    PGX's connect four, in JAX, on the same card
    python benchmarks/gpu.py --write FILE             long play on this processor, as digests
    python benchmarks/gpu.py --check FILE             the same play on the GPU; also of GAMES alone

Random legal play; every decision gets its mask and its observation, and a finished game is replaced
at once. "step" chooses and steps, two calls for each decision of all games; "play" makes 16
decisions in a call. Each figure is the median of five, by the GPU's own clock.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyberdeck
from cyberdeck import load_file

EXAMPLES = Path(__file__).parents[1] / "examples" / "games"
SIZES = [1 << power for power in (12, 14, 16, 18, 20)]

#: Games of the digests, decisions of each part of their course, and the seed of the first.
ROWS, DECISIONS, SEED = 2048, 300, 5


def named(game: str) -> str:
    """A game of the suite, or the file of one among the examples."""
    return game if game in cyberdeck.GAMES else load_file(EXAMPLES / f"{game}.py").name


# --- speed ---------------------------------------------------------------------------------------


def seconds(call: Callable[[], Any], repeat: int) -> float:
    """The median of five: seconds of a call, of which several are made in a row."""
    import torch

    call()
    found = []
    for _ in range(5):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(repeat):
            call()
        end.record()
        end.synchronize()
        found.append(begin.elapsed_time(end) / 1000 / repeat)
    return statistics.median(found)


def measure(game: str, count: int) -> tuple[float, float]:
    """Millions of decisions a second by steps, and by play."""
    batch = cyberdeck.Batch(game, count, seed=0, device="cuda", illegal="lose")
    batch.play("random", 60)  # into the middle of games, each at another place
    step = seconds(lambda: batch.step(batch.choose("random")), 8)
    play = seconds(lambda: batch.play("random", 16), 2)
    return count / step / 1e6, 16 * count / play / 1e6


def speeds(games: list[str], sizes: list[int]) -> None:
    """The table, a line for each game and size."""
    import torch

    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print("millions of decisions a second of random legal play, with mask and observation")
    print(f"{'game':20}{'games at once':>14}{'step':>10}{'play':>10}")
    for game in games:
        for count in sizes:
            step, play = measure(named(game), count)
            print(f"{game:20}{count:14,}{step:10.1f}{play:10.1f}", flush=True)
            torch.cuda.empty_cache()


def pgx_speeds(sizes: list[int]) -> None:
    """PGX's connect four: 32 decisions in a compiled call, with its own way of replacing games."""
    import jax
    import pgx

    from peers import pgx_game

    print(f"{jax.devices()[0].device_kind}, JAX {jax.__version__}, PGX {pgx.__version__}")
    for count in sizes:
        chunk = pgx_game("connect_four", 32, batch=count)
        chunk()  # compile
        found = []
        for _ in range(5):
            began = time.perf_counter()
            chunk()
            found.append(time.perf_counter() - began)
        rate = 32 * count / statistics.median(found) / 1e6
        print(f"{'connect_four (PGX)':20}{count:14,}{rate:20.1f}", flush=True)


# --- the same bits -------------------------------------------------------------------------------


def standing(batch: cyberdeck.Batch) -> str:
    """A digest of all that the games are, and of all that is seen of them."""
    digest, core = hashlib.blake2b(digest_size=16), batch._core
    for name in ("states", "rows", "masks", "observations", "finals"):
        each = getattr(core, name)
        digest.update((each.cpu().contiguous().numpy() if hasattr(each, "cpu") else each).tobytes())
    return digest.hexdigest()


def course(game: str, device: str | None) -> list[str]:
    """Digests on the way through random play, by steps and in one go, and the heuristic's."""
    found = []
    many = cyberdeck.game(game).most_seats > 1
    settings: list[dict[str, Any]] = [{}, *([{"seat": "random", "opponent": "random"}] * many)]
    if many and cyberdeck.game(game).has_heuristic:
        settings.append({"seat": "random", "opponent": "heuristic"})
    for setting in settings:
        batch = cyberdeck.Batch(game, ROWS, seed=SEED, device=device, **setting)
        for _ in range(DECISIONS):
            batch.step(batch.choose("random"))
        found.append(standing(batch))
        for player, steps in (("random", DECISIONS), ("heuristic", DECISIONS // 10)):
            batch.play(player, steps)
            found.append(standing(batch))
    return found


def write(file: Path) -> None:
    """Play here, and write digests down."""
    found = {}
    for game in (*cyberdeck.GAMES, *sorted(path.stem for path in EXAMPLES.glob("*.py"))):
        found[game] = course(named(game), None)
        print(f"{game:20}{found[game][-1]}", flush=True)
    file.write_text(json.dumps(found, indent=1) + "\n")


def check(file: Path, games: list[str]) -> int:
    """Play on the GPU, and compare; how many games differ."""
    differ, known = 0, json.loads(file.read_text())
    for game in games or known:
        began = time.perf_counter()
        same = course(named(game), "cuda") == known[game]
        differ += not same
        taken = time.perf_counter() - began
        print(f"{game:20}{'the same' if same else 'DIFFERENT':12}{taken:6.1f} s", flush=True)
    return differ


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--pgx", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--check", type=Path)
    chosen = parser.parse_args()
    if chosen.write:
        write(chosen.write)
    elif chosen.check:
        return check(chosen.check, chosen.games)
    elif chosen.pgx:
        pgx_speeds(chosen.sizes)
    else:
        speeds(chosen.games or [*cyberdeck.GAMES, "connect_four"], chosen.sizes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
