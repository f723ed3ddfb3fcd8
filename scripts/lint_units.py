"""Joins C++ files into few large ones for clang-tidy, which spends most of its time in headers.

    lint_units.py BUILD FILE...     BUILD has compile_commands.json; prints the name of every unit

A unit includes files that are compiled with the same flags and whose unnamed namespaces share no
name. It is written to BUILD/units, with compile_commands.json beside it and the list of its files in
NAME.files. One unit takes little longer than one of its files.
"""

import functools
import json
import os
import re
import shlex
import sys

MOST_FILES = 16
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?: class)?|using)\s+(\w+)")
OTHER = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?(?:[({=;]|$)")  # the name of a function or a variable


@functools.cache
def public_names(path):
    """Types and constants of the headers that a file includes, by name and header."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = set()
    if path.endswith(".h"):
        names = {(name, path) for name in re.findall(r"^(?:struct|class|enum class) (\w+)[^;]*?\{", text, re.MULTILINE)}
        names |= {(name, path) for name in re.findall(r"^(?:inline )?constexpr .*?\b(k[A-Z]\w*)", text, re.MULTILINE)}
        names |= {(name, path) for name in re.findall(r"^inline (?!constexpr).*?\b(\w+)\(", text, re.MULTILINE)}
    for name in re.findall(r'^#include "(.*)"', text, re.MULTILINE):
        for folder in ("src", "include", "tests", "bench", os.path.dirname(path)):
            if os.path.exists(os.path.join(folder, name)):
                names |= public_names(os.path.relpath(os.path.join(folder, name)))
                break
    return names


def private_names(path):
    """Names that a file declares inside `namespace {`: of the lines that are not indented."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    names, inside = set(), False
    for line, after in zip(lines, [*lines[1:], ""]):
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside and line and line[0] not in " }#/" and not line.startswith(("template", "TEST", "INSTANTIATE")):
            text = re.sub(r"<[^()]*>", "", line + " " + after.strip())
            if line.startswith("constexpr"):  # perhaps several in one line
                names.update(each[1] for each in OTHER.finditer(text))
            elif declared := TYPE.match(text) or OTHER.search(text):
                names.add(declared[1])
        elif line.startswith(("int main(", "BENCHMARK_MAIN(")):
            names.add("main")
    return names


def clash(private, public):
    """Whether a header's name is hidden by a private one, or is that of another header too."""
    names = [name for name, _ in public]
    return len(set(names)) < len(names) or bool(private.intersection(names))


def command_of(entry):
    """The compiler and its flags, without the file and the output."""
    words = shlex.split(entry["command"])
    words = words[words.index("ccache") + 1:] if "ccache" in words[0:1] else words
    kept, skip = [], False
    for word in words:
        if skip or word in ("-c", entry["file"]):
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    return tuple(kept)


def borrowed(path, entries):
    """An entry for a file that is compiled elsewhere: with the flags of the file that shares most folders."""
    nearest = max(entries, key=lambda entry: len(os.path.commonpath([path, entry["file"]])))
    return {"file": path, "command": nearest["command"].replace(nearest["file"], path)}


def units(entries, files):
    """(flags, files) of every unit."""
    wanted = {os.path.abspath(file) for file in files}
    compiled = {os.path.abspath(entry["file"]) for entry in entries}
    entries = entries + [borrowed(path, entries) for path in sorted(wanted - compiled)]
    found, seen = [], set()
    for entry in entries:
        path = os.path.abspath(entry["file"])
        if path not in wanted or path in seen:
            continue
        seen.add(path)
        command, names, public = command_of(entry), private_names(path), public_names(os.path.relpath(path))
        for unit in found:
            if unit["command"] == command and len(unit["files"]) < MOST_FILES and \
                    not clash(unit["names"] | names, unit["public"] | public) and not unit["names"] & names:
                break
        else:
            unit = {"command": command, "names": set(), "public": set(), "files": []}
            found.append(unit)
        unit["names"] |= names
        unit["public"] |= public
        unit["files"].append(path)
    return [(unit["command"], unit["files"]) for unit in found]


def main():
    build, files = sys.argv[1], sys.argv[2:]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    folder = os.path.abspath(os.path.join(build, "units"))
    os.makedirs(folder, exist_ok=True)
    commands = []
    for number, (command, members) in enumerate(units(entries, files)):
        path = os.path.join(folder, f"unit{number}.cc")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{member}"\n' for member in members)
        with open(path.replace(".cc", ".files"), "w", encoding="utf-8") as file:
            file.writelines(os.path.relpath(member) + "\n" for member in members)
        commands.append({"directory": folder, "file": path, "arguments": [*command, "-c", path]})
        print(os.path.relpath(path))
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


if __name__ == "__main__":
    main()
