"""How often the test of the oracle `auto` leaves the better of two oracles (docs/estimate/auto.md): outcomes are 1 with
a small chance and else 0, the one that plays predicts that chance, and the other one predicts 0.

    python3 bench/race_moves.py [STARTS]
"""

import math
import random
import sys

MEMORY, PROOF, BET, MATERIAL = 500, math.log(1000), 0.25, 0.01  # of src/estimate/race.cc


def moves(share: float, rounds: int, seed: int) -> bool:
    rng = random.Random(seed)
    noise, total = 0.0, 0.0
    for count in range(1, rounds + 1):
        y = 1.0 if rng.random() < share else 0.0
        own, other, known = (share - y) ** 2, y * y, noise
        noise += (own - noise) / min(count, MEMORY)
        if known <= 0:
            continue
        x = min(BET * ((own - other) / known - MATERIAL), 0.5)
        total = max(-PROOF, total + x - x * x / 2 + x**3 / 3 - x**4 / 2)
        if total > PROOF:
            return True
    return False


def main() -> None:
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| outcomes of 1 | starts that move within 5000 rounds |\n|---|---|")
    for share in (0.001, 0.005, 0.02, 0.1, 0.5):
        count = sum(moves(share, 5000, seed) for seed in range(starts))
        print(f"| {100 * share:g} % | {100 * count / starts:.1f} % |")


if __name__ == "__main__":
    main()
