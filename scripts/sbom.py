#!/usr/bin/env python3
"""Prints a software bill of materials of the program, CycloneDX 1.5: the Debian packages of the libraries that it is
linked with, with their versions. scripts/sbom.py PROGRAM VERSION"""

import hashlib
import json
import os
import re
import subprocess
import sys
import uuid


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def package_of(path):
    for candidate in (os.path.realpath(path), path):
        found = output_of("dpkg", "-S", candidate)
        if found:
            return found.split(":")[0]
    return None


def components(program):
    packages = {}
    for library in re.findall(r"=> (/\S+) \(", output_of("ldd", program)):
        name = package_of(library)
        if name is None:
            raise SystemExit(f"sbom.py: no package has {library}")
        packages.setdefault(name, []).append(os.path.basename(library))
    for name, libraries in sorted(packages.items()):
        version, arch = output_of("dpkg-query", "-W", "-f", "${Version} ${Architecture}\n", name).split("\n")[0].split()
        purl = f"pkg:deb/debian/{name}@{version}?arch={arch}"
        yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
               "properties": [{"name": "rein:library", "value": library} for library in sorted(set(libraries))]}


def main(program, version):
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    found = list(components(program))
    own = f"pkg:generic/rein@{version}"
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        # The same program gives the same document.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "metadata": {"component": {"type": "application", "bom-ref": own, "name": "rein", "version": version, "purl": own,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}],
                                   "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": found,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in found]},
                         *({"ref": each["bom-ref"], "dependsOn": []} for each in found)],
    }, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: scripts/sbom.py PROGRAM VERSION")
    main(sys.argv[1], sys.argv[2])
