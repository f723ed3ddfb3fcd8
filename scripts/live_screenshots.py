"""Pictures of the live page for the documentation, of `rein serve --demo` after some traffic:

    python3 scripts/live_screenshots.py build/rein [FOLDER [SECONDS]]

writes live_service.png (1280 wide) and live_service_phone.png (390 wide) to FOLDER, docs by default."""

import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "web"))

from browser import Browser
from service import Service

READY = "document.querySelectorAll('[data-chart] svg').length >= 3"
PICTURES = {"live_service.png": (1280, 2240), "live_service_phone.png": (390, 1560)}


def main(program, folder=os.path.join(ROOT, "docs"), seconds="90"):
    with Service(program, "--demo") as service, Browser() as browser:
        time.sleep(float(seconds))
        model = max(service.get("/v1/models")["models"], key=lambda one: one["decided"])["name"]
        for name, (width, height) in PICTURES.items():
            page = browser.open(service.address(f"/models/{model}"), width=width, height=height, ready=READY)
            page.wait("document.querySelectorAll('.decisions tbody').length > 0")
            page.settle()
            page.screenshot(os.path.join(folder, name), whole=False)
            print(f"{os.path.join(folder, name)}: {model}, {width} x {height}")


if __name__ == "__main__":
    main(*sys.argv[1:])
