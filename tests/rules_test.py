"""Every rule of docs/budgets.md has a test that is named after it.

A rule is what the page prints in bold, and every row of its tables. Its test is TEST(RulesSECTION, RULE):
the heading and the rule, without code after a parenthesis, as one word each. So **Keys leave.** under
"Scopes" is TEST(RulesScopes, KeysLeave), and the row `"500 rounds"` of the column `per=` is Per500Rounds."""

import glob
import os
import re
import sys
import unittest

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "budgets.md")


def word(text):
    """A sentence as one word: "`carry=True`" is CarryTrue."""
    parts = re.split(r"[^A-Za-z0-9]+", text.split("(")[0].replace("'", ""))
    return "".join(part[:1].upper() + part[1:] for part in parts)


def rules(text):
    """(suite, test) of every rule, and the items that state none."""
    text = re.sub(r"^```.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    found, without = [], []
    sections = re.split(r"^#+ (.*)\n", text, flags=re.MULTILINE)
    for heading, body in zip(sections[1::2], sections[2::2]):
        suite = "Rules" + word(heading if heading != sections[1] else "Budgets")
        found += [(suite, word(bold)) for bold in re.findall(r"\*\*(.+?)\*\*", body, re.DOTALL)]
        for table in re.findall(r"^((?:\|.*\n)+)", body, re.MULTILINE):
            first, _, *rows = [line.split("|")[1].strip() for line in table.splitlines()]
            prefix = word(first) if first.startswith("`") else ""
            found += [(suite, prefix + word(row)) for row in rows]
        without += [item for item in re.findall(r"^- (.*)", body, re.MULTILINE) if not item.startswith("**")]
    return found, without


def tests():
    found = set()
    for path in glob.glob(os.path.join(ROOT, "tests", "*", "*_test.cc")):
        with open(path, encoding="utf-8") as file:
            found.update(re.findall(r"^TEST\((Rules\w+),\s+(\w+)\)", file.read(), re.MULTILINE))
    return found


class Rules(unittest.TestCase):
    def setUp(self):
        with open(PAGE, encoding="utf-8") as file:
            self.rules, self.without = rules(file.read())

    def test_every_rule_has_a_test_named_after_it(self):
        self.assertGreater(len(self.rules), 40)
        have = tests()
        missing = [f"TEST({suite}, {name})" for suite, name in self.rules if (suite, name) not in have]
        self.assertEqual(missing, [], "rules of docs/budgets.md without a test of this name")

    def test_every_such_test_has_its_rule(self):
        gone = [f"TEST({suite}, {name})" for suite, name in sorted(tests() - set(self.rules))]
        self.assertEqual(gone, [], "tests named after a rule that docs/budgets.md does not have")

    def test_every_item_of_a_list_says_its_rule_in_bold(self):
        self.assertEqual(self.without, [])

    def test_no_two_rules_have_one_name(self):
        self.assertEqual(sorted(rule for rule in set(self.rules) if self.rules.count(rule) > 1), [])

    def test_a_rule_without_a_test_is_found(self):
        found, without = rules("# T\n- **a b**\n## A's c\n| `per=` | x |\n|---|---|\n| `\"5 r\"` | y |\n- no\n")
        self.assertEqual(found, [("RulesBudgets", "AB"), ("RulesAsC", "Per5R")])
        self.assertEqual(without, ["no"])
        self.assertNotIn(("RulesBudgets", "AB"), tests())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
