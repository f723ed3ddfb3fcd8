"""Models, decisions and outcomes through the real program. serving.py checks every answer."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serving import DOCUMENT, LINES, Model, Serving, soon

PLAIN = {"actions": ["small", "large"], "context": 2, "costs": {"dollars": [0, 5]}, "reward": [0, 1], "seed": 5,
         "largest_costs": {"small": 0.1, "large": 1},
         "budgets": [{"name": "day", "cost": "dollars", "amount": 100, "per": "day", "hard": True},
                     {"name": "tenant", "cost": "dollars", "amount": 9, "per": "day", "scope": "tenant"}]}


class Case(unittest.TestCase):
    words, environment = (), {}
    serving: Serving
    made: int

    @classmethod
    def setUpClass(cls):
        cls.serving = Serving(*cls.words, **cls.environment)
        cls.addClassCleanup(cls.serving.close)
        cls.made = 0

    def model(self, document=PLAIN, **more):
        type(self).made += 1
        return Model(self.serving, f"m{type(self).made}", {**document, **more})


class Models(Case):
    def test_a_document_makes_a_model_once(self):
        path = "/v1/models/once"
        self.assertEqual(self.serving.ask("PUT", path, PLAIN).status, 201)
        self.assertEqual(self.serving.ask("PUT", path, PLAIN).status, 200)
        turned = dict(reversed(PLAIN.items()))
        self.assertEqual(self.serving.ask("PUT", path, turned).status, 200, "the order of keys means nothing")
        other = self.serving.ask("PUT", path, {**PLAIN, "seed": 6})
        self.assertEqual((other.status, other.error["code"]), (409, "conflict"))
        self.assertEqual(self.serving.good("GET", path)["document"], PLAIN)

    def test_models_are_listed(self):
        model = self.model()
        model.decide(context=[1, 2])
        listed = self.serving.good("GET", "/v1/models")["models"]
        mine = next(each for each in listed if model.path.endswith("/" + each["name"]))
        self.assertEqual(mine, {"name": mine["name"], "policy": "ccb", "mode": "online", "status": "ok",
                                "decided": 1, "open": 1})

    def test_a_wrong_document_makes_none(self):
        answer = self.serving.ask("PUT", "/v1/models/wrong", {**PLAIN, "polcy": "ccb"})
        self.assertEqual((answer.status, answer.error["field"]), (400, "polcy"))
        self.assertEqual(self.serving.ask("GET", "/v1/models/wrong").status, 404)

    def test_null_for_an_optional_key_is_the_same_as_leaving_it_out(self):
        def optional(name):
            schema = DOCUMENT["components"]["schemas"][name]
            return [key for key in schema["properties"] if key not in schema.get("required", [])]

        alone = ("budgets", "costs", "largest_costs")  # others need them
        for key in optional("Document"):
            plain = {k: v for k, v in PLAIN.items() if k != key}
            self.serving.good("PUT", f"/v1/models/null-{key.replace('_', '-')}",
                              {"actions": 2, key: None} if key in alone else {**plain, key: None})
        model = self.model()
        for key in optional("Round"):
            model.decide(**{"context": [1, 2], key: None} if key != "context" else {"context": [1, 2]})
        for key in ("request_id", "reward", "costs"):
            made = model.decide(context=[1, 2])["id"]
            part = {"costs": 0.1} if key != "costs" else {"reward": 1}
            self.assertEqual(model.outcome(id=made, **part, **{key: None}), "applied")
        for key in optional("Conduct"):
            model.good("PATCH", "", {key: None})
        for key in optional("NewAction"):
            model.good("POST", "actions", {"name": f"new-{key}", "largest_costs": 0.1, key: None} if key not in
                       ("name", "largest_costs") else {"name": f"new-{key}", "largest_costs": 0.1})


class Decisions(Case):
    def test_a_decision_says_what_it_chose_and_what_is_left(self):
        found = self.model().decide(context=[0.5, 1])
        self.assertRegex(found["id"], "^[0-9a-f]{16}$")
        self.assertEqual(found["actions"], ["small", "large"])
        self.assertAlmostEqual(sum(found["probabilities"]), 1, delta=1e-12)
        self.assertEqual(found["probability"], found["probabilities"][found["actions"].index(found["action"])])
        self.assertAlmostEqual(found["left"]["day"], 99.9 if found["action"] == "small" else 99)
        self.assertNotIn("tenant", found["left"], "no key was named")

    def test_every_option_of_a_decision(self):
        model = self.model()
        self.assertEqual(model.decide(context=[1, 2], actions=["large"])["action"], "large")
        self.assertEqual(model.decide(context=[1, 2], actions=[{"id": "small"}])["actions"], ["small"])
        cheap = model.decide(context=[1, 2], most_costs=0.5)
        self.assertEqual((cheap["action"], cheap["dropped"]), ("small", [{"action": "large", "by": "most_costs"}]))
        named = model.decide(context=[1, 2], most_costs={"dollars": 0.5}, scopes={"tenant": 7})
        self.assertIn("tenant", named["left"])
        before = model.budget("day")["held"]
        model.decide(context=[1, 2], actions=["large"], largest_costs={"large": 0.25})
        self.assertAlmostEqual(model.budget("day")["held"] - before, 0.25)
        model.decide(context=[1, 2], expected_costs={"small": 0.01, "large": 0.5})
        model.decide(context=[1, 2], expected_costs=[0.01, {"dollars": 0.5}])
        self.assertEqual(model.state()["deferred"], 0)
        model.decide(context=[1, 2], activate=False)
        self.assertEqual(model.state()["deferred"], 1)

    def test_the_last_ones_are_listed_and_searched(self):
        model = self.model()
        made = [model.decide(context=[1, 2], scopes={"tenant": name})["id"] for name in ("acme", "beta", "acme")]
        model.outcome(id=made[1], reward=1, costs=0.1)
        model.good("POST", "cancel", {"id": made[2]})
        listed = model.good("GET", "decisions")
        self.assertEqual([each["id"] for each in listed["decisions"]], made[::-1])
        self.assertEqual([each["state"] for each in listed["decisions"]], ["cancelled", "settled", "open"])
        self.assertEqual([each["reward"] for each in listed["decisions"]], [None, 1, None])
        found = model.good("GET", "decisions?search=tenant%3Dacme+OPEN")
        self.assertEqual(([each["id"] for each in found["decisions"]], found["found"], found["searched"]), ([made[0]], 1, 3))
        self.assertEqual(model.ask("GET", "decisions?most=-1").status, 400)

    def test_rows_by_name_and_features_of_actions(self):
        named = self.model({"actions": 3, "context": {"age": "number", "country": "category"}, "absent": "missing"})
        self.assertIn(named.decide(context={"age": 30, "country": "DE"})["action"], (0, 1, 2))
        named.decide(context={"age": None})
        featured = self.model({"actions": 3, "action_features": 2})
        offered = [{"id": i, "features": [i, 1]} for i in (0, 2)]
        self.assertIn(featured.decide(actions=offered)["action"], (0, 2))

    def test_the_same_request_gets_the_same_bytes(self):
        model = self.model()
        body = '{"context":[1,2],"request_id":"order-7"}'
        first = model.ask("POST", "decide", body)
        again = model.ask("POST", "decide", body)
        self.assertEqual((first.status, again.status, again.body), (200, 200, first.body))
        self.assertEqual((first.headers["Rein-Repeated"], again.headers["Rein-Repeated"]), (None, "1"))
        other = model.ask("POST", "decide", '{"context":[1,3],"request_id":"order-7"}')
        self.assertEqual((other.status, other.error["code"], other.error["field"]), (409, "conflict", "request_id"))
        self.assertEqual(model.state()["decided"], 1)

    def test_requests_are_known_after_kill_9_and_after_a_plain_stop(self):
        model = self.model()
        body = '{"context":[1,2],"request_id":"before"}'
        first = model.ask("POST", "decide", body).body
        top_up = {"budget": "day", "top_up": 5, "request_id": "once"}
        told = model.good("PATCH", "budgets", top_up)
        before = model.state()
        self.serving.kill()
        self.serving.start()
        self.assertEqual(model.ask("POST", "decide", body).body, first)
        self.assertEqual(model.good("PATCH", "budgets", top_up), told)
        after = model.state()
        self.assertEqual([before[key] for key in ("decided", "open")], [after[key] for key in ("decided", "open")])
        self.assertEqual(model.budget("day")["limit"], 105)
        self.assertEqual(self.serving.stop(), 0)
        self.serving.start()
        self.assertEqual(model.ask("POST", "decide", body).body, first)

    def test_batches_answer_each_on_its_own(self):
        model = self.model()
        rounds = [{"context": [1, 2], "request_id": "b1"}, {"context": [1]}, {"context": [2, 2], "request_id": "b1"}]
        entries = model.good("POST", "decide", {"rounds": rounds})["decisions"]
        self.assertEqual([each["status_code"] for each in entries], [200, 400, 409])
        self.assertEqual(entries[0]["status"], "ok")
        self.assertEqual(entries[1]["error"]["field"], "rounds[1].context")
        outcomes = [{"id": entries[0]["id"], "reward": 1}, {"id": "0" * 16, "reward": 1}, {"id": entries[0]["id"],
                                                                                           "reward": 0}]
        results = model.good("POST", "outcome", {"outcomes": outcomes})["results"]
        self.assertEqual([each["status_code"] for each in results], [200, 404, 409])
        self.assertEqual(model.good("POST", "decide", {"rounds": []}), {"decisions": []})

    def test_lines_are_answered_in_order(self):
        model = self.model()
        text = "".join('{"context":[%d,1],"request_id":"l%d"}\n' % (n, n) for n in range(150)) + '{"context":[1]}\n\n'
        answer = model.ask("POST", "decide", text, headers=LINES)
        self.assertEqual([line["status_code"] for line in answer.lines], [200] * 150 + [400])
        again = model.ask("POST", "decide", text, headers=LINES)
        self.assertEqual([line.get("id") for line in again.lines], [line.get("id") for line in answer.lines])
        text = "".join('{"id":"%s","reward":1}\n' % line["id"] for line in answer.lines[:150])
        told = model.ask("POST", "outcome", text, headers=LINES).lines
        self.assertEqual({line["result"] for line in told}, {"applied"})
        refused = self.serving.raw("POST", model.path + "/cancel", '{"id":"%s"}' % answer.lines[0]["id"], headers=LINES)
        self.assertEqual({(line["status_code"], line["error"]["code"]) for line in refused.lines}, {(415, "type")})


class Outcomes(Case):
    def test_parts_come_in_any_order_and_once(self):
        model = self.model()
        id = model.decide(context=[1, 2], actions=["small"])["id"]
        self.assertEqual(model.outcome(id=id, costs={"dollars": 0.05}), "applied")
        self.assertEqual(model.state()["partly"], 1)
        self.assertEqual(model.outcome(id=id, costs=0.05), "duplicate")
        self.assertEqual(model.ask("POST", "outcome", {"id": id, "costs": 0.06}).status, 409)
        self.assertEqual(model.outcome(id=id, reward=1, costs=[0.05]), "applied")
        self.assertEqual(model.outcome(id=id, reward=1, costs=0.05), "duplicate")
        state = model.state()
        self.assertEqual((state["open"], state["learned"], state["billed"]), (0, 1, {"dollars": 0.05}))
        self.assertAlmostEqual(model.budget("day")["spent"], 0.05)
        self.assertEqual(model.budget("day")["held"], 0)

    def test_an_unknown_id_is_refused(self):
        answer = self.model().ask("POST", "outcome", {"id": "0123456789abcdef", "reward": 1})
        self.assertEqual((answer.status, answer.error["code"]), (404, "unknown"))

    def test_the_callers_id_needs_a_token(self):
        model = self.model()
        model.decide(context=[1, 2], request_id="mine")
        answer = model.ask("POST", "outcome", {"request_id": "mine", "reward": 1})
        self.assertEqual((answer.status, answer.error["code"]), (401, "token"))

    def test_cancel_releases_and_activate_keeps(self):
        model = self.model()
        id = model.decide(context=[1, 2], activate=False)["id"]
        self.assertEqual(model.good("POST", "activate", {"id": id})["result"], "applied")
        self.assertEqual(model.good("POST", "activate", {"id": id})["result"], "duplicate")
        self.assertGreater(model.budget("day")["held"], 0)
        self.assertEqual(model.good("POST", "cancel", {"id": id})["result"], "applied")
        self.assertEqual(model.good("POST", "cancel", {"id": id})["result"], "duplicate")
        self.assertEqual((model.budget("day")["held"], model.state()["cancelled"]), (0, 1))
        self.assertEqual(model.ask("POST", "outcome", {"id": id, "reward": 1}).status, 409)

    def test_expiry_learns_the_default_and_gives_up_what_nobody_activated(self):
        model = self.model(default_outcome={"reward": 0, "costs": {"dollars": 0.02}})
        used, shown, never = (model.decide(context=[1, 2], activate=active)["id"] for active in (True, False, False))
        model.good("POST", "activate", {"id": shown})
        model.good("PATCH", "", {"expire_after": 1})  # and not from the beginning: then the time may be too short
        soon(lambda: model.state()["open"] == 0)
        state = model.state()
        self.assertEqual((state["expired"], state["cancelled"], state["open"]), (2, 1, 0))
        late = model.ask("POST", "outcome", {"id": used, "reward": 1})
        self.assertEqual((late.status, late.error["code"]), (404, "expired"))
        for _ in range(2):  # the reward beside a bill is not taken, and not remembered
            self.assertEqual(model.outcome(id=used, reward=1, costs=0.04), "late")
            self.assertEqual(model.ask("POST", "outcome", {"id": used, "reward": 1}).status, 404)
        self.assertEqual(model.outcome(id=used, costs=0.04), "duplicate")
        self.assertEqual(model.ask("POST", "outcome", {"id": used, "costs": 0.03}).status, 409)
        self.assertEqual((model.state()["late"], model.state()["billed"]), (1, {"dollars": 0.04}))
        self.assertEqual(model.ask("POST", "outcome", {"id": never, "costs": 0.04}).status, 409)


class WithAToken(Case):
    environment = {"REIN_TOKEN": "correct horse"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.serving.headers = {"Authorization": "Bearer correct horse"}

    def test_outcomes_by_the_callers_id(self):
        model = self.model()
        id = model.decide(context=[1, 2], request_id="mine", activate=False)["id"]
        self.assertEqual(model.good("POST", "activate", {"request_id": "mine"}), {"id": id, "result": "applied"})
        self.assertEqual(model.good("POST", "outcome", {"request_id": "mine", "reward": 1})["id"], id)
        self.assertEqual(model.outcome(id=id, reward=1), "duplicate")
        other = model.decide(context=[1, 2], request_id="other")["id"]
        self.assertEqual(model.good("POST", "cancel", {"request_id": "other"})["id"], other)
        self.assertEqual(model.ask("POST", "outcome", {"request_id": "none", "reward": 1}).status, 404)

    def test_requests_without_it_are_refused(self):
        for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}, {"Authorization": "correct horse"},
                        {"Authorization": "", "Ocp-Apim-Subscription-Key": "wrong"}):
            answer = self.serving.ask("GET", "/v1/models", headers=headers)
            self.assertEqual((answer.status, answer.error["code"]), (401, "token"))
        for path in ("/metrics", "/openapi.json", "/v1/events", "/models"):
            self.assertEqual(self.serving.raw("GET", path, headers={"Authorization": ""}).status, 401, path)
        for path in ("/healthz", "/readyz", "/", "/models/any", "/assets/live.js", "/assets/live.css"):
            self.assertEqual(self.serving.raw("GET", path, headers={"Authorization": ""}).status, 200, path)

    def test_the_header_of_the_closed_service_is_a_token_too(self):
        key = {"Authorization": "", "Ocp-Apim-Subscription-Key": "correct horse"}
        self.assertEqual(self.serving.ask("GET", "/v1/models", headers=key).status, 200)


if __name__ == "__main__":
    unittest.main()
