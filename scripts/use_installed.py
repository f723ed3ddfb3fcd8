#!/usr/bin/env python3
"""Uses an installed program, and the Python package if this Python has it: scripts/use_installed.py PROGRAM VERSION"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import urllib.request


def answered(port, method, path, body=None):
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", None if body is None else json.dumps(body).encode(),
                                   method=method, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def use_service(program):
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen([program, "serve", "--port", "0", "--data", folder + "/data"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(service.stdout.readline().rsplit(":", 1)[1])
            while True:
                try:
                    answered(port, "GET", "/readyz")
                    break
                except OSError:
                    time.sleep(0.05)
            answered(port, "PUT", "/v1/models/m", {"actions": ["a", "b"], "context": 1})
            decision = answered(port, "POST", "/v1/models/m/decide", {"context": [1]})
            assert answered(port, "POST", "/v1/models/m/outcome", {"id": decision["id"], "reward": 1})["result"] == "applied"
        finally:
            service.terminate()
            assert service.wait(60) == 0


def main(program, version):
    found = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert version in found, found
    words = ["run", "--world", "linear(k=4,d=4)", "--policy", "ccb", "--rounds", "500", "--seeds", "1", "--json"]
    totals = json.loads(subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout)
    assert totals
    use_service(program)
    if importlib.util.find_spec("rein"):
        import rein

        assert rein.__version__ == version, rein.__version__
        assert rein.run("linear(k=4,d=4)", "ccb", rounds=500, seeds=1).totals
    print(f"{program}: {found.strip()} decides and learns")


if __name__ == "__main__":
    main(*sys.argv[1:])
