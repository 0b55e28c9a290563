"""Weights of the move values in policy.pxd, on a scale of their own.

Found by CMA-ES on the greedy player's win share against itself, with an earlier form of `bench/tune.py play`. Terms
that made no difference were then taken out by hand and the rest left as it was, so `python -m bench.tune play gatto`
tunes on from here but does not give these very figures. The last two were set by hand.
"""

MOVES = {
    "point": 1.999,  # a point a cup promises
    "missing": -1.717,  # what a tile a cup lacks adds to what it promises, in points
    "price": 5.259,  # a coin paid
    "value": 1.369,  # of the tile bought
    "progress": 1.85,  # a tile that is in its cup already
    "menu": 1.206,  # a coin of the menu lost or won, as preparations differ or not
    "fill": 0.406,  # the last tile of its cup
    "sugar": 4.64,  # a sugar cube taken
    "serve_point": 0.572,
    "serve_sugar": 0.351,  # a sugar cube spent
    "serve_coin": 0.246,  # a coin earned
    "serve": -1.739,  # the turn spent on serving
    "serve_filled": 0.764,  # a filled cup: several are served in one turn
    "serve_tile": 0.396,  # a tile to be bought yet for any cup: serving can wait
    "serve_rich": 0.437,  # a coin at hand
    "serve_more": 4.0,  # a further cup in the turn
    "clean": -3.416,
    "clean_coin": -0.318,  # a coin at hand
    "take": -0.006,  # two coins taken
    "take_coin": 0.541,  # a coin at hand
    "noise": 5.0,  # spread of what is added at random to each move of a playout
    "prior": 5.0,  # gain by which a move's prior grows e-fold
}

WEIGHTS = MOVES
