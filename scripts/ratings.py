"""Write a game's ratings.toml from run folders of `cafebrain solve GAME --decks …`, with and without --closed.

    python scripts/ratings.py RUN...

Every folder brings the scores of its open and its closed run; what the file holds of other options and plays stays.
"""
from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cafebrain_cli.run_folder import Run, read_run  # noqa: E402
from engines.engine import Engine  # noqa: E402
from engines.ratings import Ratings, read_ratings  # noqa: E402
from engines.registry import ENGINES  # noqa: E402

HEAD = """\
# Scores of cafebrain's own solver on random decks, one per deck: what a score is rated against. Not the printed game's
# table of titles. Written by scripts/ratings.py from the runs of the commands below.
"""


def main() -> None:
    """Take in the runs of the folders named."""
    known: dict[str, list[Ratings]] = {}
    for folder in map(Path, sys.argv[1:]):
        for kind in ("open", "closed"):
            run = read_run(folder / f"{kind}.jsonl")
            if run is None:
                continue
            engine = ENGINES[run.settings["game"]]
            found = ratings_of(engine, run)
            file = path_of(engine)
            held = known.setdefault(engine.id, read_ratings(file))
            held[:] = [one for one in held if (one.options, one.hash) != (found.options, found.hash)] + [found]
            file.write_text(text_of(held), encoding="utf-8")
            print(f"{file}: {found.play}, {len(found.scores)} decks")


def path_of(engine: Engine) -> Path:
    """Return where the ratings of a game are."""
    return ROOT / "engines" / engine.id / "ratings.toml"


def ratings_of(engine: Engine, run: Run) -> Ratings:
    """Return the scores of a run's finished decks."""
    settings, decks = run.settings, run.finished()
    closed = settings["kind"] == "closed"
    options = dict(settings["options"])
    if closed:  # as somebody plays who does not know what is to come: without what makes the game a puzzle
        options |= {option.name: option.default for option in engine.options if option.name in engine.puzzle}
    per = "move" if closed else "deck"
    budget = [f"{settings['seconds']:g} s"] if settings["seconds"] is not None else []
    budget += [f"{settings['nodes']:,} positions"] if settings["nodes"] is not None else []
    threads = f", {settings['threads']} threads" if settings["threads"] > 1 else ""
    return Ratings(
        options=options,
        component_set=settings["componentSet"],
        hash=settings["hash"],
        play=f"order {'unknown' if closed else 'known'}, {' and '.join(budget)} a {per}{threads}",
        command=command_of(engine, settings, [deck.number for deck in decks]),
        scores=tuple(sorted(deck.last.score for deck in decks if deck.last.score is not None)),
    )


def command_of(engine: Engine, settings: dict[str, Any], decks: list[int]) -> str:
    """Return the command that makes a run again."""
    words = ["cafebrain solve", settings["game"]]
    for option in engine.options:
        value = settings["options"][option.name]
        if option.name not in engine.puzzle and value != option.default:
            words.append(f"--{option.name.replace('_', '-')}" + ("" if value == "true" else f" {value}"))
    words += ["--closed"] if settings["kind"] == "closed" else []
    whole = decks == list(range(decks[0], decks[-1] + 1))
    words.append(f"--decks {decks[0]}-{decks[-1]}" if whole else f"--decks {','.join(map(str, decks))}")
    words += [f"--time {settings['seconds']:g}s"] if settings["seconds"] is not None else []
    words += [f"--nodes {settings['nodes']}"] if settings["nodes"] is not None else []
    words += [f"--threads {settings['threads']}"] if settings["threads"] > 1 else []
    words += [f"--seed {settings['seed']}"] if settings["seed"] else []
    return " ".join(words)


def text_of(held: list[Ratings]) -> str:
    """Return the file."""
    parts = [HEAD]
    for one in sorted(held, key=lambda one: (one.component_set, sorted(one.options.items()))):
        options = ", ".join(f'{name} = "{value}"' for name, value in one.options.items())
        scores = ", ".join(f"{score:g}" for score in one.scores)
        parts.append(
            f"""
[[ratings]]
options = {{ {options} }}
component_set = "{one.component_set}"
hash = "{one.hash}"
play = "{one.play}"
command = "{one.command}" # {len(one.scores)} decks
scores = [{scores}]
"""
        )
    return "".join(parts)


if __name__ == "__main__":
    main()
