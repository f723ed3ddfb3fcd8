"""The report page in a real browser, without a network: its numbers are those of the data, it draws
what it says, it fits a phone, a dark screen and paper, and it asks nobody for anything."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from contract import checked

import results
from browser import Browser

PAGE_OF = os.environ["REIN_PAGE_OF"]
REIN = os.environ.get("REIN_PROGRAM", "")
KINDS = {"compare": lambda: results.compare_result(4), "many": lambda: results.compare_result(13),
         "two_costs": lambda: results.compare_result(3, costs=("dollars", "latency"), budget=False),
         "alone": lambda: results.compare_result(1, seeds=1), "verify": results.verify_result}


def number_in(text):
    """The number that a cell shows: thin spaces and the true minus sign taken back."""
    return float(text.replace("\u202f", "").replace("\u2212", "-").replace(" %", "").split()[0])


def shown_to(text):
    """Half a unit of the last digit that a text shows."""
    plain = text.replace("\u202f", "").replace(" %", "").split()[0]
    return 0.5000001 * 10.0 ** -(len(plain.split(".")[1]) if "." in plain else 0)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()
        cls.data = {name: make() for name, make in KINDS.items()}

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def write(self, name, data):
        path = os.path.join(self.folder.name, name + ".html")
        page = subprocess.run([PAGE_OF], input=json.dumps(data, ensure_ascii=False).encode(), capture_output=True, check=True)
        with open(path, "wb") as file:
            file.write(page.stdout)
        return path

    def open(self, name, data=None, **options):
        page = self.browser.open(self.write(name, self.data[name] if data is None else data), **options)
        self.pages.append(page)
        return page

    def setUp(self):
        self.pages = []

    def tearDown(self):
        for page in self.pages:
            page.close()

    def assert_figure(self, cell, figure, scale=1):
        """A cell {mean, low, high (as attributes), shown, interval} against a figure of the data."""
        if figure is None:
            self.assertEqual((cell["mean"], cell["shown"]), (None, "–"))
            return
        self.assertEqual([float(cell[key]) if cell[key] is not None else None for key in ("mean", "low", "high")],
                         [figure["mean"], figure["low"], figure["high"]])
        self.assertAlmostEqual(number_in(cell["shown"]), scale * figure["mean"],
                               delta=max(shown_to(cell["shown"]), 1e-3 * scale * abs(figure["mean"])))
        if figure["low"] is not None and figure["high"] > figure["low"]:
            low, high = [number_in(end) for end in cell["interval"].split(" to ")]
            slack = shown_to(cell["interval"].split(" to ")[0])
            self.assertAlmostEqual(low, scale * figure["low"], delta=slack)
            self.assertAlmostEqual(high, scale * figure["high"], delta=slack)

    def cells(self, page, row):
        """The cells of a table row, by quantity."""
        return page.value("""Object.fromEntries([...document.querySelectorAll('%s td[data-quantity]')].map((td) =>
            [td.dataset.quantity, {mean: td.dataset.mean ?? null, low: td.dataset.low ?? null, high: td.dataset.high ?? null,
             shown: (td.querySelector('.mean') ?? td).textContent, interval: td.querySelector('.interval')?.textContent}]))"""
                          % row)

    def lines(self, page, chart):
        """What the lines of a chart say at their ends, read back from where they were drawn."""
        return page.value("""(() => {
            const svg = document.querySelector('[data-chart=%s] svg');
            const numbers = (name) => svg.getAttribute(name).split(' ').map(Number);
            const back = (at, [d0, d1], [r0, r1]) => d0 + (at - r0) / (r1 - r0) * (d1 - d0);
            return [...svg.querySelectorAll('path.line')].map((line) => {
              const [x, y] = line.getAttribute('d').split('L').pop().split(',').map(Number);
              return {policy: Number(line.dataset.policy), last: Number(line.dataset.last), points: Number(line.dataset.points),
                      x: back(x, numbers('data-x-domain'), numbers('data-x-range')),
                      y: back(y, numbers('data-y-domain'), numbers('data-y-range'))};
            });
          })()""" % chart)

    def test_no_complaint_and_no_request(self):
        for name in KINDS:
            with self.subTest(name=name):
                page = self.open(name)
                page.set_dark(True)
                page.settle()
                self.assertEqual(page.complaints(), [])
                asked = [url for url in page.requests() if not url.startswith("data:")]
                self.assertEqual(len(asked), 1, asked)
                self.assertTrue(asked[0].startswith("file://"))
                self.assertFalse(page.value("Boolean(document.querySelector('.problem[role]'))"))

    def test_the_table_says_what_the_data_says(self):
        for name in ("compare", "two_costs", "alone"):
            page, data = self.open(name), self.data[name]
            self.assertEqual(page.value("document.querySelectorAll('#figures_table tbody tr').length"), len(data["policies"]))
            for index, policy in enumerate(data["policies"]):
                cells, figures = self.cells(page, f"#figures_table tr[data-row=\"{index}\"]"), policy
                with self.subTest(name=name, policy=policy["spec"]):
                    self.assert_figure(cells["reward"], figures["reward"])
                    self.assert_figure(cells["regret"], figures["regret"])
                    self.assert_figure(cells["explored"], figures["explored"], scale=100)
                    for i in range(len(data["costs"])):
                        for key in ("spend", "excess") if data["budgets"] else ("ccv", "ccv_max"):
                            self.assert_figure(cells[f"{key}_{i}"], figures[key][i])

    def test_a_figure_that_exists_nowhere_has_no_column_and_one_that_is_missing_a_dash(self):
        data = results.compare_result(3)
        data["policies"][1]["regret"] = None
        page = self.open("holes", data)
        self.assertNotIn("regret_long_term", self.cells(page, "#figures_table tr[data-row=\"0\"]"))
        self.assert_figure(self.cells(page, "#figures_table tr[data-row=\"1\"]")["regret"], None)
        self.assertEqual(page.complaints(), [])

    def test_lines_end_where_the_data_ends(self):
        for name in ("compare", "many", "two_costs", "alone"):
            page, data = self.open(name), self.data[name]
            charts = {"reward": lambda c: c["reward"], "regret": lambda c: c["regret"], "explored": lambda c: c["explored"]}
            for i in range(len(data["costs"])):
                charts[f"spend_{i}" if data["budgets"] else f"ccv_{i}"] = lambda c, i=i: c["ccv"][i]
                charts[f"price_{i}"] = lambda c, i=i: c["price"][i]
            for chart, of in charts.items():
                lines = self.lines(page, chart)
                self.assertEqual([line["policy"] for line in lines], list(range(len(data["policies"]))))
                top = max(abs(of(policy["curves"])["mean"][-1]) for policy in data["policies"])
                for line, policy in zip(lines, data["policies"]):
                    with self.subTest(name=name, chart=chart, policy=policy["spec"]):
                        self.assertEqual(line["last"], of(policy["curves"])["mean"][-1])
                        self.assertAlmostEqual(line["y"], line["last"], delta=1e-4 * top + 1e-9)
                        self.assertAlmostEqual(line["x"], data["rounds"], delta=1e-3)

    def test_the_budget_and_the_pace_are_drawn(self):
        page, data = self.open("compare"), self.data["compare"]
        ahead = self.lines(page, "ahead_0")
        for line, policy in zip(ahead, data["policies"]):
            self.assertAlmostEqual(line["last"], policy["curves"]["ccv"][0]["mean"][-1] - data["budgets"][0], places=6)
        self.assertEqual(page.value("Number(document.querySelector('[data-chart=spend_0] [data-line=budget]').dataset.value)"),
                         data["budgets"][0])
        self.assertEqual(page.value("document.querySelectorAll('[data-chart=spend_0] [data-line=pace]').length"), 1)
        self.assertEqual(page.value("Number(document.querySelector('[data-chart=plane_0] [data-line=limit]').dataset.value)"),
                         data["budgets"][0])

    def test_the_plane_has_every_policy_and_reference(self):
        for name, key in (("compare", "spend"), ("two_costs", "ccv")):
            page, data = self.open(name), self.data[name]
            for i in range(len(data["costs"])):
                found = page.value("[...document.querySelectorAll('[data-chart=plane_%d] [data-x]')].map((mark) =>"
                                   " [Number(mark.dataset.x), Number(mark.dataset.y)])" % i)
                expected = [[policy[key][i]["mean"], policy["reward"]["mean"]] for policy in data["policies"]]
                expected += [[ref["spend"][i]["mean"], ref["reward"]["mean"]] for ref in data["references"]]
                self.assertEqual(found, expected)

    def test_pairs_are_those_of_the_data_also_turned_round(self):
        page, data = self.open("many"), self.data["many"]
        rows = "document.querySelectorAll('#pairs_table tbody tr').length"
        self.assertEqual(page.value(rows), len(data["policies"]) - 1)
        choose = "(() => { const s = document.getElementById('pairs_of'); s.value = '%s'; s.dispatchEvent(new Event('change')); })()"
        page.value(choose % 5)
        given = next(pair for pair in data["pairs"] if (pair["a"], pair["b"]) == (2, 5))
        turned = {"mean": -given["reward"]["mean"], "low": -given["reward"]["high"], "high": -given["reward"]["low"]}
        self.assert_figure(self.cells(page, "#pairs_table tr[data-a=\"5\"][data-b=\"2\"]")["reward"], turned)
        page.value(choose % "all")
        self.assertEqual(page.value(rows), len(data["pairs"]))
        for pair in data["pairs"][::7]:
            cells = self.cells(page, f"#pairs_table tr[data-a=\"{pair['a']}\"][data-b=\"{pair['b']}\"]")
            self.assert_figure(cells["reward"], pair["reward"])
            self.assert_figure(cells["regret"], pair["regret"])
            self.assert_figure(cells["ccv_0"], pair["ccv"][0])

    def test_the_legend_hides_and_shows(self):
        page = self.open("compare")
        click = "document.querySelector('[data-toggle=\"3\"]').click()"
        page.value(click)
        self.assertEqual([line["policy"] for line in self.lines(page, "regret")], [0, 1, 2])
        self.assertEqual(page.value("document.querySelector('[data-toggle=\"3\"]').getAttribute('aria-pressed')"), "false")
        for line, policy in zip(self.lines(page, "regret"), self.data["compare"]["policies"]):
            self.assertAlmostEqual(line["y"], policy["curves"]["regret"]["mean"][-1], places=2)
        page.value(click)
        self.assertEqual(len(self.lines(page, "regret")), 4)

    def test_columns_sort(self):
        page, data = self.open("many"), self.data["many"]
        order = "[...document.querySelectorAll('#figures_table tbody tr')].map((row) => Number(row.dataset.row))"
        page.value("[...document.querySelectorAll('#figures_table .sort')].find((b) => b.textContent === 'Regret').click()")
        regret = [policy["regret"]["mean"] for policy in data["policies"]]
        self.assertEqual(page.value(order), sorted(range(len(regret)), key=lambda i: -regret[i]))

    def test_the_arrow_keys_read_the_curves(self):
        page, data = self.open("compare"), self.data["compare"]
        page.value("document.querySelector('[data-chart=regret] .probe').focus()")
        page.press("Home")
        for _ in range(10):
            page.press("ArrowRight")
        spoken = page.value("document.querySelector('[data-chart=regret] .probe').getAttribute('aria-valuetext')")
        at = 9  # the chart starts with round 0
        self.assertTrue(spoken.startswith(f"round {data['policies'][0]['curves']['rounds'][at]}:"), spoken)
        said = number_in(re.search(r"A ccb ([^ ]+)", spoken)[1])
        self.assertAlmostEqual(said, data["policies"][0]["curves"]["regret"]["mean"][at], delta=0.5)
        self.assertFalse(page.value("document.querySelector('[data-chart=regret] .read_out').hidden"))

    def test_verify_shows_every_row(self):
        page, rows = self.open("verify"), self.data["verify"]["verify"]["rows"]
        for index, row in enumerate(rows):
            at = f"#verify_table tr[data-row=\"{index}\"]"
            exponent = self.cells(page, at)["exponent"]
            with self.subTest(row=index):
                self.assertEqual(page.value(f"document.querySelector('{at} [data-pass]').textContent"),
                                 "✓ pass" if row["pass"] else "✗ fail")
                self.assertEqual(float(page.value(f"document.querySelector('{at} [data-theorem]').dataset.theorem")), row["theorem"])
                marks = page.value("[...document.querySelectorAll('[data-chart=growth_%d] circle')].map((c) =>"
                                   " [Number(c.dataset.horizon), Number(c.dataset.value)])" % index)
                if row["exponent"] is None:
                    self.assertEqual((exponent["shown"], marks), ("not positive", []))  # and no chart
                    continue
                self.assert_figure(exponent, row["exponent"])
                self.assertEqual(marks, [[t, f["mean"]] for t, f in zip(row["horizons"], row["measured"])])
                self.assert_slopes(page, index, row)

    def assert_slopes(self, page, index, row):
        """The lines have the slopes they stand for, on the axes as drawn."""
        found = page.value("""(() => {
            const svg = document.querySelector('[data-chart=growth_%d] svg');
            const numbers = (name) => svg.getAttribute(name).split(' ').map(Number);
            const unit = (axis) => { const [d0, d1] = numbers(`data-${axis}-domain`), [r0, r1] = numbers(`data-${axis}-range`);
                                     return (r1 - r0) / Math.log(d1 / d0); };
            return Object.fromEntries([...svg.querySelectorAll('line.growth')].map((line) => [line.dataset.line,
              (line.y2.baseVal.value - line.y1.baseVal.value) / unit('y') / ((line.x2.baseVal.value - line.x1.baseVal.value) / unit('x'))]));
          })()""" % index)
        self.assertAlmostEqual(found["fit"], row["exponent"]["mean"], places=4)
        self.assertAlmostEqual(found["theorem"], row["theorem"], places=4)

    def test_specs_seeds_and_command_are_on_the_page(self):
        page, data = self.open("many"), self.data["many"]
        self.assertEqual(page.value("[...document.querySelectorAll('#specs code')].map((c) => c.textContent)"),
                         [policy["spec"] for policy in data["policies"]])
        self.assertEqual(page.value("document.querySelector('.command code').textContent"), data["command"])
        self.assertIn("20 (1 to 20)", page.value("document.querySelector('.facts').textContent"))

    def test_text_of_the_user_stays_text(self):
        data = results.compare_result(2)
        data["title"] = "</script><img src=x onerror='document.title=1'> \u2028 @DATA@ <b>"
        data["policies"][0]["spec"] = "ccb(file=\"<i>a</i>,b\",x=[1,2])"
        page = self.open("hostile", data)
        self.assertEqual(page.value("document.querySelector('h1').textContent"), data["title"])
        self.assertEqual(page.value("document.querySelector('#specs code').textContent"), data["policies"][0]["spec"])
        self.assertEqual(page.value("document.querySelectorAll('main img, main i, main b:not(.entry b)').length"), 0)
        self.assertEqual(page.complaints(), [])

    def test_a_phone_does_not_scroll_sideways(self):
        for name in KINDS:
            page = self.open(name, width=360)
            for width in (360, 320, 768):
                with self.subTest(name=name, width=width):
                    page.resize(width)
                    page.settle()
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

    def test_charts_are_drawn_anew_at_another_width(self):
        page = self.open("compare", width=1280)
        page.resize(360)
        page.wait("document.querySelector('[data-chart=regret] svg').viewBox.baseVal.width < 360")
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 360)

    def test_dark_is_dark_and_text_is_readable_in_both(self):
        contrast = """(() => {
            const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map((v) => v / 255)
                .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const back = light(getComputedStyle(document.querySelector('figure.chart')).backgroundColor);
            const ratio = (c) => { const l = light(c); return (Math.max(l, back) + 0.05) / (Math.min(l, back) + 0.05); };
            const texts = ['h3', 'figcaption p', '.mean', '.interval'].map((s) => ratio(getComputedStyle(document.querySelector(s)).color));
            const marks = [...document.querySelectorAll('[data-chart=regret] .line')].map((l) => ratio(getComputedStyle(l).stroke));
            return {back, text: Math.min(...texts, ratio(getComputedStyle(document.querySelector('.end_label')).fill)),
                    mark: Math.min(...marks)};
          })()"""
        for dark in (False, True):
            found = self.open("many", dark=dark).value(contrast)
            with self.subTest(dark=dark):
                self.assertEqual(found["back"] < 0.2, dark)
                self.assertGreater(found["text"], 4.5)
                self.assertGreater(found["mark"], 2.5)

    def test_it_prints(self):
        for name in ("many", "verify"):
            page = self.open(name, dark=True)
            pdf = page.pdf()
            self.assertTrue(pdf.startswith(b"%PDF"))
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
            self.assertGreaterEqual(pages, 2)
            self.assertLess(pages, 12)
            self.assertEqual(page.complaints(), [])
        page.settle()  # afterwards the screen is as before
        self.assertGreater(page.value("document.querySelector('[data-chart] svg').viewBox.baseVal.width"), 0)

    def test_tables_are_tables_and_controls_have_names(self):
        for name in KINDS:
            page = self.open(name)
            bare = page.value("[...document.querySelectorAll('table.figures')].filter((t) =>"
                              " !t.tHead || [...t.tHead.rows[0].cells].some((c) => c.scope !== 'col') ||"
                              " [...t.tBodies[0].rows].some((r) => r.cells[0].scope !== 'row')).length")
            silent = page.value("[...document.querySelectorAll('svg[role=img], [role=slider], [role=region], .legend button')]"
                                ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).length")
            self.assertEqual((bare, silent), (0, 0))

    def test_a_real_comparison_is_shown_as_its_json_says(self):
        path = os.path.join(self.folder.name, "real.html")
        words = [REIN, "compare", "--world", "linear(k=3,d=3,m=2,costs=positive,rate=0.2)", "--policies",
                 "ccb,squarecb,uniform", "--rounds", "400", "--seeds", "3", "--report", path, "--json"]
        data = checked(subprocess.run(words, capture_output=True, check=True).stdout)
        page = self.browser.open(path)
        self.pages.append(page)
        self.assertEqual((page.complaints(), len(page.requests())), ([], 1))
        for index, policy in enumerate(data["policies"]):
            cells = self.cells(page, f"#figures_table tr[data-row=\"{index}\"]")
            self.assert_figure(cells["reward"], policy["reward"])
            self.assert_figure(cells["spend_1"], policy["spend"][1])
        for line, policy in zip(self.lines(page, "spend_1"), data["policies"]):
            self.assertEqual(line["last"], policy["curves"]["ccv"][1]["mean"][-1])

    def test_budgets_of_a_run_are_shown_as_its_json_says(self):
        path = os.path.join(self.folder.name, "budgets.html")
        words = [REIN, "compare", "--world", "linear(k=4,d=4,costs=positive)", "--policies", "ccb,ccb(floor=0.1)",
                 "--rounds", "600", "--seeds", "3", "--report", path, "--json",
                 "--budget", 'day(cost=cost,amount=20,per="100 ticks",hard=1)',
                 "--budget", "all(cost=cost,amount=90,rounds=600)"]
        data = checked(subprocess.run(words, capture_output=True, check=True).stdout)
        page = self.browser.open(path)
        self.pages.append(page)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.value("document.querySelectorAll('#budgets_table tbody tr').length"), 4)
        for index, policy in enumerate(data["policies"]):
            for budget in policy["budgets"]:
                row = f'#budgets_table tr[data-policy="{index}"][data-budget="{budget["name"]}"]'
                cells = self.cells(page, row)
                for key in ("windows", "mean", "over", "under"):
                    self.assert_figure(cells[key], budget[key])
        words = page.value("document.querySelector('#budgets_table tr[data-budget=day] th + th').textContent")
        self.assertEqual(words, "day20 cost per 100 ticks, hard")
        self.assertFalse(self.open("alone").value("Boolean(document.querySelector('#budgets_table'))"))

    def test_data_that_cannot_be_read_is_said(self):
        page = self.open("broken", {"kind": "compare", "policies": [{}]})
        self.assertIn("could not be drawn", page.value("document.querySelector('.problem[role]').textContent"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
