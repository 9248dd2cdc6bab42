// Time lines: of ports, dimensions, the phases of training and programs; and the trees of a schedule.
// A message is [src, port, free, data, issued, head, tail, done, flow, op, step, dst], times in cycles.
const kWaits = [["dependencies", 2, 3], ["lockstep", 3, 4], ["latency", 4, 5]];

function ports(profile) {
  const rows = d3.nest().key(m => m[0] + ":" + m[1]).entries(profile.messages).map(r => ({key: r.key, messages: r.values}));
  rows.sort((a, b) => { const [p, q] = a.key.split(":").map(Number), [r, s] = b.key.split(":").map(Number); return p - r || q - s; });
  const note = `What each port of a network interface does over time${profile.messages.length < profile.messages_in_all ? `: the first ${number(profile.messages.length)} of ${number(profile.messages_in_all)} messages` : ""}. Drag the slider to look closer.`;
  const box = section("ports", "Time lines of ports", note);
  const controls = box.append("div").attr("class", "controls");
  controls.append("span").text("zoom");
  const zoom = controls.append("input").attr("type", "range").attr("id", "zoom").attr("min", 0).attr("max", 6).attr("step", 0.5).attr("value", 0).attr("aria-label", "zoom");
  const high = rows.length > 128 ? 7 : rows.length > 32 ? 10 : 16, left = 64;
  const frame = box.append("div").attr("class", "wide").style("max-height", "420px").style("overflow", "auto");
  const canvas = frame.append("canvas").attr("id", "port-lines");
  const end = d3.max(profile.messages, m => m[7]);
  const nsOf = cycles => cycles * profile.cycle_ns;
  let width = 760;
  const x = d3.scaleLinear();
  const draw = () => {
    const seen = Math.max(280, frame.node().clientWidth - 2);
    width = Math.min(seen * Math.pow(2, Number(zoom.property("value"))), 16000);
    x.domain([0, end]).range([left, width - 6]);
    const ratio = Math.min(devicePixelRatio || 1, 16000 / width), height = rows.length * high + 20;
    canvas.attr("width", width * ratio).attr("height", height * ratio).style("width", width + "px").style("height", height + "px");
    const pen = canvas.node().getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = color("soft");
    for (const tick of x.ticks(Math.max(4, width / 120))) {
      pen.fillText(duration(nsOf(tick)), x(tick) + 2, 10);
      pen.fillRect(x(tick), 0, 0.5, height);
    }
    const paints = Object.fromEntries(kWaits.map(([part]) => [part, color(part)]));
    const ops = [color("reduce"), color("gather")];
    rows.forEach((row, i) => {
      const y = 18 + i * high;
      pen.fillStyle = color("soft");
      if (high > 9 || i % 2 === 0) pen.fillText(row.key.replace(":", " port "), 2, y + Math.min(high - 1, 9));
      for (const m of row.messages) {
        for (const [part, from, to] of kWaits) {
          if (m[to] <= m[from]) continue;
          pen.fillStyle = paints[part];
          pen.fillRect(x(m[from]), y + high / 3, x(m[to]) - x(m[from]), high / 4);
        }
        pen.fillStyle = ops[m[9]];
        pen.fillRect(x(m[5]), y + 1, Math.max(0.6, x(m[6] + 1) - x(m[5])), high - 2);
      }
    });
  };
  const under = event => {
    const place = canvas.node().getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - place.top - 18) / high)], cycle = x.invert(event.clientX - place.left);
    return row && row.messages.find(m => cycle >= m[2] && cycle <= m[6] + 1);
  };
  canvas.on("mousemove click", () => {
    const m = under(d3.event);
    if (!m) { hideTip(); return; }
    showTip(d3.event, `${m[0]} port ${m[1]}: ${m[9] === 0 ? "reduce" : "gather"} of flow ${m[8]}, step ${m[10]}, to ${m[11]}\nfrom ${duration(nsOf(m[5]))} to ${duration(nsOf(m[6] + 1))}, there at ${duration(nsOf(m[7]))}`);
  }).on("mouseleave", hideTip);
  zoom.on("input", draw);
  draw();
  legend(box, [["reduce", color("reduce")], ["gather", color("gather")], ["waits for data", color("dependencies")], ["waits for its timestep", color("lockstep")], ["memory", color("latency")]]);
}

function dimensions(result) {
  const box = section("dimensions", "Dimensions", "What each dimension of the hierarchy carried.");
  const window = result.window_ns;
  if (window && result.dimensions.some(d => d.busy)) {
    lines(box, result.dimensions.map((d, i) => ({name: `${i}: ${d.kind} of ${d.size}, busy`, color: palette(i), points: (d.busy || []).map((v, w) => [w * window / 1e3, v])})), "µs", "part of the time");
  }
  table(box, ["dimension", "bandwidth", "bytes an accelerator", "used"], result.dimensions.map((d, i) => [`${i}: ${d.kind} of ${d.size}`, number(d.bandwidth_gb_s) + " GB/s", number(d.bytes_per_accelerator), percent(d.utilization)]));
}

// Bars over time: rows of {name, spans: [{name, begin, end, color}]}, in ns.
function gantt(box, rows) {
  const width = widthIn(box), high = 18, left = Math.min(0.3 * width, 20 + 7 * d3.max(rows, r => r.name.length));
  const end = d3.max(rows, r => d3.max(r.spans, s => s.end)) || 1;
  const x = d3.scaleLinear().domain([0, end]).range([left, width - 10]);
  const svg = box.append("div").attr("class", "wide").append("svg").attr("viewBox", `0 0 ${width} ${rows.length * high + 24}`).attr("role", "img");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${rows.length * high + 2})`).call(d3.axisBottom(x).ticks(width / 130).tickFormat(duration));
  const row = svg.selectAll("g.row").data(rows).enter().append("g").attr("class", "row").attr("transform", (d, i) => `translate(0,${i * high})`);
  row.append("text").attr("x", left - 8).attr("y", 12).attr("text-anchor", "end").text(r => shortened(r.name, left));
  tipped(row.selectAll("rect").data(r => r.spans).enter().append("rect").attr("class", "span").attr("x", s => x(s.begin))
    .attr("width", s => Math.max(0.8, x(s.end) - x(s.begin))).attr("y", 3).attr("height", high - 6).attr("fill", s => s.color),
    s => `${s.name}: ${duration(s.begin)} to ${duration(s.end)}`);
}

// Accelerators and collectives of training and programs.
function phases(result) {
  const rows = [];
  const t = result.training;
  if (t && t.layers && t.layers.length > 0 && t.layers[0].forward_ns !== undefined) {
    let at = 0;
    const spans = t.layers.map(l => ({name: l.name + ", forward", begin: at, end: (at += l.forward_ns), color: color("serialization")}));
    for (const l of [...t.layers].reverse()) {
      spans.push({name: l.name + ", backward", begin: at, end: (at += l.input_gradient_ns + l.weight_gradient_ns), color: color("lockstep")});
    }
    rows.push({name: "computation", spans});
    if (t.exposed_communication_ns > 0 && t.total_ns !== undefined) {
      rows.push({name: "exposed communication", spans: [{name: "exposed communication", begin: t.total_ns - t.exposed_communication_ns, end: t.total_ns, color: color("contention")}]});
    }
    t.layers.filter(l => l.all_reduce_end_ns !== undefined).slice(0, 60).forEach(l => rows.push({name: "all-reduce of " + l.name,
      spans: [{name: "all-reduce of " + l.name, begin: l.all_reduce_begin_ns, end: l.all_reduce_end_ns, color: color("gather")}]}));
  }
  for (const c of (result.collectives || []).slice(0, 200)) {
    if (c.begin_ns !== undefined) rows.push({name: c.name || c.op, spans: [{name: `${c.op} of ${number(c.bytes)} B by ${c.algorithm}`, begin: c.begin_ns, end: c.end_ns, color: color("gather")}]});
  }
  if (rows.length > 0) gantt(section("phases", "Time lines of computation and collectives"), rows);
  if (Array.isArray(result.iterations) && result.iterations.length > 0 && result.iterations[0].time_ns !== undefined) {
    const box = section("iterations", "Iterations");
    const parts = [["compute_ns", "computation", "serialization"], ["exposed_ns", "exposed communication", "contention"], ["idle_ns", "idle", "finished"]];
    bars(box, result.iterations.map((it, i) => ({name: String(i), parts: parts.filter(([k]) => it[k] !== undefined).map(([k, name, paint]) => ({name, value: it[k], color: color(paint)}))})), duration);
  }
}

function trees(profile) {
  const flows = d3.nest().key(m => m[8]).sortKeys((a, b) => a - b).entries(profile.messages);
  const box = section("trees", "Trees of the schedule", "How the data of a flow moves: the figure at a node is the timestep of its message.");
  const controls = box.append("div").attr("class", "controls");
  controls.append("label").text("flow ").append("select").attr("id", "flow").selectAll("option").data(flows).enter().append("option").attr("value", (d, i) => i).text(d => d.key);
  const way = controls.append("select").attr("id", "way").attr("aria-label", "phase");
  const drawing = box.append("div").attr("class", "wide");
  const draw = () => {
    drawing.selectAll("*").remove();
    const messages = flows[Number(box.select("#flow").property("value"))].values;
    const phases = [[1, "gather: from the root"], [0, "reduce: to the root"]].filter(([op]) => messages.some(m => m[9] === op));
    const before = way.property("value");
    const options = way.selectAll("option").data(phases, d => d[0]);
    options.enter().append("option").attr("value", d => d[0]).text(d => d[1]);
    options.exit().remove();
    if (phases.some(([op]) => String(op) === before)) way.property("value", before);
    drawTree(drawing, messages, Number(way.property("value")));
  };
  box.select("#flow").on("change", draw);
  way.on("change", draw);
  draw();
}

function drawTree(box, messages, op) {
  const edges = new Map();  // of a child: its first message
  for (const m of messages.filter(m => m[9] === op)) {
    const [parent, child] = op === 1 ? [m[0], m[11]] : [m[11], m[0]];
    if (!edges.has(child)) edges.set(child, {parent, child, step: m[10]});
  }
  const all = new Set([...edges.values()].flatMap(e => [e.parent, e.child]));
  const roots = [...all].filter(n => !edges.has(n));
  let tree = null;
  if (roots.length === 1) {
    try {
      tree = d3.stratify().id(e => e.child).parentId(e => e.parent)([{child: roots[0], parent: null, step: 0}, ...edges.values()]);
    } catch (error) { tree = null; }
  }
  if (!tree) {
    table(box, ["from", "to", "timestep"], messages.filter(m => m[9] === op).slice(0, 200).map(m => [m[0], m[11], m[10]]));
    return;
  }
  const deep = tree.height, leaves = tree.leaves().length;
  const width = Math.max(360, Math.min(1500, 34 * leaves)), height = Math.min(900, 60 + 46 * deep);
  d3.tree().size([width - 40, height - 50])(tree);
  const svg = box.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("id", "tree").style("max-width", width + "px");
  const scene = svg.append("g").attr("transform", "translate(20,20)");
  scene.selectAll("path").data(tree.links()).enter().append("path").attr("class", "link").attr("stroke", op === 1 ? color("gather") : color("reduce")).attr("stroke-width", 1.3)
    .attr("d", d3.linkVertical().x(d => d.x).y(d => d.y));
  const node = scene.selectAll("g").data(tree.descendants()).enter().append("g").attr("class", "node").attr("transform", d => `translate(${d.x},${d.y})`);
  node.append("circle").attr("r", 9);
  node.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").style("font-size", "9px").text(d => d.id);
  node.filter(d => d.parent).append("text").attr("class", "soft").attr("text-anchor", "middle").attr("y", 20).style("font-size", "9px").text(d => d.data.step);
  tipped(node, d => d.parent ? `${d.data.parent} ${op === 1 ? "to" : "from"} ${d.id} in timestep ${d.data.step}` : `${d.id}: the root`);
}

start();
