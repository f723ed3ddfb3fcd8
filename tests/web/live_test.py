"""The live page in a real browser, against a stand-in for the service: it shows what it is sent, says
when it is not connected, asks for the token, and works on a phone, by keyboard and by screen reader."""

import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import live_server
from browser import Browser
from live_server import StandIn, budget, decision, history, live

READY = "document.documentElement?.dataset.ready === 'yes'"
HOSTILE = "<img src=x onerror=\"window.hacked=1\"></script><b>&amp;\u202eü\"'"
STATUS_WATCH = """(() => { window.said = []; new MutationObserver((list) => list.forEach((one) => said.push(
    one.target.parentElement?.textContent ?? ''))).observe(document.body, {subtree: true, childList: true, characterData: true});
    window.spoken = []; document.querySelectorAll('[role=status], [aria-live], [role=alert]').forEach((region) =>
    new MutationObserver(() => spoken.push(region.textContent)).observe(region, {subtree: true, childList: true, characterData: true})); })()"""
CUT_OFF = """[...document.querySelectorAll('body *')].filter((e) => !e.closest('.spoken, svg, .stacking > thead') &&
    e.scrollWidth > e.clientWidth + 1 && ['hidden', 'clip'].includes(getComputedStyle(e).overflowX)).map((e) => e.outerHTML.slice(0, 80))"""
CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((x) => x / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
      .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; }
    return rgb('white'); };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('noscript') || e.getClientRects().length === 0) continue;
    const style = getComputedStyle(e), a = light(rgb(e instanceof SVGElement ? style.fill : style.color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${e.tagName}.${e.getAttribute('class')} ${ratio.toFixed(2)}`);
  }
  return found; })()"""


def shown_number(text):
    """The number that a text begins with, and half a unit of its last digit."""
    plain = text.replace("\u202f", "").replace("\u2212", "-").split()[0].rstrip(";,")
    return float(plain), 0.5000001 * 10.0 ** -(len(plain.split(".")[1]) if "." in plain else 0)


class LivePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.service, self.pages = StandIn(self.folder.name), []

    def tearDown(self):
        for page in self.pages:
            page.close()
        self.service.close()

    def open(self, path="/models/ads", **options):
        page = self.browser.open(self.service.address(path), **{"ready": READY, **options})
        self.pages.append(page)
        return page

    def text(self, page, selector):
        return page.value(f"document.querySelector({selector!r})?.textContent ?? null")

    def assert_field(self, page, selector, value):
        """A field keeps the number as it came, and shows it to the digits that it shows."""
        raw, text = page.value(f"(() => {{ const e = document.querySelector({selector!r}); return [e.dataset.value ?? null, e.textContent]; }})()")
        self.assertEqual(float(raw), value, selector)
        self.assertAlmostEqual(shown_number(text)[0], value, delta=shown_number(text)[1], msg=selector)

    # What it shows.

    def test_no_complaint_and_nothing_from_elsewhere(self):
        for path in ["/", "/models/ads"]:
            for dark in [False, True]:
                page = self.open(path, dark=dark)
                self.assertEqual(page.complaints(), [])
                self.assertEqual([url for url in page.requests() if not url.startswith((self.service.address(), "data:"))], [])
                self.assertEqual(page.value("document.querySelectorAll('[style*=url], style, script:not([src])').length"), 0)

    def test_the_content_policy_forbids_what_is_inline(self):
        page = self.open()
        page.value("""(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1'; document.body.append(s);
            const d = document.createElement('div'); d.setAttribute('style', 'color: red'); document.body.append(d); })()""")
        page.settle()
        self.assertEqual(page.value("window.hacked ?? null"), None)
        self.assertGreaterEqual(len(page.complaints()), 2)

    def test_numbers_are_those_of_the_live_object(self):
        data, page = self.service.models["ads"], self.open()
        for name, value in {"decided": 2400, "reward": 0.66019, "rate": 12.3, "open": 6, "held": 0.4, "refused": 2, "journal": 4812}.items():
            self.assert_field(page, f"#now [data-field={name}]", value)
        self.assertEqual(self.text(page, "#now [data-field=latency]"), "0.41 · 2.35 ms")
        for one in data["budgets"]:
            for name in ["spent", "held", "left", "plan", "projected"]:
                self.assert_field(page, f"[data-budget={one['name']}] [data-field={name}]", one[name])
        self.assertIn("ends in 3 h 12 min", self.text(page, "[data-budget=day] [data-field=window]"))
        self.assertEqual(self.text(page, "[data-budget=month] .verdict .word"), "heading over")
        self.assertEqual(self.text(page, "[data-budget=day] .kind"), "hard · 5 dollars per day")
        self.assertEqual(self.text(page, "h1"), "ads")

    def test_keys_of_a_budget_are_listed(self):
        page = self.open()
        self.assertEqual(page.value("[...document.querySelectorAll('[data-keys=tenants] tbody tr')].map((r) => r.dataset.key)"),
                         ["acme", "beta", "#00c0ffee00c0ffee"])
        self.assert_field(page, "[data-keys=tenants] [data-key=acme] [data-field=spent]", 4.0)
        self.assertIn("6.50 spent", self.text(page, "[data-keys=tenants] .sum"))
        self.assertIn("own amount", self.text(page, "[data-keys=tenants] [data-key=acme] [data-field=key]"))

    def test_the_verdict_agrees_with_the_projected_end(self):
        self.service.models["ads"] = live(budgets=[budget("day", 10.0, 8.0, projected=10.0385), budget("week", 10.0, 8.0, projected=10.5)])
        page = self.open()
        for name, verdict, words in (("day", "within the limit", "about the limit"), ("week", "heading over", "over the limit")):
            self.assertEqual(self.text(page, f"[data-budget={name}] .verdict .word"), verdict)
            self.assertIn(words, self.text(page, f"[data-budget={name}] [data-field=projected]"))

    def test_charts_show_the_history(self):
        page, rows = self.open(), self.service.models["ads"]["history"]
        page.wait("document.querySelectorAll('[data-chart] svg').length === 4")
        last = lambda chart: page.value(f"[...document.querySelectorAll('[data-chart={chart}] [data-last]')].map((e) => Number(e.dataset.last))")
        self.assertEqual(last("spend_0"), [rows[-1]["spent"][0], rows[-1]["allowed"][0]])
        self.assertEqual(last("price_0"), rows[-1]["prices"])
        span = round((len(rows) + 1) / 32)
        one, two = rows[-1 - span], rows[-1]
        self.assertAlmostEqual(last("reward")[0], (two["reward"] - one["reward"]) / (two["learned"] - one["learned"]))
        more = [b - a for a, b in zip(one["plays"], two["plays"])]
        for share, n in zip(last("shares"), more):
            self.assertAlmostEqual(share, n / sum(more))
        self.assertEqual(page.value("[...document.querySelectorAll('[data-chart]')].every((e) => e.getAttribute('role') === 'img' &&"
                                    " /Now: .*[0-9]/.test(e.getAttribute('aria-label')))"), True)
        page.value("document.querySelector('[data-chart=price_0]').closest('figure').querySelector('summary').click()")
        page.wait("document.querySelectorAll('details[open] tbody tr').length > 0")
        first = page.value("[...document.querySelector('details[open] tbody tr').cells].map((c) => c.textContent)")
        self.assertEqual(first[0], "2400")
        self.assertAlmostEqual(float(first[1]), rows[-1]["prices"][0], places=4)

    def choose(self, page, selector, value):
        page.value(f"(() => {{ const e = document.querySelector({selector!r}); e.value = {value!r}; "
                   "e.dispatchEvent(new Event('change')); return 1; })()")

    def test_charts_go_over_hours_and_days(self):
        points = history(points=100)
        for n, point in enumerate(points):
            point["at"] = live_server.NOW - 3600 * (99 - n)  # a point per hour
        self.service.models = {"ads": live(history=points)}
        page = self.open()
        domain = "document.querySelector('[data-chart=reward] svg').dataset.xDomain"
        labels = "[...document.querySelectorAll('[data-chart=reward] .axis:not(.y) text')].map((e) => e.textContent)"
        self.assertEqual(page.value(domain).split()[1], str(points[-1]["decided"]))
        self.choose(page, "#axis", "time")
        low, high = map(float, page.value(domain).split())
        self.assertEqual(high, 1000 * points[-1]["at"])
        self.assertGreater(high - low, 3.8 * 86_400_000, "four days")
        self.assertTrue(any("-" in text for text in page.value(labels)), "days")
        self.choose(page, "#range", "day")
        low, high = map(float, page.value(domain).split())
        self.assertEqual(high - low, 86_400_000)
        self.assertTrue(all(":" in text or "-" in text for text in page.value(labels)), "hours")
        drawn = page.value("document.querySelector('[data-chart=spend_0] path.line').getAttribute('d').split('L').length")
        self.assertEqual(drawn, 25)
        self.assertEqual(self.text(page, "[data-chart=reward] .axis_label"), "time")
        self.choose(page, "#axis", "decisions")
        self.choose(page, "#range", "all")
        self.assertEqual(page.value(domain).split()[1], str(points[-1]["decided"]))

    def test_closed_windows_are_asked_for_when_they_are_opened(self):
        asked = []

        def windows(query):
            asked.append(query["budget"])
            return {"budget": query["budget"], "windows": [
                {"window": n, "open": n == 3, "first": 86400 * (20000 + n), "last": 86400 * (20001 + n) - 1,
                 "limit": 5.0, "spent": 4.0 + n / 10, "held": 0.0, "left": 1.0} for n in (1, 2, 3)]}

        self.service.answers["windows"] = windows
        page = self.open()
        self.assertEqual(page.value("document.querySelectorAll('#windows details').length"), 2)
        self.assertEqual(asked, [])
        page.value("document.querySelector('[data-windows=day] summary').click()")
        page.wait("document.querySelector('[data-windows=day] tbody tr') !== null")
        rows = page.value("[...document.querySelectorAll('[data-windows=day] tbody tr')].map((e) => [e.dataset.window, e.cells[1].textContent])")
        self.assertEqual(rows, [["2", "4.20 dollars"], ["1", "4.10 dollars"]])
        self.assertEqual(asked, ["day"])

    def test_the_last_thousand_decisions_can_be_searched(self):
        def decisions(query):
            hits = [decision(n) for n in range(20) if query["search"] in str(decision(n))]
            return {"decisions": hits, "found": len(hits) + 200, "searched": 1000}

        self.service.answers["decisions"] = decisions
        page = self.open()
        type_in = ("(() => {{ const e = document.querySelector('#search'); e.value = {!r}; e.dispatchEvent(new Event('input')); "
                   "return 1; }})()")
        page.value(type_in.format("acme"))
        page.wait("document.querySelectorAll('.found tbody tr').length === 5")
        self.assertIn("tenant=acme", self.text(page, ".found tbody tr"))
        self.assertIn("205 of 1", self.text(page, ".search [role=status]"))
        page.value(type_in.format(""))
        page.wait("document.querySelector('.found') === null")

    def test_last_decisions_with_reason_and_outcome(self):
        page = self.open()
        rows = page.value("[...document.querySelectorAll('.decisions > tbody > tr:first-child')].map((r) => [r.dataset.id,"
                          " ...[...r.cells].map((c) => c.textContent)])")
        self.assertEqual([row[0] for row in rows], [one["id"] for one in self.service.models["ads"]["latest"]])
        self.assertEqual(rows[0][3], "best score: 0.71 \u2212 0.31 × 0.02 dollars = 0.704")
        self.assertEqual(rows[1][3], "explored: 0.86 \u2212 0.31 × 0.61 dollars = 0.671; small has 0.704")
        self.assertEqual(rows[1][4], "settled reward 1, 0.0213 dollars")
        self.assertEqual((rows[3][4].strip(), rows[0][2]), ("expired", "small p 0.95"))

    def test_an_update_changes_the_page(self):
        page = self.open()
        data = live(status="over", advice="Raise the budget.", alarms=["reward: the estimates do not fit"])
        data["counts"]["decided"] = 123456
        self.service.models["ads"] = data
        page.wait("document.querySelector('[data-field=decided]').textContent === '123\\u202f456'")
        self.assertEqual(self.text(page, "#status .word"), "over")
        self.assertEqual(self.text(page, "#status .advice"), "Raise the budget.")
        self.assertEqual(self.text(page, "#status .alarms"), "reward: the estimates do not fit")
        self.assertEqual(page.value("document.title"), "ads: over – rein")

    def test_all_models_with_their_tightest_budget(self):
        hour = budget("hour", 2, 1.9, projected=None, per="last 3600 ticks", ends_in=None)
        self.service.models["router"] = live("router", status="over", budgets=[hour, budget("day")])
        page = self.open("/")
        self.assertEqual(page.value("[...document.querySelectorAll('tr[data-model]')].map((r) => r.dataset.model)"), ["ads", "router"])
        self.assertEqual(page.value("document.querySelector('tr[data-model=router] a').getAttribute('href')"), "/models/router")
        self.assertEqual(self.text(page, "tr[data-model=router] [data-field=budget]"), "hour: 1.90 of 2 dollars")
        self.assertEqual(self.text(page, "#troubles"), "1 of 2 need a look: router (over).")
        self.assert_field(page, "tr[data-model=ads] [data-field=decisions]", 2400)
        self.assert_field(page, "tr[data-model=ads] [data-field=per_second]", 12.3)
        self.assertEqual(self.text(self.open("/models/router"), "[data-budget=hour] .kind"), "hard · 2 dollars in any 1 h")
        del self.service.models["router"]
        page.wait("document.querySelectorAll('tr[data-model]').length === 1")
        self.service.models.clear()
        page.wait("document.body.innerText.includes('There is no model yet')")

    def test_what_is_missing_is_not_an_error(self):
        bare = {"model": "ads"}
        nulls = dict.fromkeys(live())
        odd = live(budgets=[budget(limit=0, spent=0, held=0, left=0, projected=None, plan=None, ends_in=None, per="run", rounds_left=0)],
                   history=[], latest=[], costs=[], actions=[])
        one = live(history=live_server.history(1), latest=[decision(1, estimates=[], actions=[], reason="", price=[])])
        for data in [bare, nulls, odd, one]:
            self.service.models["ads"] = data
            page = self.open()
            time.sleep(0.3)
            self.assertEqual(page.value("document.querySelector('.problem[role=alert]').hidden"), True)
            self.assertEqual(page.complaints(), [])
            self.assertNotRegex(page.value("document.body.innerText"), r"NaN|undefined|null|Infinity|\[object")

    def test_names_are_text(self):
        data = live(policy=HOSTILE, mode=HOSTILE, advice=HOSTILE, alarms=[HOSTILE], actions=[HOSTILE, "b", "c"], costs=[HOSTILE],
                    held={HOSTILE: 1}, budgets=[budget(HOSTILE, cost=HOSTILE, scope=HOSTILE, per=HOSTILE, kind=HOSTILE)], status=HOSTILE)
        data["latest"] = [decision(0, action=HOSTILE, best=HOSTILE, reason=HOSTILE, state=HOSTILE, scopes={HOSTILE: HOSTILE},
                                   actions=[HOSTILE, "b", "c"], id=HOSTILE)]
        self.service.models = {"ads": data, HOSTILE: live(HOSTILE)}
        for path in ["/models/ads", "/"]:
            page = self.open(path)
            page.value("document.querySelector('.toggle')?.click()")
            page.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.settle()
            self.assertEqual(page.value("[window.hacked ?? null, document.querySelectorAll('main img, main script').length]"), [None, 0])
            self.assertEqual(page.complaints(), [])
            self.assertIn(HOSTILE, page.value("document.body.textContent"))
        self.assertEqual(page.value("decodeURIComponent([...document.querySelectorAll('tr[data-model] a')].map((a) => a.pathname)"
                                    ".find((path) => path.includes('%3C')).slice(8))"), HOSTILE)

    # The connection.

    def test_a_lost_connection_is_said_and_found_again(self):
        page = self.open()
        page.wait("document.querySelector('[data-field=connection]').textContent === 'live'")
        self.service.down = True
        page.wait("document.querySelector('[data-field=connection]').textContent === 'not connected'")
        page.wait("/^last update [1-9]\\d* s ago: not now; next try in \\d+ s$/.test(document.querySelector('[data-field=since]').textContent)")
        self.assert_field(page, "#now [data-field=decided]", 2400)  # what was known stays
        self.service.models["ads"]["counts"]["decided"] = 2500
        self.service.down = False
        page.wait("document.querySelector('[data-field=connection]').textContent === 'live'")
        page.wait("document.querySelector('[data-field=decided]').dataset.value === '2500'")

    def test_a_silent_stream_is_not_called_live(self):
        page = self.open()
        self.service.frozen = True
        page.wait("document.querySelector('[data-field=connection]').textContent === 'no news'")
        page.wait("/^last update \\d+ s ago/.test(document.querySelector('[data-field=since]').textContent)")
        self.service.frozen = False
        page.wait("document.querySelector('[data-field=connection]').textContent === 'live'")

    def test_a_model_that_does_not_exist_yet(self):
        page = self.open("/models/later", ready="document.querySelector('[data-field=since]')?.textContent.includes('later')")
        self.assertIn('there is no model "later"', self.text(page, "[data-field=since]"))
        self.service.models["later"] = live("later")
        page.wait(READY)

    def test_the_token_is_asked_for_and_stays_out_of_the_address(self):
        self.service.token = "s3cret"
        page = self.open(ready="document.querySelector('form.token input') === document.activeElement && document.activeElement")
        page.type("wrong")
        page.press("Enter")
        page.wait("document.querySelector('#token_note')?.textContent.includes('did not accept')")
        self.assertEqual(page.value("document.activeElement.id"), "token")
        page.type("s3cret")
        page.press("Enter")
        page.wait(READY)
        self.assertEqual(page.value("[document.querySelectorAll('form.token').length, sessionStorage.getItem('rein_token')]"), [0, "s3cret"])
        self.assertNotIn("s3cret", page.value("location.href"))
        self.assertEqual([path for path, _ in self.service.asked if "s3cret" in path], [])
        page.call("Page.reload")
        time.sleep(0.2)
        page.wait(READY)
        page.value("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Forget the token').click()")
        time.sleep(0.2)
        page.wait("document.querySelector('form.token')")
        self.assertEqual(page.value("sessionStorage.getItem('rein_token')"), None)

    def test_a_hidden_page_lets_go_of_its_stream(self):
        page = self.open()
        hide = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => %s}); document.dispatchEvent(new Event('visibilitychange'))"
        page.value(hide % "true")
        page.wait("document.querySelector('[data-field=connection]').textContent === 'not connected'")
        asked = len(self.service.asked)
        time.sleep(1.5)
        self.assertEqual(len(self.service.asked), asked)  # and does not try again
        page.value(hide % "false")
        page.wait("document.querySelector('[data-field=connection]').textContent === 'live'")

    def test_pause_holds_the_page(self):
        page = self.open()
        page.value("document.getElementById('pause').click()")
        self.service.models["ads"]["counts"]["decided"] = 2600
        time.sleep(0.5)
        self.assert_field(page, "#now [data-field=decided]", 2400)
        self.assertEqual(self.text(page, "[data-field=connection]"), "paused")
        page.value("document.getElementById('pause').click()")
        page.wait("document.querySelector('[data-field=decided]').dataset.value === '2600'")

    # Phone, keyboard, screen reader.

    def test_nothing_is_wider_than_a_phone(self):
        word = "a_very_long_name_without_any_break_" * 4
        names = [f"{word}{n}" for n in range(40)]
        data = live(actions=names, history=live_server.history(257, 40), policy=f"ccb({word}={word})", alarms=[word], status="infeasible",
                    budgets=[budget(word, limit=123456789.123456, spent=123456780.5)], held={word: 1e9})
        data["latest"] = [decision(n, action=names[0], actions=names, estimates=[[0.1] * 40, [0.2] * 40], reason=word) for n in range(20)]
        self.service.models = {"ads": live(), "long": data, word[:64]: live(word[:64], budgets=data["budgets"])}
        for path in ["/models/ads", "/models/long", "/"]:
            for width in [360, 320, 390, 700, 1280]:
                page = self.open(path, width=width)
                page.value("document.querySelector('.toggle')?.click()")
                page.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
                page.settle()
                self.assertEqual(page.value("document.documentElement.scrollWidth"), width, (path, width))
                self.assertEqual(page.value(CUT_OFF), [], (path, width))
                page.close()
                self.pages.pop()

    def test_a_row_opens_by_keyboard_and_the_list_waits(self):
        page = self.open()
        page.value("document.querySelector('.toggle').focus()")
        page.press("Enter")
        page.wait("document.querySelector('.toggle').getAttribute('aria-expanded') === 'true'")
        detail = page.value("document.getElementById(document.activeElement.getAttribute('aria-controls')).innerText")
        self.assertIn("small: 0.71 \u2212 0.31 × 0.02 dollars = 0.704; played with probability 0.95", detail)
        self.assertIn("For tenant acme", detail)
        cells = page.value("[...document.querySelectorAll('.detail tbody tr')].map((r) => [...r.cells].map((c) => c.innerText.replace(/\\s+/g, ' ')))")
        self.assertEqual(cells[1], ["large", "0.671", "0.86", "0.61", "0.189"])
        self.assertEqual(cells[0][0], "small played, best score")
        held = page.value("document.activeElement.closest('tr').dataset.id")
        old = self.service.models["ads"]["latest"]
        new = [decision(100 + n) for n in range(5)]
        self.service.models["ads"]["latest"] = new + [{**old[0], "state": "settled", "reward": 1, "costs": [0.5]}] + old[1:15]
        page.wait("!document.getElementById('newest').hidden")
        page.wait("document.querySelector('.came').textContent === 'reward 1, 0.50 dollars'")  # outcomes still come
        self.assertEqual(page.value("[document.activeElement.closest('tr').dataset.id, document.querySelector('[data-id]').dataset.id]"), [held, held])
        page.value("document.getElementById('newest').focus()")
        page.press(" ")
        page.wait(f"document.querySelector('[data-id]').dataset.id === '{new[0]['id']}'")
        self.assertEqual(page.value("document.querySelectorAll('[aria-expanded=true]').length"), 0)

    def test_the_keyboard_reaches_everything_in_order(self):
        page = self.open()
        seen = []
        for _ in range(18):
            page.press("Tab")
            seen.append(page.value("(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.textContent.trim(),"
                                   " s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]; })()"))
        self.assertEqual([text for text, _ in seen[:4]], ["Skip to the content", "rein", "ads", "Pause"])
        self.assertEqual([text for text, _ in seen[4:8]],  # who spends: search, window
                         ["", "", "day: closed windows", "month: closed windows"])
        self.assertEqual([text for text, _ in seen[8:14]],
                         ["decisionstime", "all7 days24 hours1 hour"] + ["Numbers"] * 4)
        self.assertTrue(all(visible for _, visible in seen), seen)

    def test_structure_for_a_screen_reader(self):
        for path in ["/", "/models/ads"]:
            page = self.open(path)
            page.value("document.querySelector('.toggle')?.click()")
            page.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.settle()
            self.assertEqual(page.value("['header', 'nav', 'main', 'footer', 'h1'].map((tag) => document.querySelectorAll('body ' + tag).length)"), [1] * 5)
            levels = page.value("[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))")
            self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels)
            bare = page.value("[...document.querySelectorAll('table')].filter((t) => !t.caption?.textContent || !t.tHead ||"
                              " [...t.tHead.rows[0].cells].some((c) => c.scope !== 'col') ||"
                              " [...t.tBodies].some((b) => [...b.rows].some((r) => !r.matches('.detail') && r.cells[0].scope !== 'row'))).length")
            unnamed = page.value("[...document.querySelectorAll('button, a, input, [role=img], [role=region], nav')].filter((e) =>"
                                 " !(e.getAttribute('aria-label') || e.textContent.trim())).length")
            twice = page.value("(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.length - new Set(ids).size; })()")
            broken = page.value("[...document.querySelectorAll('[aria-labelledby],[aria-controls],[aria-describedby]')].filter((e) =>"
                                " ['aria-labelledby', 'aria-controls', 'aria-describedby'].some((n) => e.hasAttribute(n) &&"
                                " !document.getElementById(e.getAttribute(n)))).length")
            self.assertEqual((bare, unnamed, twice, broken), (0, 0, 0, 0), path)

    def test_only_changes_of_status_are_announced(self):
        page = self.open()
        page.value(STATUS_WATCH)
        for n in range(5):
            self.service.models["ads"].update(at=live_server.NOW + 60 + n, counts={"decided": 3000 + n})
            page.wait(f"document.querySelector('[data-field=decided]').dataset.value === '{3000 + n}'")
        self.assertEqual(page.value("spoken"), [])
        self.assertGreater(page.value("said.length"), 4)
        self.service.models["ads"]["status"] = "over"
        page.wait("spoken.length > 0")
        self.assertIn("over", page.value("spoken[0]"))

    def test_contrast_and_motion(self):
        self.service.models["router"] = live("router", status="over", advice="Raise it.", alarms=["reward: rings"])
        for path in ["/", "/models/router"]:
            for dark in [False, True]:
                page = self.open(path, dark=dark)
                page.wait("document.querySelectorAll('[data-chart] svg').length === 4 || location.pathname === '/'")
                page.value("document.querySelector('.toggle')?.click()")
                page.settle()
                self.assertEqual(page.value(CONTRAST), [], (path, dark))
                self.assertEqual(page.value("document.getAnimations().length"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
