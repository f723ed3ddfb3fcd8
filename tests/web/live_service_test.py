"""The live page of the real service, while load runs: every number on the page is one that the API gave
at that time, and the same as the API's when the load ends."""

import os
import random
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from browser import Browser
from service import Service

PROGRAM = os.environ["REIN_PROGRAM"]
READY = "document.documentElement?.dataset.ready === 'yes'"
DOCUMENT = {"actions": ["small", "large"], "context": 2, "costs": {"dollars": 1}, "reward": [0, 1], "seed": 7,
            "largest_costs": {"small": 0.1, "large": 1.0},
            "budgets": [{"name": "day", "cost": "dollars", "amount": 5000, "hard": True, "per": "day"},
                        {"name": "thousands", "cost": "dollars", "amount": 100, "per": "1000 rounds"}]}
# Fields of the page and where they stand in the live object. Those that only grow are bracketed.
GROWING = {"#now [data-field=decided]": lambda live: live["counts"]["decided"],
           ".summary [data-field=learned]": lambda live: live["counts"]["learned"],
           "#now [data-field=journal]": lambda live: live["journal"]["entries"],
           "[data-budget=day] [data-field=spent]": lambda live: live["budgets"][0]["spent"]}
QUIET = {**GROWING, "#now [data-field=reward]": lambda live: live["reward"]["mean"],
         "#now [data-field=open]": lambda live: live["counts"]["open"],
         "#now [data-field=held]": lambda live: live["held"]["dollars"],
         "#now [data-field=refused]": lambda live: live["counts"]["refused"],
         ".summary [data-field=expired]": lambda live: live["counts"]["expired"],
         ".summary [data-field=late]": lambda live: live["counts"]["late"],
         ".summary [data-field=cancelled]": lambda live: live["counts"]["cancelled"],
         "[data-chart=price_0] [data-last]": lambda live: live["history"][-1]["prices"][0],
         "[data-chart=spend_0] [data-last]": lambda live: live["history"][-1]["spent"][0]}
for index, name in enumerate(["day", "thousands"]):
    for field in ["spent", "held", "left"]:
        QUIET[f"[data-budget={name}] [data-field={field}]"] = lambda live, i=index, f=field: live["budgets"][i][f]


def load(service, stop, counts, seed):
    """Decides and reports until told to stop, one request after the other."""
    rng, connection = random.Random(seed), service.connect()
    while not stop.is_set() and counts[seed] < 20000:
        status, decision = service.ask("POST", "/v1/models/page/decide", {"context": [1.0, rng.random()]}, connection)
        assert status == 200, decision
        counts[seed] += 1
        if rng.random() < 0.98:  # some stay open
            large = decision["action"] == "large"
            outcome = {"id": decision["id"], "reward": float(rng.random() < (0.9 if large else 0.6)), "costs": {"dollars": 0.3 if large else 0.04}}
            status, answer = service.ask("POST", "/v1/models/page/outcome", outcome, connection)
            assert status == 200, answer
    connection.close()


class LiveService(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service, cls.browser = Service(PROGRAM, "--demo"), Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.service.close()

    def open(self, path, **options):
        page = self.browser.open(self.service.address(path), ready=READY, **options)
        self.addCleanup(page.close)
        return page

    def shown(self, page, fields):
        """The numbers behind these fields, all of one moment."""
        found = page.value("(%s).map((s) => { const e = document.querySelector(s); return e?.dataset.value ?? e?.dataset.last ?? null; })"
                           % list(fields))
        return {name: None if text is None else float(text) for name, text in zip(fields, found)}

    def everything(self, page):
        rows = page.value("[...document.querySelectorAll('.decisions > tbody > tr:first-child')].map((r) => [r.dataset.id,"
                          " r.querySelector('b').textContent, r.querySelector('.state').textContent])")
        return {**self.shown(page, QUIET), "rows": rows,
                "status": page.value("document.querySelector('#status .word').textContent")}

    def test_numbers_are_those_of_the_api_while_load_runs(self):
        status, answer = self.service.ask("PUT", "/v1/models/page", DOCUMENT)
        self.assertEqual(status, 201, answer)
        page, stop, counts = self.open("/models/page"), threading.Event(), {1: 0, 2: 0}
        threads = [threading.Thread(target=load, args=(self.service, stop, counts, seed)) for seed in counts]
        for thread in threads:
            thread.start()
        try:
            for _ in range(8):
                before = self.service.get("/v1/models/page/live")
                page.wait(f"Number(document.querySelector('[data-field=decided]').dataset.value) > {before['counts']['decided']}")
                found = self.shown(page, GROWING)
                after = self.service.get("/v1/models/page/live")
                for name, of in GROWING.items():
                    self.assertLessEqual(of(before), found[name], name)
                    self.assertLessEqual(found[name], of(after), name)
        finally:
            stop.set()
            for thread in threads:
                thread.join(30)
        self.assertGreater(min(counts.values()), 50)
        self.assert_quiet(page, sum(counts.values()))

    def assert_quiet(self, page, decided):
        """Soon after the last request, everything is the same."""
        live = self.service.get("/v1/models/page/live")
        self.assertEqual(live["counts"]["decided"], decided)
        wanted = {name: of(live) for name, of in QUIET.items()}
        wanted["rows"] = [[one["id"], one["action"], one["state"]] for one in live["latest"]]
        wanted["status"] = live["status"]
        end = time.monotonic() + 60  # the stream sends twice per second; charts are drawn once per second
        while (found := self.everything(page)) != wanted and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(found, wanted)
        self.assertEqual(page.complaints(), [])

    def test_the_demo_shows_itself(self):
        names = [model["name"] for model in self.service.get("/v1/models")["models"] if model["name"] != "page"]
        self.assertGreater(len(names), 0)
        page = self.open("/")
        page.wait(f"document.querySelectorAll('tr[data-model]').length >= {len(names)}")
        for name in names:
            one = self.open(f"/models/{name}", width=390)
            first = one.value("Number(document.querySelector('[data-field=decided]').dataset.value)")
            one.wait(f"Number(document.querySelector('[data-field=decided]').dataset.value) > {first}")
            one.wait("document.querySelectorAll('[data-chart] svg').length >= 3")
            self.assertLessEqual(one.value("document.documentElement.scrollWidth"), 390)
            self.assertNotRegex(one.value("document.body.innerText"), r"NaN|undefined|Infinity|\[object")
            self.assertEqual(one.complaints(), [])
        self.assertEqual(page.complaints(), [])

    def test_the_page_needs_no_token_but_its_numbers_do(self):
        with Service(PROGRAM, "--demo", token="a-token-of-the-test") as service:
            form = "document.querySelector('form.token input') === document.activeElement && document.activeElement"
            page = self.browser.open(service.address("/models/demo"), ready=form)
            self.addCleanup(page.close)
            self.assertEqual(page.value("document.querySelectorAll('[data-value]').length"), 0)
            page.type("a-token-of-the-test")
            page.press("Enter")
            page.wait(READY)
            page.wait("Number(document.querySelector('[data-field=decided]').dataset.value) > 0")
            connection = service.connect()  # without the token
            connection.request("GET", "/v1/models/demo/live")
            self.assertEqual(connection.getresponse().status, 401)
            connection.close()

    def test_the_page_comes_under_its_content_policy(self):
        for path in ["/", "/models/any", "/assets/live.js", "/assets/live.css"]:
            connection = self.service.connect()
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            self.assertEqual(answer.status, 200, path)
            self.assertIn("default-src 'none'; script-src 'self'", answer.headers.get("Content-Security-Policy", ""), path)


if __name__ == "__main__":
    unittest.main(verbosity=1)
