"""Fits engines/GAME/forecast.json: how many points a player is likely to end with.

    python -m bench.fit_forecast play GAME FILE --games 8000 --visits 400
    python -m bench.fit_forecast fit GAME FILE

`play` lets the search, which plans its turns where the game has plans, play itself and appends every game to FILE, one
a line, as JSON; it goes on where a run before it ended, and with `--visits 0` the rules of thumb play. `fit` replays
the games and fits the network of forecast.pyx by Adam (Kingma & Ba 2015), then the spreads of the leads to who won.
What a position is worth is for the most part what the network itself says of the same player a part of the game later,
which is less noisy than what they ended with (temporal differences, Sutton 1988); it begins with the latter. Better
forecasts make better games: the two are repeated in turns. bench/forecast_GAME.py says what is seen of a game, and
when.
"""
from __future__ import annotations

import argparse
import importlib
import json
import math
import random
from collections.abc import Hashable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.forecast_game import Array, ForecastGame
from bench.tune import opened
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search

MEMORY = 64 << 20
STRAY = 0.05  # share of moves that are not the best, so that the network learns what they cost
CANDIDATES = 6  # most of those are one of so many most visited moves
ANY = 0.2  # part of them that are any move
HELD_OUT = 10  # of the games, one in so many is only tested on
LATER = 1  # parts of a game after which a player's next forecast counts
TRUST = 0.9  # part that it counts for; the rest is what they ended with
HIDDEN = 24  # as in cython_ext/network.pxd
BATCH = 1024
EPOCHS = 12
RATE = 2e-3  # of learning, at first; it falls to a hundredth
DECAY = 1e-4  # of the weights


def subject(name: str) -> ForecastGame:
    """Return what is to be known of a game."""
    game: ForecastGame = importlib.import_module(f"bench.forecast_{name}").GAME
    return game


def play(name: str, visits: int, seed: int) -> list[int]:
    """Return the moves and draws of a game."""
    state, draws = subject(name).opening(seed)
    dice = random.Random(seed)
    made: list[int] = []
    while state.to_move != GAME_OVER:
        if state.to_move == CHANCE_POINT:
            code = state.sample(draws)
        else:
            moves = state.moves()
            ranked = moves
            if len(moves) > 1:
                priors = state.priors()
                ranked = sorted(moves, key=lambda move: -priors[move])[:CANDIDATES]
                if visits:
                    search = Search(
                        state, viewer=state.to_move, seed=(seed << 16) + len(made), memory=MEMORY,
                        score_objective=state.players == 1,
                    )  # fmt: skip
                    search.plan(visits, math.inf)
                    search.run(visits, math.inf)
                    found = sorted(search.root_moves(), key=lambda row: -row[1])
                    ranked = [row[0] for row in found if row[1]][:CANDIDATES]
            code = ranked[0]
            if dice.random() < STRAY:
                code = dice.choice(moves if dice.random() < ANY else ranked)
        made.append(code)
        state.apply(code)
    return made


class Sample(NamedTuple):
    """What is seen of a player, and where that leads."""

    x: list[float]
    later: int  # place of the sample a part later among the game's; -1 for the end
    points: float  # in the end


def replay(game: ForecastGame, seed: int, moves: list[int]) -> tuple[list[Sample], list[tuple[list[int], list[float]]]]:
    """Return samples of a game, and where all players are seen at once: their samples, who won."""
    state, _ = game.opening(seed)
    players = range(state.players)
    seen: list[tuple[list[float], int, int]] = []  # what, player, part of the game
    parts: list[list[int]] = []  # samples of all players at the beginning of every part
    last: Hashable = None
    for code in moves:
        phase = game.phase(state)
        if phase is not None and phase != last:
            parts.append([len(seen) + player for player in players])
            seen += [(game.inputs(state, player), player, len(parts) - 1) for player in players]
            last = phase
        elif phase is not None and state.to_move >= 0:
            seen.append((game.inputs(state, state.to_move), state.to_move, len(parts) - 1))
        state.apply(code)
    win, score = state.returns()
    samples = []
    for x, player, part in seen:
        later = parts[part + LATER][player] if part + LATER < len(parts) else -1
        samples.append(Sample(x, later, score[player]))
    return samples, [(places, win) for places in parts if state.players > 1]


def replay_line(name: str, line: str) -> Any:
    """Replay a line of the file."""
    row = json.loads(line)
    return row["seed"], *replay(subject(name), row["seed"], row["moves"])


def forecast(net: dict[str, Array], x: Array) -> Array:
    """Return expected points."""
    units = np.maximum(x @ net["hidden"] + net["bias"], 0)
    y: Array = units @ net["out"] + x @ net["direct"] + net["base"]
    return y


def fit(x: Array, points: Array, later: Array, live: Array, learn: Array) -> dict[str, Array]:
    """Return the network after EPOCHS of learning; x in units of their spread.

    points: in the end. later: places of the samples a part later, -1 for the end. live: whether anything is left
    to forecast. learn: places of the samples to learn from.
    """
    dice = np.random.default_rng(1)
    first = {
        "hidden": dice.normal(0, x.shape[1] ** -0.5, (x.shape[1], HIDDEN)), "bias": np.zeros(HIDDEN),
        "out": dice.normal(0, 0.1, HIDDEN), "direct": np.zeros(x.shape[1]), "base": np.array([points.mean()]),
    }  # fmt: skip
    net: dict[str, Array] = {name: value.astype(np.float32) for name, value in first.items()}
    mean = {name: np.zeros_like(value) for name, value in net.items()}
    square = {name: np.zeros_like(value) for name, value in net.items()}
    steps = EPOCHS * (len(learn) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = dice.permutation(learn)
        y = points
        if epoch:
            guess = np.where(live, forecast(net, x), points)
            y = np.where(later >= 0, (1 - TRUST) * points + TRUST * guess[later], points)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            xs, ys = x[rows], y[rows]
            raw = xs @ net["hidden"] + net["bias"]
            units = np.maximum(raw, 0)
            error = (units @ net["out"] + xs @ net["direct"] + net["base"] - ys) / BATCH
            back = error[:, None] * net["out"] * (raw > 0)
            slopes = {
                "hidden": xs.T @ back, "bias": back.sum(0), "out": units.T @ error, "direct": xs.T @ error,
                "base": error.sum(keepdims=True),
            }  # fmt: skip
            step += 1
            rate = RATE * 0.01 ** (step / steps)
            for name, slope in slopes.items():
                mean[name] += 0.1 * (slope - mean[name])
                square[name] += 0.001 * (slope * slope - square[name])
                move = mean[name] / (1 - 0.9**step) / (np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8)
                net[name] -= rate * (move + (DECAY * net[name] if name != "base" else 0))
    return net


def spreads(game: ForecastGame, leads: Iterable[tuple[int, Array, list[float]]]) -> list[float]:
    """Return by stage the spread that makes who won most likely; a stage no game has takes that of the one before.

    leads: stage, expected points and shares of the win of all players.
    """
    rows: list[tuple[list[Array], list[Array]]] = [([], []) for _ in range(game.stages[0])]
    for left, points, win in leads:
        absent = game.most_players - len(win)
        rows[left][0].append(np.pad(points - points.max(), (0, absent), constant_values=-1e6))
        rows[left][1].append(np.pad(win, (0, absent)))
    found: list[float] = []
    for behind, wins in rows:
        if not behind:
            found.append(found[-1] if found else 1)
            continue
        lead, won = np.array(behind), np.array(wins)

        def loss(spread: float, lead: Array = lead, won: Array = won) -> float:
            return float(np.log(np.exp(lead / spread).sum(1)).sum() - (won * lead).sum() / spread)

        best = min((0.5 + 0.1 * step for step in range(200)), key=loss)
        found.append(max([best, *found]))  # before the first round all are equal, and any spread would do
    return found


def held_out(seed: int) -> bool:
    """Whether a game is only tested on: by lot, since seeds tell the number of players and options."""
    return random.Random(seed).randrange(HELD_OUT) == 0


def play_games(name: str, pool: Executor, path: Path, games: int, visits: int) -> None:
    """Append games to the file, up to the number wanted."""
    done = sum(1 for _ in opened(path, "r")) if path.exists() else 0
    seeds = range(done, games)
    for seed, moves in zip(seeds, pool.map(partial(play, name, visits), seeds, chunksize=4), strict=True):
        with opened(path, "a") as file:
            file.write(json.dumps({"seed": seed, "moves": moves}, separators=(",", ":")) + "\n")


def fit_games(name: str, pool: Executor, paths: list[Path]) -> None:
    """Fit to the games of some files, print how well, and write the network."""
    game = subject(name)
    file = Path(importlib.import_module(f"engines.{name}.weights").__file__ or "").with_name("forecast.json")
    lines = [line for path in paths for line in opened(path, "r")]
    columns: list[list[Array]] = [[], [], [], []]
    together = []
    count = 0
    for seed, samples, seen in pool.map(partial(replay_line, name), lines, chunksize=64):
        columns[0].append(np.array([sample.x for sample in samples], np.float32))
        columns[1].append(np.array([sample.points for sample in samples], np.float32))
        columns[2].append(np.array([count + sample.later if sample.later >= 0 else -1 for sample in samples]))
        columns[3].append(np.full(len(samples), held_out(seed)))
        together += [([count + i for i in places], win) for places, win in seen]
        count += len(samples)
    x, points, later, test = (np.concatenate(rows) for rows in columns)
    former = {name: np.array(value, ndmin=1) for name, value in json.loads(file.read_text()).items()}
    live, stage = game.live(x), game.stage(x)
    middle, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 0.1)
    net = fit((x - middle) / scale, points, later, live, np.flatnonzero(live & ~test))
    net["base"] = net["base"] - (middle / scale) @ net["direct"]
    net["bias"] = net["bias"] - (middle / scale) @ net["hidden"]
    net["direct"] = net["direct"] / scale
    net["hidden"] = net["hidden"] / scale[:, None]
    guess, before = forecast(net, x), forecast(former, x)
    print(f"{len(lines)} games, {count} samples; on {test.sum()} of them, held out:")
    print("stage | root mean square error | before | spread of the points | bias")
    errors = np.zeros(game.stages)
    for place in np.ndindex(*game.stages):
        rows = test & live & np.all([part == here for part, here in zip(stage, place, strict=True)], axis=0)
        if rows.any():
            error, old = guess[rows] - points[rows], before[rows] - points[rows]
            errors[place] = np.sqrt(np.mean(error**2))
            print(
                f"{' '.join(map(str, place))} | {errors[place]:.2f} | {np.sqrt(np.mean(old**2)):.2f} | "
                f"{points[rows].std():.2f} | {error.mean():+.2f}"
            )
    guess = np.where(live, guess, points)
    found = spreads(game, ((int(stage[0][places[0]]), guess[places], win) for places, win in together))
    print("spreads of leads:", " ".join(f"{spread:.1f}" for spread in found))
    result: dict[str, Any] = {name: np.round(value.astype(float), 5).tolist() for name, value in net.items()}
    result |= {"base": result["base"][0], "spread": [round(spread, 1) for spread in found]}
    result["error"] = errors.round(2).tolist()
    file.write_text(json.dumps(result))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "fit"))
    parser.add_argument("game", help="cafe or gatto")
    parser.add_argument("file", type=Path, nargs="+", help="one to play, any number to fit; compressed where named .xz")
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--visits", type=int, default=150, help="a move; 0 for the rules of thumb")
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    with ProcessPoolExecutor(args.processes) as pool:
        if args.what == "play":
            play_games(args.game, pool, args.file[0], args.games, args.visits)
        else:
            fit_games(args.game, pool, args.file)


if __name__ == "__main__":
    main()
