#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens profiles in speedscope and prints TAP: speedscope.py INDEX FOLDER SCREENS RUN...

FOLDER holds RUN.speedscope.json and RUN.json of each run; a file is given to the page as speedscope's own command does.
"""
import base64
import json
import os
import re
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

index, folder, screens, runs = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4:]
ran = failed = 0


def ok(good, what, why=""):
    global ran, failed
    ran += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {ran} - {what}" + ("" if good else f"\n# {why}"), flush=True)


def start():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for switch in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", "--window-size=1280,4000", f"--user-data-dir={folder}/profile"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def load(run):
    with open(f"{folder}/{run}.speedscope.json", "rb") as f:
        data = base64.b64encode(f.read()).decode()
    with open(f"{folder}/{run}.js", "w", encoding="ascii") as f:
        f.write(f'speedscope.loadFileFromBase64("{run}.json", "{data}")')
    browser.get("about:blank")
    browser.get(f"file://{index}#localProfilePath={folder}/{run}.js")
    WebDriverWait(browser, 90).until(lambda b: "ns per packet" in b.title)
    browser.execute_script("window.dispatchEvent(new KeyboardEvent('keypress', {key: '3'}))")  # the table
    WebDriverWait(browser, 30).until(lambda b: shown())


def nanoseconds(text):
    number, unit = re.match(r"([0-9.]+)(ns|µs)", text).groups()
    return float(number) * (1000 if unit == "µs" else 1)


def shown():
    """name -> self cost, as the table of all symbols shows it."""
    rows = browser.execute_script(
        "return [...document.querySelectorAll('tr')].map(r => [...r.querySelectorAll('td')].map(c => c.textContent))")
    return {cells[2]: nanoseconds(cells[1]) for cells in rows if len(cells) == 3 and "ns" in cells[1]}


def wanted(run):
    with open(f"{folder}/{run}.json", encoding="utf-8") as f:
        variant = json.load(f)["variants"][0]
    table = {}
    for symbol in variant["symbols"]:
        table[symbol["name"]] = table.get(symbol["name"], 0) + symbol["self_ns"]
    return variant["id"], table


browser = start()
try:
    for run in runs:
        load(run)
        browser.save_screenshot(f"{screens}/speedscope-{run}.png")
        title, errors = browser.title, [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]
        ok("ns per packet" in title and not errors, f"{run}: speedscope reads it", f"{title!r} {errors}")
        name, want = wanted(run)
        ok(name in browser.find_element(By.TAG_NAME, "body").text, f"{run}: the first profile is {name}")
        got = shown()
        # what it shows has two decimals; a name may have lost blanks and control characters on its way through the page
        flat = {"".join(k.split()): v for k, v in got.items()}
        wrong = {k: (v, flat.get("".join(k.split()))) for k, v in want.items()
                 if "\x1b" not in k and v > 0 and abs(flat.get("".join(k.split()), -1) - v) > 0.006}
        ok(len(got) >= 5 and not wrong, f"{run}: {len(got)} symbols cost what the report says", str(wrong))
finally:
    browser.quit()
print(f"1..{ran}")
sys.exit(failed > 0)
