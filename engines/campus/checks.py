"""What must fit together in a position of Campus Café; every number is in range already.

Paths are those of the wire message. Each function notes what it finds; `check` calls them in an order in which each
may rely on what the earlier ones hold.
"""

from __future__ import annotations

from typing import Any

from engines.campus.components import CARDS, RESOURCE_NAMES, RESOURCES, TABLES, VARIANTS, WAITERS, CampusSet, Card
from engines.campus.covers import Pool, coverable
from engines.campus.rules import ROUND_LIMIT, CampusGame, MoveKind, Step
from engines.campus.wire import RESOURCE_FIELDS, TYPE_NAMES, indices
from engines.violations import Violations

Fields = dict[str, Any]
ABIGAIL, DESTINY, JOHN, MELISSA, SAMUEL, WILLIAM = range(len(WAITERS))
SETUP = (Step.OBJECTIVES, Step.TABLES, Step.DISLIKES, Step.WAITERS, Step.DRAFT, Step.SECRET)
# Steps at which dice lie on the board, and those after at least one card was completed.
SERVICE = (
    Step.PLACE,
    Step.DISCARD_COLLECTED,
    Step.SERVE,
    Step.PAY,
    Step.GIFT,
    Step.TALENT,
    Step.DISCARD_SERVED,
)
COMPLETED = (Step.GIFT, Step.TALENT, Step.DISCARD_SERVED)
DISCARDS = (Step.DISCARD_COLLECTED, Step.DISCARD_SERVED, Step.DISCARD_RESTOCKED)
ADVANCED_ONLY = (
    Step.WAITERS,
    Step.DRAFT,
    Step.SECRET,
    Step.COLORS,
    Step.TALENT,
    Step.WILLIAM,
    Step.REVEAL_SECRET,
)


def check(game: CampusGame, fields: Fields, faults: Violations) -> None:
    """Note what is impossible; raises BrainError where anything is."""
    contents: CampusSet = game.components.contents
    _people(contents, fields, faults)
    _course(fields, faults)
    faults.check()
    _secret(contents, fields, faults)
    _cards(contents, fields, faults)
    faults.check()
    _turn(contents, fields, faults)
    faults.check()
    _whites(contents, fields, faults)
    _resources(contents, fields, faults)
    faults.check()
    _native(game, fields, faults)
    faults.check()


def _count(mask: int) -> int:
    return mask.bit_count()


def _gifts(contents: CampusSet, mask: int) -> list[str]:
    return [contents.cards[i].gift for i in indices(mask) if contents.cards[i].gift]


def _owned(fields: Fields) -> int:
    return sum(player["owned"] for player in fields["players"])


def _yet_to_reach(step: Step, fields: Fields) -> range:
    """Return the players who have not come to this step of their first turn."""
    count = len(fields["players"])
    if fields["round"] > 1 or fields["step"] in SETUP:
        return range(0)
    return range(fields["active"] + (fields["step"] >= step), count)


def _people(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Waiters and dislikes."""
    step, players = fields["step"], fields["players"]
    chosen = [player["waiter"] for player in players]
    laid_out = indices(fields["waiters"])
    if not fields["advanced"]:
        if step in ADVANCED_ONLY:
            faults.add("step", step.name, "is a step of the advanced game")
        for p, waiter in enumerate(chosen):
            if waiter >= 0:
                faults.add(f"players[{p}].waiter", WAITERS[waiter], "there are no waiters' talents in the basic game")
    elif step < Step.DRAFT and any(waiter >= 0 for waiter in chosen):
        faults.add("step", step.name, "nobody has a waiter before the draft")
    elif step == Step.DRAFT:
        without = chosen.count(-1)
        if not without or any(waiter >= 0 for waiter in chosen[:without]):
            faults.add("players", chosen, "waiters are taken from the last player backwards, and one is still to do it")
        if len(laid_out) != without + 1:
            faults.add("waiters", len(laid_out), f"must be {without + 1}: one more than players who still take one")
    elif step > Step.DRAFT and -1 in chosen:
        faults.add(f"players[{chosen.index(-1)}].waiter", "none", "every player has a waiter after the draft")
    if step == Step.WAITERS and len(laid_out) > len(players):
        faults.add("waiters", len(laid_out), "all waiters are laid out: the draft follows")
    if step not in (Step.WAITERS, Step.DRAFT) and laid_out:
        faults.add("waiters", len(laid_out), "must be empty but while waiters are laid out and taken")
    taken = [waiter for waiter in chosen if waiter >= 0] + laid_out
    if len(set(taken)) != len(taken):
        faults.add("players", ", ".join(WAITERS[waiter] for waiter in taken), "a waiter is there twice")
    held = [player["dislike"] for player in players if player["dislike"] >= 0]
    if len(set(held)) != len(held):
        faults.add("players", ", ".join(contents.dislikes[i].id for i in held), "two players have the same dislike")
    first = next((p for p, player in enumerate(players) if player["dislike"] < 0), len(players))
    if not fields["dislikes"] or step < Step.DISLIKES:
        if held:
            faults.add("players", len(held), "nobody has a dislike without the promo, or before they are drawn")
        if step == Step.DISLIKES:
            faults.add("step", step.name, "is a step of the promo Dislikes")
    elif step == Step.DISLIKES:
        if first == len(players) or len(held) != first:
            faults.add("players", len(held), "dislikes are drawn in turn, and one is still to come")
    elif len(held) != len(players):
        faults.add(f"players[{first}].dislike", "none", "every player has a dislike")


def _course(fields: Fields, faults: Violations) -> None:
    """Step, player, round."""
    step, players, active = fields["step"], fields["players"], fields["active"]
    waiter = players[active]["waiter"]
    if step in SETUP:
        if fields["round"] != 1 or active:
            faults.add("round", fields["round"], "the setup is in round 1, and player 1 is first")
        for p, player in enumerate(players):
            if player["score"] or player["owned"]:
                faults.add(f"players[{p}]", f"${player['score']}", "has neither $ nor cards during the setup")
    for p, player in enumerate(players):
        if player["score"] < 0 and (fields["advanced"] or not fields["dislikes"]):
            faults.add(f"players[{p}].score", player["score"], "falls below 0 by Dislikes in the basic game only")
    for p in _yet_to_reach(Step.DEPLETE, fields):
        if players[p]["score"] or players[p]["owned"]:
            faults.add(f"players[{p}]", f"${players[p]['score']}", "has neither $ nor cards before the first check")
    if step in (Step.REVEAL_SECRET, Step.OVER):
        if active != len(players) - 1:
            faults.add("turn_player", active + 1, "a game ends with the last player's turn")
        if not fields["last_round"] and fields["round"] < ROUND_LIMIT:
            faults.add("step", step.name, f"the customers deck has not run out and round {ROUND_LIMIT} is not reached")
    for needed, name, steps in (
        (ABIGAIL, "Abigail", (Step.COLORS,)),
        (WILLIAM, "William", (Step.WILLIAM,)),
    ):
        if step in steps and waiter != needed:
            faults.add("step", step.name, f"is a step of {name}'s turn")
    if step == Step.ROLL and waiter == ABIGAIL:
        faults.add("step", step.name, "Abigail chooses her dice")
    if step == Step.TALENT and waiter not in (ABIGAIL, DESTINY):
        faults.add("step", step.name, "is a step of Abigail's and Destiny's turns")
    missing = fields["objective"].count(-1)
    if bool(missing) != (step == Step.OBJECTIVES):
        faults.add("objectives", 3 - missing, "must be three, but while they are laid out")


def _secret(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Abigail's secret objective."""
    step, color, secret = fields["step"], fields["secret_color"], fields["secret"]
    abigail = any(player["waiter"] == ABIGAIL for player in fields["players"])
    due = abigail and step >= Step.SECRET
    choices = [o.color for i, o in enumerate(contents.objectives) if i not in fields["objective"]]
    colors = ("yellow", "azure", "gray")
    if color >= 0 and not due:
        faults.add(
            "secret_color", colors[color], "there is no secret objective without Abigail, or before the draft ends"
        )
    elif color < 0 and due and (step == Step.SECRET or set(choices) >= set(colors)):
        faults.add("secret_color", "none", "Abigail has a secret objective")
    elif color >= 0 and colors[color] not in choices:
        faults.add("secret_color", colors[color], "no objective of this colour is left over")
    if step == Step.SECRET and fields["top"][0] >= 0:
        wanted = len(contents.cards[fields["top"][0]].customers) - 2
        if color != wanted:
            faults.add("secret_color", color + 1, f"the customers deck's top makes it {colors[wanted]}")
    if secret >= 0:
        name = contents.objectives[secret].id
        if color < 0 or contents.objectives[secret].color != colors[color]:
            faults.add("secret_objective", name, "is not of the secret objective's colour")
        if secret in fields["objective"]:
            faults.add("secret_objective", name, "is laid out for everybody")
        if step in (Step.SECRET, Step.REVEAL_SECRET):
            faults.add("secret_objective", name, "is about to be drawn")
    elif step == Step.REVEAL_SECRET and color < 0:
        faults.add("step", step.name, "there is no secret objective")
    elif step == Step.OVER and color >= 0:
        faults.add("secret_objective", "none", "is revealed at the end of the game")


def _cards(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Tables, decks and how many cards are unseen."""
    step, top, below = fields["step"], fields["top"], fields["below"]
    tables, served = _count(fields["table"]), fields["turn"]["served"]
    deck = contents.side(VARIANTS[fields["advanced"]]).deck[len(fields["players"]) - 2]
    decks = (deck, CARDS - TABLES - deck)
    names = ("customers_deck", "last_customers_deck")
    setting_up = step in (Step.OBJECTIVES, Step.TABLES)
    unseen = _count(fields["unseen"])
    hidden = sum(below) + (TABLES - tables if setting_up else 0)
    if unseen != hidden:
        faults.add(
            "customers_deck.hidden", below[0], f"{unseen} cards are nowhere to be seen, {hidden} are counted as hidden"
        )
        return
    if tables > TABLES:
        faults.add("table", tables, f"there are {TABLES} tables")
    if setting_up:
        if fields["last_round"]:
            faults.add("last_round", "true", "the game has not begun")
        for name, card, left, full in zip(names, top, below, decks, strict=True):
            if left + (card >= 0) != full:
                faults.add(f"{name}.hidden", left, f"must be {full - (card >= 0)}")
        if (top[0] >= 0 and tables < TABLES) or top[1] >= 0 or (step == Step.OBJECTIVES and tables):
            faults.add(
                "table", tables, "the tables are filled first, then the decks' tops are revealed, then it goes on"
            )
        return
    lost = decks[1] - below[1] - (top[1] >= 0)
    if fields["last_round"]:
        if top[1] >= 0 or below[1]:
            faults.add("last_customers_deck", below[1], "has become the customers deck in the last round")
        if below[0] > decks[1]:
            faults.add("customers_deck.hidden", below[0], f"must be at most {decks[1]} in the last round")
    else:
        if below[0] > decks[0]:
            faults.add("customers_deck.hidden", below[0], f"must be at most {decks[0]}")
        if top[0] < 0 and not below[0] and step != Step.DEPLETE:
            faults.add("customers_deck", "empty", "then the last customers deck takes its place: last_round")
        destiny = sum(_count(player["owned"]) for player in fields["players"] if player["waiter"] == DESTINY)
        if not 0 <= lost <= destiny:
            faults.add("last_customers_deck.hidden", below[1], "only Destiny takes cards from the last customers deck")
    exhausted = top[0] < 0 and not below[0]
    waiting = [top[i] < 0 and below[i] > 0 for i in (0, 1)]
    me = fields["players"][fields["active"]]
    if step in (Step.DEPLETE, Step.ARRIVAL):
        _cleared(fields, tables, me, exhausted, waiting, faults)
    if step == Step.ARRIVAL:
        if not any(waiting):
            faults.add("step", step.name, "no top is to be revealed")
        elif not waiting[0] and tables < TABLES:
            faults.add("table", tables, "the tables are filled before the last customers deck's top is revealed")
    elif step != Step.DEPLETE:
        for name, open_top in zip(names, waiting, strict=True):
            if open_top:
                faults.add(f"{name}.top", "none", "is visible but at an arrival")
        from_table = _count(served & ~sum(1 << card for card in top if card >= 0))
        if tables + from_table > TABLES or (tables + from_table < TABLES and not exhausted):
            faults.add("table", tables, f"with {from_table} cards served there must be {TABLES - from_table}")


def _cleared(
    fields: Fields, tables: int, me: Fields, exhausted: bool, waiting: list[bool], faults: Violations
) -> None:
    """Check tables and tops between the training of the cards served and the arrival of new ones."""
    step, top = fields["step"], fields["top"]
    destiny = me["waiter"] == DESTINY
    if waiting[1] and not destiny:
        faults.add("last_customers_deck.top", "none", "only Destiny serves the last customers deck's top")
    if step == Step.DEPLETE and not destiny and (waiting[0] or (exhausted and not fields["last_round"])):
        faults.add("customers_deck.top", "none", "is visible until the tables are filled")
    served = _count(me["owned"])
    if TABLES - tables > served and not (exhausted and fields["last_round"]):
        faults.add("table", tables, f"the player who served has only {served} cards")
    if step == Step.DEPLETE:
        from_tops = (top[0] < 0) + (top[1] < 0 and not fields["last_round"]) if destiny else 0
        least = sum(fields["turn"]["gifts"]) - from_tops
        if TABLES - tables < least:
            faults.add("table", tables, f"cards with gifts were served: there can be at most {TABLES - least}")


def _turn(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Check that what belongs to the running turn is there at its steps only, and fits the active player."""
    _disliked(contents, fields, faults)
    step, turn, me = fields["step"], fields["turn"], fields["players"][fields["active"]]
    has_dice = turn["die"][0] >= 0
    if has_dice != (step in SERVICE):
        faults.add(
            "turn.dice", "dice" if has_dice else "none", "lie on the board from the roll to the end of the service"
        )
        return
    used = {
        "served": turn["served"],
        "paying": turn["paying"] + 1,
        "spent": any(turn["spent"]),
        "blue_tokens": any(turn["blue"]),
        "red_tokens": turn["red"],
        "white_tokens": turn["white"],
        "yellow_token": turn["yellow"],
        "conversions": any(turn["converted"]),
        "samuel_shake": turn["samuel"],
    }
    if step not in SERVICE or step in (Step.PLACE, Step.DISCARD_COLLECTED):
        for name, value in used.items():
            if value:
                faults.add(f"turn.{name}", value, "must be empty outside the service")
        return
    if step in COMPLETED and not turn["served"]:
        faults.add("turn.served", "none", "a card was completed at this step")
    paying = step in (Step.PAY, Step.GIFT, Step.TALENT)
    if paying != (turn["paying"] >= 0):
        faults.add("turn.paying", turn["paying"] + 1, "names a card while it is paid and its gift or talent is chosen")
    elif step in (Step.GIFT, Step.TALENT) and not turn["served"] >> turn["paying"] & 1:
        faults.add("turn.paying", turn["paying"] + 1, "must be one of the cards served")
    if step == Step.GIFT and paying and turn["paying"] >= 0 and not contents.cards[turn["paying"]].gift:
        faults.add("turn.paying", turn["paying"] + 1, "this card has no gift")
    _served(contents, fields, faults)
    faults.check()
    _tokens(contents, turn, me, fields, faults)


def _served(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Check that this player may serve the cards served."""
    turn, me = fields["turn"], fields["players"][fields["active"]]
    for card in indices(turn["served"]):
        if card in fields["top"] and me["waiter"] != DESTINY:
            faults.add("turn.served", card + 1, "only Destiny serves the top of a deck")


def _disliked(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """In the advanced game nobody serves a card they dislike."""
    if not fields["advanced"]:
        return
    for p, player in enumerate(fields["players"]):
        if player["dislike"] < 0:
            continue
        dislike = contents.dislikes[player["dislike"]]
        for path, cards in (
            (f"players[{p}].cards", player["owned"]),
            ("turn.served", fields["turn"]["served"] if p == fields["active"] else 0),
        ):
            for card in indices(cards):
                printed = contents.cards[card]
                if set(dislike.types) & set(printed.customers) or (dislike.kind == "gifts" and printed.gift):
                    faults.add(path, card + 1, "the player's dislike forbids this card")


def _tokens(contents: CampusSet, turn: Fields, me: Fields, fields: Fields, faults: Violations) -> None:
    """Check the covers of the served cards: no token without its card, a cover for each dish and no more."""
    cards = [contents.cards[i] for i in indices(turn["served"])]
    mine = [contents.cards[i] for i in indices(me["owned"])]
    dishes = "".join(card.all_dishes for card in cards)
    for resource, letter in enumerate(RESOURCES):
        blue = turn["blue"][resource]
        tokens = sum(card.tokens for card in mine if card.resources == letter)
        path = f"turn.blue_tokens.{RESOURCE_FIELDS[resource]}"
        if blue > min(tokens, dishes.count(letter)):
            faults.add(path, blue, f"the player has {tokens}, there are {dishes.count(letter)} such dishes")
        elif blue and not turn["spent"][resource]:
            faults.add(path, blue, "a multiplier wants one of its resources from the tray")
    _types(cards, mine, turn, fields, faults)
    if turn["yellow"] and me["waiter"] != MELISSA:
        faults.add("turn.yellow_token", "true", "only Melissa has the yellow token")
    if turn["samuel"] and me["waiter"] != SAMUEL:
        faults.add("turn.samuel_shake", "true", "these conversions are Samuel's talent")
    conversions = sum(turn["converted"]) + _count(turn["samuel"])
    if conversions > sum(turn["spent"]):
        faults.add("turn.conversions", conversions, f"only {sum(turn['spent'])} resources were spent")
    white = whites_used(contents, fields)
    covers = sum(turn["spent"]) + sum(turn["blue"]) + _count(turn["red"]) + turn["yellow"] + max(white, 0)
    if covers != len(dishes):
        faults.add("turn.spent", covers, f"{len(dishes)} dishes were served; resources and tokens must be as many")
        return
    gone = 255 & ~fields["whites"] & ~turn["white"] if fields["advanced"] else 0
    if not coverable(contents, turn, _pools(contents, fields), gone, max(white, 0)):
        faults.add(
            "turn.spent",
            "".join(letter * n for letter, n in zip(RESOURCES, turn["spent"], strict=True)),
            "with the tokens and conversions used, this does not pay for the cards served",
        )


def _pools(contents: CampusSet, fields: Fields) -> list[Pool]:
    """Return the conversions used of each occupied counter."""
    spaces = contents.side(VARIANTS[fields["advanced"]]).spaces
    occupied = sorted({space for space in fields["turn"]["placed"] if space >= 0 and spaces[space].times})
    return [
        (
            [RESOURCES.index(letter) for letter in spaces[space].source],
            [RESOURCES.index(letter) for letter in spaces[space].target],
            used,
        )
        for space, used in zip(occupied, fields["turn"]["converted"], strict=False)
    ]


def _types(cards: list[Card], mine: list[Card], turn: Fields, fields: Fields, faults: Violations) -> None:
    satisfied = {card.satisfier for card in mine if card.reverse == "satisfier"}
    for kind in indices(turn["red"]):
        if not fields["advanced"] or kind not in satisfied:
            faults.add("turn.red_tokens", TYPE_NAMES[kind], "the player has no such token")
        elif not any(kind in card.customers for card in cards):
            faults.add("turn.red_tokens", TYPE_NAMES[kind], "no such customer was served")


def _received(contents: CampusSet, fields: Fields) -> int:
    """Return for how many gifts of the running service a white token was chosen, or none was left."""
    chosen = len(_gifts(contents, fields["turn"]["served"])) - (fields["step"] == Step.GIFT)
    return chosen if fields["advanced"] else 0


def whites_used(contents: CampusSet, fields: Fields) -> int:
    """Return how many white tokens lie on cards."""
    before = min(len(TYPE_NAMES), len(_gifts(contents, _owned(fields))))
    now = min(len(TYPE_NAMES), before + _received(contents, fields))
    return now - before - _count(fields["turn"]["white"]) if fields["advanced"] else 0


def _whites(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """White tokens leave the bonuses zone one by one, with each gift."""
    zone, held = fields["whites"], fields["turn"]["white"]
    if not fields["advanced"]:
        for path, mask in (("white_tokens", zone), ("turn.white_tokens", held)):
            if mask:
                faults.add(path, _count(mask), "there are no white tokens in the basic game")
        return
    gone = len(_gifts(contents, _owned(fields))) + _received(contents, fields)
    left = max(0, len(TYPE_NAMES) - gone)
    if _count(zone) != left:
        faults.add("white_tokens", _count(zone), f"after {gone} gifts there must be {left}")
    if zone & held:
        faults.add("turn.white_tokens", TYPE_NAMES[indices(zone & held)[0]], "this token is in the bonuses zone, too")
    if whites_used(contents, fields) < 0:
        faults.add("turn.white_tokens", _count(held), "are more than gifts received in this service")
    served = _count(fields["turn"]["served"])
    if served and not held and gone <= len(TYPE_NAMES) and _received(contents, fields) == served:
        faults.add("turn.white_tokens", "none", "the token of the last card served is taken when all are paid")


def _resources(contents: CampusSet, fields: Fields, faults: Violations) -> None:
    """Every resource is in a zone, in a tray, on a card or out of the game for a gift."""
    step, players, turn = fields["step"], fields["players"], fields["turn"]
    supply = contents.side(VARIANTS[fields["advanced"]]).supply[len(players) - 2]
    gifts = _gifts(contents, _owned(fields))
    for resource, letter in enumerate(RESOURCES):
        places = {
            "in the zone": fields["zone"][resource],
            "in trays": sum(player["tray"][resource] for player in players),
            "on cards": turn["spent"][resource],
        }
        pending = turn["gifts"][resource] if step == Step.DEPLETE else 0
        path = f"turn.depletion.{RESOURCE_FIELDS[resource]}"
        if pending > gifts.count(letter):
            faults.add(path, pending, f"only {gifts.count(letter)} gifts of this colour were received")
        gone = min(supply[resource], gifts.count(letter) - pending)
        total = sum(places.values())
        if total != supply[resource] - gone:
            faults.add(
                f"zones.{RESOURCE_FIELDS[resource]}",
                ", ".join(f"{n} {place}" for place, n in places.items()),
                f"must be {supply[resource] - gone} {RESOURCE_NAMES[resource]} in all: "
                f"{supply[resource]} in this game, {gone} left it",
            )
    if step == Step.DEPLETE:
        first = next((r for r in range(len(RESOURCES)) if turn["gifts"][r]), None)
        if first is None:
            faults.add("turn.depletion", "none", "a resource is to leave the game")
        elif fields["zone"][first]:
            faults.add(
                "turn.depletion", RESOURCE_FIELDS[first], "leaves the game from its zone as long as that has any"
            )
    for p in _yet_to_reach(Step.DISCARD_COLLECTED, fields):
        tray, most = players[p]["tray"], int(players[p]["waiter"] == JOHN)
        if max(tray) > most:
            faults.add(f"players[{p}].tray", tray, f"has at most {most} of each before the first dice")
    if step in SETUP:
        for p, player in enumerate(players):
            wanted = [min(1, n) for n in supply] if player["waiter"] == JOHN else [0] * len(RESOURCES)
            if player["tray"] != wanted:
                faults.add(f"players[{p}].tray", player["tray"], f"must be {wanted} during the setup")


def _native(game: CampusGame, fields: Fields, faults: Violations) -> None:
    """Ask the rules themselves: trays, dice, choices that exist."""
    step, active = fields["step"], fields["active"]
    state = game.build(fields)
    if step not in SETUP or step == Step.SECRET:
        for p, excess in enumerate(game.excess(state)):
            if excess and not (p == active and step in (*DISCARDS, Step.WILLIAM)):  # his supply comes before the check
                faults.add(f"players[{p}].tray", f"{excess} too many", "does not fit into the tray")
            if not excess and p == active and step in DISCARDS:
                faults.add("step", step.name, "nothing is to be discarded")
    faults.check()
    if step in (*DISCARDS, Step.WILLIAM):
        _overfull(game, fields, faults)
    if step in SERVICE:
        _dice(game, fields, faults)
    if step in (Step.PAY, Step.GIFT, Step.TALENT) and not state.moves():
        faults.add("turn.paying", fields["turn"]["paying"] + 1, "there is nothing to choose for this card")
    if step == Step.PAY:
        serving = game.build({**fields, "step": Step.SERVE, "turn": {**fields["turn"], "paying": -1}})
        if MoveKind.SERVE << 28 | fields["turn"]["paying"] not in serving.moves():
            faults.add("turn.paying", fields["turn"]["paying"] + 1, "this card cannot be served")
    if step == Step.DEPLETE and not state.moves():
        faults.add("step", step.name, "nobody has such a resource")


def _overfull(game: CampusGame, fields: Fields, faults: Violations) -> None:
    """Check that the tray was not too full before the resources just received."""
    active = fields["active"]
    tray = fields["players"][active]["tray"]

    def fitted(received: list[int]) -> bool:
        before = [max(0, n - given) for n, given in zip(tray, received, strict=True)]
        players = [*fields["players"]]
        players[active] = {**players[active], "tray": before}
        return game.excess(game.build({**fields, "players": players}))[active] == 0

    if not any(map(fitted, _received_resources(game, fields))):
        faults.add(f"players[{active}].tray", sum(tray), "is more than was received and fitted into the tray before")


def _received_resources(game: CampusGame, fields: Fields) -> list[list[int]]:
    """Return what the active player may just have received, as counts of E H M S C; never too little."""
    contents: CampusSet = game.components.contents
    step, turn, me = fields["step"], fields["turn"], fields["players"][fields["active"]]
    tray = me["tray"]
    if step == Step.DISCARD_COLLECTED:
        spaces = contents.side(VARIANTS[fields["advanced"]]).spaces
        give = "".join(spaces[space].give for space in turn["placed"] if space >= 0)
        return [[give.count(letter) for letter in RESOURCES]]
    if step == Step.DISCARD_SERVED:
        options = []
        for card in (contents.cards[i] for i in indices(turn["served"])):
            if not fields["advanced"]:
                options += ["MH", "SE", "C"] if card.gift else []
            elif me["waiter"] == ABIGAIL:
                options += ["H", "M"] if len(card.customers) == 2 else []
            elif me["waiter"] == DESTINY:
                options += {2: [], 3: ["E", "H"], 4: ["M", "S"]}[len(card.customers)]
        return [[option.count(letter) for letter in RESOURCES] for option in options]
    # A supplier tops the tray up to what it shows, William's supply to one.
    suppliers = [contents.cards[i].resources for i in indices(me["owned"]) if contents.cards[i].reverse == "supplier"]
    shown = [max((supplier.count(letter) for supplier in suppliers), default=0) for letter in RESOURCES]
    pairs = ("ES", "HM") if step == Step.DISCARD_RESTOCKED and me["waiter"] == WILLIAM else ("",)
    return [
        [n if n <= max(most, letter in pair) else 0 for n, most, letter in zip(tray, shown, RESOURCES, strict=True)]
        for pair in pairs
    ]


def _dice(game: CampusGame, fields: Fields, faults: Violations) -> None:
    """Check that the dice lie where they may, by placing them anew."""
    turn = fields["turn"]
    empty = {
        **turn,
        "placed": [-1, -1],
        "served": 0,
        "paying": -1,
        "spent": [0] * 5,
        "blue": [0] * 5,
        "red": 0,
        "white": 0,
        "yellow": 0,
        "samuel": 0,
        "converted": [0, 0],
        "money": 0,
        "gifts": [0] * 5,
    }
    state = game.build({**fields, "step": Step.PLACE, "to_move": fields["active"], "turn": empty})
    if turn["placed"][0] == turn["placed"][1] >= 0:
        wanted = [MoveKind.STACK << 28 | turn["placed"][0]]
    else:
        wanted = [
            MoveKind.PLACE << 28 | die << 4 | space
            for die, space in zip(turn["die"], turn["placed"], strict=True)
            if space >= 0
        ]
    for move in wanted:
        if move not in state.moves():
            faults.add("turn.placed", f"space {(move & 15) + 1}", "the dice cannot lie like this")
            return
        state.apply(move)
    now = game.read(state)["step"]
    if fields["step"] == Step.PLACE and (now != Step.PLACE or not state.moves()):
        faults.add("turn.placed", len(wanted), "no die is left to place")
    if fields["step"] != Step.PLACE and now == Step.PLACE and state.moves():
        faults.add("turn.placed", len(wanted), "a die is still to be placed")
