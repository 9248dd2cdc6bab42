// Sections of figures: comparison, where time went, algorithms, layers, jobs, the bound.
const kParts = ["serialization", "latency", "dependencies", "lockstep", "contention", "credits", "finished"];
const kPartTexts = {
  serialization: "sending", latency: "memory, and data on its way", dependencies: "data not sent yet",
  lockstep: "the next timestep", contention: "held up by others", credits: "buffers too shallow", finished: "done",
};

// Horizontal bars: rows of {name, parts: [{name, value, color}]}.
function bars(box, rows, format) {
  const width = widthIn(box), left = Math.min(0.3 * width, 20 + 7 * d3.max(rows, d => d.name.length)), high = 26;
  const x = d3.scaleLinear().domain([0, d3.max(rows, d => d3.sum(d.parts, p => p.value)) || 1]).range([left, width - 115]);
  const svg = box.append("div").attr("class", "wide").append("svg")
    .attr("viewBox", `0 0 ${width} ${high * rows.length + 4}`).attr("role", "img");
  const row = svg.selectAll("g").data(rows).enter().append("g").attr("transform", (d, i) => `translate(0,${i * high})`);
  row.append("text").attr("x", left - 8).attr("y", 17).attr("text-anchor", "end").text(d => shortened(d.name, left));
  row.each(function (d) {
    let at = 0;
    const parts = d.parts.map(part => ({...part, begin: at, end: (at += part.value)}));
    tipped(d3.select(this).selectAll("rect").data(parts).enter().append("rect").attr("class", "bar")
      .attr("x", p => x(p.begin)).attr("width", p => Math.max(0, x(p.end) - x(p.begin)))
      .attr("y", 4).attr("height", high - 8).attr("fill", p => p.color), p => p.name + ": " + format(p.value));
    d3.select(this).append("text").attr("x", x(at) + 6).attr("y", 17).text(format(at));
  });
}

function breakdown(result) {
  const parts = result.time_breakdown_cycles;
  if (parts) {
    const box = section("breakdown", "Where the time went", "Cycles of a network-interface port, mean over ports.");
    const known = kParts.filter(p => parts[p] !== undefined).concat(Object.keys(parts).filter(p => !kParts.includes(p)));
    const painted = known.map(p => ({name: p, value: parts[p], color: color(p) || "#888"}));
    bars(box, [{name: "a port", parts: painted}], v => number(v) + " cycles");
    legend(box, painted.map(p => [`${kPartTexts[p.name] || p.name} ${percent(p.value / (d3.sum(painted, q => q.value) || 1))}`, p.color]));
    return;
  }
  const t = result.training;
  if (!t || t.total_ns === undefined) return;
  const box = section("breakdown", "Where the time went", "An iteration of training.");
  const painted = [
    {name: "forward", value: t.forward_ns, color: color("serialization")},
    {name: "backward", value: t.backward_ns, color: color("lockstep")},
    {name: "exposed communication", value: t.exposed_communication_ns, color: color("contention")},
  ].filter(p => p.value !== undefined);
  bars(box, [{name: "an iteration", parts: painted}], duration);
  legend(box, painted.map(p => [`${p.name} ${percent(p.value / t.total_ns)}`, p.color]));
}

function compare(results) {
  const box = section("compare", "Comparison");
  const timed = results.filter(r => timeOf(r.result) !== undefined);
  if (timed.length > 0) {
    bars(box, timed.map(r => ({name: r.name, parts: [{name: headline(r.result), value: timeOf(r.result), color: color("accent")}]})), duration);
  }
  const offered = results.filter(r => r.result.traffic && r.result.packet_latency_mean !== null);
  if (offered.length > 1) curve(box, offered);
  const fields = ["cycles", "time_ns", "efficiency", "algbw_gb_s", "busbw_gb_s", "steps", "packet_latency_mean", "accepted_flits_per_node_cycle", "fidelity", "verified"]
    .filter(f => results.some(r => r.result[f] !== undefined));
  table(box, ["result", ...fields], results.map(r => [r.name, ...fields.map(f => number(r.result[f]))]));
  const keys = results.map(r => new Map(flat(r.result.config || {})));
  const differing = [...new Set(keys.flatMap(k => [...k.keys()]))].filter(k => new Set(keys.map(m => m.get(k))).size > 1);
  if (differing.length > 0) {
    box.append("h2").text("Keys that differ");
    table(box, ["key", ...results.map(r => r.name)], differing.map(k => [k, ...keys.map(m => m.get(k) === undefined ? "–" : m.get(k).replace(/^"|"$/g, ""))]));
  }
}

// Lines over a common x: series of {name, color, points: [[x, y]]}.
function lines(box, series, xTitle, yTitle, xScale = d3.scaleLinear(), yScale = d3.scaleLinear()) {
  const width = widthIn(box), height = 260, edge = {left: 62, right: 16, top: 10, bottom: 40};
  const points = series.flatMap(s => s.points);
  const x = xScale.domain(d3.extent(points, p => p[0])).range([edge.left, width - edge.right]);
  const y = yScale.domain([yScale.base ? d3.min(points, p => p[1]) : 0, d3.max(points, p => p[1]) || 1]).nice().range([height - edge.bottom, edge.top]);
  const svg = box.append("div").attr("class", "wide").append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(7, xScale.base ? "~s" : undefined));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(d3.axisLeft(y).ticks(5, yScale.base ? "~s" : undefined));
  svg.append("text").attr("class", "soft").attr("x", width / 2).attr("y", height - 6).attr("text-anchor", "middle").text(xTitle);
  svg.append("text").attr("class", "soft").attr("transform", `translate(14,${height / 2}) rotate(-90)`).attr("text-anchor", "middle").text(yTitle);
  const line = d3.line().x(p => x(p[0])).y(p => y(p[1]));
  svg.selectAll("path.series").data(series).enter().append("path").attr("class", "series").attr("fill", "none")
    .attr("stroke-width", 1.8).attr("stroke", s => s.color).attr("d", s => line(s.points));
  for (const s of series) {
    if (s.points.length > 40) continue;
    tipped(svg.append("g").selectAll("circle").data(s.points).enter().append("circle").attr("r", 3.5).attr("fill", s.color)
      .attr("cx", p => x(p[0])).attr("cy", p => y(p[1])), p => `${s.name}\n${xTitle} ${number(p[0])}: ${number(p[1])}`);
  }
  if (series.length > 1) legend(box, series.map(s => [s.name, s.color]));
}

const palette = i => d3.schemeTableau10[i % 10];

function curve(box, offered) {
  const groups = d3.nest().key(r => `${r.result.traffic.pattern}, ${r.result.traffic.packet_flits} flits`).entries(offered);
  lines(box, groups.map((g, i) => ({name: g.key, color: palette(i), points: g.values
    .map(r => [r.result.traffic.rate, r.result.packet_latency_mean]).sort((a, b) => a[0] - b[0])})), "offered flits a node and cycle", "packet latency, cycles");
}

const bytesOf = size => {
  const [, figure, unit] = /^([\d.]+)\s*(\w*)$/.exec(String(size)) || [];
  const units = {B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, KB: 1e3, kB: 1e3, MB: 1e6, GB: 1e9};
  return figure === undefined ? NaN : Number(figure) * (units[unit] || 1);
};

function algorithms(result) {
  const box = section("algorithms", "Algorithms side by side");
  const rows = result.rows.filter(r => typeof r.time_ns === "number");
  const groups = d3.nest().key(r => r.algorithm).entries(rows);
  const sizes = new Set(rows.map(r => r.size));
  if (sizes.size > 1) {
    lines(box, groups.map((g, i) => ({name: g.key, color: palette(i), points: g.values.map(r => [bytesOf(r.size), r.time_ns]).sort((a, b) => a[0] - b[0])})),
      "bytes", "time, ns", d3.scaleLog(), d3.scaleLog());
  } else {
    bars(box, rows.map(r => ({name: r.algorithm, parts: [{name: r.algorithm, value: r.time_ns, color: color("accent")}]})), duration);
  }
  table(box, ["algorithm", "size", "time", "of the least possible time"], rows.map(r => [r.algorithm, r.size, duration(r.time_ns), r.efficiency === undefined ? "–" : percent(r.efficiency)]));
}

function layers(result) {
  const box = section("layers", "Layers", "Cycles of each pass of a layer, stalls included.");
  const groups = d3.nest().key(l => l.name).entries(result.layers);
  const passes = [...new Set(result.layers.map(l => l.pass))];
  bars(box, groups.map(g => ({name: g.key, parts: g.values.map(l => ({name: l.pass, value: l.cycles * (l.count || 1) + (l.stall_cycles || 0), color: palette(passes.indexOf(l.pass))}))})),
    v => number(v) + " cycles");
  legend(box, passes.map((p, i) => [p, palette(i)]));
  const fields = ["name", "pass", "m", "n", "k", "count", "cycles", "stall_cycles", "utilization", "bytes", "bound_by"];
  table(box, fields, result.layers.map(l => fields.map(f => number(l[f]))));
}

function jobs(result) {
  const box = section("jobs", "Jobs", "All-reduce of each job, and what it would take on links of its own.");
  bars(box, result.jobs.map((j, i) => ({name: `${i}: ${j.model}`, parts: [
    {name: "ideal", value: 1e9 * j.ideal_s, color: color("serialization")},
    {name: "beyond", value: 1e9 * Math.max(0, j.all_reduce_s - j.ideal_s), color: color("contention")}]})), duration);
  table(box, ["job", "copies", "all-reduce", "ideal", "slowdown"], result.jobs.map((j, i) => [`${i}: ${j.model}`, j.data_parallel, duration(1e9 * j.all_reduce_s), duration(1e9 * j.ideal_s), number(j.slowdown)]));
}

function jobsOfProgram(result) {
  const box = section("jobs", "Jobs");
  table(box, ["job", "arrival", "end", "iterations", "unfinished"], result.jobs.map(j => [j.name, duration(j.arrival_ns),
    duration(j.end_ns), number(j.iterations.length) + (j.of === undefined ? "" : " of " + number(j.of)), j.unfinished || ""]));
}

function bound(result, profile) {
  if (!result.bound) return;
  const box = section("bound", "The least possible time");
  const least = result.bound.time_ns;
  bars(box, [
    {name: "least possible", parts: [{name: "least possible", value: least, color: color("serialization")}]},
    {name: "this run", parts: [{name: "this run", value: result.time_ns, color: color("accent")}]},
  ], duration);
  const groups = groupsOf(result, profile);
  if (groups.length > 0) {
    box.append("p").text(`What proves it: ${groups.length} group${groups.length > 1 ? "s" : ""} of nodes; the network is drawn with a colour for each.`);
    table(box, ["group", "nodes"], groups.slice(0, 64).map((g, i) => [i, g.slice(0, 24).join(", ") + (g.length > 24 ? ", …" : "")]));
  }
}

// The groups of nodes that the bound names, as lists of nodes.
function groupsOf(result, profile) {
  const named = result.bound && result.bound.groups;
  const lists = Array.isArray(named) ? named.map(g => Array.isArray(g) ? g : g.accelerators || g.nodes || []) : [];
  if (lists.some(l => l.length > 0)) return lists;
  return profile && profile.cut && profile.cut.length > 0 ? [profile.cut] : [];
}
