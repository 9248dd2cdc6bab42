"use strict";
// The page: reads its data, lets the reader choose a result, and builds the sections that apply to it.
const data = JSON.parse(document.getElementById("data").textContent);
const main = d3.select("#main");
let chosen = 0;

const number = (value, digits = 4) =>
  value === null || value === undefined ? "–"
    : typeof value !== "number" ? String(value)
    : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(digits)).toLocaleString("en", {maximumFractionDigits: 6});
const percent = value => (100 * value).toFixed(1) + "%";

// 1234567 ns as "1.235 ms".
function duration(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (Math.abs(ns) >= size) return number(ns / size) + " " + unit;
  }
  return number(ns) + " ns";
}

const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function section(id, title, note) {
  const box = main.append("section").attr("id", id);
  box.append("h2").text(title);
  if (note) box.append("p").attr("class", "note").text(note);
  return box;
}

// Drawings are as wide as their section, so that their text keeps its size.
const widthIn = box => Math.max(280, Math.min(1140, box.node().clientWidth - 34));
const shortened = (text, room) => text.length * 7 > room ? text.slice(0, Math.max(3, Math.floor(room / 7) - 1)) + "…" : text;

const tip = d3.select("#tip");
function showTip(event, text) {
  tip.attr("hidden", null).text(text);
  const box = tip.node().getBoundingClientRect();
  tip.style("left", Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 8)) + "px")
    .style("top", Math.max(4, Math.min(event.clientY + 12, innerHeight - box.height - 8)) + "px");
}
const hideTip = () => tip.attr("hidden", true);
// A tip for every element of a selection; phones show it on a tap.
function tipped(selection, text) {
  selection.on("mousemove click", d => showTip(d3.event, text(d))).on("mouseleave", hideTip);
  return selection;
}

function legend(box, entries) {
  const items = box.append("div").attr("class", "legend").selectAll("span").data(entries).enter().append("span");
  items.append("i").style("background", d => d[1]);
  items.append("span").text(d => d[0]);
}

function table(box, headings, rows) {
  const made = box.append("div").attr("class", "wide").append("table");
  made.append("thead").append("tr").selectAll("th").data(headings).enter().append("th").text(d => d);
  made.append("tbody").selectAll("tr").data(rows).enter().append("tr")
    .selectAll("td").data(d => d).enter().append("td").text(d => d);
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

const timeOf = result => result.time_ns !== undefined ? result.time_ns : result.time_s !== undefined ? 1e9 * result.time_s : undefined;

function headline(result) {
  const config = result.config || {};
  const topology = config.system && config.system.topology ? config.system.topology : {};
  const on = topology.kind ? " on " + topology.kind + (topology.dims ? " " + topology.dims.join("×") : "") : "";
  if (result.training) return "Training of " + result.training.model + on;
  if (result.traffic) return result.traffic.pattern + " traffic" + on;
  if (result.program) return (result.program.name ? "Program " + result.program.name : "A program") + on;
  if (result.jobs) return "Routing study" + on;
  if (result.layers) return "Layers of an accelerator";
  if (result.rows) return "Algorithms side by side" + on;
  const collective = config.collective || result.collective;
  if (collective && collective.op) return collective.op + " of " + collective.size + " by " + collective.algorithm + on;
  return "Result" + on;
}

function cards(result) {
  const list = [];
  const add = (what, value) => { if (value !== undefined && value !== null) list.push([what, value]); };
  const time = timeOf(result);
  if (time !== undefined) add("time", duration(time));
  if (result.cycles !== undefined) add("cycles", number(result.cycles));
  if (result.efficiency !== undefined) add("of the least possible time", percent(result.efficiency));
  if (result.algbw_gb_s !== undefined) add("algorithm bandwidth", number(result.algbw_gb_s) + " GB/s");
  if (result.busbw_gb_s !== undefined) add("bus bandwidth", number(result.busbw_gb_s) + " GB/s");
  if (result.link_utilization) add("link use, mean and most", percent(result.link_utilization.mean) + ", " + percent(result.link_utilization.max));
  if (result.training && result.training.normalized_performance !== undefined) add("computation over time", percent(result.training.normalized_performance));
  if (result.packet_latency_mean !== undefined) add("packet latency, cycles", number(result.packet_latency_mean));
  if (result.accepted_flits_per_node_cycle !== undefined) add("accepted flits a node and cycle", number(result.accepted_flits_per_node_cycle));
  if (result.hops_mean !== undefined) add("routers traversed", number(result.hops_mean));
  add("steps", result.steps);
  add("sums checked by", result.verified);
  add("fidelity", result.fidelity);
  const box = main.append("div").attr("class", "cards").attr("id", "figures").selectAll("div").data(list).enter()
    .append("div").attr("class", "card");
  box.append("b").text(d => d[1]);
  box.append("span").text(d => d[0]);
}

function show(index) {
  chosen = index;
  const {result, profile} = data.results[index];
  main.selectAll("*").remove();
  if (result.schema === "coppice.explore/1") return explored(result);
  d3.select("#title").text(headline(result));
  d3.selectAll("#results button").attr("aria-pressed", (d, i) => String(i === index));
  cards(result);
  if (data.results.length > 1) compare(data.results);
  breakdown(result);
  if (result.rows) algorithms(result);
  if (result.layers) layers(result);
  if (result.jobs) (result.program ? jobsOfProgram : jobs)(result);
  if (profile && profile.topology) network(result, profile);
  if (profile && profile.messages && profile.messages.length > 0) ports(profile);
  if (result.dimensions) dimensions(result);
  phases(result);
  if (profile && profile.messages && profile.messages.length > 0 && !result.program && !result.training) trees(profile);
  bound(result, profile);
  if (profile && profile.skipped) section("skipped", "Not simulated again", profile.skipped);
  if (result.config) section("config", "Configuration").append("pre").text(asYaml(result.config));
  if (result.simulator) {
    table(section("simulator", "The simulation"), ["what", "figure"], flat(result.simulator).map(([k, v]) => [k, number(JSON.parse(v))]));
  }
}

function start() {
  d3.select("#subtitle").text(data.results.length > 1 ? data.results.length + " results" : data.results[0].name);
  if (data.results.length > 1) {
    d3.select("#results").selectAll("button").data(data.results).enter().append("button")
      .attr("type", "button").text(d => d.name).on("click", (d, i) => show(i));
  }
  d3.select("#footer").text("Made by coppice " + data.version + "; drawn with D3.");
  show(0);
  // Canvases and colours that scripts chose follow a change of theme.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(chosen));
}
