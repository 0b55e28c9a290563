"""Texts for people that can be translated: an English pattern and what fills it, put into words as late as possible.

Babel finds the patterns in the calls of `say` and `count`, see scripts/catalogues.sh.
"""
from __future__ import annotations

import gettext
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Text:
    """A text in any language; `str()` is the English one."""

    pattern: str
    plural: str = ""
    number: int = 0
    values: Mapping[str, Text | str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        pattern = self.plural if self.plural and self.number != 1 else self.pattern
        return pattern.format(**self.values)  # texts among the values put themselves into words

    def translated(self, catalogue: gettext.NullTranslations) -> str:
        """Return the text in the catalogue's language, in English where the catalogue lacks it."""
        if self.plural:
            pattern = catalogue.ngettext(self.pattern, self.plural, self.number)
        else:
            pattern = catalogue.gettext(self.pattern)
        filling = {
            name: value.translated(catalogue) if isinstance(value, Text) else value
            for name, value in self.values.items()
        }
        return pattern.format(**filling)


def say(pattern: str, **values: Text | str | int | float) -> Text:
    """Return a text; `pattern` is a format string that names `values`."""
    return Text(pattern, values=values)


def count(singular: str, plural: str, n: int, **values: Text | str | int | float) -> Text:
    """Return a text that depends on a number, in the patterns {n}."""
    return Text(singular, plural, n, {**values, "n": n})


def name(text: str) -> Text:
    """Return a text that is the same in every language unless a catalogue has it, such as the name of a drink."""
    return Text("{name}", values={"name": text})


def joined(texts: Sequence[Text]) -> Text:
    """Return "a", "a and b" or "a, b and c"."""
    if len(texts) == 1:
        return texts[0]
    if len(texts) == 2:
        return say("{first} and {second}", first=texts[0], second=texts[1])
    return say("{first}, {second}", first=texts[0], second=joined(texts[1:]))


def either(texts: Sequence[Text]) -> Text:
    """Return "a", "a or b" or "a, b or c"."""
    if len(texts) == 1:
        return texts[0]
    if len(texts) == 2:
        return say("{first} or {second}", first=texts[0], second=texts[1])
    return say("{first}, {second}", first=texts[0], second=either(texts[1:]))


def listed(texts: Sequence[Text]) -> Text:
    """Return "a, b, c", "" for none."""
    if not texts:
        return name("")
    result = texts[0]
    for text in texts[1:]:
        result = say("{first}, {second}", first=result, second=text)
    return result
