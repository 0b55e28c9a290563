"""Component sets of Campus Café: what the TOML file holds, and which totals must add up.

Resources are letters in the order EHMSC, worth $1 to $5; customer types are in the order of TYPES. Figures the rules
give by number of players are lists for 2, 3, 4 and 5 players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engines.component_set import Faults

RESOURCES = "EHMSC"
RESOURCE_NAMES = ("Espresso Coffee", "Hot Chocolate", "Mint Shake", "Strawberry Shake", "Cupcake")
TYPES = (
    "male_teacher",
    "female_teacher",
    "male_classical",
    "female_classical",
    "male_art",
    "female_art",
    "male_athlete",
    "female_athlete",
)
DIE_COLORS = ("red", "blue", "green")
SPACE_COLORS = (*DIE_COLORS, "white")
OBJECTIVE_COLORS = ("yellow", "azure", "gray")
CAREERS = (
    "manipulator",
    "entertainer",
    "restocker",
    "delivery_man",
    "barman",
    "refresher",
    "confectioner",
    "specialist",
    "men_responsible",
    "women_responsible",
)
FORMS = ("to_color", "from_color", "stack")
REVERSES = ("career", "satisfier", "multiplier", "manipulator", "supplier", "extension")
WAITERS = ("abigail", "destiny", "john", "melissa", "samuel", "william")
VARIANTS = ("basic", "advanced")

CARDS = 48
SPACES_MAX = 16  # spaces of one side of the board the engine has room for
GIFTS_MAX = 15  # gifts of one colour the engine has room for
TABLES = 7


@dataclass(frozen=True)
class Card:
    """One customer card: the table side, then the reverse side."""

    customers: tuple[int, ...]  # 2 to 4 indices into TYPES
    dishes: str  # the dish in front of each customer, in the same order
    common: str  # the yellow common dish, or ""
    check: int  # $
    gift: str  # colour of the productivity bonus, a resource, or ""
    reverse: str  # one of REVERSES
    career: str = ""  # one of CAREERS
    satisfier: int = 0  # index into TYPES
    resources: str = ""  # of a multiplier (one) or a supplier (one or two)
    tokens: int = 0  # blue tokens of a multiplier
    form: str = ""  # of a manipulator, one of FORMS
    color: str = ""  # of a manipulator, one of DIE_COLORS
    spaces: int = 0  # extra tray spaces, of an extension (1 or 2) or a career

    @property
    def all_dishes(self) -> str:
        """The dishes, the common one last."""
        return self.dishes + self.common


@dataclass(frozen=True)
class Space:
    """One dice space: a resource space, a cashier (money only) or a counter (times above 0)."""

    color: str  # one of SPACE_COLORS
    give: str = ""  # resources to collect
    money: int = 0  # $ at the check
    source: str = ""  # counter: resources that may be served instead ...
    target: str = ""  # ... on dishes of these
    times: int = 0


@dataclass(frozen=True)
class Objective:
    """One objective card."""

    id: str
    color: str  # one of OBJECTIVE_COLORS
    kind: str  # "resource", "customers", "groups", "gifts", "spaces" or "cards"
    resource: str = ""
    types: tuple[int, ...] = ()
    size: int = 0


@dataclass(frozen=True)
class Dislike:
    """One Dislike card."""

    id: str
    kind: str  # "customers", "gifts" or "tray"
    types: tuple[int, ...] = ()


@dataclass(frozen=True)
class Side:
    """The figures of the basic or the advanced game."""

    supply: tuple[tuple[int, ...], ...]  # tokens per resource by number of players
    deck: tuple[int, ...]  # cards of the customers deck by number of players
    trays: tuple[int, ...]  # tray spaces per waiter
    spaces: tuple[Space, ...]


@dataclass(frozen=True)
class CampusSet:
    """Everything printed in a set."""

    tokens: tuple[int, ...]
    cards: tuple[Card, ...]
    objectives: tuple[Objective, ...]
    dislikes: tuple[Dislike, ...]
    basic: Side
    advanced: Side
    awards: tuple[tuple[int, int, int], ...]  # first, tied first, second by number of players

    def side(self, variant: str) -> Side:
        """Return the figures of one of VARIANTS."""
        return self.basic if variant == "basic" else self.advanced


def worth(dishes: str) -> int:
    """Return the $ value of resources."""
    return sum(RESOURCES.index(dish) + 1 for dish in dishes)


def parse(data: dict[str, Any], faults: Faults) -> CampusSet:
    """Check the keys of a component file that belong to the game and return its contents; note every fault.

    The totals are checked by totals.check_totals.
    """
    faults.unknown_keys(data, {"tokens", "cards", "objectives", "dislikes", "basic", "advanced", "awards"})
    tokens = _row(data, "tokens", 5, 0, 30, faults, "")
    return CampusSet(
        tokens=tokens,
        cards=tuple(_card(entry, f"cards[{i}].", faults) for i, entry in enumerate(faults.tables(data, "cards"))),
        objectives=tuple(
            _objective(entry, f"objectives[{i}].", faults) for i, entry in enumerate(faults.tables(data, "objectives"))
        ),
        dislikes=tuple(
            _dislike(entry, f"dislikes[{i}].", faults) for i, entry in enumerate(faults.tables(data, "dislikes"))
        ),
        basic=_side(faults.table(data, "basic"), "basic.", faults),
        advanced=_side(faults.table(data, "advanced"), "advanced.", faults),
        awards=tuple(zip(*_awards(faults.table(data, "awards"), faults), strict=True)),
    )


def _row(
    table: dict[str, Any], key: str, length: int, low: int, high: int, faults: Faults, prefix: str
) -> tuple[int, ...]:
    row = faults.integers(table, key, low, high, prefix)
    if row and len(row) != length:
        faults.error(prefix + key, f"wants {length} integers; found {len(row)}")
    return tuple(row) if len(row) == length else (low,) * length


def _letters(value: object, low: int, high: int, key: str, faults: Faults) -> str:
    if isinstance(value, str) and low <= len(value) <= high and all(letter in RESOURCES for letter in value):
        return value
    faults.error(key, f"wants {low} to {high} of the letters {RESOURCES}; found {value!r}")
    return RESOURCES[0] * low


def _in_order(letters: str) -> str:
    return "".join(sorted(letters, key=RESOURCES.index))


def _one_of(value: object, known: Sequence[str], key: str, faults: Faults) -> str:
    if isinstance(value, str) and value in known:
        return value
    faults.error(key, f"wants one of {', '.join(known)}; found {value!r}")
    return known[0]


def _types(value: object, low: int, high: int, key: str, faults: Faults) -> tuple[int, ...]:
    if isinstance(value, list) and low <= len(value) <= high:
        return tuple(TYPES.index(_one_of(name, TYPES, key, faults)) for name in value)
    faults.error(key, f"wants a list of {low} to {high} customer types; found {value!r}")
    return (0,) * low


def _card(entry: dict[str, Any], prefix: str, faults: Faults) -> Card:
    customers = _types(entry.get("customers"), 2, 4, prefix + "customers", faults)
    dishes = _letters(entry.get("dishes"), len(customers), len(customers), prefix + "dishes", faults)
    common = _letters(entry["common"], 1, 1, prefix + "common", faults) if "common" in entry else ""
    if common and len(customers) != 4:
        faults.error(prefix + "common", "only a card with 4 customers has a common dish")
    table_side: dict[str, Any] = {
        "customers": customers,
        "dishes": dishes,
        "common": common,
        "check": faults.integer(entry, "check", 0, 99, prefix),
        "gift": _letters(entry["gift"], 1, 1, prefix + "gift", faults) if "gift" in entry else "",
    }
    if table_side["check"] != worth(dishes + common):
        faults.warning(prefix + "check", f"the dishes are worth ${worth(dishes + common)}")
    known = {"customers", "dishes", "common", "check", "gift"}
    found = [kind for kind in REVERSES if kind in entry]
    if len(found) != 1:
        faults.error(
            prefix + "reverse", f"wants exactly one of {', '.join(REVERSES)}; found {', '.join(found) or 'none'}"
        )
        return Card(**table_side, reverse=REVERSES[0], career=CAREERS[0])
    kind, key = found[0], prefix + found[0]
    reverse: dict[str, Any] = {"reverse": kind}
    if kind == "career":
        reverse["career"] = _one_of(entry[kind], CAREERS, key, faults)
        reverse["spaces"] = faults.integer(entry, "spaces", 0, 1, prefix) if "spaces" in entry else 0
        known.add("spaces")
    elif kind == "satisfier":
        reverse["satisfier"] = TYPES.index(_one_of(entry[kind], TYPES, key, faults))
    elif kind == "multiplier":
        reverse["resources"] = _letters(entry[kind], 1, 1, key, faults)
        reverse["tokens"] = faults.integer(entry, "tokens", 1, 3, prefix)
        known.add("tokens")
    elif kind == "manipulator":
        reverse["form"] = _one_of(entry[kind], FORMS, key, faults)
        reverse["color"] = _one_of(entry.get("color"), DIE_COLORS, prefix + "color", faults)
        known.add("color")
    elif kind == "supplier":
        reverse["resources"] = "".join(sorted(_letters(entry[kind], 1, 2, key, faults), key=RESOURCES.index))
    else:
        reverse["spaces"] = faults.integer(entry, "extension", 1, 2, prefix)
    faults.unknown_keys(entry, known | {kind}, prefix)
    return Card(**table_side, **reverse)


def _objective(entry: dict[str, Any], prefix: str, faults: Faults) -> Objective:
    id_ = faults.text(entry, "id", prefix)
    color = _one_of(entry.get("color"), OBJECTIVE_COLORS, prefix + "color", faults)
    if len(set(entry) & {"most_of", "most_customers", "most_groups", "fewest"}) != 1:
        faults.error(prefix + "kind", "wants exactly one of most_of, most_customers, most_groups, fewest")
    faults.unknown_keys(entry, {"id", "color", "most_of", "most_customers", "most_groups", "fewest"}, prefix)
    if "most_of" in entry:
        return Objective(id_, color, "resource", resource=_letters(entry["most_of"], 1, 1, prefix + "most_of", faults))
    if "most_customers" in entry:
        return Objective(
            id_, color, "customers", types=_types(entry["most_customers"], 1, 8, prefix + "most_customers", faults)
        )
    if "most_groups" in entry:
        return Objective(id_, color, "groups", size=faults.integer(entry, "most_groups", 2, 4, prefix))
    return Objective(id_, color, _one_of(entry.get("fewest"), ("gifts", "spaces", "cards"), prefix + "fewest", faults))


def _dislike(entry: dict[str, Any], prefix: str, faults: Faults) -> Dislike:
    faults.unknown_keys(entry, {"id", "kind", "types"}, prefix)
    kind = _one_of(entry.get("kind"), ("customers", "gifts", "tray"), prefix + "kind", faults)
    types = _types(entry.get("types"), 1, 8, prefix + "types", faults) if kind == "customers" else ()
    return Dislike(faults.text(entry, "id", prefix), kind, types)


def _space(entry: dict[str, Any], prefix: str, faults: Faults) -> Space:
    faults.unknown_keys(entry, {"color", "give", "money", "serve", "on", "times"}, prefix)
    color = _one_of(entry.get("color"), SPACE_COLORS, prefix + "color", faults)
    if "times" in entry:
        if "give" in entry or "money" in entry:
            faults.error(prefix + "times", "a counter gives neither resources nor $")
        return Space(
            color,
            source=_in_order(_letters(entry.get("serve"), 1, 5, prefix + "serve", faults)),
            target=_in_order(_letters(entry.get("on"), 1, 5, prefix + "on", faults)),
            times=faults.integer(entry, "times", 1, 3, prefix),
        )
    give = _letters(entry["give"], 1, 3, prefix + "give", faults) if "give" in entry else ""
    money = faults.integer(entry, "money", 1, 9, prefix) if "money" in entry else 0
    if not give and not money:
        faults.error(prefix + "give", "wants give, money or a counter's serve, on and times")
    return Space(color, give=give, money=money)


def _side(table: dict[str, Any], prefix: str, faults: Faults) -> Side:
    faults.unknown_keys(table, {"supply", "deck", "trays", "spaces"}, prefix)
    rows = table.get("supply")
    if not isinstance(rows, list) or len(rows) != 4:
        faults.error(prefix + "supply", "wants four lists of five integers, for 2 to 5 players")
        rows = []
    supply = tuple(_row({"supply": row}, "supply", 5, 0, 30, faults, prefix) for row in rows)
    trays = faults.table(table, "trays", prefix)
    faults.unknown_keys(trays, set(WAITERS), prefix + "trays.")
    spaces = tuple(
        _space(entry, f"{prefix}spaces[{i}].", faults) for i, entry in enumerate(faults.tables(table, "spaces", prefix))
    )
    if not 1 <= len(spaces) <= SPACES_MAX:
        faults.error(prefix + "spaces", f"wants 1 to {SPACES_MAX} spaces; found {len(spaces)}")
    return Side(
        supply,
        _row(table, "deck", 4, 1, CARDS - TABLES - 1, faults, prefix),
        # John starts with five resources.
        tuple(faults.integer(trays, waiter, 5 if waiter == "john" else 2, 9, prefix + "trays.") for waiter in WAITERS),
        spaces,
    )


def _awards(table: dict[str, Any], faults: Faults) -> list[tuple[int, ...]]:
    faults.unknown_keys(table, {"first", "tied", "second"}, "awards.")
    return [_row(table, key, 4, 0, 99, faults, "awards.") for key in ("first", "tied", "second")]
