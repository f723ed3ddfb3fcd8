"""Tokens with roles: every verb with every role, models and scopes of a token, and who changed what."""

import hashlib
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from api_test import PLAIN
from serving import JSON, REIN, Serving

ROLES = ["decide", "report", "read", "admin"]
# Every verb, and who may use it besides an admin.
VERBS = [("POST", "/decide", ["decide"]), ("POST", "/outcome", ["report"]), ("POST", "/activate", ["decide", "report"]),
         ("POST", "/cancel", ["decide", "report"]), ("GET", "/state", ["read"]), ("GET", "/budgets", ["read"]),
         ("PATCH", "/budgets", []), ("GET", "/keys", ["read"]), ("GET", "/windows", ["read"]),
         ("GET", "/actions", ["read"]), ("POST", "/apply", []), ("GET", "/open", ["read"]), ("GET", "/explain/0000000000000000", ["read"]),
         ("GET", "/live", ["read"]), ("POST", "/expect", []), ("POST", "/actions", []),
         ("DELETE", "/actions/nobody", []), ("POST", "/warm_start", []), ("POST", "/reopen", []),
         ("POST", "/personalizer/v1.0/rank", ["decide"]), ("POST", "/personalizer/v1.0/events/e/reward", ["report"]),
         ("GET", "/notices", ["read"]), ("POST", "/pause", []), ("POST", "/resume", []), ("POST", "/quarantine", []),
         ("GET", "", ["read"]), ("PATCH", "", []), ("PUT", "", [])]
ELSEWHERE = [("GET", "/v1/models"), ("GET", "/metrics"), ("GET", "/openapi.json")]


def token_of(name):
    return f"a token of {name}"


def table(name, roles, **more):
    digest = "sha256:" + hashlib.sha256(token_of(name).encode()).hexdigest()
    return {"name": name, "digest": digest, "roles": roles, **more}


TOKENS = [*(table(role, [role]) for role in ROLES), table("both", ["decide", "report"]),
          table("ads-only", ["decide", "read"], models=["ads"]),
          table("acme", ["decide", "report"], scopes={"tenant": "acme"}), table("admin-2", ["admin"])]


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.serving = Serving(REIN_TOKEN="the one of the house", REIN_TOKENS=json.dumps(TOKENS))
        for name in ["ads", "news"]:
            assert cls.ask("admin", "PUT", f"/v1/models/{name}", PLAIN).status == 201

    @classmethod
    def tearDownClass(cls):
        cls.serving.close()

    @classmethod
    def ask(cls, who, method, path, body=None, token=None):
        headers = {"Authorization": f"Bearer {token or token_of(who)}", **(JSON if body is not None else {})}
        return cls.serving.raw(method, path, None if body is None else json.dumps(body), headers)

    def refused(self, answer):
        return answer.status == 403 and answer.error["code"] == "role"

    def test_only_an_admin_archives_a_model(self):
        self.assertEqual(self.ask("admin", "PUT", "/v1/models/gone", PLAIN).status, 201)
        for who in ("decide", "report", "read", "both", "ads-only", "acme"):
            self.assertTrue(self.refused(self.ask(who, "DELETE", "/v1/models/gone")), who)
        self.assertEqual(self.ask("admin", "DELETE", "/v1/models/gone").status, 200)
        self.assertEqual(self.ask("admin", "GET", "/v1/models/gone").status, 404)

    def test_every_verb_with_every_role(self):
        for method, verb, allowed in VERBS:
            for role in ROLES:
                answer = self.ask(role, method, f"/v1/models/ads{verb}", {} if method != "GET" else None)
                with self.subTest(verb=f"{method} {verb}", role=role):
                    self.assertNotEqual(answer.status, 401)
                    self.assertEqual(self.refused(answer), role not in [*allowed, "admin"], answer.body)

    def test_what_is_not_about_one_model_is_read(self):
        for method, path in ELSEWHERE:
            for role in ROLES:
                with self.subTest(path=path, role=role):
                    self.assertEqual(self.refused(self.ask(role, method, path)), role not in ["read", "admin"])

    def test_the_refusal_says_what_would_be_accepted(self):
        error = self.ask("report", "POST", "/v1/models/ads/decide", {"context": [1, 2]}).error
        self.assertIn('token "report"', error["message"])
        self.assertIn("decide or admin", error["message"])

    def test_a_token_with_two_roles_does_both(self):
        found = self.ask("both", "POST", "/v1/models/ads/decide", {"context": [1, 2]})
        self.assertEqual(found.status, 200, found.body)
        told = self.ask("both", "POST", "/v1/models/ads/outcome", {"id": found.json["id"], "reward": 1, "costs": 0.1})
        self.assertEqual(told.status, 200, told.body)

    def test_the_token_of_the_house_may_do_everything_and_a_wrong_one_nothing(self):
        self.assertEqual(self.ask("", "GET", "/metrics", token="the one of the house").status, 200)
        self.assertEqual(self.ask("nobody", "GET", "/metrics").status, 401)
        digest = TOKENS[0]["digest"]
        self.assertEqual(self.ask("", "GET", "/metrics", token=digest).status, 401, "the digest is no token")

    def test_a_token_for_some_models_sees_no_other(self):
        self.assertEqual(self.ask("ads-only", "GET", "/v1/models/ads/state").status, 200)
        for path in ["/v1/models/news/state", "/v1/models", "/metrics", "/v1/models/ads2/state"]:
            self.assertTrue(self.refused(self.ask("ads-only", "GET", path)), path)

    def test_a_tenants_token_decides_for_that_tenant_alone(self):
        def decide(body):
            return self.ask("acme", "POST", "/v1/models/ads/decide", body)
        mine, other = {"tenant": "acme"}, {"tenant": "other"}
        found = decide({"context": [1, 2], "scopes": mine})
        self.assertEqual(found.status, 200, found.body)
        rounds = [{"context": [1, 2], "scopes": mine}] * 2
        self.assertEqual(decide({"rounds": rounds}).status, 200)
        for body in [{"context": [1, 2]}, {"context": [1, 2], "scopes": other}, {"context": [1, 2], "scopes": None},
                     {"rounds": [*rounds, {"context": [1, 2], "scopes": other}]}, {"rounds": [*rounds, 7]}]:
            self.assertTrue(self.refused(decide(body)), body)
        done = self.ask("acme", "POST", "/v1/models/ads/outcome", {"id": found.json["id"], "reward": 1, "costs": 0.1})
        self.assertEqual(done.status, 200, done.body)

    def test_a_tenants_token_reports_by_the_services_ids_only(self):
        self.ask("admin", "POST", "/v1/models/ads/decide", {"context": [1, 2], "request_id": "of-another"})
        told = {"request_id": "of-another", "reward": 1, "costs": 0.1}
        self.assertEqual(self.ask("acme", "POST", "/v1/models/ads/outcome", told).status, 401)
        self.assertEqual(self.ask("both", "POST", "/v1/models/ads/outcome", told).status, 200)

    def test_lines_are_checked_one_by_one(self):
        lines = [{"context": [1, 2], "scopes": {"tenant": name}} for name in ["acme", "other"]]
        answer = self.serving.raw("POST", "/v1/models/ads/decide", "\n".join(map(json.dumps, lines)),
                                  {"Authorization": f"Bearer {token_of('acme')}", "Content-Type": "application/x-ndjson"})
        self.assertIn("id", answer.lines[0])
        self.assertEqual(answer.lines[1]["error"]["code"], "role")


class Changes(unittest.TestCase):
    def test_the_journal_names_who_made_a_change(self):
        serving = Serving(REIN_TOKENS=json.dumps(TOKENS))
        try:
            def ask(who, method, path, body):
                answer = serving.raw(method, f"/v1/models/ads{path}", json.dumps(body),
                                     {"Authorization": f"Bearer {token_of(who)}", **JSON})
                self.assertLess(answer.status, 300, answer.body)
                return answer.json
            ask("admin", "PUT", "", PLAIN)
            ask("both", "POST", "/decide", {"context": [1, 2]})
            ask("admin-2", "PATCH", "/budgets", {"budget": "day", "amount": 7})
            ask("admin", "PATCH", "", {"mode": "shadow", "baseline": "small"})
            ask("admin-2", "POST", "/pause", {"why": "night"})
            ask("admin", "POST", "/resume", {})
            ask("admin", "POST", "/quarantine", {"caller": "both"})
            serving.stop()
            data = os.path.join(serving.folder.name, "data", "ads")
            found = subprocess.run([REIN, "inspect", data, "--changes"], capture_output=True, text=True, check=True)
            lines = [line.split() for line in found.stdout.splitlines()[1:]]
            self.assertEqual([(line[2], line[3]) for line in lines], [("admin", "made,"), ("admin-2", "budget"), ("admin", "made,"),
                              ("admin-2", "paused"), ("admin", "resumed"), ("admin", "quarantined")], found.stdout)
            self.assertEqual(lines[-1][4], "both")
        finally:
            serving.close()


class Digests(unittest.TestCase):
    def run_rein(self, *words, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("REIN_")}
        return subprocess.run([REIN, *words], env={**clean, **environment}, capture_output=True, text=True, check=False)

    def test_rein_token_prints_what_the_settings_take(self):
        text = self.run_rein("token", "shop", "--role", "decide", "--role", "read").stdout
        token = text.splitlines()[0].split()[-1]
        self.assertIn(f'digest = "sha256:{hashlib.sha256(token.encode()).hexdigest()}"', text)
        self.assertGreaterEqual(len(token), 64)
        self.assertNotEqual(text, self.run_rein("token", "shop", "--role", "decide", "--role", "read").stdout)
        with open(os.path.join(os.environ.get("TMPDIR", "/tmp"), f"rein_token_{os.getpid()}.toml"), "w+",
                  encoding="utf-8") as file:
            file.write(text)
            file.flush()
            checked = self.run_rein("serve", "--check", "--config", file.name, REIN_ADDRESS="0.0.0.0")
        os.unlink(file.name)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_settings_that_mean_nothing_are_refused_by_name(self):
        good = table("a", ["decide"])
        for wrong, words in [({**good, "digest": "sha256:12"}, "digest"), ({**good, "roles": ["boss"]}, "boss"),
                             ({**good, "roles": []}, "roles"), ({**good, "models": []}, "models"),
                             ({**good, "role": "decide"}, "role"), ({"name": "a"}, "digest"),
                             ({**good, "roles": ["read"], "scopes": {"tenant": "x"}}, "scopes")]:
            done = self.run_rein("serve", "--check", REIN_TOKENS=json.dumps([wrong]))
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn(words, done.stderr)
        twice = self.run_rein("serve", "--check", REIN_TOKENS=json.dumps([good, {**good, "name": "b"}]))
        self.assertIn("digest of another", twice.stderr)


if __name__ == "__main__":
    unittest.main()
