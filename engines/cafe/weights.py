"""Weights of the rules of thumb in policy.pyx. Points unless said otherwise.

Found by bench/tune_cafe.py: hill climbing on the mean score of the greedy player, alone, with and without Expresso.
"""
import json
from pathlib import Path
from typing import Any

MOVES = {
    "shop_cube": 3.596,  # a cube an open shop still asks for, once delivered
    "store_cube": 0.594,  # a cube in the warehouse
    "grown": 0.055,  # share of a cube's worth on a plantation
    "dried": 0.205,  # on a drying square
    "roasted": 0.761,  # on a roaster
    "partial": 0.692,  # share of a shop's points that comes evenly with its cubes; the rest comes with the last one
    "cup": 1.808,  # a visible cup, per round left
    "shop": 0.371,  # an open shop, share of its points
    "plant": 0.962,  # a plantation
    "wanted": 0.681,  # a plantation of a colour shops ask for, in addition
    "dryer": 0.697,  # a drying square
    "roaster": 0.265,  # a roaster
    "late": 0.715,  # factor of these three in the last round; 1 in the first, linear between
    "ship": 0.396,  # a visible ship
    "plant_touch": 1.002,  # two plantations with a common edge
    "dryer_touch": 0.729,  # two drying squares
    "roaster_touch": 0.197,  # two roasters
    "waiter": 1.099,  # a free waiter
    "nata": 0.032,  # a nata, per point
    "sack": 2.152,  # a sack
    "double": 0.734,  # a double bean
    "pay": 0.159,  # a cube paid, beyond the points it is worth now
    "keep": 0.027,  # a roasted cube no shop asks for, kept for later rounds, per round left
    "discard": -0.361,  # a free discard
    "noise": 0.5,  # spread of what is added at random to each move of a playout
    "prior": 0.7,  # gain by which a move's prior grows e-fold
}

WEIGHTS = MOVES

# The network of forecast.pyx; found by bench/fit_forecast.py.
FORECAST: dict[str, Any] = json.loads((Path(__file__).parent / "forecast.json").read_text())
