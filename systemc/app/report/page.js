"use strict";
// The page: reads its data, lets the reader choose a result, and defines helpers shared by all sections.
const data = JSON.parse(document.getElementById("data").textContent);
const main = d3.select("#main");
let chosen = 0;

const isNumber = value => typeof value === "number" && Number.isFinite(value);
const kWhole = new Intl.NumberFormat("en"), kParted = new Intl.NumberFormat("en", {maximumFractionDigits: 6});
const number = (value, digits = 4) =>
  typeof value === "string" ? value
    : typeof value === "boolean" ? (value ? "yes" : "no")
    : !isNumber(value) ? "–"
    : Number.isInteger(value) ? kWhole.format(value)
    : kParted.format(Number(value.toPrecision(digits)));
const percent = value => isNumber(value) ? (100 * value).toFixed(1) + "%" : "–";
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

function scaled(value, units) {
  if (!isNumber(value)) return "–";
  const [unit, size] = units.find(([, size]) => Math.abs(value) >= size) || units[units.length - 1];
  return number(value / size) + " " + unit;
}
// 1234567 ns as "1.235 ms", 1048576 B as "1 MiB".
const duration = ns => scaled(ns, [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]]);
const volume = bytes => scaled(bytes, [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["B", 1]]);

const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const kPalette = ["blue", "orange", "green", "pink", "red", "sky", "brown", "yellow", "grey"];
const palette = i => color(kPalette[i % kPalette.length]);

// The description of a result field.
const explanation = path => data.fields && data.fields[path] ? data.fields[path][1] : "";
// A figure with the unit of its result field.
const withUnit = (text, path) => data.fields && data.fields[path] && data.fields[path][0] ? `${text} ${data.fields[path][0]}` : text;

function section(id, title, note) {
  const box = main.append("section").attr("id", id);
  box.append("h2").text(title);
  if (note) box.append("p").attr("class", "note").text(note);
  return box;
}

// Drawings have the width of their section, so that their text keeps its size.
const widthIn = box => Math.max(280, Math.min(1140, box.node().clientWidth - 34));
const shortened = (text, room) => text.length * 7 > room ? text.slice(0, Math.max(3, Math.floor(room / 7) - 1)) + "…" : text;
const nameRoom = (width, names) => Math.min(0.32 * width, 20 + 7 * d3.max(names, n => n.length));

const tip = d3.select("#tip");
function showTip(event, text) {
  tip.attr("hidden", null).text(text);
  const box = tip.node().getBoundingClientRect();
  tip.style("left", Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 8)) + "px")
    .style("top", Math.max(4, Math.min(event.clientY + 12, innerHeight - box.height - 8)) + "px");
}
const hideTip = () => tip.attr("hidden", true);
// Adds a tooltip to every element of a selection; phones show it on a tap.
function tipped(selection, text) {
  return selection.on("mousemove click", (event, d) => showTip(event, text(d))).on("mouseleave", hideTip);
}

function legend(box, entries) {
  const items = box.append("div").attr("class", "legend").selectAll("span").data(entries).enter().append("span");
  items.append("i").style("background", d => d[1]);
  items.append("span").text(d => d[0]);
}

// Columns of words, which are aligned at the left.
const kWordy = new Set(["meaning", "failed", "effect", "unfinished"]);

function table(box, headings, rows) {
  const made = box.append("div").attr("class", "wide").append("table").attr("class", headings.length > 9 ? "many" : null);
  made.append("thead").append("tr").selectAll("th").data(headings).enter().append("th").attr("class", d => kWordy.has(d) ? "text" : null).each(function (heading) {
    // Long names of keys may be broken after dots and underscores.
    for (const part of heading.length > 14 ? heading.split(/(?<=[._])/) : [heading]) this.append(part, document.createElement("wbr"));
  });
  made.append("tbody").selectAll("tr").data(rows).enter().append("tr")
    .selectAll("td").data(d => d).enter().append("td").attr("class", (d, i) => headings[i] === "meaning" || (typeof d === "string" && d.length > 60) ? "text" : kWordy.has(headings[i]) ? "left" : null)
    .text(d => typeof d === "number" ? number(d) : d).classed("tight", function () { return this.textContent.length <= 12; });
  return made;
}

// A table with the numbers of the figure above it; the table can be copied.
function behind(box, headings, rows, title = "Table") {
  const details = box.append("details").attr("class", "behind");
  details.append("summary").text(title);
  details.append("button").attr("type", "button").attr("class", "copy").text("Copy").on("click", () =>
    copyText([headings, ...rows].map(row => row.join("\t")).join("\n")));
  details.on("toggle.fill", () => {
    if (details.select("table").empty()) table(details, headings, rows);
  });
}

// Also works for pages opened from files, for which navigator.clipboard is unavailable.
function copyText(text) {
  const area = d3.select("body").append("textarea").property("value", text);
  area.node().select();
  document.execCommand("copy");
  area.remove();
}

// {"a": {"b": 1}} as [["a.b", 1]].
function flat(value, path = "") {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, path ? path + "." + key : key));
}

function asYaml(value, indent = "") {
  return Object.entries(value).map(([key, inner]) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? indent + key + ":\n" + asYaml(inner, indent + "  ")
      : indent + key + ": " + (typeof inner === "string" ? inner : JSON.stringify(inner)) + "\n").join("");
}

// A whole configuration as a file for coppice run, which does not report keys without effect in files with this schema.
const configText = config => asYaml({schema: "coppice.result/1", config});

// Formats numbers as ranges: [0, 1, 2, 5] as "0–2, 5".
function ranges(list) {
  const sorted = [...list].sort((a, b) => a - b), parts = [];
  for (let i = 0, j; i < sorted.length; i = j) {
    for (j = i + 1; j < sorted.length && sorted[j] === sorted[j - 1] + 1;) ++j;
    parts.push(j - i === 1 ? `${sorted[i]}` : `${sorted[i]}–${sorted[j - 1]}`);
  }
  return parts.length > 12 ? parts.slice(0, 12).join(", ") + ", …" : parts.join(", ");
}

function cards(list) {
  const box = main.append("div").attr("class", "cards").attr("id", "figures").selectAll("div")
    .data(list.filter(([, value]) => value !== undefined && value !== null && value !== "–")).enter().append("div").attr("class", "card");
  box.append("b").text(d => typeof d[1] === "string" ? d[1] : number(d[1]));
  box.append("span").text(d => d[0]);
  // The third entry is the result field that a tooltip explains.
  tipped(box.filter(d => explanation(d[2]) !== ""), d => explanation(d[2]));
}

// Unpacks numbers (packed_numbers.h) into groups of `size`.
function unpacked(text, size) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", value = new Uint8Array(128), groups = [];
  [...digits].forEach((c, i) => { value[c.charCodeAt(0)] = i; });
  let group = [], number = 0, scale = 1;
  for (let i = 0; i < text.length; ++i) {
    const digit = value[text.charCodeAt(i)];
    number += (digit & 31) * scale;
    scale *= 32;
    if (digit & 32) continue;
    group.push(number % 2 ? -(number - 1) / 2 : number / 2);
    if (group.length === size) { groups.push(group); group = []; }
    number = 0;
    scale = 1;
  }
  return groups;
}

// Adds sentences that answer the reader's questions.
function answers(list) {
  const sentences = list.filter(Boolean);
  if (sentences.length === 0) return;
  main.append("section").attr("id", "answers").append("ul").selectAll("li").data(sentences).enter().append("li").text(d => d);
}

// A warning without the folder of its file, if the command line names files in this folder by absolute paths.
function locally(warning, command) {
  const words = [...(command || "").matchAll(/(?:^|\s)(?:'(\/[^']*\/)[^'/]*'|(\/[^\s']*\/)[^\s'/]*)(?=\s|$)/g)].map(m => m[1] || m[2]);
  const folder = d3.sort(words, w => -w.length).find(w => warning.startsWith(w));
  return (folder ? warning.slice(folder.length) : warning).replace(/^warning: /, "");
}

function show(index) {
  chosen = index;
  hideTip();
  main.selectAll("*").remove();
  const one = data.results[index];
  if (one.result.schema === "coppice.explore/1") return explored(one.result);
  const several = data.results.length > 1;
  d3.select("#title").text(several ? comparisonTitle(data.results) : headline(one.result));
  d3.selectAll("#results button").attr("aria-pressed", (d, i) => String(i === index));
  const kind = kKinds[kindOf(one.result)];
  if (several) {
    compare(data.results);
    main.append("h2").attr("id", "chosen").text(`${one.name}: ${headline(one.result)}`);
  }
  kind.summary(one);
  kind.sections(one);
  const missing = missingOf(one);
  if (missing) section("missing", "Not on this page", missing);
  const warned = [...(one.result.warnings || []), ...(one.result.assumptions || [])].map(w => locally(w, one.result.command));
  if (warned.length > 0) section("warnings", "Warnings and assumptions").append("ul").selectAll("li").data(warned).enter().append("li").text(d => d);
  if (one.result.config) section("config", "Configuration").append("pre").attr("tabindex", 0).text(configText(one.result.config));
  if (one.result.simulator) {
    table(section("simulator", "The simulation"), ["what", "figure", "meaning"], flat(one.result.simulator)
      .map(([k, v]) => [k, withUnit(number(JSON.parse(v)), "simulator." + k), explanation("simulator." + k)]));
  }
}

function start() {
  d3.select("#subtitle").text(data.results.length > 1 ? plural(data.results.length, "result") : data.results[0].name);
  if (data.results.length > 1) {
    d3.select("#results").selectAll("button").data(data.results).enter().append("button")
      .attr("type", "button").text(d => d.name).on("click", (event, d) => show(data.results.indexOf(d)));
  }
  d3.select("#footer").text("Generated by coppice " + data.version + "; drawn with D3.");
  show(0);
  // Redraws canvases and colours chosen by scripts when the theme changes or the page is printed.
  for (const media of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(media).addEventListener("change", () => show(chosen));
  }
}
