"""Are the values honest? Positions of self-play games, what the search said of them, and how the games ended.

`python -m bench.calibration play FOLDER GAME --players 2 --visits 100 --games 10000` plays games between equal searches
and keeps one position of each, at a random decision whose best move does not end the game. A file in FOLDER holds them;
called again, it goes on there.

`python -m bench.calibration fit FOLDER` fits engines/GAME/calibration.toml on the games in FOLDER, prints how well
calibrated the values are with such a fit and without, and draws docs/calibration/GAME.png. The fit that is tested on
the even games was made on the odd ones, and the reverse: every position is held out (two-fold cross-validation).
"""
from __future__ import annotations

import argparse
import math
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import ROOT
from bench.positions import check_players, library, opening
from cafebrain.v1 import brain_service_pb2 as pb
from engines.calibration import Calibration, log_visits, unsure
from solver.analysis import Control, Limits, analysis_for
from solver.arena import steps
from solver.journal import Journal, read_journal
from solver.positions import Position

LEVEL = 0.9  # of the score interval
WIDTH = 1.644854  # standard deviations on either side of it, if scores were normal
BINS = 10
MANY = 300  # visits of a move, more than those of the best one in a cheap search
LEAST_GAMES = 10  # of a file: fewer tell nothing of how good a fit is
LEAST_SPREAD = 0.5  # points; a search of an ending sees no spread at all


@dataclass(frozen=True)
class Sample:
    """One position: what the search said of its best move, per player, and how the game ended."""

    visits: int  # of the best move
    mover: int  # from 0
    wins: tuple[float, ...]
    scores: tuple[float, ...]
    spreads: tuple[float, ...]
    shares: tuple[float, ...]  # of the win, in the end
    finals: tuple[float, ...]  # scores


def sample_game(game: str, players: int, visits: int, seed: int) -> Sample:
    """Play a game and return one decision of it, each with the same chance."""
    position = opening(game, players, seed)
    dice = random.Random(seed)
    decisions = 0
    said: dict[str, Any] = {}

    def play(seen: Position, move_seed: int) -> int:
        nonlocal decisions, said
        moves = seen.state.moves()
        if len(moves) == 1:
            return moves[0]
        request = pb.SuggestRequest(budget=pb.Budget(visits=visits), seed=move_seed)
        # What is solved needs no calibration.
        analysis = analysis_for(seen, request, Control(), Limits(), "", features={"exact": False})
        analysis.run()
        best = analysis.ranked()[0]
        if best.over:  # nor does a result
            return best.code
        decisions += 1
        if dice.randrange(decisions) == 0:
            n = best.visits
            means = [score / n for score in best.score]
            squares = zip(best.score_squares, means, strict=True)
            said = {
                "visits": n,
                "mover": seen.state.to_move,
                "wins": tuple(win / n for win in best.win),
                "scores": tuple(means),
                "spreads": tuple(max(0.0, square / n - mean * mean) ** 0.5 for square, mean in squares),
            }
        return best.code

    for _ in steps(position, [play] * players, seed, seed):
        pass
    shares, finals = position.state.returns()
    return Sample(**said, shares=tuple(shares), finals=tuple(finals))


def play(args: argparse.Namespace) -> None:
    """Play games and keep a position of each."""
    check_players(args.game, args.players)
    args.folder.mkdir(parents=True, exist_ok=True)
    header = {"game": args.game, "players": args.players, "visits": args.visits, "without": "results"}
    journal = Journal(args.folder / f"{args.game}-{args.players}-{args.visits}.jsonl")
    if not journal.records:
        journal.append(header)
    elif journal.records[0] != header:
        sys.exit(f"error: {args.folder}: holds other positions of {args.game}: {journal.records[0]}")
    known = max(0, len(journal.records) - 1)
    with ThreadPoolExecutor(args.threads) as pool:
        seeds = iter(range(known, args.games))
        while chunk := list(islice(seeds, 16 * args.threads)):  # in order: the number of lines tells what is left
            found = pool.map(lambda seed: sample_game(args.game, args.players, args.visits, seed), chunk)
            for sample in found:
                journal.append(asdict(sample))
            print(f"\r{chunk[-1] + 1} of {args.games} games", end="", file=sys.stderr)
    print(file=sys.stderr)
    journal.close()


def samples_in(path: Path) -> list[Sample]:
    """Return the positions in a file."""
    return [Sample(**{name: _tuple(value) for name, value in record.items()}) for record in read_journal(path)[1:]]


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def fitted(samples: Sequence[Sample]) -> Calibration:
    """Return the calibration with the highest likelihood of the results.

    What concerns wins by Newton's method on the log-likelihood of the shares of the win, which is concave; the slopes
    with a little weight on 0, as all games may have the same visits and players. Shifts: the mean errors of the scores
    in spreads. Scales: so that the interval holds 90 % of the scores, by least squares on the logarithms for each
    number of players and for few and many visits.
    """
    weights = np.array([1.0, 0, 0, 0, 0, 0])
    weight_on_0 = np.array([1e-9, 1, 1, 1e-9, 1, 1])
    for _ in range(50):
        gradient, curvature = -weight_on_0 * weights, np.diag(weight_on_0)
        for sample in samples:
            players = len(sample.wins)
            logits = np.log([unsure(win, sample.visits, players) for win in sample.wins])
            moves = np.arange(players) == sample.mover
            scale = np.array([1, log_visits(sample.visits), math.log(players / 2)])
            features = np.hstack([np.outer(logits, scale), np.outer(moves, scale)])
            chance = np.exp(features @ weights)
            chance /= chance.sum()
            gradient += features.T @ (np.array(sample.shares) - chance)
            centered = features - chance @ features
            curvature += centered.T @ (chance[:, None] * centered)
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    others: list[float] = []  # errors of the scores, in spreads
    groups: dict[tuple[int, bool], list[tuple[float, float]]] = defaultdict(list)  # those of the player to move
    for sample in samples:
        for player, (final, mean) in enumerate(zip(sample.finals, sample.scores, strict=True)):
            error = (final - mean) / max(sample.spreads[player], LEAST_SPREAD)
            if player == sample.mover:
                groups[len(sample.wins), sample.visits > MANY].append((error, log_visits(sample.visits)))
            else:
                others.append(error)
    shift = float(np.mean(others))
    mover_shift = float(np.mean([error for found in groups.values() for error, _ in found]))
    counts, rows, wanted = [], [], []
    for (players, _), found in groups.items():
        misses, logs = np.array(found).T
        counts.append(len(found))
        rows.append([math.log(players / 2), logs.mean()])
        wanted.append(math.log(np.quantile(np.abs(misses - mover_shift), LEVEL) / WIDTH))
    middle, usual = (np.average(of_group, axis=0, weights=counts) for of_group in (rows, wanted))
    far, off = rows - middle, np.array(counts)[:, None] * (rows - middle)
    # A little weight on 0: slopes stay there where all groups are alike.
    power, slope = np.linalg.solve(off.T @ far + 1e-3 * np.eye(2), off.T @ (wanted - usual))
    level = usual - middle @ (power, slope)
    figures = (*weights, shift, mover_shift, math.exp(level), power, slope)
    return Calibration(*(round(float(figure), 3) for figure in figures))


Part = tuple[Sequence[Sample], Calibration]  # positions, and what their values are corrected by


def curve(*parts: Part) -> list[tuple[int, float, float]]:
    """Return per tenth of the predicted share of the mover: how many, the mean prediction, the mean result."""
    bins: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for samples, calibration in parts:
        for sample in samples:
            said = calibration.wins(sample.wins, sample.visits, sample.mover)[sample.mover]
            bins[min(BINS - 1, int(said * BINS))].append((said, sample.shares[sample.mover]))
    return [
        (len(pairs), sum(said for said, _ in pairs) / len(pairs), sum(came for _, came in pairs) / len(pairs))
        for _, pairs in sorted(bins.items())
    ]


def calibration_error(points: Sequence[tuple[int, float, float]]) -> float:
    """Return the expected calibration error: the mean distance of prediction and result, weighted by how many."""
    return sum(n * abs(said - came) for n, said, came in points) / sum(n for n, _, _ in points)


def coverage(*parts: Part) -> float:
    """Return the part of the movers' final scores that lie in the interval that should hold 90 % of them."""
    held = 0
    for samples, calibration in parts:
        for sample in samples:
            mover, players = sample.mover, len(sample.wins)
            mean, spread = calibration.score(sample.scores[mover], sample.spreads[mover], True, players, sample.visits)
            held += abs(sample.finals[mover] - mean) <= WIDTH * spread + 1e-9
    return held / sum(len(samples) for samples, _ in parts)


def fit(args: argparse.Namespace) -> None:
    """Fit, print and draw, per game."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(args.folder.glob("*.jsonl")):
        files[path.name.split("-")[0]].append(path)
    print("| game, players, visits | positions | error of the win | as it was | in the 90 % interval | as it was |")
    print("|---|---|---|---|---|---|")
    for game, paths in files.items():
        samples = {path.stem: samples_in(path) for path in paths}
        few = [name for name, found in samples.items() if len(found) < LEAST_GAMES]
        if few:
            sys.exit(f"error: {', '.join(few)}: wants {LEAST_GAMES} games or more")
        fits = [fitted([sample for found in samples.values() for sample in found[half::2]]) for half in (1, 0)]
        curves = {}
        for name, found in samples.items():
            parts = [(found[half::2], fits[half]) for half in (0, 1)]
            curves[name] = curve(*parts)
            before = (found, Calibration())
            figures = [calibration_error(curves[name]), calibration_error(curve(before))]
            cells = " | ".join(f"{error:.3f}" for error in figures)
            shares = f"{coverage(*parts):.1%} | {coverage(before):.1%}"
            print(f"| {', '.join(name.split('-'))} | {len(found):,} | {cells} | {shares} |")
        calibration = fitted([sample for found in samples.values() for sample in found])
        write(game, calibration, samples)
        draw(game, curves)


def write(game: str, calibration: Calibration, samples: dict[str, list[Sample]]) -> None:
    """Write the figures of a game into its engine's folder."""
    origin = "; ".join(f"{name}: {len(found)} games" for name, found in samples.items())
    lines = [f"{field.name} = {value}" for field, value in zip(fields(calibration), astuple(calibration), strict=True)]
    head = [f"# By bench/calibration.py, fitted on game-players-visits: {origin}", "[calibration]"]
    (ROOT / "engines" / game / "calibration.toml").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")


def draw(game: str, curves: dict[str, list[tuple[int, float, float]]]) -> None:
    """Draw the reliability diagram of a game."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="#b9ac98", linestyle="--", label="honest")
    for name, points in curves.items():
        _, players, visits = name.split("-")
        label = f"{players} players, {visits} visits"
        axes.plot([said for _, said, _ in points], [came for _, _, came in points], marker="o", label=label)
    axes.set(xlabel="predicted share of the win", ylabel="share of the win in the end", xlim=(0, 1), ylim=(0, 1))
    axes.set_title(library().engine(game).name)
    axes.legend()
    folder = ROOT / "docs" / "calibration"
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / f"{game}.png", dpi=80, metadata={"Software": None})
    pyplot.close(figure)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    playing = commands.add_parser("play", help="play games and keep a position of each")
    playing.add_argument("folder", type=Path)
    playing.add_argument("game", choices=library().games())
    playing.add_argument("--players", type=int, default=2, help="2 or more")
    playing.add_argument("--visits", type=int, default=100)
    playing.add_argument("--games", type=int, default=10_000)
    playing.add_argument("--threads", type=int, default=1, help="games at a time")
    playing.set_defaults(run=play)
    fitting = commands.add_parser("fit", help="fit, and test on games held out")
    fitting.add_argument("folder", type=Path)
    fitting.set_defaults(run=fit)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
