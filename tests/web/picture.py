"""A picture of a page: picture.py PAGE.html OUT.png [WIDTH [HEIGHT [TOP]]], for the documentation and for the eye."""

import sys

from browser import Browser

page_path, out = sys.argv[1:3]
width, height, top = [int(word) for word in sys.argv[3:6]] + [1160, 1200, 0][len(sys.argv) - 3:]
with Browser() as browser:
    page = browser.open(page_path, width=width, height=height)
    page.value(f"scrollTo(0, {top})")
    page.settle()
    page.screenshot(out, whole=False)
