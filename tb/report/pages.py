"""Opens pages of coppice report in headless Chromium and checks what must hold for every page."""

import shutil

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

SKIPPED = 77  # exit status of a skipped test
MOST_BYTES = 3 * 10**6

# Opens every table, selects up to three options of every list, and hovers over shapes and canvases. Returns all text
# that appears.
EXERCISE = """
const tip = document.getElementById("tip"), seen = [];
const hover = (e, x, y) => { e.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: x, clientY: y})); seen.push(tip.textContent); };
for (const details of document.querySelectorAll("details")) details.open = true;
document.querySelectorAll("details").forEach(d => d.dispatchEvent(new Event("toggle")));
for (const select of document.querySelectorAll("select")) {
  const before = select.value;
  for (const option of [...select.options].slice(0, 3)) {
    select.value = option.value;
    select.dispatchEvent(new Event("change"));
    seen.push(document.getElementById("main").innerText);
  }
  select.value = before;
  select.dispatchEvent(new Event("change"));
}
for (const shape of [...document.querySelectorAll("svg circle, svg rect, svg path, svg g")].slice(0, 400)) hover(shape, 9, 9);
for (const canvas of document.querySelectorAll("canvas")) {
  const box = canvas.getBoundingClientRect();
  for (let i = 0; i < 64; ++i) hover(canvas, box.left + box.width * (i % 8 + 0.5) / 8, box.top + box.height * (Math.floor(i / 8) + 0.5) / 8);
}
seen.push(document.getElementById("main").innerText, document.title, document.getElementById("title").innerText);
return seen.join("\\n");
"""

# Returns the faults of a page's drawings, one per line.
DRAWINGS = """
const wrong = [], where = e => { const s = e.closest("section"); return s ? s.id : e.tagName; };
for (const e of document.querySelectorAll("svg *")) {
  if ([...e.attributes].some(a => /NaN|undefined|Infinity/.test(a.value))) wrong.push(where(e) + ": " + e.outerHTML.slice(0, 200));
}
for (const e of document.querySelectorAll("svg, canvas")) {
  const box = e.getBoundingClientRect();
  if (box.width < 20 || box.height < 4) wrong.push(where(e) + ": a drawing of " + box.width + " by " + box.height);
}
for (const e of document.querySelectorAll(".figure svg")) {
  const cut = [...e.querySelectorAll("text")].map(t => t.textContent).filter(t => t.endsWith("…"));
  if (new Set(cut).size < cut.length) wrong.push(where(e) + ": names cut alike: " + cut.join(", "));
}
for (const e of document.querySelectorAll("svg")) {
  if (!e.querySelector("path, rect, circle, line")) wrong.push(where(e) + ": an svg without shapes");
}
const copy = Object.assign(document.createElement("canvas"), {width: 400, height: 400}).getContext("2d", {willReadFrequently: true});
for (const e of document.querySelectorAll("canvas")) {
  copy.clearRect(0, 0, 400, 400);
  copy.drawImage(e, 0, 0, 400, 400);
  const pixels = new Uint32Array(copy.getImageData(0, 0, 400, 400).data.buffer);
  if (pixels.every(p => p === pixels[0])) wrong.push(where(e) + ": an empty canvas");
}
for (const s of document.querySelectorAll("section")) {
  if (s.textContent.trim().length < 10) wrong.push(s.id + ": an empty section");
  if (s.querySelector("svg, canvas") && !s.querySelector("details.behind, table")) wrong.push(s.id + ": a picture without a table");
}
if (matchMedia("print").matches) {
  for (const e of document.querySelectorAll(".wide")) {
    if (e.scrollWidth > e.clientWidth + 1) wrong.push(where(e) + ": paper cuts off " + e.textContent.slice(0, 100));
  }
}
for (const t of document.querySelectorAll("table")) {
  if (!t.querySelector("td")) wrong.push(where(t) + ": an empty table");
}
return wrong;
"""


def available():
    return webdriver is not None and shutil.which("chromium") and shutil.which("chromedriver")


def browser(width, height):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def show(driver, page, width, theme="light", media=""):
    """Opens a page in a window of this width, in a theme ("light", "dark"), on screen (media "") or on paper ("print")."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": theme}]})
    driver.get(page.as_uri())


def back_to_normal(driver):
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def no_errors(test, driver):
    test.assertEqual([entry for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [])


def looks_right(test, driver, page):
    """Checks two widths, the dark theme and paper: nothing may be missing, empty or wider than the window. Uses all controls."""
    test.assertLessEqual(page.stat().st_size, MOST_BYTES)
    for width, theme, media in ((720, "light", "print"), (500, "dark", ""), (1280, "light", "")):
        show(driver, page, width, theme, media)
        test.assertEqual(driver.execute_script(DRAWINGS), [])
        test.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), width)
        no_errors(test, driver)
    text = driver.execute_script(EXERCISE)
    for line in text.splitlines():
        for wrong in ("undefined", "NaN", "[object", "Infinity", "other communication"):
            test.assertNotIn(wrong, line)
    test.assertEqual(driver.execute_script(DRAWINGS), [])
    no_errors(test, driver)
    back_to_normal(driver)
