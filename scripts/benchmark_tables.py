#!/usr/bin/env python3
"""Makes the real tables of the benchmark (docs/benchmark.md) from public data of the UCI repository, CC BY 4.0:

    scripts/benchmark_tables.py tables                        downloads the data
    scripts/benchmark_tables.py tables --from FOLDER          takes them from a folder that has them
    rein benchmark --tables tables

letter     Slate (1991), doi 10.24432/C5ZP40: letter-recognition.data
pendigits  Alpaydin, Alimoglu (1998), doi 10.24432/C5MG6K: pendigits.tra, then pendigits.tes
bank       Moro, Cortez, Rita (2014), doi 10.24432/C5K306: only from a folder, as bank_marketing.csv.gz, a table of
           skipping or calling a client, with the seconds of the call / 1800 as its cost

The reward is 1 for the right answer. Where the data have no cost, naming class k of K costs k / (K - 1): a price that is
made up. Each table is written only if the SHA-256 of its text is the one below, so that everybody plays the same rounds.
"""

import argparse
import gzip
import hashlib
import io
import os
import sys
import urllib.request
import zipfile

UCI = "https://archive.ics.uci.edu/static/public"


def letter(text):
    for line in text.split():
        name, *numbers = line.split(",")
        yield [int(x) / 15 for x in numbers], ord(name) - ord("A")


def pendigits(text):
    for line in text.splitlines():
        if line.strip():
            *numbers, digit = (int(x) for x in line.split(","))
            yield [x / 100 for x in numbers], digit


# name: where it is, the files in it, how they are read, classes, SHA-256 of the table
CLASSES = {
    "letter": (f"{UCI}/59/letter+recognition.zip", ["letter-recognition.data"], letter, 26,
               "25f3c4ad3c5fd1fa349d9a27c3f1463c0c2531c7aef9474f946c359ad11d0117"),
    "pendigits": (f"{UCI}/81/pen+based+recognition+of+handwritten+digits.zip", ["pendigits.tra", "pendigits.tes"],
                  pendigits, 10, "3c852fe3becba154b20f436dca39604fb8c926761b89e578f80a5e7716e6ee48"),
}
BANK = "8063e5f9a33b7f52145a56a9f5ba5a20866a604abdf6b68353d52dbd49ce7577"


def table_of(rows, classes):
    """The text of a table: context, then a reward and a cost per class."""
    rows = list(rows)
    width = len(rows[0][0])
    out = io.StringIO()
    names = [*(f"x_{j}" for j in range(width)), *(f"r{k}" for k in range(classes)), *(f"c{k}" for k in range(classes))]
    costs = ",".join(f"{k / (classes - 1):.6g}" for k in range(classes))
    out.write(",".join(names) + "\n")
    for x, right in rows:
        rewards = ",".join("1" if k == right else "0" for k in range(classes))
        out.write(",".join(f"{v:.6g}" for v in x) + f",{rewards},{costs}\n")
    return out.getvalue()


def downloaded(url, files):
    with urllib.request.urlopen(url, timeout=60) as answer:
        with zipfile.ZipFile(io.BytesIO(answer.read())) as whole:
            return "".join(whole.read(name).decode() for name in files)


def local(folder, name, files):
    """The raw files, or a table NAME.csv.gz with the same contexts, of which the columns r0, r1, ... say the class."""
    paths = [os.path.join(folder, file) for file in files]
    if all(os.path.exists(path) for path in paths):
        texts = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        return "raw", "".join(texts)
    with gzip.open(os.path.join(folder, f"{name}.csv.gz"), "rt", encoding="utf-8") as file:
        return "table", file.read()


def rows_of_table(text):
    header, *lines = text.splitlines()
    names = header.split(",")
    x = [i for i, name in enumerate(names) if name.startswith("x_")]
    r = [i for i, name in enumerate(names) if name[0] == "r" and name[1:].isdigit()]
    for line in lines:
        cells = line.split(",")
        yield [float(cells[i]) for i in x], [cells[i] for i in r].index("1")


def write(folder, name, text, wanted):
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != wanted:
        sys.exit(f"{name}: its table has the SHA-256 {found}; accepted: {wanted}. The data have changed, or are others")
    path = os.path.join(folder, f"{name}.csv")
    with open(path + ".part", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(path + ".part", path)
    print(f"{path}: {text.count(chr(10)) - 1} rows")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("out", help="folder of the tables")
    words.add_argument("--from", dest="given", help="folder that has the data")
    asked = words.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    for name, (url, files, read, classes, wanted) in CLASSES.items():
        if asked.given:
            kind, text = local(asked.given, name, files)
        else:
            kind, text = "raw", downloaded(url, files)
        write(asked.out, name, table_of(read(text) if kind == "raw" else rows_of_table(text), classes), wanted)
    if asked.given and os.path.exists(os.path.join(asked.given, "bank_marketing.csv.gz")):
        with gzip.open(os.path.join(asked.given, "bank_marketing.csv.gz"), "rt", encoding="utf-8") as file:
            write(asked.out, "bank", file.read(), BANK)


if __name__ == "__main__":
    main()
