"""Message catalogues (gettext): the common texts, and each game's own beside its engine.

A language is a catalogue in LANGUAGE/LC_MESSAGES below a folder `locale`; setup.py compiles the .po files.
"""
from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path

import engines
from engines.engine import Engine
from solver.positions import invalid

DOMAIN = "cafebrain"  # of the common texts
LOCALE = Path(__file__).parent / "locale"
SOURCE_LANGUAGE = "en"


def languages() -> list[str]:
    """Return the languages texts can be given in."""
    return sorted({SOURCE_LANGUAGE, *(path.parts[-3] for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))})


def catalogue_for(language: str, engine: Engine) -> gettext.NullTranslations:
    """Return the texts of a game in a language; empty for English.

    Raises BrainError INVALID_ARGUMENT where there is no such language.
    """
    known = languages()
    if (language or SOURCE_LANGUAGE) not in known:
        raise invalid("language", language[:40], f"must be one of {', '.join(known)}")
    return _catalogue(language or SOURCE_LANGUAGE, engine.id)


@cache
def _catalogue(language: str, game: str) -> gettext.NullTranslations:
    if language == SOURCE_LANGUAGE:
        return gettext.NullTranslations()
    own = gettext.translation(game, Path(engines.__file__).parent / game / "locale", [language], fallback=True)
    own.add_fallback(gettext.translation(DOMAIN, LOCALE, [language]))
    return own
