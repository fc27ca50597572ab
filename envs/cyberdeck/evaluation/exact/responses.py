"""What a strategy is worth in a game for two, and the best answer to it: exactly.

The strategy looks at the present observation only. So whoever answers it has to know how likely
each position is, and not how the game came there: along its own observations and actions a belief
is carried, a weight for each position, in which courses that come together are one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops
from cyberdeck.evaluation.exact.graph import Graph

FULL, DONE = 1, 0
#: What ``respond`` does with beliefs at the depth where it stops: note them, take their values from
#: a list, or go on to the end.
NOTE, TAKE, THROUGH = 0, 1, 2


def worth(first, into, after, chance, reward, sigma, values):
    """What each seat gets from each position on, if both play the strategy."""
    for i in range(len(values) - 1, -1, -1):
        for seat in range(2):
            total = 0.0
            for c in range(first[i], first[i + 1]):
                if sigma[c] > 0:
                    for e in range(into[c], into[c + 1]):
                        value = np.float64(reward[e, seat])
                        if after[e] >= 0:
                            value += values[after[e], seat]
                        total += sigma[c] * chance[e] * value
            values[i, seat] = total


def close(seat, mover, first, into, after, chance, reward, sigma, begin, end, ids, odds, gain, stamp, place, at):
    """Where the game is when *seat* has to decide next, from each position in which it has not."""
    n = at[1]
    for i in range(at[0], -1, -1):
        begin[i], end[i], gain[i] = n, n, 0.0
        if mover[i] != seat:
            at[2] += 1
            tick = at[2]
            for c in range(first[i], first[i + 1]):
                if sigma[c] <= 0:
                    continue
                for e in range(into[c], into[c + 1]):
                    p = sigma[c] * chance[e]
                    gain[i] += p * reward[e, seat]
                    j = after[e]
                    if j < 0:
                        continue
                    own = mover[j] == seat
                    if not own:
                        gain[i] += p * gain[j]
                    k, last = (0, 1) if own else (begin[j], end[j])
                    while k < last:
                        to, q = (j, p) if own else (ids[k], p * odds[k])
                        if stamp[to] == tick:
                            odds[place[to]] += q
                        else:
                            if n == len(ids):
                                return FULL
                            stamp[to], place[to] = tick, n
                            ids[n], odds[n] = to, q
                            n += 1
                        k += 1
            end[i] = n
            at[1] = n
        at[0] = i - 1
    return DONE


def respond(
    seat, how, cut, mover, seen, first, into, after, chance, reward, begin, end, ids, odds, gain,
    stamp, place, sight_stamp, sight_place, sids, sodds, tids, todds, frames, sums, memo,
    tasks, task_ids, task_odds, task_values, at,
):
    """The best that *seat* can get from the belief sids[:at[0]], grouped by what is seen.

    frames (D, 6): belief's begin and end, action, next group, last group; sums (D, 2): best, this.
    at: entries, tick, noted tasks, entries in them, steps
    """
    d = 0
    frames[0, 0], frames[0, 1], frames[0, 2] = 0, 0, -2
    frames[0, 3], frames[0, 4] = 0, at[0]
    sums[0, 0], sums[0, 1] = 0.0, 0.0
    while True:
        g0, g_end = frames[d, 3], frames[d, 4]
        if g0 < g_end:
            what = seen[sids[g0]]
            g1 = g0 + 1
            while g1 < g_end and seen[sids[g1]] == what:
                g1 += 1
            frames[d, 3] = g1
            if d == cut and how != THROUGH:
                if how == TAKE:
                    sums[d, 1] += task_values[at[2]]
                else:
                    if at[2] + 1 == len(tasks) or at[3] + g1 - g0 > len(task_ids):
                        return FULL
                    for k in range(g0, g1):
                        task_ids[at[3]], task_odds[at[3]] = sids[k], sodds[k]
                        at[3] += 1
                    tasks[at[2] + 1] = at[3]
                at[2] += 1
                continue
            if how == THROUGH and g1 == g0 + 1 and memo[sids[g0]] == memo[sids[g0]]:
                sums[d, 1] += sodds[g0] * memo[sids[g0]]
                continue
            d += 1
            if d == len(frames):
                return FULL
            frames[d, 0], frames[d, 1], frames[d, 2] = g0, g1, -1
            frames[d, 3], frames[d, 4] = 0, 0
            sums[d, 0], sums[d, 1] = -np.inf, 0.0
            continue
        if d == 0:
            return DONE
        b0, b1, action = frames[d, 0], frames[d, 1], frames[d, 2]
        if action >= 0 and sums[d, 1] > sums[d, 0]:
            sums[d, 0] = sums[d, 1]
        action += 1
        head = sids[b0]
        if action == first[head + 1] - first[head]:
            if how == THROUGH and b1 == b0 + 1:
                memo[head] = sums[d, 0] / sodds[b0]
            sums[d - 1, 1] += sums[d, 0]
            d -= 1
            continue
        frames[d, 2] = action
        # What the action leads to, behind all that is still needed.
        top = frames[d - 1, 4]
        at[1] += 1
        tick = at[1]
        n, total, groups = top, 0.0, 0
        for b in range(b0, b1):
            c = first[sids[b]] + action
            for e in range(into[c], into[c + 1]):
                p = sodds[b] * chance[e]
                total += p * reward[e, seat]
                j = after[e]
                if j < 0:
                    continue
                own = mover[j] == seat
                if not own:
                    total += p * gain[j]
                k, last = (0, 1) if own else (begin[j], end[j])
                at[4] += last - k
                while k < last:
                    to, q = (j, p) if own else (ids[k], p * odds[k])
                    k += 1
                    if stamp[to] == tick:
                        sodds[place[to]] += q
                        continue
                    if n == len(sids):
                        return FULL
                    stamp[to], place[to] = tick, n
                    sids[n], sodds[n] = to, q
                    n += 1
                    what = seen[to]
                    if sight_stamp[what] == tick:
                        sight_place[what] += 1
                    else:
                        sight_stamp[what], sight_place[what] = tick, 1
                        groups += 1
        if groups > 1:  # those that are seen alike side by side
            where = top
            for k in range(top, n):
                what = seen[sids[k]]
                if sight_place[what] > 0:  # its first: where they begin, as a negative number
                    size = sight_place[what]
                    sight_place[what] = -where - 1
                    where += size
                to = -sight_place[what] - 1
                tids[to - top], todds[to - top] = sids[k], sodds[k]
                sight_place[what] -= 1
            for k in range(top, n):
                sids[k], sodds[k] = tids[k - top], todds[k - top]
        frames[d, 3], frames[d, 4] = top, n
        sums[d, 1] = total


class Responses:
    """Best answers in one game to strategies that see the present observation only."""

    def __init__(self, graph: Graph, sigma: NDArray[np.float64], threads: int = 2) -> None:
        self.graph, self.sigma = graph, sigma
        self.worth, self.close, self.respond = compile_loops([worth, close, respond], "responses")
        self.threads, self.steps = threads, 0

    def values(self) -> NDArray[np.float64]:
        g = self.graph
        values = np.zeros((len(g.states), 2))
        self.worth(g.first, g.into, g.after, g.chance, g.reward, self.sigma, values)
        return g.root_reward + g.root_chance @ values[g.root]

    def best(self, seat: int) -> float:
        g, count = self.graph, len(self.graph.states)
        begin, end, gain = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count)
        ids, odds = np.zeros(1 << 14, np.int32), np.zeros(1 << 14)
        stamp, place = np.zeros(count, np.int64), np.zeros(count, np.int64)
        at = np.array([count - 1, 0, 0])
        while self.close(
            seat, g.mover, g.first, g.into, g.after, g.chance, g.reward, self.sigma, begin, end,
            ids, odds, gain, stamp, place, at,
        ):
            ids, odds = np.resize(ids, 2 * len(ids)), np.resize(odds, 2 * len(odds))
        shared = (g.mover, g.seen, g.first, g.into, g.after, g.chance, g.reward, begin, end, ids, odds, gain)
        base, belief = float(g.root_reward[seat]), {}
        for root, chance in zip(g.root.tolist(), g.root_chance.tolist(), strict=True):
            if g.mover[root] == seat:
                belief[root] = belief.get(root, 0.0) + chance
                continue
            base += chance * float(gain[root])
            for k in range(begin[root], end[root]):
                belief[int(ids[k])] = belief.get(int(ids[k]), 0.0) + chance * float(odds[k])
        start = np.array(sorted(belief, key=lambda each: (g.seen[each], each)), np.int32)
        weight = np.array([belief[int(each)] for each in start])

        class Space:
            def __init__(self, most: int) -> None:
                self.stamp, self.place = np.zeros(count, np.int64), np.zeros(count, np.int64)
                self.sights = np.zeros(len(g.example), np.int64), np.zeros(len(g.example), np.int64)
                self.sids, self.sodds = np.empty(most, np.int32), np.empty(most)
                self.tids, self.todds = np.empty(count + 1, np.int32), np.empty(count + 1)
                self.frames, self.sums = np.zeros((256, 5), np.int64), np.zeros((256, 2))
                self.memo = np.full(count, np.nan)
                self.at = np.zeros(5, np.int64)

        def run(space: Space, how: int, cut: int, start: Any, weight: Any, tasks: Any) -> float:
            space.sids[: len(start)], space.sodds[: len(start)] = start, weight
            space.at[0], space.at[2], space.at[3] = len(start), 0, 0
            stopped = self.respond(
                seat, how, cut, *shared, space.stamp, space.place, *space.sights, space.sids,
                space.sodds, space.tids, space.todds, space.frames, space.sums, space.memo, *tasks,
                space.at,
            )
            assert stopped == DONE
            return float(space.sums[0, 1])

        most = 1 << 24
        space, cut = Space(most), 0
        while True:
            tasks = (np.zeros(1 << 18, np.int64), np.empty(most, np.int32), np.empty(most), np.empty(1 << 18))
            run(space, NOTE, cut, start, weight, tasks)
            found = int(space.at[2])
            if found == 0 or found >= 64 * self.threads or cut == 6:
                break
            cut += 1
        spaces = [Space(most) for _ in range(self.threads)]
        free = list(spaces)

        def solve(t: int) -> None:
            own = free.pop()
            part = slice(tasks[0][t], tasks[0][t + 1])
            nothing = (tasks[0][:1], tasks[1][:1], tasks[2][:1], tasks[3][:1])
            tasks[3][t] = run(own, THROUGH, 0, tasks[1][part], tasks[2][part], nothing)
            free.append(own)

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(solve, range(found)))
        self.steps += sum(int(each.at[4]) for each in spaces)
        return base + run(space, TAKE, cut, start, weight, tasks)


def uniform_of(graph: Graph) -> NDArray[np.float64]:
    legal = np.diff(graph.first)
    return np.repeat(1.0 / legal, legal)
