"""What a schema costs: one dict, and data frames with a million rows.

    python3 bench/schema_cost.py [ROWS]

CPU time on one core. Prints microseconds per call for a dict of 12 names, and seconds for a frame of 20
columns (12 numbers, 3 booleans, 3 columns of strings, 2 of categories) from pandas, pandas backed by Arrow,
and Arrow, and for one column of text apart.
"""

import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa

import rein

COUNTRIES = ["DE", "FR", "IT", "ES", "PL", "NL", "SE", "AT", "CZ", "PT"]
WORDS = ["red", "blue", "shoes", "hat", "cheap", "new", "size", "winter", "sale", "kids"]


def frame_of(rows):
    rng = np.random.default_rng(7)
    frame = {f"number{i}": rng.normal(1e3 * i, 1.0 + i, rows) for i in range(10)}
    frame["holes"] = np.where(rng.random(rows) < 0.1, np.nan, rng.random(rows))
    frame["count"] = rng.integers(0, 50, rows)
    frame |= {f"flag{i}": rng.random(rows) < 0.3 for i in range(3)}
    for i in range(3):
        frame[f"word{i}"] = np.array(COUNTRIES, object)[rng.integers(0, 10, rows)]
    frame = pd.DataFrame(frame)
    for i in range(2):
        frame[f"category{i}"] = pd.Categorical.from_codes(rng.integers(-1, 10, rows), COUNTRIES)
    return frame


def seconds(call, times=3):
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def one_dict():
    kinds = {f"n{i}": "number" for i in range(8)} | {"a": "category(8)", "b": "category(8)", "c": "bool", "d": "bool"}
    row = {f"n{i}": 0.5 * i for i in range(8)} | {"a": "DE", "b": "x", "c": True, "d": False}
    schema = rein.Schema(kinds)
    for call in (schema.encode, schema.observe, schema.take):
        many = range(10_000)
        each = seconds(lambda call=call, many=many: [call(row) for _ in many], 20) / len(many)
        print(f"a dict of 12 names, {call.__name__:8}{1e6 * each:6.2f} us")


def frames(rows):
    frame = frame_of(rows)
    schema = rein.Schema.infer(frame)
    print(f"{rows} rows x {len(frame.columns)} columns -> {schema.size} numbers per row")
    objects = frame.astype({f"word{i}": object for i in range(3)})
    given = {"pandas, object strings": objects, "pandas, str": frame, "Arrow": pa.Table.from_pandas(frame)}
    for name, data in given.items():
        for call in (schema.encode_many, schema.observe_many, schema.take_many):
            print(f"{name:24}{call.__name__:14}{seconds(lambda call=call, data=data: call(data)):6.2f} s")
    print(f"{'pandas, str':24}{'infer':14}{seconds(lambda: rein.Schema.infer(frame), 1):6.2f} s")
    rng = np.random.default_rng(3)
    texts = pd.DataFrame({"text": [" ".join(row) for row in np.array(WORDS)[rng.integers(0, 10, (rows, 6))]]})
    schema = rein.Schema({"text": "text(64)"})
    print(f"{'one column of six words':24}{'encode_many':14}{seconds(lambda: schema.encode_many(texts)):6.2f} s")


if __name__ == "__main__":
    one_dict()
    frames(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
