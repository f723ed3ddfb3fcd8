"""Reading and changing a model through the real program: state, budgets, explanations, modes, rank calls."""

import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from api_test import PLAIN, Case
from serving import Model, Serving

SOFT = {key: value for key, value in PLAIN.items() if key != "largest_costs"}


class Reading(Case):
    def test_state_counts_what_happened(self):
        model = self.model()
        ids = [model.decide(context=[1, n])["id"] for n in range(4)]
        model.outcome(id=ids[0], reward=1, costs=0.1)
        model.outcome(id=ids[1], reward=0.5)
        model.good("POST", "cancel", {"id": ids[2]})
        before = time.time()
        state = model.state()
        after = time.time()
        wanted = {"decided": 4, "open": 2, "learned": 1, "cancelled": 1, "partly": 1, "without_reward": 1,
                  "reward": 1.5,
                  "billed": {"dollars": 0.1}, "status": "ok", "mode": "online", "deferred": 0, "clipped": 0}
        self.assertEqual({key: state[key] for key in wanted}, wanted)
        self.assertTrue(before - 2 <= state["now"] <= after, (before, state["now"], after))

    def test_the_hash_is_made_for_those_who_ask(self):
        model = self.model()
        hashes = []
        for n in range(2):
            model.decide(context=[1, n])
            self.assertNotIn("hash", model.state(), "who watches a model does not hold it up")
            hashes += [model.good("GET", "state?hash=1")["hash"] for _ in range(2)]
        self.assertEqual(hashes[0::2], hashes[1::2])
        self.assertEqual(len(set(hashes)), 2)

    def test_open_decisions_oldest_first(self):
        model = self.model()
        ids = [model.decide(context=[1, n])["id"] for n in range(5)]
        model.outcome(id=ids[1], costs=0.1)
        found = model.good("GET", "open?most=3")
        self.assertEqual(([one["id"] for one in found["open"]], found["count"]), (ids[:3], 5))
        self.assertEqual((found["open"][1]["costs"], found["open"][1]["reward"]), ({"dollars": 0.1}, None))

    def test_budgets_of_a_key(self):
        model = self.model()
        found = model.decide(context=[1, 2], actions=["small"], scopes={"tenant": "a b"})
        model.outcome(id=found["id"], costs=0.07)
        self.assertEqual([b["name"] for b in model.good("GET", "budgets")["budgets"]], ["day"])
        mine = model.budget("tenant", "?tenant=a%20b")
        self.assertEqual((mine["spent"], mine["limit"], mine["scope"], mine["kind"], mine["per"]),
                         (0.07, 9, "tenant", "steer", "day"))
        self.assertEqual(model.budget("tenant", "?tenant=other")["spent"], 0)
        day = model.budget("day")
        self.assertTrue(0 < day["ends_in"] <= 86400)
        self.assertEqual(day["first"] % 86400, 0)
        self.assertAlmostEqual(day["left"], day["limit"] - day["spent"] - day["held"])
        self.assertTrue(0 <= day["plan"] < 1)  # its first window begins with the model

    def test_an_explanation_names_features_prices_and_budgets(self):
        model = self.model({**PLAIN, "context": {"age": "number", "country": "category"},
                            "budgets": [{"name": "day", "cost": "dollars", "amount": 1.05, "per": "day",
                                         "hard": True}]})
        for n in range(2):
            found = model.decide(context={"age": 20 + n, "country": "DE"}, most_costs=0.5)
            model.outcome(id=found["id"], reward=n, costs=0.05)
        found = model.decide(context={"age": 50, "country": "DE"}, actions=["large", "small"])
        told = model.good("GET", f"explain/{found['id']}")
        day = model.good("GET", "budgets")["budgets"][0]
        self.assertEqual(found["dropped"], [{"action": "large", "by": "day", "until": day["last"] + 1}])
        self.assertEqual((told["action"], told["dropped"]), ("small", found["dropped"]))
        chosen = next(one for one in told["actions"] if one["chosen"])
        self.assertEqual((chosen["action"], chosen["price"]), ("small", found["price"]))
        self.assertEqual([head["name"] for head in chosen["heads"]], ["reward", "dollars"])
        names = {term["name"] for term in chosen["heads"][0]["terms"]}
        self.assertTrue(any(name.startswith("age") for name in names), names)
        for term in chosen["heads"][0]["terms"]:
            self.assertAlmostEqual(term["part"], term["weight"] * term["value"])

    def test_live_has_the_latest_decisions(self):
        model = self.model()
        found = model.decide(context=[1, 2], scopes={"tenant": "a"})
        model.outcome(id=found["id"], reward=1, costs=0.05)
        live = model.good("GET", "live")
        self.assertEqual((live["latest"][0]["id"], live["latest"][0]["state"]), (found["id"], "settled"))
        self.assertEqual(live["latest"][0]["scopes"], {"tenant": "a"})
        self.assertEqual((live["counts"]["decided"], live["latency"]["decide"]["count"]), (1, 1))
        self.assertEqual(live["billed"], {"dollars": 0.05})


class Changes(Case):
    def test_budgets_change_while_the_model_runs(self):
        model = self.model()
        self.assertEqual(model.good("PATCH", "budgets", {"budget": "day", "top_up": 5})["budgets"][0]["limit"], 105)
        model.good("PATCH", "budgets", {"budget": "tenant", "top_up": 1, "scopes": {"tenant": "a"}})
        self.assertEqual(model.budget("tenant", "?tenant=a")["limit"], 10)
        self.assertEqual(model.budget("tenant", "?tenant=b")["limit"], 9)
        model.good("PATCH", "budgets", {"budget": "day", "amount": 7})
        self.assertEqual(model.budget("day")["limit"], 12, "what was topped up stays in the window")
        model.good("PATCH", "budgets", {"budget": "day", "rounds": 500})
        self.assertAlmostEqual(model.budget("day")["rounds_left"], 500, delta=500)

    def test_a_new_window_begins_at_once(self):
        model = self.model({**SOFT, "budgets": [{"name": "run", "cost": "dollars", "amount": 10, "per": "1000 ticks"}]})
        model.outcome(id=model.decide(context=[1, 2])["id"], costs=0.5)
        self.assertEqual(model.budget("run")["spent"], 0.5)
        answer = model.ask("PATCH", "budgets", {"budget": "run", "window": "new"})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(model.budget("run")["spent"], 0)

    def test_a_change_that_comes_twice_is_made_once(self):
        model = self.model()
        body = {"budget": "day", "top_up": 5, "request_id": "raise"}
        first = model.ask("PATCH", "budgets", body)
        again = model.ask("PATCH", "budgets", body)
        self.assertEqual((again.body, again.headers["Rein-Repeated"]), (first.body, "1"))
        self.assertEqual(model.budget("day")["limit"], 105)
        self.assertEqual(model.ask("PATCH", "budgets", {**body, "top_up": 6}).status, 409)
        for verb, change in (("actions", {"name": "x", "largest_costs": 1}),
                             ("expect", {"expected_costs": [0.1, 0.2, 1]}),
                             ("warm_start", {"rounds": [{"context": [1, 2], "action": "small", "reward": 1}]})):
            change = {**change, "request_id": "twice-" + verb}
            told = model.ask("POST", verb, change)
            self.assertLess(told.status, 300, told.body)
            entries = model.state()["entries"]
            self.assertEqual(model.ask("POST", verb, change).body, told.body)
            self.assertLessEqual(model.state()["entries"], entries + 2, "ticks of the clock, and no more")
        self.assertEqual(model.decide(context=[1, 2], largest_costs=[0.1, 1, 1])["actions"], ["small", "large", "x"])

    def test_actions_come_and_go(self):
        model = self.model()
        old = model.decide(context=[1, 2], actions=["small"])["id"]
        self.assertEqual(model.good("POST", "actions", {"name": "medium", "largest_costs": 0.4}), {"name": "medium"})
        self.assertEqual(model.decide(context=[1, 2])["actions"], ["small", "large", "medium"])
        self.assertEqual(model.good("DELETE", "actions/small"), {"name": "small"})
        self.assertEqual(model.decide(context=[1, 2])["actions"], ["large", "medium"])
        self.assertEqual(model.ask("DELETE", "actions/small").status, 404)
        self.assertEqual(model.outcome(id=old, reward=1, costs=0.1), "applied")
        numbered = self.model({"actions": 2})
        self.assertEqual(numbered.good("POST", "actions", {}), {"name": 2})

    def test_expected_costs(self):
        model = self.model()
        self.assertEqual(model.good("POST", "expect", {"expected_costs": {"small": 0.05, "large": 0.7}}),
                         {"expected": True})
        self.assertEqual(model.good("POST", "expect", {"expected_costs": None}), {"expected": False})

    def test_a_log_is_learned_before_the_first_decision(self):
        model = self.model()
        rounds = [{"context": [1, n % 3], "action": "large", "reward": 1, "costs": {"dollars": 0.5}} for n in range(40)]
        rounds += [{"context": [1, n % 3], "action": "small", "reward": 0, "costs": 0.05} for n in range(40)]
        self.assertEqual(model.good("POST", "warm_start", {"rounds": rounds}), {"learned": 80})
        state = model.state()
        self.assertEqual((state["warm"], state["decided"], state["billed"]), (80, 0, {"dollars": 0}))
        free = self.model({"actions": ["small", "large"], "context": 2, "seed": 7})
        for one in rounds:
            one.pop("costs")
        free.good("POST", "warm_start", {"rounds": rounds})
        self.assertGreater(free.decide(context=[1, 2])["probabilities"][1], 0.8)


class Conduct(Case):
    def test_shadow_answers_the_baseline_and_says_what_it_would_do(self):
        model = self.model(mode="shadow", baseline="large")
        found = model.decide(context=[1, 2])
        self.assertEqual((found["action"], found["mode"], found["probability"], found["actions"]),
                         ("large", "shadow", 1, ["large"]))
        self.assertIn(found["would"]["action"], ("small", "large"))
        self.assertEqual(model.good("GET", f"explain/{found['id']}")["would"], found["would"])
        self.assertEqual(model.outcome(id=found["id"], reward=1, costs=0.5), "applied")
        mine = model.decide(context=[1, 2], baseline={"small": 0.3, "large": 0.7})
        self.assertEqual(mine["action"], "large", "the caller's own probabilities do not stand in the way")

    def test_logging_answers_the_baseline_only(self):
        model = self.model(mode="logging", baseline="small")
        found = model.decide(context=[1, 2])
        self.assertEqual((found["action"], found["mode"]), ("small", "logging"))
        self.assertNotIn("would", found)

    def test_the_mode_changes_and_stays_changed(self):
        model = self.model()
        told = model.good("PATCH", "", {"mode": "shadow", "baseline": "small", "fallback": ["changed"]})
        self.assertEqual((told["mode"], told["baseline"], told["fallback"]), ("shadow", "small", ["changed"]))
        self.serving.kill()
        self.serving.start()
        self.assertEqual(model.good("GET", ""), told)
        self.assertEqual(model.good("PATCH", "", {"mode": "online"})["mode"], "online")
        self.assertEqual(model.ask("DELETE", "actions/small").status, 409, "it is the baseline")

    def test_the_baseline_answers_while_a_status_holds(self):
        model = self.model({**SOFT, "baseline": "small", "fallback": ["past"],
                            "budgets": [{"name": "run", "cost": "dollars", "amount": 50, "rounds": 5}]})
        found = [model.decide(context=[1, 2]) for _ in range(12)]
        self.assertEqual(found[0]["status"], "ok")
        self.assertNotIn("fallback", found[0])
        last = found[-1]
        self.assertEqual((last["status"], last["fallback"], last["action"]), ("past", "past", "small"))
        self.assertEqual(model.decide(context=[1, 2], actions=["large"])["action"], "large",
                         "the baseline is not offered")
        model.good("PATCH", "", {"fallback": []})
        self.assertNotIn("fallback", model.decide(context=[1, 2]))

    def test_a_control_group_by_the_policy(self):
        model = self.model({"actions": 3, "context": 1, "policy": "ccb(control=0,holdout=0.5)", "seed": 7})
        found = [model.decide(context=[n]) for n in range(60)]
        inside = [one for one in found if one["holdout"] == "inside"]
        self.assertTrue(10 < len(inside) < 50)
        self.assertEqual({one["action"] for one in inside}, {0})


class Money(Case):
    def refused_until(self, model, budgets, ask):
        """ask() must be refused until the last of these budgets has its next window. Returns the answer."""
        def longest():
            return max(model.budget(name)["ends_in"] for name in budgets)
        before = longest()
        answer = ask()
        after = longest()
        self.assertEqual((answer.status, answer.error["code"]), (429, "budget"))
        self.assertTrue(after <= int(answer.headers["Retry-After"]) <= before, (after, answer.body, before))
        return answer

    def test_no_money_until_the_next_window(self):
        model = self.model({**PLAIN, "budgets": [{"name": "day", "cost": "dollars", "amount": 0.15, "per": "day",
                                                  "hard": True}]})
        model.decide(context=[1, 2])
        answer = self.refused_until(model, ["day"], lambda: model.ask("POST", "decide", {"context": [1, 2]}))
        self.assertTrue(0 < int(answer.headers["Retry-After"]) <= 86400)
        self.assertEqual(answer.error["retry_after"], int(answer.headers["Retry-After"]))
        entry = model.good("POST", "decide", {"rounds": [{"context": [1, 2]}]})["decisions"][0]
        self.assertTrue(model.budget("day")["ends_in"] <= entry["error"]["retry_after"] <= answer.error["retry_after"])

    def test_it_takes_all_budgets_to_have_money(self):
        day = {"name": "day", "cost": "dollars", "amount": 0.15, "per": "day", "hard": True}
        long = {**day, "name": "long", "per": "1000000 ticks"}
        rich = {**day, "amount": 9}
        run = {"name": "run", "cost": "dollars", "amount": 0.15, "rounds": 9, "hard": True}
        for budgets, waits_for in (([long, day], ["long", "day"]), ([day, long], ["long", "day"]), ([day, run], []),
                                   ([long, rich], ["long"]), ([rich, long], ["long"])):
            with self.subTest(budgets=budgets):
                model = self.model({**PLAIN, "budgets": budgets})
                model.decide(context=[1, 2], actions=["small"])

                def again():
                    return model.ask("POST", "decide", {"context": [1, 2], "actions": ["small"]})
                if waits_for:
                    self.refused_until(model, waits_for, again)
                else:
                    answer = again()
                    self.assertEqual((answer.status, answer.headers["Retry-After"]), (429, None))
        model = self.model({**PLAIN, "budgets": [{**day, "amount": 0.2}, long]})
        model.decide(context=[1, 2], actions=["small"])
        dear = {"context": [1, 2], "largest_costs": {"small": 0.14, "large": 0.14}}  # fits neither
        self.refused_until(model, ["day", "long"], lambda: model.ask("POST", "decide", dear))

    def test_money_of_a_rolling_window_comes_back_when_its_spend_leaves(self):
        budget = {"name": "day", "cost": "dollars", "amount": 0.15, "per": "last 24 hours", "hard": True}
        model = self.model({**PLAIN, "budgets": [budget]})
        before = time.time()
        model.decide(context=[1, 2], actions=["small"])
        answer = model.ask("POST", "decide", {"context": [1, 2], "actions": ["small"]})
        took = time.time() - before
        self.assertEqual((answer.status, answer.error["code"]), (429, "budget"))
        told = int(answer.headers["Retry-After"])
        self.assertTrue(86400 - took - 2 <= told <= 86400 * 65 // 64 + 2, told)  # its bucket leaves as a whole
        dear = {"context": [1, 2], "largest_costs": {"small": 20, "large": 20}}  # never fits
        self.assertIsNone(model.ask("POST", "decide", dear).headers["Retry-After"])

    def test_the_baseline_has_no_money_either(self):
        budget = {"name": "day", "cost": "dollars", "amount": 0.15, "per": "day", "hard": True}
        for mode in ("shadow", "logging"):
            with self.subTest(mode=mode):
                model = self.model({**PLAIN, "budgets": [budget], "mode": mode, "baseline": "small"})
                model.decide(context=[1, 2])
                answer = self.refused_until(model, ["day"], lambda: model.ask("POST", "decide", {"context": [1, 2]}))
                self.assertIn("small does not fit day", answer.error["message"])

    def test_no_money_ever_again(self):
        model = self.model({**PLAIN, "budgets": [{"name": "all", "cost": "dollars", "amount": 0.15, "rounds": 9,
                                                  "hard": True}]})
        model.decide(context=[1, 2])
        answer = model.ask("POST", "decide", {"context": [1, 2]})
        self.assertEqual((answer.status, answer.error["code"], answer.headers["Retry-After"]), (429, "budget", None))
        self.assertNotIn("retry_after", answer.error)
        model.good("PATCH", "budgets", {"budget": "all", "top_up": 1})
        model.decide(context=[1, 2])

    def test_the_safe_action_is_played_instead(self):
        model = self.model({**PLAIN, "actions": ["small", "large", "none"], "largest_costs": [0.1, 1, 0],
                            "safe_action": "none",
                            "budgets": [{"name": "day", "cost": "dollars", "amount": 0, "per": "day", "hard": True}]})
        self.assertEqual(model.decide(context=[1, 2])["action"], "none")


class Overseeing(Case):
    """Every answer is checked against the document."""

    def watched(self):
        budgets = [budget | {"notices": [0.5], "pause_at": 0.75} for budget in PLAIN["budgets"]]
        return self.model(PLAIN | {"notices": {"at": [0.25, 1], "status": ["over"]}, "callers": {"by": "tenant"},
                                   "budgets": budgets})

    def test_notices_pauses_and_quarantine(self):
        model = self.watched()
        self.assertEqual(model.good("GET", "notices"), {"notices": [], "first": 0, "last": 0})
        self.assertEqual(model.good("POST", "pause", {"why": "night", "request_id": "p"})["result"], "paused")
        refused = model.ask("POST", "decide", {"context": [1, 2]})
        self.assertEqual((refused.status, refused.error["code"]), (403, "paused"))
        self.assertEqual(model.good("POST", "resume", {})["result"], "resumed")
        scopes = {"scopes": {"tenant": "acme"}}
        self.assertEqual(model.good("POST", "quarantine", scopes | {"why": "absurd"})["result"], "quarantined")
        made = model.decide(context=[1, 2], **scopes)
        self.assertEqual(model.outcome(id=made["id"], reward=1, costs=0.1), "applied")
        state = model.state()
        self.assertEqual((state["rounds"], state["learned"], state["billed"]), (0, 1, {"dollars": 0.1}))
        self.assertEqual([each["key"] for each in state["quarantined"]], ["acme"])
        self.assertEqual(len(state["callers"]), 1)
        self.assertEqual(model.good("POST", "quarantine", scopes | {"lift": True})["result"], "lifted")
        self.assertEqual([each["what"] for each in model.good("GET", "notices")["notices"]],
                         ["paused", "resumed", "quarantined", "lifted"])

    def test_a_threshold_is_a_notice_and_pause_at_pauses_the_key(self):
        model = self.watched()
        scopes, limit = {"scopes": {"tenant": "beta"}}, model.budget("tenant", "?tenant=beta")["limit"]
        made = model.decide(context=[1, 2], **scopes)
        model.outcome(id=made["id"], reward=1, costs=0.8 * limit)
        found = [each for each in model.good("GET", "notices")["notices"] if each.get("scope") == "tenant"]
        self.assertEqual([each["what"] for each in found], ["threshold", "paused"])
        self.assertEqual(found[0]["share"], 0.5)
        shown = model.good("POST", "resume", {"scopes": {"tenant": found[1]["key"]}})
        self.assertEqual(shown["result"], "resumed", "by the name that the notice shows")

    def test_what_is_refused_changes_nothing(self):
        model = self.watched()
        before = model.good("GET", "state?hash=1")["hash"]
        for verb, body in [("pause", {"scopes": {"user": "x"}}), ("resume", {"why": 7}), ("quarantine", {}),
                           ("quarantine", {"caller": "x", "scopes": {"tenant": "y"}}), ("pause", {"who": "x"})]:
            self.assertEqual(model.ask("POST", verb, body).status, 400, body)
        self.assertEqual(model.good("GET", "state?hash=1")["hash"], before)


class Rank(unittest.TestCase):
    """The calls of the closed ranking service, with its header for the key."""

    serving: Serving
    model: Model

    @classmethod
    def setUpClass(cls):
        cls.serving = Serving(REIN_TOKEN="key")
        cls.addClassCleanup(cls.serving.close)
        cls.serving.headers = {"Ocp-Apim-Subscription-Key": "key"}
        cls.model = Model(cls.serving, "news", {"actions": 20, "hashed": {"context": 16, "features": 16},
                                                "reward": [0, 1], "seed": 7})

    def rank(self, version="v1.0", **body):
        body = {"contextFeatures": [{"user": {"age": 30, "city": "Rome"}}, {"hour": 9}],
                "actions": [{"id": name, "features": [{"topic": name, "length": 3}]} for name in ("a", "b", "c")],
                **body}
        answer = self.model.ask("POST", f"personalizer/{version}/rank", body)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json

    def reward(self, event, value, version="v1.0"):
        return self.model.ask("POST", f"personalizer/{version}/events/{event}/reward", {"value": value})

    def test_rank_and_reward(self):
        for version in ("v1.0", "v1.1-preview.3"):
            event = "visit-" + version
            found = self.rank(version, eventId=event)
            self.assertEqual((found["eventId"], found["ranking"][0]["id"]), (event, found["rewardActionId"]))
            self.assertAlmostEqual(sum(one["probability"] for one in found["ranking"]), 1)
            self.assertEqual(self.rank(version, eventId=event), found, "the same event again")
            before = self.model.state()["reward"]
            self.assertEqual(self.reward(event, 0.5, version).status, 204)
            self.assertEqual(self.model.state()["reward"], before + 0.5)
            self.assertEqual(self.reward(event, 0.5, version).status, 204, "the same again")
            self.assertEqual(self.reward(event, 1, version).status, 409)

    def test_excluded_actions_and_events_without_an_id(self):
        found = self.rank(excludedActions=["a", "b"])
        self.assertEqual((found["rewardActionId"], len(found["ranking"])), ("c", 1))
        self.assertEqual(self.reward(found["eventId"], 1).status, 204)

    def test_deferred_events_wait_to_be_activated(self):
        before = self.model.state()["deferred"]
        event = self.rank(deferActivation=True)["eventId"]
        self.assertEqual(self.model.state()["deferred"], before + 1)
        for _ in range(2):
            self.assertEqual(self.model.ask("POST", f"personalizer/v1.0/events/{event}/activate").status, 204)
        self.assertEqual(self.model.state()["deferred"], before)

    def test_it_learns(self):
        for n in range(60):
            found = self.rank(eventId=f"learn-{n}")
            self.reward(found["eventId"], 1 if found["rewardActionId"] == "b" else 0)
        ranking = {one["id"]: one["probability"] for one in self.rank()["ranking"]}
        self.assertGreater(ranking["b"], max(ranking["a"], ranking["c"]))


if __name__ == "__main__":
    unittest.main()
