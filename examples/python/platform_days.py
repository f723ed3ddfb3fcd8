"""Eight days of a platform that routes prompts for three tenants, with a ledger kept outside rein.

    python examples/python/platform_days.py [--requests 2000]

Each tenant has a hard budget per day of its own, and all of them share one that steers. On the way:

    day 3   a new model comes
    day 5   the large model costs half
    day 6   an outage: no request for three hours
    nightly the program ends, and goes on from what it saved

Bills come some minutes late. Three of ten requests are ever marked; the others stay open until they give way to
newer ones, and their money is exact all the same. The program keeps its own books in whole millionths, and stops with
an error if rein's differ by one.
"""

import argparse
import collections
import datetime
import pathlib
import random
import tempfile

import rein

DAY, START = 86_400, int(datetime.datetime(2026, 3, 2, tzinfo=datetime.timezone.utc).timestamp())
AMOUNTS = {"acme": 25, "beta": 15, "*": 5}  # dollars per day; gamma has the amount of the others
SHARE = {"acme": 0.5, "beta": 0.35, "gamma": 0.15}  # of the requests
PRICE = {"small": 0.002, "medium": 0.012, "large": 0.060, "fresh": 0.020}  # dollars per thousand tokens
SKILL = {"small": 0.35, "medium": 0.55, "large": 0.80, "fresh": 0.78}  # on hard prompts; easy ones are easy for all
LARGEST = {name: 4 * price for name, price in PRICE.items()}  # no request has more than 4000 tokens
MICRO = 1_000_000


def make_agent():
    return rein.Agent(
        "ccb", actions=["small", "medium", "large"], context={"hard": "number", "tenant": "category"},
        costs=["dollars"], reward=(0, 1), seed=7,
        hard=rein.HardLimits(largest_costs={name: LARGEST[name] for name in ("small", "medium", "large")}),
        expected_costs={name: PRICE[name] for name in ("small", "medium", "large")},
        engine=rein.EngineOptions(most_open=2000, expire_after=2 * DAY),
        budgets=[rein.Budget("all", "dollars", 30, per="day", keep=10),
                 rein.Budget("tenants", "dollars", AMOUNTS, per="day", scope="tenant", hard=True, named=True, keep=10)])


class Days:
    def __init__(self, requests):
        self.rng, self.requests = random.Random(3), requests
        self.agent, self.price = make_agent(), dict(PRICE)
        self.ledger = collections.Counter()  # (day, tenant) -> millionths
        self.marks = collections.defaultdict(list)
        self.refused = collections.Counter()
        self.bills = collections.deque()  # (when, decision, dollars)

    def pay(self, now):
        while self.bills and self.bills[0][0] <= now:
            _, id, dollars = self.bills.popleft()
            self.agent.learn(id, costs=dollars)

    def request(self, day, now):
        rng = self.rng
        tenant = rng.choices(list(SHARE), list(SHARE.values()))[0]
        hard, tokens = rng.random(), min(4.0, rng.lognormvariate(-0.5, 0.7))
        self.agent.tick(now)
        self.pay(now)
        try:
            d = self.agent.decide({"hard": hard, "tenant": tenant}, scopes={"tenant": tenant})
        except rein.BudgetSpent:
            self.refused[day, tenant] += 1
            return
        micros = round(self.price[d.action] * tokens * MICRO)  # what the provider's invoice says
        self.ledger[day, tenant] += micros
        self.bills.append((now + 300, d.id, micros / MICRO))
        if rng.random() < 0.3:
            good = rng.random() < 1 - hard * (1 - SKILL[d.action])
            self.agent.learn(d.id, reward=float(good))
            self.marks[day].append(good)

    def play(self, day, folder):
        if day == 3:
            self.agent.add_action("fresh", largest_costs=LARGEST["fresh"], expected_costs=PRICE["fresh"])
        if day == 5:
            self.price["large"] = PRICE["large"] / 2
            self.agent.expect({name: self.price[name] for name in self.agent.actions})
        for n in range(self.requests):
            now = START + (day - 1) * DAY + n * DAY // self.requests
            hour = n * 24 / self.requests
            if not (day == 6 and 8 <= hour < 11):
                self.request(day, now)
        self.pay(START + day * DAY - 1)
        saved = pathlib.Path(folder) / "router.rein"
        self.agent.save(saved)
        self.agent = rein.Agent.load(saved)

    def check(self, days):
        """Every window of every budget, to the millionth."""
        self.agent.tick(START + days * DAY)
        self.pay(START + days * DAY + 600)  # the last bills
        for tenant in SHARE:
            windows = {w.first: round(w.spent * MICRO) for w in self.agent.windows("tenants", {"tenant": tenant})}
            for day in range(1, days + 1):
                booked, own = windows.get(START + (day - 1) * DAY, 0), self.ledger[day, tenant]
                if booked != own:
                    raise SystemExit(f"{tenant}, day {day}: rein has {booked} millionths, the ledger {own}")
                if own > AMOUNTS.get(tenant, AMOUNTS["*"]) * MICRO:
                    raise SystemExit(f"{tenant}, day {day}: {own} millionths are over the budget")
        windows = {w.first: round(w.spent * MICRO) for w in self.agent.windows("all")}
        for day in range(1, days + 1):
            if windows[START + (day - 1) * DAY] != sum(self.ledger[day, tenant] for tenant in SHARE):
                raise SystemExit(f"day {day}: the budget for all differs from the ledger")
        if round(self.agent.spent["dollars"] * MICRO) != sum(self.ledger.values()):
            raise SystemExit("the total differs from the ledger")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000, help="per day")
    days = Days(parser.parse_args().requests)
    print(f"{'day':>3} {'acme':>8} {'beta':>8} {'gamma':>8} {'all':>8} {'of 30':>6} {'mean mark':>10} {'marks':>6} "
          f"{'refused':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for day in range(1, 9):
            days.play(day, folder)
            spent = [days.ledger[day, tenant] / MICRO for tenant in SHARE]
            marks = days.marks[day]
            print(f"{day:>3} " + " ".join(f"{x:>8.3f}" for x in spent) + f" {sum(spent):>8.3f} {sum(spent) / 30:>6.0%} "
                  f"{sum(marks) / max(1, len(marks)):>10.3f} {len(marks):>6} "
                  f"{sum(days.refused[day, tenant] for tenant in SHARE):>8}")
        days.check(8)
    state = days.agent.state
    print(f"\nEvery tenant and day, and the total of {sum(days.ledger.values())} millionths, are equal in rein and in the "
          f"ledger.\n{state.decided} decided, {state.rewarded} marked with {state.mean_reward:.3f} on average, "
          f"{state.gave_way} gave way without a mark, status {state.status}.")


if __name__ == "__main__":
    main()
