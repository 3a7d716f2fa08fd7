"""Opens report pages as a user would, and checks what can be seen, heard and done.

usage: check_page.py RUN.html SWEEP.html LONG.html

Prints a line for each check, `ok` or `FAIL`, and figures; ends with 1 where a check failed.
"""

import sys

from browser import Page, BrowserError

failures = 0


def check(what, holds, found=""):
    global failures
    if not holds:
        failures += 1
    print(f"{'ok  ' if holds else 'FAIL'} {what}" + ("" if holds else f": {found!r}"), flush=True)


PICKED = "(document.getElementById(document.getElementById('drawing').getAttribute('aria-activedescendant')) || {}).textContent"
FOCUS = "document.activeElement.id || document.activeElement.className"
COUNTS = "document.getElementById('counts').textContent"
DETAILS = "document.getElementById('details').textContent"
HEIGHT = "document.getElementById('drawing').scrollHeight"


def number(text):
    return int(text.split(" ")[0].replace(",", ""))


def landmarks(page):
    tree = page.tree()
    roles = [role for role, _, _ in tree]
    for role in ["banner", "main", "navigation", "complementary"]:
        check(f"there is a landmark {role}", role in roles, sorted(set(roles)))
    check("there is one heading of the first level", sum(role == "heading" and more.get("level") == 1 for role, _, more in tree) == 1)
    levels = [more["level"] for role, _, more in tree if role == "heading"]
    check("no level of headings is passed over", all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels)
    unnamed = [role for role, name, _ in tree if role in ("button", "combobox", "searchbox", "listbox", "option", "link") and not name.strip()]
    check("everything that can be used has a name", unnamed == [], unnamed)
    check("the drawing is a list box", ("listbox", "Events, recorded and replayed") in [(role, name) for role, name, _ in tree])


def skip_link(page):
    page.value("document.activeElement.blur()")
    page.key("Tab")
    check("the first stop of the tab key is the skip link", page.value(FOCUS) == "skip", page.value(FOCUS))
    page.key("Enter")
    check("the skip link leads to the content", page.value("location.hash") == "#main")


def keyboard(page):
    page.value("document.getElementById('drawing').focus()")
    page.frame()
    first = page.value(PICKED)
    check("focus picks an event", bool(first), first)
    page.key("ArrowDown")
    second = page.value(PICKED)
    check("the arrow key walks", second and second != first, second)
    options = [(name, more) for role, name, more in page.tree() if role == "option" and more.get("selected")]
    check("the picked option is told with its words", any(second in name for name, _ in options), options)
    page.key("End")
    check("End goes to the last", page.value(PICKED + " !== undefined") and page.value(
        "document.querySelector('[role=option][aria-selected=true]').getAttribute('aria-posinset')") == str(number(page.value(COUNTS))))
    page.key("Home")
    check("Home goes to the first", page.value(PICKED) == first)
    page.key("PageDown")
    check("a page further is further", page.value(PICKED) != first)
    page.key("Home")
    page.key("ArrowDown")
    page.key("Enter")
    check("Enter goes to the details", page.value(FOCUS) == "details-name", page.value(FOCUS))
    check("the focus can be seen", page.value("getComputedStyle(document.activeElement).outlineStyle") != "none")
    check("the details tell of the event", "direction" in page.value(DETAILS), page.value(DETAILS))
    page.key("Escape")
    check("Escape goes back", page.value(FOCUS) == "drawing", page.value(FOCUS))
    check("the event is still picked", page.value(PICKED) == second)


def click(page):
    page.key("0")
    page.key("Home")
    before = page.value(PICKED)
    page.click("#drawing", dx=200, dy=40 + 30 * 2.5)
    check("a click picks the row under it", page.value(
        "document.querySelector('[role=option][aria-selected=true]').getAttribute('aria-posinset')") == "3", page.value(PICKED))
    check("and shows it", page.value(PICKED) != before)


def filters(page):
    total = number(page.value(COUNTS))
    page.key("/")
    check("the slash goes to the filter", page.value(FOCUS) == "filter", page.value(FOCUS))
    page.type("notification")
    page.wait(COUNTS + ".split(' ')[0] !== '%s'" % format(total, ","))
    some = number(page.value(COUNTS))
    check("text filters", 0 < some < total, some)
    page.key("Escape")
    check("Escape takes the text away", number(page.value(COUNTS)) == total and page.value("document.getElementById('filter').value") == "")
    page.click("[data-kind=write]")
    writes = number(page.value(COUNTS))
    check("a kind filters", 0 < writes < total, writes)
    check("what it hides is told of no more", page.value(PICKED) is not None or "direction" not in page.value(DETAILS), page.value(DETAILS))
    check("its button is pressed", page.value("document.querySelector('[data-kind=write]').getAttribute('aria-pressed')") == "true")
    page.click("[data-kind=write]")
    choose = "(e => { e.selectedIndex = %d; e.dispatchEvent(new Event('change')); })(document.getElementById('attribute'))"
    page.value(choose % 1)
    page.frame()
    check("an attribute filters", 0 < number(page.value(COUNTS)) < total)
    page.value(choose % 0)
    page.click("#only-marked")
    check("marked rows alone can be shown", 0 < number(page.value(COUNTS)) < total)
    page.click("#only-marked")
    check("all filters can be taken away", number(page.value(COUNTS)) == total)


def zoom(page):
    usual = page.value(HEIGHT)
    page.click("#zoom-in")
    near = page.value(HEIGHT)
    check("plus zooms in", near > usual, (usual, near))
    page.click("#zoom-out")
    page.click("#zoom-out")
    check("minus zooms out", page.value(HEIGHT) < near)
    page.click("#zoom-reset")
    check("1:1 is the usual size", abs(page.value(HEIGHT) - usual) <= 1, page.value(HEIGHT))
    page.wheel("#drawing", -200, ctrl=True)
    page.wait(HEIGHT + " > %d" % usual)
    check("the wheel with Ctrl zooms", True)
    page.click("#fit")
    check("all fits into view", page.value(HEIGHT) - page.value("document.getElementById('drawing').clientHeight") <= 2, page.value(HEIGHT))
    page.key("0")
    page.key("+")
    check("the key zooms", page.value(HEIGHT) > usual)
    page.key("0")


def marks(page):
    count = page.value("document.querySelectorAll('.marks button').length")
    check("marked places are listed", count >= 3, count)
    for kind in ["divergence", "fault", "misuse"]:
        place = page.value("[...document.querySelectorAll('.marks button')].findIndex(b => b.querySelector('.mark-%s'))" % kind)
        check(f"a {kind} is listed", place >= 0, place)
        page.value("document.querySelectorAll('.marks button')[%d].click()" % place)
        page.frame()
        check(f"the list jumps to the {kind}", kind + ": " in (page.value(PICKED) or ""), page.value(PICKED))
        check(f"the {kind} stands in the details", page.value("!!document.querySelector('#details .mark-%s')" % kind))
        check("the row is in view", page.value(
            "(() => { const d = document.getElementById('drawing'), o = document.querySelector('[role=option][aria-selected=true]');"
            " const row = (Number(o.getAttribute('aria-posinset')) - 1) * 30; return row >= d.scrollTop - 1 && row < d.scrollTop + d.clientHeight; })()"))
    page.value("[...document.querySelectorAll('.marks button')].find(b => b.querySelector('.mark-misuse')).click()")
    page.frame()
    check("a wrong use has a row of its own, at its time", page.value(PICKED).startswith("replayed at 0.7") and "recorded" not in page.value(PICKED),
          page.value(PICKED))
    page.value("[...document.querySelectorAll('.marks button')].find(b => b.textContent.includes('another value')).click()")
    page.frame()
    check("bytes that differ are marked on both sides", page.value("document.querySelectorAll('#details .bytes mark').length") >= 2)
    check("and counted", "byte differs, the first at 3." in page.value(DETAILS), page.value(DETAILS))
    page.key("]")
    after = page.value(PICKED)
    page.key("[")
    check("keys walk over the marks", page.value(PICKED) != after)


TIME = "Number(document.getElementById('timescale').getAttribute('aria-valuenow'))"
SPAN = "Number(document.getElementById('timescale').dataset.seconds)"


def timescale(page):
    """The time line to scale: 74 pixels on its left and 8 on its right are not the link's."""
    sliders = [name for role, name, _ in page.tree() if role == "slider"]
    check("the time line is a slider with a name", sliders == ["Place in the link's time"], sliders)
    whole = page.value(SPAN)
    box = "document.getElementById('timescale').getBoundingClientRect()"
    page.value("document.getElementById('timescale').scrollIntoView({block: 'center'})")
    page.frame()
    width = page.value(box + ".width") - 82
    check("it has as many colours as a drawing", page.value(
        "(() => { const c = document.querySelector('#timescale canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " return new Set(Array.from({length: d.length / 4}, (_, i) => d[4*i] << 16 | d[4*i+1] << 8 | d[4*i+2])).size; })()") > 5)
    times = page.value("(() => { let time = 0; return JSON.parse(document.getElementById('data').textContent)"
                       ".timelines[0].recorded.t.map(step => (time += step) / 1e9); })()")

    def nearest(share):
        return min(abs(time - share * whole) for time in times) + 2 * whole / width

    for share in [0.1, 0.5, 0.9]:
        page.click("#timescale", dx=74 + share * width, dy=28)
        page.frame()
        time = page.value(TIME)
        check("a click goes to what is nearest to the time under it", abs(time - share * whole) <= nearest(share), (share, time, whole))
        check("and picks what lies there", bool(page.value(PICKED)) and f"{time:.3f}" in page.value(PICKED), page.value(PICKED))
    told = page.value("document.getElementById('timescale').getAttribute('aria-valuetext')")
    check("its value is told in words", told == page.value(PICKED), told)
    page.value("document.getElementById('timescale').focus()")
    page.key("Home")
    first = page.value(PICKED)
    check("Home goes to the beginning", page.value(TIME) == 0, page.value(TIME))
    page.key("ArrowRight")
    check("the arrow key walks", page.value(PICKED) != first)
    page.key("ArrowLeft")
    check("and back", page.value(PICKED) == first)
    page.key("End")
    check("End goes to the end", page.value(TIME) > whole * 0.9, page.value(TIME))
    check("the focus stays", page.value(FOCUS) == "timescale", page.value(FOCUS))
    page.key("+")
    check("plus zooms the time", abs(page.value(SPAN) - whole / 1.5) < 0.001 * whole, page.value(SPAN))
    rows = page.value(HEIGHT)
    page.key("0")
    check("0 shows all", page.value(SPAN) == whole and page.value(HEIGHT) == rows, page.value(SPAN))
    page.wheel("#timescale", -200, ctrl=True)
    page.wait(SPAN + " < %f" % (whole * 0.9))
    check("the wheel with Ctrl zooms the time", True)
    page.key("Home")
    check("what is picked comes into view", page.value(TIME) == 0)
    page.value("document.getElementById('timescale').dispatchEvent(new MouseEvent('dblclick', {bubbles: true}))")
    check("a double click shows all", page.value(SPAN) == whole)
    page.drag("#timescale", (74 + 0.2 * width, 28), (74 + 0.8 * width, 28))
    check("pulling walks through the time", abs(page.value(TIME) - 0.8 * whole) <= nearest(0.8), page.value(TIME))
    page.value("document.getElementById('drawing').focus()")
    page.key("Home")


def table(page):
    page.value("document.getElementById('table').open = true")
    page.wait("document.querySelectorAll('#table tbody tr').length > 0")
    rows = page.value("document.querySelectorAll('#table tbody tr').length")
    check("the table has the rows of the drawing", rows == min(100, number(page.value(COUNTS))), rows)
    page.value("document.getElementById('table').open = false")
    page.frame()


def dark(page):
    back = "getComputedStyle(document.body).backgroundColor"
    light = page.value(back)
    page.click("#theme")
    check("dark text stands out", page.value(CONTRAST) == [], page.value(CONTRAST))
    check("the switch makes it dark", page.value(back) != light and page.value("getComputedStyle(document.documentElement).colorScheme") == "dark")
    check("and names the way back", page.value("document.getElementById('theme').getAttribute('aria-label')") == "Switch to light colours")
    page.click("#theme")
    check("and light again", page.value(back) == light)
    check("light text stands out", page.value(CONTRAST) == [], page.value(CONTRAST))


CONTRAST = """(() => {
  const light = text => { const n = parseInt(text.length === 4 ? [...text.slice(1)].map(c => c + c).join('') : text.slice(1), 16);
    const part = shift => { const v = (n >> shift & 255) / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0); };
  const style = getComputedStyle(document.documentElement), all = [];
  const pairs = {panel: ['ink', 'muted', 'accent', 'ok', 'bad', 'warn', 'central', 'peripheral', 'link'], back: ['ink', 'muted', 'accent'],
    'warn-back': ['ink', 'warn', 'muted'], 'bad-back': ['ink', 'bad', 'muted'], pick: ['ink', 'muted', 'warn', 'bad']};
  for (const [back, inks] of Object.entries(pairs)) for (const ink of inks) {
    const [one, other] = [back, ink].map(name => light(style.getPropertyValue('--' + name).trim())).sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) all.push([ink, back, ((one + 0.05) / (other + 0.05)).toFixed(2)].join(' '));
  }
  return all; })()"""


def hostile(page, path):
    check("hostile names make no element", page.value("document.querySelectorAll('img, iframe, svg, object, embed').length") == 0)
    check("there are two scripts: the data and the page's own", page.value("document.scripts.length") == 2)
    check("hostile names are shown as they are", page.value("document.body.textContent.includes('</script><img src=x onerror=')"))
    check("no character turns or hides text", page.value("!/[\\u0000-\\u0008\\u202a-\\u202e\\u2066-\\u2069\\u2028\\u2029]/.test("
          "[...document.querySelectorAll('#top, #main')].map(e => e.textContent).join(''))"))
    check("nothing was asked of a network", [url for url in page.requests if not url.startswith("file:")] == [], page.requests)
    check("nothing but the file was read", len(page.requests) == 1, page.requests)
    check("the console has no complaint", page.errors == [], page.errors)
    page.value("(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); })()")
    page.frame()
    check("no other script would run", page.value("window.ran === undefined"))
    check("no other file would be loaded", page.value(
        "new Promise(done => { const i = new Image(); i.onerror = () => done(true); i.onload = () => done(false); i.src = 'http://localhost:1/x'; })"))
    check("for the policy forbids it", page.blocked == ["csp"], page.blocked)


def run_page(path):
    with Page() as page:
        page.open(path)
        check("the page has its title", "check" in page.value("document.title"), page.value("document.title"))
        check("it says that it failed", "failed" in page.value("document.querySelector('header .badge').textContent"))
        for part in [landmarks, skip_link, keyboard, click, filters, zoom, timescale, marks, table, dark]:
            part(page)
        hostile(page, path)
    with Page(dark=True) as page:
        page.open(path)
        check("a system that is dark has a dark page", page.value("getComputedStyle(document.documentElement).colorScheme") == "dark")
    with Page(width=400, height=800) as page:
        page.open(path)
        page.value("document.getElementById('attribute').options[0].textContent = 'x'.repeat(200)")
        page.frame()
        check("a narrow screen need not be moved sideways", page.value("document.documentElement.scrollWidth") <= 400,
              page.value("document.documentElement.scrollWidth"))


def sweep_page(path):
    with Page() as page:
        page.open(path)
        cells = page.value("document.querySelectorAll('.cell').length")
        check("the map has a cell for each point", cells == 60, cells)
        looks = page.value("(() => { const all = {}; for (const c of document.querySelectorAll('.cell')) { const s = getComputedStyle(c);"
                           " all[c.classList[1]] = [s.borderTopStyle, s.borderTopLeftRadius, c.querySelector('b').textContent].join(); }"
                           " return Object.values(all); })()")
        check("outcomes differ by more than their colour", len(looks) == 5 and len(set(looks)) == 5, looks)
        options = [name for role, name, _ in page.tree() if role == "option" and name.startswith("point ")]
        check("each cell has a label", len(options) == 60, options[:3])
        page.value("document.querySelector('.map').focus()")
        page.frame()
        picked = "(document.querySelector('.cell[aria-selected=true]') || {dataset: {}}).dataset.place"
        check("focus picks a cell", page.value(picked) == "0", page.value(picked))
        page.key("ArrowRight")
        check("the arrow key walks", page.value(picked) == "1")
        page.key("ArrowDown")
        below = int(page.value(picked))
        check("and goes down a line", below > 10, below)
        page.key("ArrowUp")
        check("and up", page.value(picked) == "1")
        page.key("End")
        check("End goes to the last", page.value(picked) == "59")
        page.click(".cell.failed")
        details = page.value("document.querySelector('.sweep-details').textContent")
        check("a click shows the point's failures and verdict", "it broke" in details and "verdict: FAILED" in details, details)
        page.key("Enter")
        check("Enter goes to the details", page.value(FOCUS) == "sweep-0-details-name", page.value(FOCUS))
        page.key("Escape")
        check("Escape goes back to the map", page.value(FOCUS) == "map", page.value(FOCUS))
        visible = "[...document.querySelectorAll('.cell')].filter(c => c.offsetParent).length"
        page.click("[data-outcome=passed]")
        check("an outcome can be hidden", page.value(visible) == 48, page.value(visible))
        check("and the count says so", page.value("document.querySelector('.sweep output').textContent") == "48 of 60 points shown")
        page.key("Home")
        check("hidden cells are passed over", page.value("!!document.querySelector('.cell[aria-selected=true]').offsetParent"))
        for point, value in [(31, "1f"), (3, "03")]:
            page.value("document.querySelectorAll('.cell')[%d].click()" % point)
            page.click(".to-sequence")
            check("a point leads to its entry, of its own scenario", "Write Request" in page.value(PICKED) and f"· {value}" in page.value(PICKED),
                  page.value(PICKED))
        check("and the drawing has the focus", page.value(FOCUS) == "drawing")
        landmarks_of_sweep = [role for role, _, _ in page.tree()]
        check("the map is a list box in a landmark", "listbox" in landmarks_of_sweep and "complementary" in landmarks_of_sweep)
        check("the console has no complaint", page.errors == [], page.errors)


def long_page(path, expected=None):
    with Page() as page:
        seconds = page.open(path)
        page.value("window.tasks = []; new PerformanceObserver(list => { for (const e of list.getEntries()) tasks.push(e.duration); })"
                   ".observe({type: 'longtask'})")
        nodes = page.value("document.querySelectorAll('*').length")
        if expected is None:
            # Of several links the one with the most rows.
            page.value("(e => { const counts = [...e.options].map((_, i) => { e.selectedIndex = i; e.dispatchEvent(new Event('change'));"
                       " return Number(document.getElementById('counts').textContent.split(' ')[0].replace(',', '')); });"
                       " e.selectedIndex = counts.indexOf(Math.max(...counts)); e.dispatchEvent(new Event('change')); })"
                       "(document.getElementById('timeline'))")
            page.frame()
        rows = number(page.value(COUNTS))
        page.value("""new Promise(done => {
            const drawing = document.getElementById('drawing'), end = drawing.scrollHeight - drawing.clientHeight;
            let step = 0;
            const go = () => { drawing.scrollTop = end * step / 200; if (step++ < 200) requestAnimationFrame(go); else done(true); };
            go(); })""")
        page.value("document.getElementById('fit').click()")
        page.frame()
        page.key("/")
        page.type("fe")
        page.frame()
        longest = page.value("Math.max(0, ...tasks)")
        print(f"figure: {path.split('/')[-1]}: loaded and drawn in {seconds:.2f} s, {rows} rows in the longest link, "
              f"{nodes} DOM nodes, longest task {longest:.0f} ms")
        if expected:
            check("all rows are there", rows == expected, rows)
        check("only what is visible is there", nodes < 3000, nodes)
        check("no task holds the page up", longest < 1500, longest)
        check("the page opens soon", seconds < 20, seconds)
        check("the console has no complaint", page.errors == [], page.errors)


if __name__ == "__main__":
    try:
        if sys.argv[1] == "--capture":
            long_page(sys.argv[2])
        else:
            run_page(sys.argv[1])
            sweep_page(sys.argv[2])
            long_page(sys.argv[3], expected=10002)
    except BrowserError as error:
        print(f"FAIL {error}")
        failures += 1
    sys.exit(1 if failures else 0)
