"""rein.Schema: against a plain Python version, names, saving, and the same numbers from every source."""

import copy
import csv
import decimal
import math
import pickle
import statistics
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_schema import PlainSchema, text_hash

import rein


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


floats = st.floats(-1e50, 1e50) | st.floats(-9, 9) | st.integers(-5, 5).map(float)
texts = st.text(max_size=6) | st.sampled_from(["DE", "FR", "IT", "Ä", "a b", "Red, red SHOES!", "x" * 64, "x" * 65])
gone = st.sampled_from([None, math.nan])
flag = st.integers(0, 1)


def options(**each):
    """A dict with some of these options."""
    return st.fixed_dictionaries({}, optional=each)


distinct = st.lists(st.sampled_from(["DE", "FR", "IT", "a\"b\\", "3"]), min_size=1, max_size=4, unique=True)
kinds = st.one_of(
    st.tuples(st.just("number"), options(missing=flag, clip=st.sampled_from([0.5, 3.0]))),
    st.tuples(st.just("number"), options(missing=flag, scale=st.just("none"))),
    st.tuples(st.just("bool"), options(missing=flag)),
    st.tuples(st.just("category"), options(missing=flag, most=st.integers(4, 6), buckets=st.integers(0, 5),
                                           of=distinct)),
    st.tuples(st.just("category"), options(missing=flag, most=st.integers(1, 3), buckets=st.integers(0, 5))),
    st.tuples(st.just("text"), options(missing=flag, buckets=st.integers(1, 9), signed=flag)),
)
cells = {
    "number": floats | st.integers(-10**6, 10**6) | st.booleans() | gone,
    "bool": st.booleans() | flag | flag.map(float) | gone,
    "category": texts | st.integers(-3, 3) | floats | st.integers() | st.booleans() | gone | st.just(""),
    "text": texts | st.integers(-3, 3) | gone | st.just(""),
}
schemas = st.dictionaries(st.text(min_size=1, max_size=8).filter(lambda name: name.isprintable()), kinds, min_size=1,
                          max_size=6)


def spec_of(kind, given):
    def value(x):
        if isinstance(x, list):
            return "[" + ",".join('"' + each.replace("\\", "\\\\").replace('"', '\\"') + '"' for each in x) + "]"
        return str(x)
    return kind + ("(" + ",".join(f"{key}={value(x)}" for key, x in given.items()) + ")" if given else "")


def make(columns, **more):
    return rein.Schema({name: spec_of(*kind) for name, kind in columns.items()}, **more)


def rows_of(columns, most=12):
    return st.lists(st.fixed_dictionaries({name: cells[kind] for name, (kind, _) in columns.items()}), max_size=most)


@st.composite
def cases(draw):
    columns = draw(schemas)
    return columns, draw(rows_of(columns)), draw(st.lists(st.sampled_from(["encode", "observe", "take"]), min_size=12,
                                                          max_size=12))


@given(cases())
@settings(max_examples=400)
def test_every_kind_of_column_is_what_the_plain_version_says(case):
    columns, rows, calls = case
    schema, plain = make(columns), PlainSchema(columns)
    for row, call in zip(rows, calls):
        mixed = dict(reversed(row.items()))  # the order of names does not matter
        found, expected = getattr(schema, call)(mixed), getattr(plain, call)(row)
        if call != "observe":
            assert_close(found, expected)
            assert found.shape == (schema.size,)
    assert schema.names() == plain.names()


@given(cases())
@settings(max_examples=100)
def test_many_rows_are_one_after_the_other(case):
    columns, rows, _ = case
    single, batch, plain = make(columns), make(columns), PlainSchema(columns)
    each = [single.take(row) for row in rows]
    taken = batch.take_many(rows)
    assert taken.shape == (len(rows), single.size)
    assert np.array_equal(taken, np.array(each).reshape(taken.shape)) and batch == single
    for row in rows:
        plain.observe(row)
    by_column = {name: [row[name] for row in rows] for name in columns}
    assert_close(batch.encode_many(by_column), np.array([plain.encode(row) for row in rows]).reshape(taken.shape))
    assert batch == single  # encode changes nothing
    observed = make(columns)
    observed.observe_many({name: np.array(values, object) for name, values in by_column.items()})
    assert observed == single


@given(cases())
@settings(max_examples=60)
def test_a_saved_schema_goes_on_where_it_was(case):
    columns, rows, _ = case
    schema = make(columns, extra="ignore")
    for row in rows[:6]:
        schema.take(row)
    others = [pickle.loads(pickle.dumps(schema)), copy.copy(schema), copy.deepcopy(schema),
              rein.Schema.restore(schema.snapshot()), rein.Schema.restore(memoryview(schema.snapshot()))]
    for other in others:
        assert other == schema and other.names() == schema.names() and repr(other) == repr(schema)
    for row in rows[6:]:
        expected = schema.take(row)
        assert all(np.array_equal(other.take(row), expected) for other in others)


def test_numbers_of_any_scale_are_standardised():
    values = np.random.default_rng(1).normal(0.0, 1.0, 5000)
    for scale, shift in [(1.0, 0.0), (1e6, 0.0), (1e-6, 0.0), (1.0, 100.0)]:
        schema = rein.Schema({"x": "number"})
        numbers = [float(x) * scale + shift for x in values]
        schema.observe_many({"x": numbers})
        mean, spread = statistics.fmean(numbers), statistics.pstdev(numbers)
        for x in numbers[:50]:
            assert schema.encode({"x": x})[0] == pytest.approx((x - mean) / spread, rel=1e-12, abs=1e-12)
    assert rein.Schema({"x": "number"}).take({"x": 5e6})[0] == 0.0


def frame_of(rows=200):
    rng = np.random.default_rng(5)
    pick = lambda words: [words[i] for i in rng.integers(0, len(words), rows)]  # noqa: E731
    return pd.DataFrame({
        "float": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(5, 2, rows)), "int": rng.integers(0, 9, rows),
        "bool": rng.random(rows) < 0.5, "str": pick(["DE", "FR", "IT", "Ä"]),
        "object": pd.Series(pick(["a", 1, 2.5, True, None]), dtype=object),
        "category": pd.Categorical(pick(["x", "y", None])), "numbers": pd.Categorical(pick([3, 1, 2])),
        "Int64": pd.array(pick([1, 2, None]), "Int64"), "boolean": pd.array(pick([True, False, None]), "boolean"),
        "id": pick([2**60 + 1, 2**60 + 2, 7]), "text": pick(["red shoes", "Blue hat", None]),
    })


KINDS = {"float": "number(missing=1)", "int": "number", "bool": "bool", "str": "category(3)", "object": "category(3)",
         "category": "category(2)", "numbers": "category(2)", "Int64": "number", "boolean": "bool(missing=1)",
         "id": "category(4)", "text": "text(8)"}


def sources(frame):
    """The same rows in every form that has all of them."""
    plain = frame.astype(object).where(frame.notna(), None)
    return {"frame": frame, "objects": frame.astype(object), "dict": {name: frame[name] for name in frame},
            "lists": {name: plain[name].tolist() for name in plain}, "dicts": plain.to_dict("records"),
            "reordered": frame[list(reversed(frame.columns))], "tuples": list(plain.itertuples(index=False))}


def test_every_source_gives_the_same_numbers():
    frame = frame_of()
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    expected_schema = rein.Schema(KINDS)
    expected = np.array([expected_schema.take(row) for row in rows])
    for name, data in sources(frame).items():
        schema = rein.Schema(KINDS)
        assert np.array_equal(schema.take_many(data), expected), name
        assert schema == expected_schema, name
    series = rein.Schema(KINDS)
    assert np.array_equal([series.take(row) for _, row in frame.astype(object).iterrows()], expected)


def test_arrow_gives_the_same_numbers():
    arrow = pytest.importorskip("pyarrow")
    frame = frame_of()
    kinds = {name: kind for name, kind in KINDS.items() if name != "object"}  # Arrow has one type per column
    frame = frame[list(kinds)]
    expected_schema = rein.Schema(kinds)
    expected = expected_schema.take_many(frame)
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    pieces = arrow.concat_tables([table.slice(0, 37), table.slice(37, 0), table.slice(37)])
    dictionary = table.set_column(table.column_names.index("str"), "str", table["str"].dictionary_encode())
    views = [table, pieces, dictionary, table.combine_chunks().to_batches()[0], frame.convert_dtypes(),
             table.to_pandas(types_mapper=pd.ArrowDtype)]
    for place, data in enumerate(views):
        schema = rein.Schema(kinds)
        assert np.array_equal(schema.take_many(data), expected), place
        assert schema == expected_schema, place
    some = rein.Schema(kinds).take_many(pieces.slice(30, 20))
    assert np.array_equal(some, rein.Schema(kinds).take_many(frame[30:50]))
    empty = arrow.table({"a": arrow.nulls(2), "b": arrow.array(["", None])})
    assert not rein.Schema({"a": "number", "b": "text(2)"}).take_many(empty).any()


def test_structured_and_masked_arrays_have_names_too():
    rows = np.array([(1.0, "DE"), (3.0, "FR")], [("a", float), ("b", "U2")])
    schema = rein.Schema({"b": "category(2,buckets=0)", "a": "number"})
    expected = [[1, 0, 0], [0, 1, 1]]
    assert np.array_equal(schema.take_many(rows), expected)
    assert np.array_equal(schema.encode(rows[1]), [0, 1, 1])
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    assert np.array_equal(rein.Schema({"a": "number(missing=1,scale=none)"}).take_many({"a": masked}), [[0, 1], [2, 0]])


def test_scalars_of_other_packages_are_read():
    schema = rein.Schema({"n": "number(scale=none)", "b": "bool", "c": "category(2,buckets=1)"})
    Row = namedtuple("Row", "n b c")
    for n in (2, 2.0, np.float32(2), np.int8(2), np.array(2.0), decimal.Decimal(2)):
        for b in (True, 1, 1.0, np.bool_(True)):
            assert schema.encode(Row(n, b, np.str_("z"))).tolist() == [2, 1, 0, 0, 1]
    for nothing in (None, math.nan, pd.NA, pd.NaT, np.float64("nan"), ""):
        given_row = {"n": nothing or None, "b": None, "c": nothing} if isinstance(nothing, str) else {
            "n": nothing, "b": nothing, "c": nothing}
        assert not schema.encode(given_row).any(), nothing


class Sly:
    """A number whose conversion ends the values that the row borrows."""

    def __init__(self, row):
        self.row = row

    def __float__(self):
        self.row.clear()
        return 1.0


def test_a_row_that_changes_while_it_is_read_is_read_as_it_was():
    schema = rein.Schema({"text": "text(4)", "n": "number(scale=none)", "more": "text(4)"})
    row: dict[str, object] = {"text": "red " * 1000, "more": "blue " * 1000}
    row["n"] = Sly(row)
    expected = schema.encode({"text": "red " * 1000, "n": 1.0, "more": "blue " * 1000})
    assert np.array_equal(schema.encode(row), expected) and not row


@pytest.mark.parametrize("row, message", [
    ({"a": 1}, 'no column "b"; expected: "a", "b"$'),
    ({"a": 1, "b": 2, "c": 3}, 'unknown column "c"; expected: "a", "b"'),
    ({"a": 1, "B": 2}, 'no column "b", and unknown column "B"'),
    ({"a": "4", "b": 2}, 'column "a": found the text "4"; accepted: a number'),
    ({"a": math.inf, "b": 2}, 'column "a": found inf'),
    ({"a": 10**400, "b": 2}, 'column "a": found 1000'),
    ({"a": 1e51, "b": 2}, 'column "a": found 1e\\+51'),
    ({"a": [1], "b": 2}, r'column "a": found \[1\]; accepted: a number, a bool, a string, or None'),
    ({"a": np.array([1.0]), "b": 2}, 'column "a": found array'),
    ({"a": 1j, "b": 2}, 'column "a": found 1j'),
    ({"a": b"4", "b": 2}, "column \"a\": found b'4'"),
    ({"a": 1, "b": "\ud800"}, 'column "b": found'),
    ({"a": 1, 2: 2}, "found a key 2; accepted: names of columns"),
    ([1, 2], "accepted: a dict with the names"),
    (np.zeros(2), "accepted: a dict with the names"),
    (3, "accepted: a dict with the names"),
    (pd.DataFrame({"a": [1.0], "b": ["x"]}), "accepted: a dict with the names"),
])
def test_a_wrong_row_is_refused_by_name_and_changes_nothing(row, message):
    schema = rein.Schema({"a": "number", "b": "category(3)"})
    schema.take({"a": 1.0, "b": "x"})
    before = schema.snapshot()
    for call in (schema.encode, schema.observe, schema.take):
        with pytest.raises(rein.Error, match=message):
            call(row)
    if isinstance(row, dict) and 2 not in row:
        with pytest.raises(rein.Error, match=message):
            schema.take_many([{"a": 2.0, "b": "y"}, row])
    assert schema.snapshot() == before


def test_extra_and_absent_columns_may_be_allowed():
    kinds = {"a": "number(missing=1,scale=none)", "b": "bool"}
    lenient = rein.Schema(kinds, extra="ignore", absent="missing")
    assert lenient.encode({"b": True, "reward": 3.0}).tolist() == [0, 1, 1]
    assert lenient.encode_many(pd.DataFrame({"b": [True], "reward": [3.0]})).tolist() == [[0, 1, 1]]
    assert lenient.encode_many([{"b": True, "reward": 3.0}]).tolist() == [[0, 1, 1]]
    assert lenient.encode_many(pd.DataFrame(index=range(2))).tolist() == [[0, 1, 0]] * 2
    assert eval(repr(lenient)).encode({}).tolist() == [0, 1, 0]
    for frame, message in [({"a": [1.0]}, 'no column "b"'), ({"a": [1.0], "b": [1], "c": [2]}, 'unknown column "c"'),
                           (pd.DataFrame([[1.0, 1, 2]], columns=["a", "b", "a"]), 'column "a" appears twice'),
                           (pd.DataFrame([[1.0, 1]]), "the name of a column"),
                           (np.zeros((3, 2)), "accepted: a DataFrame"), ({"a": [1.0, 2.0], "b": [1]}, "has 1 rows"),
                           ({"a": [1.0], "b": np.array(["2020"], "datetime64[D]")}, "dtype datetime64"),
                           ({"a": [1.0], "b": 3}, "found 3"), ({"a": np.array(["4"]), "b": [1]}, 'row 0: .*text "4"'),
                           ({"a": [1.0, 1.0], "b": [1.0, 2.0]}, 'row 1: .*"b": found 2')]:
        with pytest.raises(rein.Error, match=message):
            rein.Schema(kinds).encode_many(frame)


@pytest.mark.parametrize("columns, message", [
    ({}, "found 0 columns"), ({"a": "numbr"}, "unknown kind"), ({"a": "category(0)"}, "most"),
    ({"": "bool"}, "0 bytes"), ({"a": "bool("}, "end of text"),
    ({"a": 3}, "accepted: a string"), ({3: "bool"}, "accepted: a string"), (["a"], "accepted: a dict"),
    ({"a": "number(clip=1,scale=none)"}, "clip"), ({"a": "text(buckets=0)"}, "buckets"),
])
def test_a_wrong_declaration_is_refused(columns, message):
    with pytest.raises(rein.Error, match=message):
        rein.Schema(columns)
    with pytest.raises(rein.Error, match='extra is .*accepted: "refuse", "ignore"'):
        rein.Schema({"a": "bool"}, extra="keep")


def test_a_schema_is_inferred_from_a_frame_or_from_dicts():
    frame = frame_of()
    found = rein.Schema.infer(frame)
    assert found.columns == {
        "float": "number(missing=1)", "int": "number", "bool": "bool", "str": 'category(of=["DE","FR","IT","Ä"])',
        "object": 'category(missing=1,of=["a"])', "category": 'category(missing=1,of=["x","y"])', "numbers": "number",
        "Int64": "number(missing=1)", "boolean": "bool(missing=1)", "id": "number",
        "text": 'category(missing=1,of=["Blue hat","red shoes"])'}
    assert rein.Schema.infer(frame, kinds={"id": "category(4)"}).columns["id"] == "category(most=4)"
    with pytest.raises(rein.Error, match="kinds names"):
        rein.Schema.infer(frame, kinds={"ID": "category"})
    rows = [{"q": f"find item {i}", "n": i, "b": i % 2 == 0} for i in range(40)] + [{"n": None}]
    assert rein.Schema.infer(rows).columns == {"q": "text(missing=1)", "n": "number(missing=1)", "b": "bool(missing=1)"}
    assert found.encode_many(frame).shape == (200, found.size)
    many = rein.Schema.infer({"c": [f"id{i % 60}" for i in range(1000)]})
    assert many.size == 40 and many.columns["c"].startswith("category(buckets=8,of=[")


def test_files_are_written_and_damage_is_found(tmp_path):
    schema = rein.Schema(KINDS)
    schema.observe_many(frame_of())
    schema.save(tmp_path / "schema")
    assert rein.Schema.load(tmp_path / "schema") == schema != rein.Schema(KINDS)
    data = schema.snapshot()
    for wrong in (b"", data[:-1], data + b"x", data.replace(b"DE", b"DF", 1), b"\0" * 100):
        with pytest.raises(rein.CorruptState):
            rein.Schema.restore(wrong)
    with pytest.raises(rein.Error, match="accepted: the bytes"):
        rein.Schema.restore("text")
    with pytest.raises(TypeError):
        hash(schema)


class Watch:
    """An oracle that keeps the contexts it meets."""

    def __init__(self):
        self.met = []

    def predict(self, round):
        return np.zeros((1, round.actions))

    def learn(self, round, action, outcomes):
        self.met.append(np.array(round.context))


def test_a_csv_world_gives_the_same_numbers(tmp_path):
    frame = frame_of(60)[["float", "str", "text", "bool", "int"]]
    frame = frame.rename(columns=lambda name: f"x_{name}")
    kinds = {"x_float": "number(missing=1)", "x_str": "category(most=3)", "x_text": "text(buckets=4)", "x_bool": "bool",
             "x_int": "number(scale=none)"}
    frame.assign(r0=0, r1=1).to_csv(tmp_path / "table.csv", index=False, quoting=csv.QUOTE_MINIMAL)
    named = ",".join(f"{name}={kind}" for name, kind in kinds.items() if name != "x_int")
    oracle = Watch()
    rein.run(f'table(file="{tmp_path}/table.csv",order=file,schema=columns({named}))',
             "squarecb(oracle=own(name=watch))", rounds=60, oracles={"watch": lambda shape: oracle}, threads=1)
    assert np.array_equal(oracle.met[:60], rein.Schema(kinds).take_many(frame))


def test_hashes_are_for_good():
    """The same numbers are in tests/schema/schema_test.cc."""
    assert text_hash("DE") == 0x576A9DE3703E6015 and text_hash("hé") == 0xFD7D030240916AEC
    found = rein.Schema({"c": "category(of=[a],buckets=8)"}).encode({"c": "DE"})
    assert found.tolist() == [0.0] * (1 + (0x576A9DE3703E6015 >> 1) % 8) + [1.0] + [0.0] * (
        7 - (0x576A9DE3703E6015 >> 1) % 8)


def test_nothing_is_imported_that_was_not_passed():
    program = ("import sys, rein; s = rein.Schema.infer([{'a': 1.0, 'b': 'x'}]); s.take_many({'a': [1.0], 'b': ['x']});"
               "s.take({'a': 1.0, 'b': None}); assert not {'pandas', 'pyarrow'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", program], check=True)
