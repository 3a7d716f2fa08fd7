"""Takes the pictures of docs/reports.md.

usage: screenshots.py RUN.html SWEEP.html FOLDER
"""

import sys

from browser import Page


def top(page, selector):
    page.value("document.querySelector(%r).scrollIntoView()" % selector)
    page.frame()


run, sweep, folder = sys.argv[1:]
with Page(width=1280, height=860) as page:
    page.open(run)
    top(page, "#sequence")
    page.key("]")
    page.screenshot(f"{folder}/report-light.png")
with Page(width=1280, height=860, dark=True) as page:
    page.open(run)
    top(page, "#sequence")
    page.value("[...document.querySelectorAll('.marks button')].find(b => b.textContent.includes('another value')).click()")
    page.frame()
    page.screenshot(f"{folder}/report-details-dark.png")
with Page(width=1280, height=860) as page:
    page.open(sweep)
    page.click(".cell.failed")
    page.value("window.scrollTo(0, 0)")
    page.frame()
    page.screenshot(f"{folder}/report-sweep.png")
