"""The chart of contrib/helm/rein without helm: values, their schema, templates, page and program name the same things.
Needs the standard library only. helm_test.py renders it (make test-helm)."""

import glob
import json
import os
import re
import unittest

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CHART = os.path.join(ROOT, "contrib", "helm", "rein")


def text_of(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def values():
    """Every path of values.yaml, as image.tag; the file has two blanks per level and no lists over several lines."""
    found, above = [], []
    for line in text_of("contrib", "helm", "rein", "values.yaml").splitlines():
        name = re.match(r"^( *)([A-Za-z]+):", line)
        if not name:
            continue
        above = above[: len(name.group(1)) // 2] + [name.group(2)]
        found.append(".".join(above))
    return found


def templates():
    return "\n".join(text_of(path) for path in sorted(glob.glob(os.path.join(CHART, "templates", "*"))))


def schema_paths(schema, above=()):
    for name, part in schema.get("properties", {}).items():
        yield ".".join((*above, name))
        if part.get("$ref") == "#/definitions/secret":
            yield from (".".join((*above, name, each)) for each in ("existingSecret", "key", "value"))
        yield from schema_paths(part, (*above, name))


class Chart(unittest.TestCase):
    def test_templates_use_values_that_are_there(self):
        used = set(re.findall(r"\.Values\.([A-Za-z.]+)", templates()))
        self.assertGreater(len(used), 30)
        self.assertEqual(used - set(values()), set())

    def test_every_value_is_used(self):
        used = set(re.findall(r"\.Values\.([A-Za-z.]+)", templates()))
        for path in values():
            whole = any(path == each or path.startswith(each + ".") or each.startswith(path + ".") for each in used)
            self.assertTrue(whole, path)

    def test_the_schema_has_every_value_and_no_other(self):
        known = set(schema_paths(json.loads(text_of("contrib", "helm", "rein", "values.schema.json")))) - {"global"}
        free = ("resources", "probes", "podSecurityContext", "securityContext")  # what Kubernetes defines
        named = {path for path in values() if not path.startswith(tuple(f"{each}." for each in free))}
        self.assertEqual(named - known, set())
        self.assertEqual({path for path in known - set(values()) if not path.startswith(free)}, set())

    def test_the_page_has_every_value(self):
        page = text_of("docs", "helm.md")
        for path in values():
            first = path.split(".")[0]
            self.assertTrue(re.search(rf"`{first}[`.]", page), first)
        for name in re.findall(r"^\| `([a-zA-Z.]+)`", page, re.M):
            self.assertIn(name, values())

    def test_variables_are_those_of_the_settings(self):
        known = set(re.findall(r'"(REIN_[A-Z_]+)"', text_of("src", "serve", "settings.cc")))
        used = set(re.findall(r"name: (REIN_[A-Z_]+)", templates()))
        self.assertGreater(len(used), 7)
        self.assertEqual(used - known, set())

    def test_versions_are_that_of_the_program(self):
        version = re.search(r"^project\(rein VERSION ([0-9.]+)", text_of("CMakeLists.txt"), re.M).group(1)
        chart = text_of("contrib", "helm", "rein", "Chart.yaml")
        self.assertIn(f"\nversion: {version}\n", chart)
        self.assertIn(f'\nappVersion: "{version}"\n', chart)

    def test_the_user_is_that_of_the_image(self):
        image = text_of("contrib", "Containerfile")
        user = re.search(r"--uid (\d+)", image).group(1)
        chart = text_of("contrib", "helm", "rein", "values.yaml")
        for name in ("runAsUser", "runAsGroup", "fsGroup"):
            self.assertIn(f"  {name}: {user}\n", chart)
        self.assertIn('ENTRYPOINT ["rein"]', image)

    def test_probes_ask_what_the_service_answers_without_a_token(self):
        paths = re.findall(r"path: (/\w+z)\n", templates())
        self.assertEqual(sorted(paths), ["/healthz", "/readyz"])
        open_paths = re.search(r"open_paths = \{(.*?)\}", text_of("apps", "rein", "serve.cc")).group(1)
        for path in paths:
            self.assertIn(f'"{path}"', open_paths)


if __name__ == "__main__":
    unittest.main()
