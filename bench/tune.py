"""Tunes the weights of an engine, those in engines/GAME/weights.py, by games it plays against itself.

    python -m bench.tune record GAME FILE --games 100 --visits 2000
    python -m bench.tune play GAME
    python -m bench.tune moves GAME FILE
    python -m bench.tune evaluation GAME FILE
    python -m bench.tune prior GAME FILE

`play` tunes what the greedy player reads: its win share against itself as it was before, time and again. `record` lets
the search play itself and appends every game to FILE, one a line, as JSON (compressed where the name ends in .xz); it
goes on where a run before it ended. `moves` fits the weights named MOVES to the visits of those searches, as the priors
give them, and `prior` only the one that says how certain they are; `evaluation` fits those named EVALUATION to the
results of those games. All by CMA-ES (Hansen & Ostermeier 2001, `pip install cafebrain[tune]`) with a fixed seed, a
single weight by trial; they print what to write into weights.py, and how good it is on games that nothing was learnt
from.
"""
from __future__ import annotations

import argparse
import importlib
import json
import lzma
import math
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import IO, Any, cast

from cafebrain.errors import BrainError
from cython_ext.fit import Sample, contest
from cython_ext.game import CHANCE_POINT, GAME_OVER, Game, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Entry, Library

MEMORY = 64 << 20
STRAY = 0.1  # share of moves made at random, so that positions differ
HELD_OUT = 5  # of the games recorded, one in so many is only tested on
DRAGGING = 2  # times the moves and draws of a usual game
SCORE_PART = 0.2  # of the evaluation's loss, beside the win shares; in units of the scores' error before
STEP = 0.25  # first step of the search, in units of the weights
LEAST_UNIT = 0.3  # of weights near 0
FACTORS = [1.1**power for power in range(-12, 13)]  # by which `prior` is tried to be larger
UNSEEN = 10**6  # first seed of games to test on

Weights = dict[str, float]


class Tuner:
    """An engine whose weights are changed."""

    def __init__(self, game: str) -> None:
        self.entry: Entry = Library().entries(game)[0]
        self.module: Any = importlib.import_module(f"engines.{game}.weights")
        self.variants = list(self._variants())

    def _variants(self) -> Iterator[tuple[int, dict[str, str]]]:
        engine = self.entry.engine
        for players in (2, *range(max(2, engine.min_players), engine.max_players + 1)):
            for values in product(*(option.values for option in engine.options)):
                options = dict(zip((option.name for option in engine.options), values, strict=True))
                try:
                    engine.initial(self.entry.game, players, options, Random(0))
                except BrainError:
                    continue
                yield players, options

    def start(self, seed: int) -> tuple[State, int, dict[str, str], Random]:
        """Return the first position of game number `seed`, what it was made of, and the draws to come."""
        players, options = self.variants[seed % len(self.variants)]
        draws = Random(seed)
        return self.entry.engine.initial(self.entry.game, players, options, draws), players, options, draws

    def build(self, weights: Weights) -> Game:
        """Return the rules with some weights changed."""
        native: Any = type(self.entry.game)
        game: Game = native(self.entry.components, self.module.WEIGHTS | weights)
        return game

    def fit(self, weights: Weights, loss: Callable[[Game], float], evaluations: int, seed: int = 1) -> Weights:
        """Return weights with a small loss; those that make no difference stay as they are."""
        import cma

        before = loss(self.build(weights))
        units = {
            name: max(abs(value), LEAST_UNIT)
            for name, value in weights.items()
            if any(loss(self.build(weights | {name: value + step})) != before for step in (-LEAST_UNIT, LEAST_UNIT))
        }

        def weighted(point: list[float]) -> Weights:
            return weights | {name: x * unit for (name, unit), x in zip(units.items(), point, strict=True)}

        start = [weights[name] / unit for name, unit in units.items()]
        search = cma.CMAEvolutionStrategy(start, STEP, {"seed": seed, "maxfevals": evaluations, "verbose": -9})
        while not search.stop():
            points = search.ask()
            search.tell(points, [loss(self.build(weighted(point))) for point in points])
        return weighted(search.result.xfavorite)


def opened(path: Path, mode: str) -> IO[str]:
    """Open a file of games."""
    return cast(IO[str], lzma.open(path, mode + "t") if path.suffix == ".xz" else path.open(mode))


def searched_game(tuner: Tuner, seed: int, visits: int) -> dict[str, Any]:
    """Play one game; return all that is needed to repeat it, and the visits of every search."""
    state, players, options, draws = tuner.start(seed)
    stray = random.Random(seed)
    steps: list[list[int]] = []
    while state.to_move != GAME_OVER:
        found: dict[int, int] = {}
        if state.to_move == CHANCE_POINT:
            code = state.sample(draws)
        else:
            moves = state.moves()
            code = moves[0]
            if len(moves) > 1:
                search = Search(state, viewer=state.to_move, seed=(seed << 16) + len(steps), memory=MEMORY)
                search.run(visits, math.inf)
                found = {move: count for move, count, *_ in search.root_moves() if count}
                code = max(found, key=lambda move: found[move])
                if stray.random() < STRAY:
                    code = stray.choice(moves)
        steps.append([code, *(number for pair in found.items() for number in pair)])
        state.apply(code)
    win, score = state.returns()
    return {"players": players, "options": options, "seed": seed, "steps": steps, "win": win, "score": score}


def record(tuner: Tuner, args: argparse.Namespace) -> None:
    """Append games to the file, up to the number wanted."""
    done = 0
    if args.file.exists():
        with opened(args.file, "r") as file:
            done = sum(1 for _ in file)
    for seed in range(done + 1, args.games + 1):
        with opened(args.file, "a") as file:
            file.write(json.dumps(searched_game(tuner, seed, args.visits), separators=(",", ":")) + "\n")


def load(tuner: Tuner, path: Path, sparse: int) -> tuple[Sample, Sample]:
    """Replay the games; return the positions to learn from and those to test on.

    Games that drag on are left out: a few scores far from all others would decide the fit.
    """
    samples = Sample(), Sample()
    engine = tuner.entry.engine
    with opened(path, "r") as file:
        games = [json.loads(line) for line in file]
    most = DRAGGING * median(len(game["steps"]) for game in games)
    for game in games:
        if len(game["steps"]) > most:
            continue
        state = engine.initial(tuner.entry.game, game["players"], game["options"], Random(game["seed"]))
        sample = samples[game["seed"] // len(tuner.variants) % HELD_OUT == 0]  # of every kind of game
        for number, (code, *found) in enumerate(game["steps"]):
            if (number + game["seed"]) % sparse == 0:
                sample.add(state, dict(zip(found[::2], found[1::2], strict=True)), game["win"], game["score"])
            state.apply(code)
    return samples


def evaluation_loss(sample: Sample, before: Game) -> Callable[[Game], float]:
    """Return the loss of evaluations; the scores count in units of their error under the given game's."""
    unit = sample.evaluation_loss(before)[1]

    def loss(game: Game) -> float:
        entropy, error = sample.evaluation_loss(game)
        return entropy + SCORE_PART * error / unit

    return loss


def fit_recorded(tuner: Tuner, args: argparse.Namespace) -> Weights:
    """Fit to recorded games."""
    learn, test = load(tuner, args.file, args.sparse)
    before = tuner.build({})
    losses: list[Callable[[Game], float]]
    if args.what == "evaluation":
        losses = [evaluation_loss(sample, before) for sample in (learn, test)]
    else:
        losses = [learn.prior_loss, test.prior_loss]
    if args.what == "prior":
        tried = [{"prior": tuner.module.WEIGHTS["prior"] * factor} for factor in FACTORS]
        found = min(tried, key=lambda weights: losses[0](tuner.build(weights)))
    else:
        found = tuner.fit(getattr(tuner.module, args.what.upper()), losses[0], args.evaluations)
    for name, loss, sample in zip(("learnt from", "others"), losses, (learn, test), strict=True):
        print(f"{len(sample)} positions {name}: {loss(before):.4f} before, {loss(tuner.build(found)):.4f} after")
    return found


def fit_play(tuner: Tuner, args: argparse.Namespace) -> Weights:
    """Let the greedy player beat itself as it was, in turns."""
    first: Weights = tuner.module.WEIGHTS
    found = first

    def starts(seed: int, games: int) -> list[bytes]:
        return [bytes(tuner.start(seed + number)[0]) for number in range(games)]

    unseen = starts(UNSEEN, 2 * args.games)
    for turn in range(args.turns):
        last, games = tuner.build(found), starts(turn * args.games, args.games)

        def loss(game: Game, last: Game = last, games: list[bytes] = games) -> float:
            return -contest(game, last, games, 1)

        found = tuner.fit(found, loss, args.evaluations, turn + 1)
        share = [contest(tuner.build(found), other, unseen, 2) for other in (last, tuner.build(first))]
        print(f"turn {turn + 1}: wins {share[0]:.1%} against the last, {share[1]:.1%} against the first", flush=True)
    return found


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "play", "moves", "evaluation", "prior"))
    parser.add_argument("game")
    parser.add_argument("file", type=Path, nargs="?", help="recorded games; not for `play`")
    parser.add_argument("--games", type=int, default=1500, help="to record, or to play for every judgement")
    parser.add_argument("--visits", type=int, default=2000, help="a move, in recorded games")
    parser.add_argument("--turns", type=int, default=3, help="of `play`")
    parser.add_argument("--evaluations", type=int, default=1500, help="of the loss; in every turn")
    parser.add_argument("--sparse", type=int, default=3, help="learn from one position in so many")
    args = parser.parse_args()
    if (args.file is None) != (args.what == "play"):
        parser.error(f"{args.what} {'wants' if args.file is None else 'takes no'} FILE")
    tuner = Tuner(args.game)
    if args.what == "record":
        record(tuner, args)
        return
    found = fit_play(tuner, args) if args.what == "play" else fit_recorded(tuner, args)
    for name, value in found.items():
        print(f'    "{name}": {value:.3f},')


if __name__ == "__main__":
    main()
