"""The page of `rein whatif` in a real browser, without a network: its numbers are those of the JSON."""

import json
import os
import subprocess
import tempfile
import unittest

from browser import Browser

REIN = os.environ["REIN_PROGRAM"]
PAGE_OF = os.environ["REIN_PAGE_OF"]
LOG = os.path.join(os.environ["REIN_SOURCE_DIR"], "examples", "data", "routing_log.csv")
WORDS = {
    "one": ["--budget", "dollars=0.005:0.42", "--count", "14"],
    "limit": ["--budget", "dollars=0.1:0.4", "--count", "5", "--at-most", "seconds=1.8"],
    "wrong": ["--budget", "dollars=0.1:0.4", "--count", "5", "--sensitivity", "1.3"],
    "whom": ["--budget", "dollars=0.1:0.4", "--count", "5", "--total", "5000", "--segments", "3"],
    "grid": ["--budget", "dollars=0.02:0.42", "--budget", "seconds=0.4:2.5", "--count", "6", "--grid"],
}
WIDTHS = (360, 320, 768)


class WhatifPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()
        cls.data, cls.paths = {}, {}
        for name, words in WORDS.items():
            cls.paths[name] = os.path.join(cls.folder.name, name + ".html")
            done = subprocess.run([REIN, "whatif", LOG, *words, "--report", cls.paths[name], "--json"],
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

    def curves(self, name):
        data = self.data[name]
        return [data] if data["kind"] == "whatif" else data["curves"]

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

    def test_the_answer_stands_on_top(self):
        for name in WORDS:
            page = self.open(name)
            for at, curve in enumerate(self.curves(name)):
                lines = page.value(f"[...document.querySelectorAll('[data-verdict=\"{at}\"] p')].map((p) => p.textContent)")
                self.assertEqual(lines, curve["verdict"])
                warned = page.value(f"[...document.querySelectorAll('[data-warnings=\"{at}\"] li')].map((p) => p.textContent)")
                self.assertEqual(warned, curve["warnings"])
            tile = page.value("(() => { const t = document.querySelector('.answer .tile[data-share]'); return"
                              " [t.textContent, ...['share', 'low', 'high'].map((k) => Number(t.dataset[k]))]; })()")
            half = self.curves(name)[0]["half_of_last"]
            self.assertEqual(tile[1:], [half["share"], half["low"], half["high"]])
            self.assertIn(f"{100 * half['share']:.1f} % of the reward", tile[0])
            first = page.value("document.querySelector('main > section').className")
            self.assertEqual(first, "answer")

    def test_groups_have_every_number(self):
        page, whom = self.open("whom"), self.data["whom"]["segments"]
        rows = page.value("[...document.querySelectorAll('#segments_table tbody tr')].map((tr) => tr.dataset.row)")
        self.assertEqual(rows, [*(str(at) for at in range(len(whom["segments"]))), "all"])
        for at, group in zip(rows, [*whom["segments"], whom["all"]]):
            row = f'#segments_table tr[data-row="{at}"]'
            cells, text = self.cells(page, row), page.value(f"document.querySelector('{row}').textContent")
            self.assertIn(group["words"], text)
            self.assertEqual(cells["share"][0], group["share"])
            self.assertEqual(cells["gain"], [group["gain"]["reward"][key] for key in ("value", "low", "high")])
            self.assertEqual(cells["head_1"], [group["values"]["dollars"][key] for key in ("value", "low", "high")])
            self.assertIn("gain_total", cells)
        self.assertFalse(self.open("one").value("Boolean(document.querySelector('#segments'))"))

    def test_the_cheapest_choice_stands_beside_the_answer(self):
        page, curve = self.open("whom"), self.data["whom"]
        tile = page.value("(() => { const t = document.querySelector('.answer .tile[data-gain]'); return"
                          " [t.textContent, Number(t.dataset.gain), Number(t.dataset.half)]; })()")
        self.assertEqual(tile[1:], [curve["cheapest"]["last"]["value"], curve["cheapest"]["half_of_gain"]["share"]])
        self.assertIn("of the gain", tile[0])

    def test_the_table_has_every_number(self):
        for name in WORDS:
            page = self.open(name)
            for at, curve in enumerate(self.curves(name)):
                reward, *costs = curve["heads"]
                for k, point in enumerate(curve["points"]):
                    row = f"#budgets_table_{at} tr[data-row=\"{k}\"]"
                    cells = self.cells(page, row)
                    if not point["possible"]:
                        self.assertEqual(cells, {})
                        self.assertIn("cannot be met", page.value(f"document.querySelector('{row}').textContent"))
                        continue
                    value = point["values"][reward]
                    self.assertEqual(cells["reward"], [value["value"], value["band_low"], value["band_high"]])
                    self.assertEqual(cells["reward_alone"], [value["value"], value["low"], value["high"]])
                    self.assertEqual(cells["price"][0], point["price"])
                    self.assertEqual(cells["effective_size"][0], point["effective_size"])
                    mix = curve["fixed_mix"][k]
                    self.assertEqual(cells["fixed_mix"][0], mix["values"][reward]["value"] if mix["possible"] else None)
                    for i, cost in enumerate(costs):
                        self.assertEqual(cells[f"cost_{i}"][0], point["values"][cost]["value"])
                    for h, head in enumerate(curve["heads"]):
                        band = point.get("sensitivity", {}).get(head)
                        wanted = band and [band["value"], band["low"], band["high"]]
                        self.assertEqual(cells.get(f"wrong_{h}"), wanted)
                    for a, action in enumerate(curve["actions"]):
                        self.assertEqual(cells[f"share_{a}"][0], point["shares"][action])

    def drawn(self, page, chart, name):
        """Where the markers of a line stand, read back through the axes, and the ends of its band."""
        return page.value("""(() => {
            const svg = document.querySelector('[data-chart=%s] svg');
            const numbers = (key) => svg.getAttribute(key).split(' ').map(Number);
            const back = (at, [d0, d1], [r0, r1]) => d0 + (at - r0) / (r1 - r0) * (d1 - d0);
            const line = svg.querySelector('[data-line=%s]');
            const band = line.parentElement.querySelector('[data-band]');
            const pairs = (d) => (d ?? '').split(/[MLZ]/).filter(Boolean).map((p) => p.split(',').map(Number));
            const values = (d) => pairs(d).map(([x, y]) => [back(x, numbers('data-x-domain'), numbers('data-x-range')),
                                                            back(y, numbers('data-y-domain'), numbers('data-y-range'))]);
            return {line: values(line.getAttribute('d')), band: values(band.getAttribute('d'))};
          })()""" % (chart, name))

    def assert_line(self, found, wanted, span):
        self.assertEqual(len(found), len(wanted))
        for one, two in zip(found, wanted):
            self.assertAlmostEqual(one[0], two[0], delta=0.002 * span)
            self.assertAlmostEqual(one[1], two[1], delta=0.002)

    def test_ends_of_sensitivity_are_dotted_lines(self):
        page, curve = self.open("wrong"), self.data["wrong"]
        for chart, head in (("reward_0", "reward"), ("cost_0_1", "seconds")):
            for end in ("low", "high"):
                found = self.drawn(page, chart, f"sensitivity_{end}")["line"]
                self.assert_line(found, [(p["budget"], p["sensitivity"][head][end]) for p in curve["points"]], 0.3)
        self.assertIn("odds of propensities wrong by up to 1.3", page.value("document.querySelector('.key').textContent"))
        none = self.open("one").value("document.querySelectorAll('[data-line^=sensitivity]').length")
        self.assertEqual(none, 0)

    def test_lines_and_bands_are_drawn_where_the_numbers_are(self):
        page, curve = self.open("one"), self.data["one"]
        points = [point for point in curve["points"] if point["possible"]]
        reward = [(point["budget"], point["values"]["reward"]) for point in points]
        found = self.drawn(page, "reward_0", "priced")
        self.assert_line(found["line"], [(x, value["value"]) for x, value in reward], 0.4)
        upper, lower = found["band"][:len(reward)], found["band"][len(reward):][::-1]
        self.assert_line(upper, [(x, value["band_high"]) for x, value in reward], 0.4)
        self.assert_line(lower, [(x, value["band_low"]) for x, value in reward], 0.4)
        mixes = [(p["budget"], p["values"]["reward"]["value"]) for p in curve["fixed_mix"] if p["possible"]]
        self.assert_line(self.drawn(page, "reward_0", "fixed_mix")["line"], mixes, 0.4)
        logged = curve["logged"]["values"]
        mark = page.value("(() => { const m = document.querySelector('[data-chart=reward_0] [data-mark=logged]').dataset;"
                          " return [Number(m.x), Number(m.y)]; })()")
        self.assertEqual(mark, [logged["dollars"]["value"], logged["reward"]["value"]])
        self.assertEqual(page.value("document.querySelectorAll('[data-chart=reward_0] [data-mark=impossible]').length"), 1)
        price = page.value("[...document.querySelectorAll('[data-chart=price_0] [data-y]')].map((m) => Number(m.dataset.y))")
        self.assertEqual(price, [point["price"] for point in points])
        shares = page.value("[...document.querySelectorAll('[data-chart=shares_0] .share')].map((band) =>"
                            " [band.dataset.action, band.dataset.shares.split(' ').map(Number)])")
        self.assertEqual(shares, [[action, [point["shares"][action] for point in points]] for action in curve["actions"]])

    def test_a_limit_is_drawn(self):
        page = self.open("limit")
        self.assertEqual(page.value("Number(document.querySelector('[data-chart=cost_0_1] [data-line=limit]').dataset.value)"), 1.8)

    def test_the_grid_has_every_cell_and_its_contours_lie_between(self):
        page, grid = self.open("grid"), self.data["grid"]["grid"]
        cells = page.value("[...document.querySelectorAll('[data-chart=grid] .heat')].map((cell) => [Number(cell.dataset.row),"
                           " Number(cell.dataset.column), cell.dataset.value === undefined ? null : Number(cell.dataset.value)])")
        wanted = [[i, k, point["values"]["reward"]["value"] if point["possible"] else None]
                  for i, row in enumerate(grid["rows"]) for k, point in enumerate(row["points"])]
        self.assertEqual(cells, wanted)
        self.assertTrue(any(value is None for *_, value in wanted))
        values = [value for *_, value in wanted if value is not None]
        levels = page.value("[...document.querySelectorAll('[data-chart=grid] .contour')].map((c) => Number(c.dataset.level))")
        self.assertGreater(len(levels), 1)
        self.assertTrue(all(min(values) < level < max(values) for level in levels))
        for i, row in enumerate(grid["rows"]):
            cells = self.cells(page, f"#grid_table tr[data-row=\"{i}\"]")
            for k, point in enumerate(row["points"]):
                value = point["values"]["reward"] if point["possible"] else None
                self.assertEqual(cells[f"cell_{k}"],
                                 [value["value"], value["low"], value["high"]] if value else [None, None, None])

    def test_the_arrow_keys_read_the_charts(self):
        page, curve = self.open("one"), self.data["one"]
        first = next(point for point in curve["points"] if point["possible"])
        probe = "document.querySelector('[data-chart=reward_0] .probe')"
        page.value(f"{probe}.focus()")
        page.press("Home")
        spoken = page.value(f"{probe}.getAttribute('aria-valuetext')")
        self.assertIn("95 %, this budget alone", spoken)
        self.assertEqual(page.value(f"Number({probe}.getAttribute('aria-valuenow'))"), first["budget"])
        self.assertIn(f"reward {first['values']['reward']['value']:.4g}".rstrip("0"), spoken)
        page, grid = self.open("grid"), self.data["grid"]["grid"]
        page.value("document.querySelector('[data-chart=grid] .probe').focus()")
        page.press("ArrowDown")
        page.press("ArrowLeft")
        spoken = page.value("document.querySelector('[data-chart=grid] [aria-live]').textContent")
        cell = grid["rows"][-2]["points"][-2]["values"]["reward"]["value"]
        self.assertIn(f"reward {cell:.4g}".rstrip("0"), spoken)

    def test_it_fits_a_phone_and_prints(self):
        for name in WORDS:
            page = self.open(name, width=360)
            for width in WIDTHS:
                page.resize(width)
                page.settle()
                self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
            self.assertTrue(page.pdf().startswith(b"%PDF"))
            self.assertEqual(page.complaints(), [])

    def test_tables_are_tables_and_controls_have_names(self):
        for name in WORDS:
            page = self.open(name)
            bare = page.value("[...document.querySelectorAll('table.figures')].filter((t) =>"
                              " !t.tHead || [...t.tHead.rows[0].cells].some((c) => c.scope !== 'col') ||"
                              " [...t.tBodies[0].rows].some((r) => r.cells[0].scope !== 'row')).length")
            silent = page.value("[...document.querySelectorAll('[role=slider], [role=region], [role=application]')]"
                                ".filter((e) => !e.getAttribute('aria-label')).length")
            self.assertEqual((bare, silent), (0, 0))

    def test_a_budget_that_nobody_can_keep_and_many_actions_are_drawn(self):
        data = json.loads(json.dumps(self.data["one"]))
        data["points"] = [{"budget": 0.001, "possible": False}]
        data["fixed_mix"] = [{"budget": 0.001, "possible": False}]
        data["half_of_last"] = data["cheapest"] = None
        page = self.made("nothing", data)
        self.assertEqual(page.complaints(), [])
        self.assertIn("cannot be met", page.value("document.querySelector('#budgets_table_0').textContent"))
        key = "document.querySelector('ul.key').textContent"
        self.assertNotIn("best fixed mix", page.value(key))  # there is none to see
        self.assertIn("best fixed mix", self.open("one").value(key))
        data = json.loads(json.dumps(self.data["one"]))
        data["actions"] = [f"a{i}" for i in range(60)]
        for point in data["points"]:
            if point["possible"]:
                point["shares"] = {name: (i + 1) / 1830 for i, name in enumerate(data["actions"])}
        page = self.made("many", data)
        self.assertEqual(page.complaints(), [])
        bands = page.value("[...document.querySelectorAll('[data-chart=shares_0] .share')].map((band) => band.dataset.action)")
        self.assertEqual(bands, ["a54", "a55", "a56", "a57", "a58", "a59", "54 others"])
        self.assertAlmostEqual(self.cells(page, "#budgets_table_0 tr[data-row=\"5\"]")["share_6"][0], 54 * 55 / 2 / 1830)

    def made(self, name, data):
        path = os.path.join(self.folder.name, name + ".html")
        with open(path, "wb") as file:
            file.write(subprocess.run([PAGE_OF], input=json.dumps(data).encode(), capture_output=True, check=True).stdout)
        page = self.browser.open(path)
        self.addCleanup(page.close)
        return page

    def test_names_of_the_user_stay_text_and_missing_numbers_are_said(self):
        data = json.loads(json.dumps(self.data["one"]))
        bad = "<img src=x onerror='document.title=1'>"
        data["title"] = bad
        data["warnings"] = [bad]
        for point in data["points"][3:5]:
            for value in point.get("values", {}).values():
                value.update(error=None, low=None, high=None, band_low=None, band_high=None)
        data["half_of_last"].update(low=None, high=None)
        page = self.made("hostile", data)
        self.assertEqual(page.value("document.querySelector('h1').textContent"), bad)
        self.assertEqual(page.value("document.querySelectorAll('main img').length"), 0)
        self.assertEqual(page.complaints(), [])
        self.assertIn("no interval", page.value("document.querySelector('.answer .tile').textContent"))
        self.assertEqual(page.value("document.querySelectorAll('[data-chart=reward_0] .hollow[data-x]:not([data-mark])').length"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=1)
