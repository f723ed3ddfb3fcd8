"""The house keeps its order: a folder of src/ includes only what it may stand on, every entry of a
table has its page, and every page its entry."""

import glob
import os
import re
import sys
import unittest

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What a room may include, besides itself. A pricer sees neither oracle nor explorer, an explorer no
# oracle, a world no policy.
MAY_INCLUDE = {
    "base": [],
    "money": ["base"],
    "solve": ["base"],
    "estimate": ["base", "solve"],
    "price": ["base", "money", "solve"],
    "explore": ["base", "price"],
    "tuning": ["base", "solve", "estimate", "price", "explore"],
    "policy": ["base", "money", "solve", "estimate", "price", "explore", "tuning"],
    "policy/peers": ["base", "solve", "estimate", "price", "explore", "tuning", "policy"],
    "schema": ["base"],
    "offpolicy": ["base", "solve", "estimate", "price", "explore", "policy", "schema", "log"],
    "engine": ["base", "money", "solve", "estimate", "price", "explore", "policy", "schema", "log"],
    "log": ["base", "schema"],
    "world": ["base", "solve", "estimate", "schema", "log", "offpolicy"],
    "evaluate": ["base", "money", "solve", "estimate", "price", "explore", "policy", "schema",
                 "engine", "log", "world"],
    "journal": ["base"],
    "http": ["base"],
    "serve": ["base", "money", "schema", "engine", "journal", "http"],
    "cluster": ["base", "engine", "journal", "http", "serve"],
    "tools": ["base", "money", "schema", "engine", "journal", "http", "serve"],
}

# The room that a public header belongs to.
HEADERS = {
    "agent_run": "base", "batch": "engine", "budget": "base", "budget_view": "base", "bytes": "base", "catalog": "base", "costs": "base", "estimates": "base",
    "own": "base", "result": "base", "rng": "base", "round": "base", "scratch": "base", "shape": "base",
    "spec": "base", "status": "policy", "terms": "price", "oracle": "estimate", "pricer": "price", "policy": "policy",
    "engine": "engine", "engine_options": "engine", "engine_state": "engine", "record": "engine", "world": "world",
    "rein": "all", "version": "base",
    "state_version": "base", "meaning": "policy", "certified": "policy",
    "bounds": "evaluate", "compare": "evaluate", "falsify": "evaluate", "figure": "evaluate",
    "grid": "evaluate", "json": "base", "report": "evaluate", "run": "evaluate", "schema": "schema",
    "sweep": "evaluate", "totals": "evaluate", "verify": "evaluate", "live": "evaluate", "suite": "evaluate",
    "history": "engine", "log": "log", "explain": "engine", "explanation": "base",
    "offpolicy": "offpolicy", "whatif": "offpolicy", "whatif_report": "offpolicy", "whatif_passes": "offpolicy",
    "segments": "offpolicy",
    "priced_policy": "offpolicy", "log_rows": "offpolicy",
    "train": "engine", "assign": "engine", "replay": "offpolicy", "policy_values": "offpolicy",
}

# Rooms with a table and a page an entry; pages that are no entry.
TABLES = {"estimate": "catalog.cc", "price": "catalog.cc", "explore": "catalog.cc", "policy": "catalog.cc",
          "world": "catalog.cc"}
OTHER_PAGES = {"explore": ["gains"]}

# Rooms of pieces that only the table of the room above may know.
LISTED = {"policy": "policy/peers"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def includes(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.MULTILINE)


def room_of_include(name):
    folder, _, rest = name.rpartition("/")
    return HEADERS.get(os.path.splitext(rest)[0], "unknown") if folder == "rein" else folder


def sources(room):
    return sorted(glob.glob(os.path.join(ROOT, "src", room, "*.cc")) +
                  glob.glob(os.path.join(ROOT, "src", room, "*.h")))


def entries(path):
    """Names in the rows `{{"name", "line", options}, make}` of a table."""
    return re.findall(r'\{\{\s*"([a-z0-9_]+)"', read(path))


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def relative(path):
    return os.path.relpath(path, ROOT)


class Layers(unittest.TestCase):
    def test_every_folder_of_src_is_a_room(self):
        top = os.path.join(ROOT, "src")
        for folder, _, files in os.walk(top):
            if files:
                self.assertIn(os.path.relpath(folder, top), MAY_INCLUDE)

    def test_rooms_include_only_downward(self):
        count = 0
        for room, allowed in MAY_INCLUDE.items():
            for path in sources(room):
                listed = [LISTED[room]] if room in LISTED and path.endswith(TABLES[room]) else []
                for name in includes(path):
                    count += 1
                    self.assertIn(room_of_include(name), [room] + allowed + listed,
                                  f'{relative(path)} includes "{name}"')
        self.assertGreater(count, 50)

    def test_public_headers_include_only_downward(self):
        found = glob.glob(os.path.join(ROOT, "include", "rein", "*.h"))
        self.assertEqual({os.path.splitext(os.path.basename(path))[0] for path in found}, set(HEADERS))
        for path in found:
            room = HEADERS[os.path.splitext(os.path.basename(path))[0]]
            if room == "all":
                continue
            for name in includes(path):
                self.assertTrue(name.startswith("rein/"), f'{relative(path)} includes "{name}"')
                self.assertIn(room_of_include(name), [room] + MAY_INCLUDE[room],
                              f'{relative(path)} includes "{name}"')

    def test_no_two_types_have_the_same_name(self):
        """Two classes of one name share their destructor, because the linker keeps one of them."""
        found = {}
        for path in glob.glob(os.path.join(ROOT, "include", "rein", "*.h")) + \
                [path for room in MAY_INCLUDE for path in sources(room)]:
            text = re.sub(r"^namespace \{\n.*?^\}  // namespace$", "", read(path), flags=re.MULTILINE | re.DOTALL)
            for name in re.findall(r"^(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: : [^;]*?)? \{",
                                   text, re.MULTILINE):
                found.setdefault(name, set()).add(relative(path))
        self.assertGreater(len(found), 200)
        self.assertEqual({name: sorted(paths) for name, paths in found.items() if len(paths) > 1}, {})

    def test_experiments_define_each_function_in_the_file_that_its_header_is_named_after(self):
        room = os.path.join(ROOT, "src", "evaluate")
        own_headers = sorted(glob.glob(os.path.join(room, "*.h")))
        public = [os.path.join(ROOT, "include", "rein", name + ".h")
                  for name, of in HEADERS.items() if of == "evaluate"]
        # What follows the unnamed namespace, by the name of the file.
        defined = {stem(path): read(path).split("\n}  // namespace\n")[-1]
                   for path in glob.glob(os.path.join(room, "*.cc"))}
        declares = re.compile(r"^(?!inline|using|template|struct|class|enum)[A-Za-z][\w:<>,&*]*(?: [\w:<>,&*]+)*? "
                              r"(\w+)\([^;{]*\);", re.MULTILINE)
        count = 0
        for path in own_headers + public:
            for name in declares.findall(read(path)):
                count += 1
                where = [file for file, text in defined.items()
                         if re.search(rf"^[A-Za-z][^\n;=]*\b{name}\([^;]*?\{{", text, re.MULTILINE)]
                self.assertIn(stem(path), where, f"{relative(path)} declares {name}()")
        self.assertGreater(count, 30)
        self.assertEqual(sorted(set(defined) - {stem(path) for path in own_headers + public}), [], "has no header")


class Pages(unittest.TestCase):
    def test_every_entry_has_a_page_and_every_page_an_entry(self):
        for room, table in TABLES.items():
            path = os.path.join(ROOT, "src", room, table)
            if not os.path.exists(path):
                continue
            names = set(entries(path))
            pages = {os.path.splitext(os.path.basename(page))[0]
                     for page in glob.glob(os.path.join(ROOT, "docs", room, "*.md"))}
            pages -= set(OTHER_PAGES.get(room, []))
            with self.subTest(room=room):
                self.assertTrue(names, f"no entries found in {relative(path)}")
                self.assertEqual(sorted(names - pages), [], f"entries without docs/{room}/NAME.md")
                self.assertEqual(sorted(pages - names), [], f"pages of docs/{room} without an entry")

    def test_every_gain_is_on_the_page_of_gains(self):
        page = read(os.path.join(ROOT, "docs", "explore", "gains.md"))
        for name in entries(os.path.join(ROOT, "src", "explore", "gains.cc")):
            self.assertIn(f"## {name}", page)

    def test_the_page_of_limits_names_every_limit_and_no_other(self):
        headers = glob.glob(os.path.join(ROOT, "include", "rein", "*.h"))
        named = set()
        for path in headers + [path for room in MAY_INCLUDE for path in sources(room)]:
            named.update(re.findall(r"^\s*(?:inline )?constexpr [\w:]+ (k(?:Max|Min)\w+)", read(path),
                                    re.MULTILINE))
        page = set(re.findall(r"`(k(?:Max|Min)\w+)`", read(os.path.join(ROOT, "docs", "limits.md"))))
        self.assertEqual(sorted(named - page), [], "limits that docs/limits.md does not name")
        self.assertEqual(sorted(page - named), [], "limits of docs/limits.md that do not exist")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
