#!/usr/bin/env python3
"""Prints a software bill of materials, CycloneDX 1.5: what is linked, with the versions of the Debian packages that it
comes from, and what is compiled in (headers and the pages' scripts).

    scripts/sbom.py PROGRAM VERSION     the libraries that the program is linked with
    scripts/sbom.py WHEEL VERSION       the libraries inside of the wheel, and the Python packages that it needs"""

import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
import zipfile

# Packages of headers and scripts that become part of the program; nothing of them is there at run time.
COMPILED_IN = ["libcli11-dev", "libxxhash-dev", "libboost1.81-dev", "libtomlplusplus-dev", "node-d3-scale",
               "node-d3-shape", "node-d3-selection", "node-d3-axis"]


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def package_of(path):
    for candidate in (os.path.realpath(path), path):
        found = output_of("dpkg", "-S", candidate)
        if found:
            return found.split(":")[0]
    return None


def debian(name, **more):
    found = output_of("dpkg-query", "-W", "-f", "${Version} ${Architecture}\n", name).split("\n")[0].split()
    if not found:
        raise SystemExit(f"sbom.py: the package {name} is not installed")
    purl = f"pkg:deb/debian/{name}@{found[0]}?arch={found[1]}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": found[0], "purl": purl, **more}


def libraries_of(program):
    """Paths of the shared libraries that a program is linked with."""
    return re.findall(r"=> (/\S+) \(", output_of("ldd", program))


def libraries_in(wheel):
    """Paths on this machine of the libraries that auditwheel put into a wheel: libfmt-1a2b3c4d.so.9.1.0."""
    known = dict(re.findall(r"^\s+(\S+) .* => (/\S+)$", output_of("ldconfig", "-p"), re.M))
    with zipfile.ZipFile(wheel) as archive:
        for path in archive.namelist():
            inside = re.search(r"\.libs/(.*?)-[0-9a-f]{8}(\.so.*)$", path)
            if not inside:
                continue
            found = [at for name, at in known.items() if name.startswith(inside.group(1) + ".so")]
            if not found:
                raise SystemExit(f"sbom.py: this machine does not have {path}")
            yield found[0]


def shared(paths):
    packages = {}
    for library in paths:
        name = package_of(library)
        if name is None:
            raise SystemExit(f"sbom.py: no package has {library}")
        packages.setdefault(name, []).append(os.path.basename(library))
    for name, libraries in sorted(packages.items()):
        yield debian(name, properties=[{"name": "rein:library", "value": library} for library in sorted(set(libraries))])


def needed_by(wheel):
    """The Python packages that a wheel needs, without those of its extras. A range has no version."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        for line in archive.read(metadata).decode().split("\n\n")[0].splitlines():
            need = re.fullmatch(r"Requires-Dist: ([\w.-]+)([^;]*)", line)
            if need:
                purl = f"pkg:pypi/{need.group(1)}"
                yield {"type": "library", "bom-ref": purl, "name": need.group(1), "purl": purl,
                       "properties": [{"name": "rein:versions", "value": need.group(2).strip()}]}


def main(artefact, version):
    with open(artefact, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    wheel = artefact.endswith(".whl")
    name = "rein-bandits" if wheel else "rein"
    found = [*shared(libraries_in(artefact) if wheel else libraries_of(artefact)),
             *(debian(each, properties=[{"name": "rein:compiled-in", "value": "true"}])
               for each in COMPILED_IN),
             *(needed_by(artefact) if wheel else [])]
    own = f"pkg:pypi/{name}@{version}" if wheel else f"pkg:generic/{name}@{version}"
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        # The same file gives the same document.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "metadata": {"component": {"type": "application", "bom-ref": own, "name": name, "version": version, "purl": own,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}],
                                   "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": found,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in found]},
                         *({"ref": each["bom-ref"], "dependsOn": []} for each in found)],
    }, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2])
