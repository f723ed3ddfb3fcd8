"""rein convert: formats by name, counts of what is refused, files that appear whole, exit codes."""

import gzip
import json
import os
import sys
import unittest

from verb_case import VerbCase

CSV = "x_age,a,p,r,c_dollars\n30,email,0.5,1,0.02\n40,none,0.5,0,0\n50,none,0,0,0\n"


class Convert(VerbCase):
    verb = "convert"

    def test_csv_through_all_formats_and_back(self):
        start = self.path("a.csv", CSV)
        out = self.run_rein(start, self.path("b.jsonl"))
        self.assertIn("a.csv: 2 rows kept, 1 refused", out)
        self.assertIn("refused 1 row: line 4: found probability 0; accepted: above 0 and at most 1", out)
        self.run_rein(self.path("b.jsonl"), self.path("c.rlog"))
        self.run_rein(self.path("c.rlog"), self.path("d.csv.gz"))
        with gzip.open(self.path("d.csv.gz"), "rt") as file:
            self.assertEqual(file.read(), "".join(CSV.splitlines(True)[:3]))

    def test_dsjson_is_what_vowpal_wabbit_reads(self):
        self.run_rein(self.path("a.csv", CSV), self.path("b.dsjson"))
        with open(self.path("b.dsjson"), encoding="utf-8") as file:
            first = json.loads(file.readline())
        self.assertEqual(list(first)[0], "_label_cost")
        self.assertEqual(first["_label_cost"], -1)
        self.assertEqual(first["_costs"], {"dollars": 0.02})
        self.assertEqual(first["c"]["_multi"], [{"Action": {"id": "email"}}, {"Action": {"id": "none"}}])
        self.run_rein(self.path("b.dsjson"), self.path("c.vw"))
        with open(self.path("c.vw"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "shared |x age:30\n")
            self.assertEqual(file.readline(), "0:-1:0.5 |Action idemail\n")

    def test_refusals(self):
        start = self.path("a.csv", CSV)
        found = self.run_rein(start, self.path("b.csv", ""), code=2)
        self.assertIn("exists; accepted: another name, or --force", found)
        self.run_rein(start, self.path("b.csv"), "--force")
        self.assertIn("is both files", self.run_rein(start, start, "--force", code=2))
        self.assertIn("accepted: .csv", self.run_rein(start, self.path("b.what"), code=2))
        self.assertIn('found "xml"', self.run_rein(start, self.path("x.csv"), "--to", "xml", code=2))
        self.assertIn("cannot be opened", self.run_rein(self.path("no.csv"), self.path("x.csv"), code=1))
        self.assertIn("no row can be used", self.run_rein(self.path("bad.csv", "a,p,r\nx,2,1\n"), self.path("x.csv"),
                                                          code=1))
        self.assertFalse(os.path.exists(self.path("x.csv")))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_truncated_gzip_names_the_line(self):
        whole = gzip.compress(("a,p,r\n" + "".join(f"b,0.5,{i}\n" for i in range(20000))).encode())
        with open(self.path("a.csv.gz"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        found = self.run_rein(self.path("a.csv.gz"), self.path("x.rlog"), code=1)
        self.assertRegex(found, r"line \d+: the gzip data is cut off")
        self.assertFalse(os.path.exists(self.path("x.rlog")))

    def test_actions_and_columns_can_be_named(self):
        start = self.path("a.csv", "f,g,arm,q,y\n1,2,u,0.5,3\n1,2,w,0.5,3\n")
        out = self.run_rein(start, self.path("b.csv"), "--columns", "g", "--action", "arm", "--propensity", "q",
                            "--reward", "y", "--actions", "u,v")
        self.assertIn('found action "w"; accepted: the 2 actions given', out)
        with open(self.path("b.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "x_g,a,p,r\n2,u,0.5,3\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
