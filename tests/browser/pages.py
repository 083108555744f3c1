#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives the pages of one folder in headless Chromium and prints TAP.

usage: pages.py FOLDER SCREENS
FOLDER holds report.html diff.html diff.json diff.svg sound.html turns.html hostile.html hostile.svg; exact.html exact-diff.html
explain.html explain.json why.html ladder.html readers.html sweep.html matrix.html hostile-exact.html hostile-exact.svg
hostile-explain.html; screenshots go to SCREENS.
"""
import base64
import json
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

folder, screens = os.path.abspath(sys.argv[1]), sys.argv[2]
PHONE, DESKTOP = (390, 844), (1200, 900)
ALL = bool(os.environ.get("CHECK_ALL"))  # else each page in one dress, and what a page does once
with open(os.path.join(os.path.dirname(sys.argv[0]), "layout.js"), encoding="utf-8") as f:
    LAYOUT = f.read().split("*/\n", 1)[1]  # behind a return
ran = failed = 0


def start():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                   f"--user-data-dir={folder}/profile"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


browser, scripted = start(), True


def js(script, *args):
    return browser.execute_script("return " + script, *args)


def find(css):
    return browser.find_element(By.CSS_SELECTOR, css)


def ok(good, what, why=""):
    global ran, failed
    ran += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {ran} - {what}" + ("" if good else f"\n# {why}"), flush=True)


def equal(got, want, what):
    ok(got == want, what, f"got {got!r}, want {want!r}")


def near(got, want, what):
    ok(abs(got - want) < 1e-6 * max(1, abs(want)), what, f"got {got!r}, want {want!r}")


def look_at(size, dark=False, scripts=True, media=""):
    features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce"}]  # a click waits for no scrolling
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size is PHONE})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    global scripted
    scripted = scripts


def visit(page):
    """Opens a page and what it has folded; returns what it said on the console and whom it asked."""
    browser.get_log("browser")
    browser.get_log("performance")
    url = f"file://{folder}/{page}"
    browser.get(url)
    if scripted:
        js("document.querySelectorAll('details.fold').forEach((d) => { d.open = true; })")
    said = [line["message"] for line in browser.get_log("browser")]
    events = [json.loads(line["message"])["message"] for line in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    return said, [u for u in asked if u != url and not u.startswith("data:")]


def screenshot(name, size):
    height = min(js("document.documentElement.scrollHeight"), 16000)
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size[0], "height": height, "scale": 1}})
    with open(f"{screens}/{name}.png", "wb") as f:
        f.write(base64.b64decode(shot["data"]))


def values(css):
    return js("[...document.querySelectorAll(arguments[0])].map((c) => parseFloat(c.dataset.v))", css)


def keyed(table, key):
    """The numbers of a column by its key."""
    return js("((t) => { const at = [...t.tHead.rows[0].cells].findIndex((th) => th.dataset.key === arguments[1]);"
              " return [...t.tBodies[0].rows].map((r) => parseFloat(r.cells[at].dataset.v)); })(document.querySelector(arguments[0]))",
              table, key)


def boxes(css):
    """[left, width, top, height, title] of shapes."""
    return js("[...document.querySelectorAll(arguments[0])].map((e) => { const b = e.getBoundingClientRect();"
              " const t = e.querySelector('title') || e.parentNode.querySelector('title');"
              " return [b.left, b.width, b.top, b.height, t ? t.textContent : '']; })", css)


def column(table, number):
    """The cells of one column, of the rows that are shown."""
    return js("[...document.querySelectorAll(arguments[0] + ' tbody tr')].filter((r) => r.offsetParent)"
              ".map((r) => r.cells[arguments[1]].innerText.trim())", table, number)


# ---- every page, in every dress ----------------------------------------------------------------------------------

def test_dresses():
    """Every kind of page: nothing is said on the console or fetched, every chart is there, and it is laid out well."""
    pages = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".html") and not name.startswith("hostile"))
    dresses = [(size, dark) for size in (PHONE, DESKTOP) for dark in (False, True)]
    for number, page in enumerate(pages):
        for size, dark in dresses if ALL else dresses[3 * (number % 2):][:1]:
            look_at(size, dark)
            said, asked = visit(f"{page}.html")
            dress = f"{page}-{'desktop' if size is DESKTOP else 'phone'}-{'dark' if dark else 'light'}"
            equal(said, [], f"{dress}: nothing on the console")
            equal(asked, [], f"{dress}: no request leaves the page")
            equal(js("[...document.querySelectorAll('[data-chart]')].filter((e) => !e.querySelector('svg')).map((e) => e.dataset.chart)"),
                  [], f"{dress}: every chart is drawn")
            ok(js("document.documentElement.scrollWidth") <= size[0], f"{dress}: nothing hangs over the side",
               js("[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1"
                  " && !e.closest('.scroll, nav, svg')).map((e) => e.outerHTML.slice(0, 80))"))
            wrong = js(LAYOUT, size is DESKTOP)
            equal(wrong[:12], [], f"{dress}: no empty section, no broken or cut word, no text on another, none without contrast")
            if ALL and (size is DESKTOP or not dark):
                screenshot(dress, size)
        if ALL:
            js("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
            look_at(DESKTOP)
            equal(js(LAYOUT, True)[:12], [], f"{page}: and so with everything open")
    look_at(DESKTOP, dark=True)
    ok(os.path.getsize(f"{folder}/report.html") < 2e6, "a page is smaller than 2 MB")


CONTRAST = """((css) => {
    const rgb = (c) => { const x = document.createElement("canvas").getContext("2d"); x.fillStyle = c; x.fillRect(0, 0, 1, 1);
        return [...x.getImageData(0, 0, 1, 1).data].slice(0, 3); };
    const light = (c) => rgb(c).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = light(getComputedStyle(document.documentElement).backgroundColor);
    return css.filter((s) => document.querySelector(s)).map((s) => {
        const ink = light(getComputedStyle(document.querySelector(s)).color);
        return [s, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)];
    }).filter(([, ratio]) => ratio < 4.5);
})(arguments[0])"""


def test_ladder():
    look_at(PHONE)
    visit("ladder.html")
    steps = js("[...document.querySelectorAll('#layers td a')].map((a) => a.hash)")
    ok(steps and js("arguments[0].every((s) => document.querySelector(s).tagName == 'SECTION')", steps),
       "each step of a ladder leads to its section")
    equal(js("[...document.querySelectorAll('#layers tbody th')].filter((t) => t.scrollWidth > t.clientWidth).length"), 0,
          "names of layers are whole on a phone")
    visit("readers.html")
    bars = js("[...document.querySelectorAll('#layers tr')].slice(1).map((r) => [r.classList.contains('consumer'), "
              "...['width', 'height'].map((k) => r.querySelector('rect').getBoundingClientRect()[k]), "
              "parseFloat(r.querySelector('td.r:not(.wide)').dataset.v)])")
    equal([b[0] for b in bars], [False, False, True, False, True], "a reader has a bar below its layer")
    ok(max(b[2] for b in bars if b[0]) < min(b[2] for b in bars if not b[0]), "it is a thin one", bars)
    scale = [b[1] / b[3] for b in bars]
    ok(max(scale) < 1.02 * min(scale), "on the scale of the layers", bars)
    link = js("document.querySelector('#layers tr.consumer a').hash")
    equal(js("document.querySelector(arguments[0] + ' h3').innerText", link), "The consumer", "its step leads to its functions")
    equal(js("[...document.querySelectorAll('#layers tbody th')].filter((t) => t.scrollWidth > t.clientWidth).length"), 0,
          "names of readers are whole on a phone")


def test_sweep():
    look_at(PHONE)
    visit("sweep.html")
    ok(js("document.documentElement.scrollWidth <= innerWidth"), "a sweep is as wide as a phone")
    ok(js("[...document.querySelectorAll('.multiples svg > text')].every((t) => { const r = t.getBoundingClientRect(); "
          "return r.left >= 0 && r.right <= innerWidth; })"), "no label of its charts is cut off")
    equal(js("[...document.querySelectorAll('.multiples figure')].filter((f, i, all) => "
             "f.getBoundingClientRect().left !== all[0].getBoundingClientRect().left).length"), 0,
          "its charts stand below each other on a phone")


def test_dump():
    """Before and after a moment are not called after modes that they did not have."""
    look_at(DESKTOP)
    visit("dump.html")
    equal(js("[...document.querySelectorAll('table.overview')].map((t) => [...t.tHead.rows[0].cells].map((c) => c.innerText).filter((c) => /, ns|ns.packet/.test(c)))"),
          [["native, ns"], ["before, ns", "after, ns"]], "a dump has columns before and after")
    look_at(PHONE)
    ok(js("[...document.querySelectorAll('.overview tbody th')].every((t) => t.offsetWidth > 0)"), "each row has its name on a phone, too")


def test_matrix():
    for size, width in ((PHONE, "phone"), (DESKTOP, "desktop")):
        look_at(size)
        equal(visit("matrix.html"), ([], []), f"matrix on a {width}: nothing on the console, and no request")
    ids = js("[...document.querySelectorAll('#changes > details')].map((e) => e.id)")
    equal(js("document.querySelectorAll('#changes details[open]').length"), 0, "changes are closed")
    visit(f"matrix.html#{ids[-1]}")
    equal(js("[...document.querySelectorAll('#changes details[open]')].map((e) => e.id)"), [ids[-1]], "a link to a change opens it")


def test_readable():
    for dark in (False, True):
        look_at(DESKTOP, dark)
        visit("diff.html")
        equal(js(CONTRAST, ["main", ".how", "tr.same td", "tr.same th", ".pm", ".parts", ".failed", ".ok", ".unknown",
                            ".key-base", ".key-new", ".answer .n", "th", ".tag.new", ".tag.gone", "nav a", ".top p"]),
              [], f"text has a contrast of 4.5 and more, {'dark' if dark else 'light'}")
    equal(js("[...document.querySelectorAll('main svg')].filter((s) => !s.closest('[role], [aria-hidden]')).length"), 0,
          "every chart says in words what it shows, or stands beside its numbers")
    equal(js("[...document.querySelectorAll('th')].filter((t) => !t.closest('thead') && t.scope !== 'row').length"), 0,
          "rows have heads")
    equal(js("document.querySelectorAll('h1').length"), 1, "one title")


# ---- numbers -----------------------------------------------------------------------------------------------------

def test_numbers():
    look_at(DESKTOP)
    visit("diff.html")
    with open(f"{folder}/diff.json") as f:
        want = json.load(f)
    data = json.loads(js("document.getElementById('data').textContent"))
    equal(data, want, "the page carries what --format json writes")
    near(sum(values("table.changes tbody td:nth-child(6)")) + want["closure"]["unattributed_delta_ns"], want["delta_ns"],
         "the changes of all symbols and what is unattributed add up to the difference in JSON")
    near(values("table.changes tr.sum td[data-v]")[0], want["closure"]["sum_delta_ns"], "the sum shown is the sum in JSON")
    steps = keyed("table.waterfall", "delta_ns")
    near(sum(steps[:-1]), steps[-1], "the steps of the waterfall add up to the new base")
    near(steps[-1], want["new_ns"], "which is the one in JSON")
    near(steps[0], want["base_ns"], "and begin at the base in JSON")
    near(js("parseFloat(document.querySelector('#difference .frame').dataset.new)"), float(f"{want['new_ns']:.4g}"),
         "the flame graph's root is the cost of the new side")


def in_scale(got, want, what):
    """Lengths on the screen are as numbers, to a pixel."""
    scale = max(got) / max(want)
    ok(scale > 0 and len(got) == len(want) and all(abs(g - scale * w) < 1.1 for g, w in zip(got, want)), what, f"got {got}, want {scale} * {want}"[:2000])


def test_charts():
    """What the script draws is what tables and words hold."""
    look_at(DESKTOP)
    visit("sound.html")
    steps, bars = keyed("table.waterfall", "delta_ns"), boxes("table.waterfall .bar rect")
    in_scale([b[1] for b in bars], [abs(s) for s in steps], "bars of a waterfall are as long as its steps")
    ends = [0]
    for s in steps[1:-1]:
        ends.append(ends[-1] + s)
    in_scale([b[0] - bars[0][0] for b in bars[1:-1]], [steps[0] + min(a, b) for a, b in zip(ends, ends[1:])],
             "each begins where the one before it ended")
    sides = keyed("table.waterfall", "base_ns") + keyed("table.waterfall", "new_ns")
    in_scale([b[1] for b in boxes("#difference .seg rect")], [ns for ns in sides if ns and ns > 0.1], "a packet is made of what the table has")
    windows = js("JSON.parse(document.querySelector('[data-chart=strip]').dataset.blocks).flatMap((b) => b[2])")
    lines = boxes("#run .w")
    in_scale([b[0] - min(x[0] for x in lines) for b in lines], [w[0] - min(x[0] for x in windows) for w in windows],
             "windows stand where they were in the run")
    bottom = min(lines, key=lambda b: -b[2])[2]
    in_scale([bottom - b[2] for b in lines], [w[2] - min(x[2] for x in windows) for w in windows], "more packets per second stand higher")
    ok("block 0, round 0, at 0.0 s" in lines[0][4] and "ns/packet" in lines[0][4], "a window tells of its block", lines[0])
    visit("diff.html")
    parts = js("[...document.querySelectorAll('[data-chart=polls]')].map((f) => f.dataset.pct.split(' ').map(Number).filter((n) => n > 0))")
    got = [float(b[4].split(": ")[1].split(" ")[0]) for b in boxes("[data-chart=polls] .bin")]
    ok(len(got) == sum(map(len, parts)) and all(abs(g - w) < 0.006 * w for g, w in zip(got, sum(parts, []))), "polls are counted in bins", got)
    visit("turns.html")
    bins = js("[...document.querySelectorAll('[data-chart=spread]')].map((f) => f.dataset.bins.split(' ').map(Number).filter((n) => n))")
    in_scale([b[3] for b in boxes("[data-chart=spread] .bin")], [n / max(b) for b in bins for n in b], "turns are counted in bins")
    ok(any(len(set(b)) > 1 for b in bins), "and not all bins are alike", bins)
    visit("sweep.html")
    rows = json.loads(js("document.getElementById('data').textContent"))["points"]
    tops = js("[...document.querySelectorAll('[data-variant=\"drop/no-touch@skb\"] .multiples')][0].querySelectorAll('figure').length")
    equal(tops, len({r["flows"] for r in rows if r["variant"] == "drop/no-touch@skb"}), "a chart for each value of the other parameters")
    first = js("[...document.querySelector('[data-variant=\"drop/no-touch@skb\"] figure').querySelectorAll('.seg title')].map((t) => t.textContent)")
    point = next(r for r in rows if r["variant"] == "drop/no-touch@skb")
    ok(f"{point['components'][0]['name']}: {point['components'][0]['self_ns']:.4g}" in first, "its bars are made of components", first)


# ---- what it does ------------------------------------------------------------------------------------------------

def head(table, text):
    return next(b for b in browser.find_elements(By.CSS_SELECTOR, f"{table} th button") if b.text.strip() == text)


def test_tables():
    table = "table.changes"
    look_at(DESKTOP)
    visit("diff.html")
    rows = js("document.querySelectorAll('table.changes tbody tr').length")
    equal(len(column(table, 1)), 20, "a long table begins with 20 rows")
    next(b for b in browser.find_elements(By.CSS_SELECTOR, "#difference .tools button") if b.text.startswith("Show all")).click()
    equal(len(column(table, 1)), rows, "and shows all when asked")
    head(table, "symbol").click()
    names = column(table, 1)
    equal(names, sorted(names, key=str.lower), "sorts by name")
    equal(js("document.querySelector('table.changes th[aria-sort]').getAttribute('aria-sort')"), "ascending",
          "and says so to a screen reader")
    head(table, "change").send_keys(Keys.ENTER)
    changes = values(f"{table} tbody td:nth-child(6)")
    equal(changes, sorted(changes, reverse=True), "sorts by change, largest first, from the keyboard")
    head(table, "change").click()
    equal(values(f"{table} tbody td:nth-child(6)"), sorted(changes), "and the other way round")
    find("#difference .tools input").send_keys("skb")
    shown = js("[...document.querySelectorAll('table.changes tbody tr')].filter((r) => r.offsetParent).map((r) => r.innerText)")
    ok(0 < len(shown) < rows and all("skb" in text.lower() for text in shown), "searches", shown)
    equal(find("#difference .tools output").text, f"{len(shown)} of {rows} shown", "and counts what it found")
    find("#difference .tools input").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    equal(len(column(table, 1)), rows, "and shows all again")


def test_kinds():
    look_at(DESKTOP)
    visit("sound.html")
    for kind in ("gone", "new"):
        want = js("document.querySelectorAll('table.changes tbody tr[data-kind=' + arguments[0] + ']').length", kind)
        find(f"#difference .tools button[data-k={kind}]").click()
        shown = js("[...document.querySelectorAll('table.changes tbody tr')].filter((r) => r.offsetParent).map((r) => r.dataset.kind)")
        ok(want > 0 and shown == [kind] * want, f"shows what is {kind} alone", shown)
        equal(find(f"#difference .tools button[data-k={kind}]").get_attribute("aria-pressed"), "true", "and says so")


def frame(text):
    return js("[...document.querySelectorAll('.flame')].flatMap((f) => [...f.querySelectorAll('.frame')])"
              ".find((f) => f.querySelector('title').textContent.split('\\n')[0] === arguments[0] && f.closest('.flame').getBoundingClientRect().width)", text)


def width_of(element):
    return round(js("arguments[0].getBoundingClientRect().width", element))


def test_flame(page):
    look_at(DESKTOP)
    said, _ = visit(page)
    equal(said, [], f"{page}: nothing on the console")
    whole = width_of(frame("all"))
    one = frame("veth_xdp_rcv_one")
    ok(0 < width_of(one) < whole / 2, f"{page}: a function of the base alone is still to be seen", width_of(one))
    one.click()
    equal(width_of(one), whole, f"{page}: a click zooms in")
    ok(js("[...document.querySelectorAll('.frame')].some((f) => f.classList.contains('away') && getComputedStyle(f).display === 'none')"),
       f"{page}: what is beside it is away")
    js("arguments[0].focus()", one)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    ok(width_of(one) < whole / 2, f"{page}: Escape zooms out")
    browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    equal(js("document.activeElement.querySelector('title').textContent.split('\\n')[0]"), "veth_xdp_rcv", f"{page}: arrow keys walk to the caller")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    equal(width_of(frame("veth_xdp_rcv")), whole, f"{page}: Enter zooms in")
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)


def test_plots():
    """Pictures of gnuplot: no text ends outside, and points at the top are not on the frame."""
    for name in ("plot.svg", "plot-rates.svg"):
        if not os.path.exists(f"{folder}/{name}"):
            continue
        look_at((1000, 1800))
        visit(name)
        equal(js("((page) => [...document.querySelectorAll('text')].filter((t) => { const r = t.getBoundingClientRect();"
                 " return r.left < page.left - 1 || r.right > page.right + 1; }).map((t) => t.textContent))"
                 "(document.documentElement.getBoundingClientRect())"), [], f"{name}: every text is inside")


def test_flame_in_page():
    test_flame("diff.html")
    find("#difference figure .tools input").send_keys("xdp_rcv_one")
    found = js("[...document.querySelectorAll('#difference .found title')].map((t) => t.textContent.split('\\n')[0])")
    ok(found and all("xdp_rcv_one" in name for name in found), "a search marks frames", found)
    sums = js("[...document.querySelectorAll('#difference .found')].map((f) => parseFloat(f.dataset.base))")
    ok(f"native {max(sums):.1f} ns" in find("#difference figure .tools output").text, "and says what they cost",
       find("#difference figure .tools output").text)
    detail = find("#difference .detail").text
    ok("ns/packet" in detail and "±" in detail and "%" in detail, "what is under the pointer is told with interval and share", detail)


def test_exact_flame():
    """The flame of exact counts is searched in instructions."""
    look_at(DESKTOP)
    visit("exact-diff.html")
    search = find("#difference figure .tools input")
    search.send_keys("veth_xdp_rcv_one")
    said = find("#difference figure .tools output").text
    ok(said.startswith("1 frames: native ") and said.endswith(" instructions"), "a search adds up instructions", said)


def test_scatter():
    """A dot for each function that was counted; those that do not fit have names and intervals."""
    look_at(DESKTOP)
    visit("explain.html")
    with open(f"{folder}/explain.json", encoding="utf-8") as f:
        variants = json.load(f)["variants"]
    for number, variant in enumerate(variants):
        plot = f"#functions figure:nth-of-type({number + 1}) .scatter"
        dots = js("[...document.querySelectorAll(arguments[0] + ' circle')].map((c) => { const b = c.getBoundingClientRect();"
                  "return [c.parentNode.querySelector('title').textContent.split('\\n')[0], b.left + b.width / 2, b.top + b.height / 2]; })",
                  plot)
        rows = {r["name"]: r for r in variant["functions"] if r["instructions"] is not None}
        equal(sorted(d[0] for d in dots), sorted(rows), f"{variant['id']}: each function that was counted is a dot")
        many = max(dots, key=lambda d: rows[d[0]]["instructions"])
        few = min(dots, key=lambda d: rows[d[0]]["instructions"])
        dear = max(dots, key=lambda d: rows[d[0]]["ns"])
        ok(many[1] == max(d[1] for d in dots) and few[1] == min(d[1] for d in dots), "more instructions are to the right")
        ok(dear[2] == min(d[2] for d in dots), "more ns are above")
        off = js("[...document.querySelectorAll(arguments[0] + ' .off title')].map((t) => t.textContent.split('\\n')[0])", plot)
        equal(sorted(off), sorted(s for s, r in rows.items() if not r["fits"]), "those that do not fit are marked")
        names = js("[...document.querySelectorAll(arguments[0] + ' text.name')].map((t) => t.textContent)", plot)
        ok(set(off) <= set(names), "and have their names", names)


def test_variant():
    look_at(DESKTOP)
    visit("diff.html")
    find("#variants summary").click()
    labels = js("[...document.querySelectorAll('#variants details[open] .frame')].filter((f) => !f.classList.contains('slim')).length")
    ok(labels > 3, "a variant opens, and its flame graph has names in it", labels)


def test_dark():
    look_at(DESKTOP)
    visit("report.html")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = js(paper)
    find("#theme").click()
    dark = js(paper)
    ok(light == "rgb(255, 255, 255)" and dark != light, "a button changes to dark", f"{light} {dark}")
    visit("report.html")
    equal(js(paper), dark, "and the page remembers it")
    find("#theme").click()
    equal(js(paper), light, "and back")
    js("localStorage.clear()")


def test_without_scripts():
    look_at(DESKTOP, scripts=False)
    visit("diff.html")
    rows = browser.find_elements(By.CSS_SELECTOR, "table.changes tbody tr")
    equal(len([r for r in rows if r.is_displayed()]), len(rows), "without scripts every row is there")
    equal(len(browser.find_elements(By.CSS_SELECTOR, "button, input")), 0, "and nothing that would not work")
    for fold in browser.find_elements(By.CSS_SELECTOR, "details.fold:not([open]) > summary"):
        fold.click()
    ok(len([f for f in browser.find_elements(By.CSS_SELECTOR, "#difference .frame rect") if f.is_displayed()]) > 20, "and the flame graph")
    ok(all(c.is_displayed() for c in browser.find_elements(By.CSS_SELECTOR, "figcaption")) and "Mpps" in find("[data-chart=strip] figcaption").text,
       "and what charts show, in words")
    find("#run details details summary").send_keys("\n")  # the menu may lie over it
    ok(find("#run details details table").is_displayed(), "and details open: the blocks of the run")
    look_at(DESKTOP)


def test_print():
    look_at(DESKTOP, dark=True, media="print")
    visit("diff.html")
    equal(js("[...document.querySelectorAll('.tools, nav, #theme')].filter((e) => e.offsetParent).length"), 0, "paper has no buttons")
    equal(js("getComputedStyle(document.documentElement).backgroundColor"), "rgb(255, 255, 255)", "paper is white")
    look_at(DESKTOP)


def test_hostile():
    for page in ("hostile.html", "hostile.svg", "hostile-exact.html", "hostile-exact.svg", "hostile-explain.html"):
        look_at(DESKTOP)
        said, asked = visit(page)
        equal(said, [], f"{page}: names do nothing, and the file is well-formed")
        equal(asked, [], f"{page}: names fetch nothing")
        js("document.querySelectorAll('*').forEach((e) => e.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })))")
        ok("pwned" not in js("document.title || document.querySelector('title').textContent").split('"')[0], f"{page}: nobody ran",
           js("document.title"))
        ok(js("document.documentElement.textContent.includes('document.title=\"pwned\"')"), f"{page}: names are shown as they are")
        equal(js("document.querySelectorAll('img').length"), 0, f"{page}: no element came of a name")


try:
    test_dresses()
    test_ladder()
    test_numbers()
    test_charts()
    test_tables()
    test_flame_in_page()
    test_without_scripts()
    test_hostile()
    if ALL:
        test_sweep()
        test_dump()
        test_matrix()
        test_readable()
        test_kinds()
        test_plots()
        test_flame("diff.svg")
        test_exact_flame()
        test_scatter()
        test_variant()
        test_dark()
        test_print()
finally:
    browser.quit()
    print(f"1..{ran}")
sys.exit(failed > 0)
