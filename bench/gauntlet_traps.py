"""The rows of the gauntlet on which a default can fail for good: a safe arm, exact outcomes, bills that come after
their rewards, an outlier, very few rounds. Every problem here is plain: a learner that sees everything earns nearly
the best, so shares should be near 100 %."""

import gauntlet_conditions as known

ROUNDS = 20000


def _rows(chance, rounds, outcomes, outlier=None):
    """One number of context; `outcomes` gives the rewards and costs of a round. `outlier`: the round whose number is
    10 000 in the place of one from -1 to 1."""
    first = outcomes(chance, 0.0)
    count = len(first) // 2
    header = ["x_0"] + [f"r{a}" for a in range(count)] + [f"c{a}" for a in range(count)]
    rows = []
    for t in range(rounds):
        x = round(chance.uniform(-1, 1), 4)
        drawn = outcomes(chance, x)
        rows.append([10000 if t == outlier else x] + drawn)
    return header, rows


def _safe(level):
    """Nothing is free of doubt but the safe arm: `level` always, beside clicks of twice and of 0.7 times that."""

    def outcomes(chance, _):
        return [level, int(chance.random() < 2 * level), int(chance.random() < 0.7 * level), 0, 0.2, 0.1]

    return outcomes


def _exact(_, x):
    """Rewards without noise: a constant beside one that follows the context."""
    return [0.5, round(0.55 + 0.4 * x, 4), 0.2, 0, 0.2, 0.1]


def _follows(chance, x):
    """Clicks that follow the context: whoever cannot see it earns two thirds."""
    return [int(chance.random() < 0.5 + 0.4 * x), int(chance.random() < 0.5 - 0.4 * x), 0, 0.2, 0.2, 0]


def traps():
    def plain(name, outcomes, outlier=None):
        def made(title, where):
            return known.generated(title, lambda chance: _rows(chance, ROUNDS, outcomes, where), "rate=0.3")

        def learner(place, seed):  # without the outlier, which would blind it too
            return [(made(name + "_without", None)(place, seed), ROUNDS)]

        return known.Condition(
            name,
            "traps",
            made(name, outlier),
            (0.3,),
            93,
            own=True,
            rounds=ROUNDS,
            learner=None if outlier is None else learner,
        )

    def bills(rounds_late):
        return known.Condition(
            f"bills_{rounds_late}",
            "traps",
            known.fixed("heavy(k=6,d=4,rate=0.05)"),
            (0.05,),
            90,
            rounds=ROUNDS,
            late=f"cost={rounds_late}",
            own=True,
        )

    def few(rounds):
        return known.Condition(
            f"rounds_{rounds}",
            "traps",
            known.fixed("heavy(k=6,d=4,rate=0.05)"),
            (0.05,),
            None,
            rounds=rounds,
            feasible=False,
            own=True,
        )

    return [
        *(plain(f"safe_{level:g}", _safe(level)) for level in (0.02, 0.05, 0.1, 0.2, 0.3)),
        plain("exact", _exact),
        bills(500),
        bills(2000),
        plain("outlier_first", _follows, outlier=0),
        plain("outlier_later", _follows, outlier=1000),
        *(few(rounds) for rounds in (1, 5, 20)),
    ]
