"""`rein list`, and what every verb says of itself."""

import json
import os
import subprocess
import sys
import unittest

REIN = os.environ["REIN_PROGRAM"]


def rein(*words):
    return subprocess.run([REIN, *words], capture_output=True, text=True, timeout=300)


class ListAndHelp(unittest.TestCase):
    def test_list_shows_every_kind(self):
        done = rein("list")
        for word in ("policies", "oracles", "pricers", "explorers", "worlds", "ccb", "vaw", "two_arm"):
            self.assertIn(word, done.stdout)

    def test_list_json_parses(self):
        tables = json.loads(rein("list", "--json").stdout)
        self.assertEqual(list(tables), ["policies", "oracles", "pricers", "gains", "explorers", "worlds"])
        oracles = {entry["name"]: entry for entry in tables["oracles"]}
        self.assertEqual(list(oracles["vaw"]), ["name", "line", "options"])
        self.assertEqual(oracles["truth"]["options"], [])
        kernel = {option["key"]: option for option in oracles["kernel"]["options"]}
        self.assertEqual(kernel["kind"]["default"], "fourier")
        self.assertEqual(kernel["kind"]["choices"], ["fourier", "dictionary"])
        self.assertEqual((kernel["size"]["default"], kernel["size"]["choices"]), ("128", []))
        self.assertIsNone(kernel["features"]["default"])

    def test_list_json_describes_every_option(self):
        for kind, entries in json.loads(rein("list", "--json").stdout).items():
            for entry in entries:
                for option in entry["options"]:
                    with self.subTest(kind=kind, name=entry["name"], option=option):
                        self.assertEqual(list(option), ["key", "default", "choices", "line"])
                        self.assertGreater(len(option["line"]), 5)

    def test_list_of_one_shows_its_options(self):
        lines = rein("list", "kernel").stdout.splitlines()
        table = lines[lines.index("") + 1:]
        column = table[0].index("meaning")
        self.assertEqual(table[0].split(), ["option", "default", "meaning"])
        rows = {line.split()[0]: line for line in table[1:table.index("")]}
        self.assertEqual(rows["size"].split()[:2], ["size", "128"])
        self.assertEqual(rows["features"].split()[:2], ["features", "-"])
        for line in table[1:table.index("")]:  # aligned: a blank before the column, none at its start
            self.assertEqual((line[column - 1], line[column] != " "), (" ", True), line)
        self.assertIn("choices: fourier, dictionary", "\n".join(lines))
        self.assertIn("no options", rein("list", "truth").stdout)

    def test_a_name_of_two_kinds_is_listed_twice(self):
        found = rein("list", "epsilon").stdout
        self.assertIn("epsilon (policies)", found)
        self.assertIn("\n\nepsilon (explorers)", found)

    def test_every_help_has_examples(self):
        for verb in ("run", "compare", "verify", "bound", "list"):
            done = rein(verb, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Examples:", done.stdout)

    def test_no_words_at_all_show_help_and_return_2(self):
        done = rein()
        self.assertEqual(done.returncode, 2)
        self.assertIn("rein list", done.stdout)

    def test_version(self):
        self.assertRegex(rein("--version").stdout, r"rein \d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
