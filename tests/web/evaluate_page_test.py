"""The page of `rein evaluate` in a real browser, without a network: its numbers are those of the JSON."""

import json
import os
import subprocess
import tempfile
import unittest

from browser import Browser

REIN = os.environ["REIN_PROGRAM"]
PAGE_OF = os.environ["REIN_PAGE_OF"]
LOG = os.path.join(os.environ["REIN_SOURCE_DIR"], "examples", "data", "answers.csv")
WORDS = {
    "three": ["--policy", "action(small),logged,uniform", "--title", "What did it bring?"],
    "one": ["--policy", "uniform"],
    "learner": ["--policy", "logged", "--policy", "ccb", "--budget", "dollars=0.2"],
}


class EvaluatePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()
        cls.data, cls.paths = {}, {}
        for name, words in WORDS.items():
            cls.paths[name] = os.path.join(cls.folder.name, name + ".html")
            done = subprocess.run([REIN, "evaluate", LOG, *words, "--report", cls.paths[name], "--json"],
                                  capture_output=True, check=True)
            cls.data[name] = json.loads(done.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def open(self, name, **options):
        page = self.browser.open(self.paths[name], **options)
        self.addCleanup(page.close)
        return page

    def cells(self, page, row):
        return page.value("Object.fromEntries([...document.querySelectorAll('%s td[data-quantity]')].map((td) =>"
                          " [td.dataset.quantity, ['mean', 'low', 'high'].map((end) => td.dataset[end] === undefined ?"
                          " null : Number(td.dataset[end]))]))" % row)

    def test_no_complaint_and_no_request(self):
        for name in WORDS:
            page = self.open(name)
            page.set_dark(True)
            page.settle()
            asked = [url for url in page.requests() if not url.startswith("data:")]
            self.assertEqual((page.complaints(), len(asked)), ([], 1))
            self.assertFalse(page.value("Boolean(document.querySelector('.problem[role]'))"))

    def test_tables_have_every_number(self):
        for name in WORDS:
            page, data = self.open(name), self.data[name]
            for at, policy in enumerate(data["policies"]):
                cells = self.cells(page, f'#values_table tr[data-row="{at}"]')
                best = next(each for each in policy["estimates"] if each["estimator"] == policy["recommended"])["heads"]
                for h, head in enumerate(data["heads"]):
                    self.assertEqual(cells[f"head_{h}"], [best[head][key] for key in ("value", "low", "high")])
            less = [policy for policy in data["policies"] if "difference" in policy]
            rows = page.value("[...document.querySelectorAll('#differences_table tbody tr')].map((tr) => tr.dataset.policy)")
            self.assertEqual(rows, [policy["policy"] for policy in less])

    def test_the_answer_is_what_a_policy_brings_beside_the_first(self):
        page, data = self.open("three"), self.data["three"]
        self.assertEqual(page.value("document.querySelector('h1').textContent"), "What did it bring?")
        tiles = page.value("[...document.querySelectorAll('.answer .tile')].map((t) => [t.dataset.policy, Number(t.dataset.value)])")
        self.assertEqual(tiles, [[policy["policy"], policy["difference"]["heads"]["reward"]["value"]]
                                 for policy in data["policies"][1:]])
        self.assertEqual(self.open("one").value("document.querySelectorAll('.answer .tile').length"), 0)

    def test_values_are_drawn_where_they_are(self):
        page, data = self.open("three"), self.data["three"]
        found = page.value("""(() => {
            const svg = document.querySelector('[data-chart=head_0] svg');
            const [d0, d1] = svg.getAttribute('data-x-domain').split(' ').map(Number);
            const [r0, r1] = svg.getAttribute('data-x-range').split(' ').map(Number);
            return [...svg.querySelectorAll('[data-policy]')].map((mark) => {
              const at = Number(/translate\\(([^,]+)/.exec(mark.getAttribute('transform'))[1]);
              return [mark.dataset.policy, d0 + (at - r0) / (r1 - r0) * (d1 - d0)];
            });
          })()""")
        for (name, x), policy in zip(found, data["policies"]):
            best = next(each for each in policy["estimates"] if each["estimator"] == policy["recommended"])
            self.assertEqual(name, policy["policy"])
            self.assertAlmostEqual(x, best["heads"]["reward"]["value"], delta=0.003)
        self.assertEqual(len(found), 3)

    def test_names_stay_text_it_fits_a_phone_and_prints(self):
        data = json.loads(json.dumps(self.data["three"]))
        bad = "<img src=x onerror='document.title=1'>"
        data["title"] = data["policies"][1]["policy"] = bad
        data["policies"][1]["warnings"] = [bad]
        path = os.path.join(self.folder.name, "hostile.html")
        with open(path, "wb") as file:
            file.write(subprocess.run([PAGE_OF], input=json.dumps(data).encode(), capture_output=True, check=True).stdout)
        page = self.browser.open(path, width=360)
        self.addCleanup(page.close)
        self.assertEqual(page.value("document.querySelector('h1').textContent"), bad)
        self.assertEqual(page.value("document.querySelectorAll('main img').length"), 0)
        self.assertIn(bad, page.value("document.querySelector('[data-warnings=all]').textContent"))
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 360)
        self.assertTrue(page.pdf().startswith(b"%PDF"))
        self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
