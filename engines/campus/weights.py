"""Weights of the move values and the evaluation in heuristic.pyx, about in $: single ones are uncertain.

MOVES but the last: by `python -m bench.tune play campus --games 1000 --turns 2 --evaluations 900`, from figures set by
hand or fitted to few games; `pay` and `die`, which made no difference to it, are still those, and what it found of
EVALUATION was not taken. EVALUATION after that, and then the last of MOVES, by
`python -m bench.tune evaluation campus bench/data/campus_games.jsonl.xz --sparse 4 --evaluations 500` and the same with
`prior`. Those are 900 games between searches of 150 visits with the figures set by hand, of which 33 that dragged on
were left out: `python -m bench.tune record campus FILE --games 900 --visits 150`. The games held out then were those
whose number is a multiple of five; by now they are of all kinds, so the figures come out a little different.
"""

# Of the move values; the evaluation reads many of them too.
MOVES = {
    "keep": 0.392,  # a resource kept in the tray for later turns
    "keep_worth": 0.925,  # and per $ of its worth
    "multiplier": 2.026,  # a multiplier, per turn to come
    "multiplier_worth": 0.337,  # and per step of its resource's worth
    "tokens_two": 0.32,  # factor for two tokens
    "tokens_three": 2.61,
    "satisfier_basic": 1.057,  # per turn to come, as those below
    "satisfier_advanced": 3.319,
    "supply": -0.12,  # a resource a supplier shows
    "supply_worth": 2.406,  # and per $ of its worth
    "stacker": -0.339,  # a manipulator that stacks dice
    "recolorer": 1.926,  # any other
    "space": 0.365,  # a tray space
    "career": 10.726,  # a career, once
    "career_turn": 0.238,  # and per turn to come
    "career_customer": 0.24,  # a customer for a career of men or women
    "award_dish": 3.678,  # towards an objective: a dish it counts
    "award_customer": 1.557,
    "award_group": 3.96,
    "award_gift": 10.156,
    "award_space": 0.261,
    "award_card": 0.14,
    "gift": 14.615,
    "convert": 7.205,  # a resource exchanged for another one
    "near_miss": 0.325,  # what is left of a card's value with one dish missing
    "second": 1.054,  # of the second best card's value
    "pay": 0.25,  # of a payment's cost
    "die": 4.5,  # the die that stacking uses up
    "prior": 7.781,  # gain by which a move's prior grows e-fold
}

# Of the evaluation alone, but for the first two.
EVALUATION = {
    "cards_a_turn": 1.42,  # customers served in a turn
    "last_round": 0.348,  # rounds more than the cards of the customers deck tell
    "income_basic": 14.176,  # a turn to come
    "income_advanced": 17.17,
    "growth": 1.27,  # more for every turn after it, as training grows
    "trained": 0.53,  # part that counts of what training is worth by itself
    "career_income": 1.873,  # a turn with a career
    "talent_abigail": -6.096,  # a waiter's talent and tray space, per turn to come
    "talent_destiny": -0.423,
    "talent_john": -8.101,
    "talent_melissa": 1.101,
    "talent_samuel": 2.672,
    "talent_william": 0.29,
    "unsettled": 0.232,  # how much less an award is settled per turn to come
    "spread": 2.081,  # of the final lead
    "spread_turns": 7.033,  # and per root of the turns to come
}

WEIGHTS = MOVES | EVALUATION
