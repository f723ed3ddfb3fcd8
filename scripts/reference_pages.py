"""The generated pages of the reference (scripts/make_docs.py): each function returns Markdown."""

import ast
import re

TITLES = {
    "policies": ("Policies", "A policy decides. It combines an oracle, a pricer, a gain and an explorer."),
    "oracles": ("Oracles", "An oracle estimates the reward and the costs of every action."),
    "pricers": ("Pricers", "A pricer turns what was spent so far into a price per cost."),
    "gains": ("Gains", "A gain sets how sharply scores become probabilities."),
    "explorers": ("Explorers", "An explorer turns scores into probabilities."),
    "worlds": ("Worlds", "A world makes rounds and outcomes, for experiments."),
}


# --- Specs: from `rein list --json` ---------------------------------------------------------------

def code(text):
    return f"`{text}`" if text else ""


def option_table(options):
    """One row per option of an entry of `rein list --json`."""
    out = ["| option | default | meaning |", "|---|---|---|"]
    for option in options:
        choices = ", ".join(code(choice) for choice in option["choices"])
        meaning = option["line"] + (f"<br>choices: {choices}" if choices else "")
        out.append(f"| `{option['key']}` | {code(option['default'])} | {meaning} |")
    return out


def catalog_page(kind, entries, folder):
    title, line = TITLES[kind]
    out = [f"# {title}", "", f"{line} `rein list {kind}` prints the same names.", "",
           "An option without a default is left out, or derived from the problem; the page of the entry",
           "says how.", "", "| name | what it does |", "|---|---|"]
    out += [f"| [`{entry['name']}`](#{entry['name']}) | {entry['line']} |" for entry in entries]
    for entry in entries:
        out += ["", f"## {entry['name']}", "", entry["line"][:1].upper() + entry["line"][1:] + ".", ""]
        out += option_table(entry["options"]) if entry["options"] else ["It has no options."]
        page = f"../{folder}/{entry['name']}.md" if folder else "../explore/gains.md"
        out += ["", f"[Details and examples]({page})"]
    return "\n".join(out) + "\n"


# --- The command line: from --help ----------------------------------------------------------------

def cli_page(run):
    out = ["# Command line", "", "What each command says with `--help`.", ""]
    verbs = re.findall(r"^  (\w+) ", run("--help").partition("Subcommands:")[2].partition("\n\n")[0], re.MULTILINE)
    for verb in ["", *verbs]:
        text = run(*([verb] if verb else []), "--help").rstrip()
        out += [f"## rein {verb}".rstrip(), "", "```text", text, "```", ""]
    return "\n".join(out)


# --- C++: from the public headers -----------------------------------------------------------------

def comment_text(lines):
    return "\n".join(re.sub(r"^// ?", "", line) for line in lines)


def pieces(header):
    """[(comment lines, code lines)] of a header: one per declaration, or per group without a gap."""
    found, block, depth = [], [], 0
    for line in header.splitlines() + [""]:
        if line.strip() or depth > 0:
            block.append(line)
            bare = re.sub(r'//.*|"(\\.|[^"\\])*"', "", line)
            opened = 0 if bare.startswith("namespace") else bare.count("{")
            closed = 0 if line.startswith("}  // namespace") else bare.count("}")
            depth += opened - closed
            continue
        if block:
            count = next((i for i, text in enumerate(block) if not text.startswith("//")), len(block))
            found.append((block[:count], block[count:]))
        block = []
    return found


def name_of(declaration):
    """The heading of a declaration: its class, or its function, or nothing."""
    text = " ".join(declaration)
    match = re.match(r"(?:template <[^>]*> )?(?:class|struct|enum class) (?:\[\[\w+\]\] )?(\w+)[^;]*?\{", text)
    if match:
        return match[1]
    match = re.search(r"(\w+)\(", re.sub(r"\[\[.*?\]\]", "", declaration[0]))
    return f"{match[1]}()" if match else "Constants" if "constexpr" in text else ""


NO_DECLARATION = re.compile(r"#|namespace|}  // namespace|(class|struct) \w+;$")


def header_page(name, header):
    (first, _), *rest = pieces(header)
    out = [f"# rein/{name}.h", "", "```cpp", f'#include "rein/{name}.h"', "```", "", lists(comment_text(first)), ""]
    for comment, declaration in rest:
        plain = [line for line in declaration if not NO_DECLARATION.match(line)]
        if not plain:
            continue
        heading = name_of(plain)
        out += [f"## {heading}", ""] if heading else []
        out += [lists(comment_text(comment)), ""] if comment else []
        out += ["```cpp", *plain, "```", ""]
    return "\n".join(out)


def lists(text):
    """A comment's list gets the blank line before it that Markdown wants."""
    return re.sub(r"(^[^\s-].*)\n(- )", r"\1\n\n\2", text, flags=re.MULTILINE)


def headers_page(headers):
    out = ["# C++ headers", "",
           "`rein/rein.h` includes what a program needs to make decisions; include the others by name. Link",
           "with `rein::rein` after `find_package(rein)`. Each page has the comments and declarations of",
           "one header.", "",
           "| header | what it is |", "|---|---|"]
    for name, header in headers.items():
        first = comment_text(pieces(header)[0][0]).split("\n\n")[0].replace("\n", " ")
        sentence = re.split(r"(?<=[.:]) (?=[A-Z]|$)", first)[0].rstrip(":").replace("|", "\\|")
        out.append(f"| [{name}.h](cpp/{name}.md) | {sentence} |")
    return "\n".join(out) + "\n"


# --- Python: from the docstrings ------------------------------------------------------------------

def argument_texts(arguments):
    """One text per argument, such as `rounds: int = 0`, with `/` and `*` where they stand."""
    def text(argument, default, star=""):
        kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        value = f" = {ast.unparse(default)}" if default is not None else ""
        return star + argument.arg + kind + value

    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    out = [text(argument, default) for argument, default in zip(plain, defaults)]
    if arguments.posonlyargs:
        out.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        out.append(text(arguments.vararg, None, "*"))
    elif arguments.kwonlyargs:
        out.append("*")
    out += [text(argument, default) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        out.append(text(arguments.kwarg, None, "**"))
    return out


def signature(node, owner=""):
    arguments = [text for text in argument_texts(node.args) if text not in ("self", "cls")]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    name = owner if node.name == "__init__" else f"{owner}.{node.name}" if owner else node.name
    call = f"{name}({', '.join(arguments)}){returns}"
    if len(call) > 90:
        call = f"{name}(\n    " + ",\n    ".join(arguments) + f",\n){returns}"
    return call


ARGUMENT = re.compile(r"(?: {4})?([a-z_][\w, ]*?) {2,}(\S.*)")


def docstring(node):
    """The docstring, with its columns `name   meaning` as a list."""
    out, listed, column = [], False, 0
    for line in (ast.get_docstring(node) or "").splitlines():
        match = ARGUMENT.fullmatch(line)
        if listed and not match and re.match(r"\w+ $", line[:column]):  # as wide as its column
            match = re.fullmatch(r"(\w+) (.*)", line)
        if match and "#" not in line:
            column = match.start(2)
            out += [] if listed else [""]
            out.append(f"- `{match[1]}`: {match[2]}")
            listed = True
        elif listed and line.startswith(" "):
            out.append("  " + line.strip())
        else:
            listed = False
            out.append(line)
    return lists("\n".join(out))


def function_text(node, owner=""):
    properties = [ast.unparse(x) for x in node.decorator_list]
    if "property" in properties:
        kind = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return ["```python", f"{owner}.{node.name}{kind}  # property", "```", "", docstring(node), ""]
    return ["```python", signature(node, owner), "```", "", docstring(node), ""]


def class_text(node):
    out = [docstring(node), ""]
    for item in node.body:
        function = isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
        if function and (not item.name.startswith("_") or item.name == "__init__"):
            if any("setter" in ast.unparse(x) or "overload" in ast.unparse(x) for x in item.decorator_list):
                continue
            out += function_text(item, node.name)
        elif isinstance(item, ast.AnnAssign) and not ast.unparse(item.target).startswith("_"):
            out += ["```python", f"{node.name}.{ast.unparse(item)}", "```", ""]
    return out


def exported(package):
    """[(name, node)] in the order of the imports of __init__.py, those for type checkers too: they are lazy."""
    for statement in ast.walk(package["__init__.py"]):
        if not isinstance(statement, ast.ImportFrom) or statement.level == 0 or statement.module is None:
            continue
        module = package.get(f"{statement.module}.py") or package[f"{statement.module}.pyi"]
        for alias in statement.names:
            for node in module.body:
                if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == alias.name:
                    yield alias.asname or alias.name, node


def python_page(package):
    out = ["# Python", "", "`import rein`. The guide is [Use it from Python](../python.md); here is every name.", ""]
    for name, node in exported(package):
        out += [f"## rein.{name}", ""]
        out += class_text(node) if isinstance(node, ast.ClassDef) else function_text(node, "rein")
    for module in ("litellm", "coba", "obp"):
        tree = package[f"{module}.py"]
        out += [f"## rein.{module}", "", docstring(tree), ""]
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                out += [f"### rein.{module}.{node.name}", ""]
                out += class_text(node) if isinstance(node, ast.ClassDef) else function_text(node, f"rein.{module}")
    return "\n".join(out) + "\n"
