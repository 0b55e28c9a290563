"""Weights of the move values and the evaluation in heuristic.pyx. $ unless said otherwise.

Talents come from `bench/campus_report.py waiters`; income, growth and training were fitted to games between searches of
200 visits; the others were set by hand. `bench/tune.py` can fit them all.
"""

# Of the move values; the evaluation reads many of them too.
MOVES = {
    "keep": 1.0,  # a resource kept in the tray for later turns
    "keep_worth": 0.7,  # and per $ of its worth
    "multiplier": 1.2,  # a multiplier, per turn to come
    "multiplier_worth": 0.5,  # and per step of its resource's worth
    "tokens_two": 1.5,  # factor for two tokens
    "tokens_three": 1.8,
    "satisfier_basic": 1.5,  # per turn to come, as those below
    "satisfier_advanced": 2.0,
    "supply": 0.3,  # a resource a supplier shows
    "supply_worth": 0.5,  # and per $ of its worth
    "stacker": 0.9,  # a manipulator that stacks dice
    "recolorer": 0.5,  # any other
    "space": 0.5,  # a tray space
    "career": 5.0,  # a career, once
    "career_turn": 0.9,  # and per turn to come
    "career_customer": 1.2,  # a customer for a career of men or women
    "award_dish": 1.0,  # towards an objective: a dish it counts
    "award_customer": 1.0,
    "award_group": 2.0,
    "award_gift": 2.0,
    "award_space": 1.2,
    "award_card": 1.0,
    "gift": 4.0,
    "convert": 2.2,  # a resource exchanged for another one
    "near_miss": 0.3,  # what is left of a card's value with one dish missing
    "second": 0.4,  # of the second best card's value
    "pay": 0.25,  # of a payment's cost
    "die": 4.5,  # the die that stacking uses up
    "prior": 3.0,  # gain by which a move's prior grows e-fold
}

# Of the evaluation alone, but for the first two.
EVALUATION = {
    "cards_a_turn": 1.1,  # customers served in a turn
    "last_round": 0.6,  # rounds more than the cards of the customers deck tell
    "income_basic": 8.5,  # a turn to come
    "income_advanced": 10.5,
    "growth": 0.9,  # more for every turn after it, as training grows
    "trained": 0.5,  # part that counts of what training is worth by itself
    "career_income": 1.0,  # a turn with a career
    "talent_abigail": -2.6,  # a waiter's talent and tray space, per turn to come
    "talent_destiny": -0.4,
    "talent_john": -3.0,
    "talent_melissa": 2.9,
    "talent_samuel": 1.9,
    "talent_william": 0.2,
    "unsettled": 0.3,  # how much less an award is settled per turn to come
    "spread": 4.0,  # of the final lead
    "spread_turns": 6.0,  # and per root of the turns to come
}

WEIGHTS = MOVES | EVALUATION
