"""One sweep, here and on a Ray cluster: the same numbers.

    pip install '.[parallel]' ray
    python examples/python/sweep_on_ray.py

Without a cluster Ray makes one of this machine, with two workers. On a cluster that is up, say RAY_ADDRESS=HOST:PORT.
"""

import os

import ray

import rein


def sweep(parallel=None):
    return rein.compare("linear(k=6,d=6,costs=positive,rate=0.2)", ["ccb", "lagrange", "squarecb", "uniform"],
                        rounds=1000, seeds=8, grid={"gamma_scale": [0.5, 2, 4]}, parallel=parallel)


def numbers(found):
    return [row.rpartition(",")[0] for row in found.to_csv().splitlines()]  # but for CPU time, the last column


def main():
    if not ray.is_initialized():
        ray.init() if "RAY_ADDRESS" in os.environ else ray.init(num_cpus=2)
    there = sweep(parallel="ray")
    print(there)
    for worker, plays in sorted(there.workers.items()):
        print(f"{worker} made {plays} plays")
    print("the same numbers as here:", numbers(there) == numbers(sweep()))
    return there


if __name__ == "__main__":
    main()
