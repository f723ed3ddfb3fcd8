#!/usr/bin/env python3
"""Makes the playground of the documentation: the library as WebAssembly, and a page that needs no server.

    scripts/playground.py FOLDER        such as out/docs/playground; objects are kept in build-playground

Needs clang 19 with its C++ library for WebAssembly (scripts/install.sh playground). Exceptions are ignored there: what
would throw ends the program, and the page says so."""

import base64
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-playground")
FOLDERS = ["base", "solve", "estimate", "price", "explore", "tuning", "policy", "policy/peers", "world"]
# Files, threads and linear programs, of which a browser has none; and levels of other machines.
WITHOUT = {"base/kernels_level", "base/kernels_wide", "base/byte_file", "base/atomic_file", "base/csv", "base/pool",
           "base/memory", "solve/lp", "world/table", "world/table_file", "world/table_keys", "world/table_schema",
           "world/log", "world/log_estimates"}
PER_GROUP = 8  # files that are compiled as one, as in cmake/groups.cmake
FLAGS = ["--target=wasm32-wasi", "-std=c++20", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fignore-exceptions",
         "-DFMT_HEADER_ONLY", "-D_WASI_EMULATED_SIGNAL", "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"),
         "-isystem", os.path.join(WORK, "include"), "-include", os.path.join(ROOT, "web/playground/from_chars.h")]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def written(path, text):
    """Writes a file if its text is another one, so that what depends on it is not made again."""
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def groups():
    """{name of the object: its sources}."""
    alone = set(re.findall(r"src/[a-z_/0-9]+", re.search(r"set\(alone(.*?)\)", read("cmake/groups.cmake"), re.S).group(1)))
    found = {"kernels": ["src/base/kernels_level.cc"], "late": ["src/evaluate/late.cc", "src/engine/stored_round.cc", "src/money/micros.cc"],
             "playground": ["web/playground/playground.cc", "web/playground/absent.cc"]}
    for folder in FOLDERS:
        count = 0
        for path in sorted(glob.glob(os.path.join(ROOT, "src", folder, "*.cc"))):
            name = os.path.relpath(path, ROOT)
            if name[4:-3] in WITHOUT:
                continue
            if name[:-3] in alone:
                found[name[:-3].replace("/", "_")] = [name]
                continue
            found.setdefault(f"{folder.replace('/', '_')}_{count // PER_GROUP}", []).append(name)
            count += 1
    return found


def compiled():
    os.makedirs(os.path.join(WORK, "include"), exist_ok=True)
    for name in ("fmt",):  # headers only, without the rest of /usr/include
        link = os.path.join(WORK, "include", name)
        if not os.path.islink(link):
            os.symlink(os.path.join("/usr/include", name), link)
    version = re.search(r"^project\(rein VERSION ([0-9.]+)", read("CMakeLists.txt"), re.M).group(1)
    flags = " ".join([*FLAGS, f"'-DREIN_VERSION=\"{version}\"'"])
    lines = [f"rule cc\n  command = clang++-19 {flags} $more -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc",
             "rule link\n  command = clang++-19 --target=wasm32-wasi -mexec-model=reactor -O2 -Wl,--gc-sections,--strip-all,--error-limit=0 "
             "-lwasi-emulated-signal $in -o $out"]
    objects = []
    for name, sources in groups().items():
        source = os.path.join(WORK, f"{name}.cc")
        written(source, "".join(f'#include "{os.path.join(ROOT, each)}"\n' for each in sources))
        objects.append(f"{name}.o")
        lines.append(f"build {name}.o: cc {source}" + ("\n  more = -DREIN_LEVEL=plain" if name == "kernels" else ""))
    lines.append(f"build playground.wasm: link {' '.join(objects)}")
    written(os.path.join(WORK, "build.ninja"), "\n".join(lines) + "\n")
    done = subprocess.run(["ninja", "--quiet"], cwd=WORK, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"playground.py: {done.stdout[-4000:]}{done.stderr[-2000:]}")
    with open(os.path.join(WORK, "playground.wasm"), "rb") as file:
        return file.read()


def joined(pattern, names):
    return "\n".join(read(pattern.format(name)) for name in names)


def main(folder):
    program = compiled()
    os.makedirs(folder, exist_ok=True)
    d3 = [f"/usr/share/nodejs/d3-{name}/dist/d3-{name}.min.js" for name in
          "array collection color format interpolate path time time-format scale shape selection axis".split()]
    library = "\n".join(open(path, encoding="utf-8").read() for path in d3)
    parts = joined("web/{}.js", ["common/numbers", "common/elements", "common/series", "common/frame", "live/words", "live/fields",
                                 "live/axis", "live/charts", "playground/program", "playground/main"])
    files = {"index.html": read("web/playground/page.html"),
             "playground.css": joined("web/{}.css", ["common/base", "common/charts", "playground/page"]),
             "program.js": f'window.reinProgram = "{base64.b64encode(program).decode()}";\n',
             "playground.js": f"/*\n{read('web/common/licence.txt')}*/\n{library}\n(() => {{\n\"use strict\";\n{parts}}})();\n"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"playground: {folder}/index.html; the program has {len(program) // 1024} KiB, the page "
          f"{sum(map(len, files.values())) // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1])
