// Timelines (on canvas) of jobs, of accelerators' roles, and of network interfaces' ports; and the trees of a schedule.

const kPrintedHeight = 780;  // height of a printed timeline in pixels, less than that of a page

// Rows of {label, spans: [{begin, end, color, text, title(), lane}]} ascending by begin, in ns; `lane` 1 is the lower half
// of a row; each of `stretches` [name, begin, end] has a button. Dragging and arrow keys move the view; + and -, or the
// wheel with Ctrl, zoom; 0 shows everything.
function timeline(box, allRows, {end, marks = [], stretches = [], high = 22, least = 1, id = "timeline"}) {
  // Paper has no scroll bar: a drawing that is taller than a page would leave blank pages.
  const rows = matchMedia("print").matches ? allRows.slice(0, Math.floor(kPrintedHeight / high)) : allRows;
  const bar = box.append("div").attr("class", "controls");
  const frame = box.append("div").attr("class", "frame"), canvas = frame.append("canvas").attr("id", id).attr("tabindex", 0).attr("role", "img")
    .attr("aria-label", `timeline of ${rows.length} rows; arrow keys move, plus and minus zoom, 0 shows all`);
  const left = Math.max(70, Math.min(0.24 * widthIn(box), 16 + 6.2 * d3.max(rows, r => r.label.length))), top = 20;
  let from = 0, to = end, width = 600;
  const clamp = (a, b) => {
    const length = Math.max(Math.min(least, end), Math.min(end, b - a));
    from = Math.max(0, Math.min(end - length, a));
    to = from + length;
  };
  const x = t => left + (t - from) / (to - from) * (width - left - 4);
  const back = px => from + (px - left) / (width - left - 4) * (to - from);
  function draw() {
    const height = top + rows.length * high + 4;
    canvas.style("width", "1px").style("height", height + "px");  // so that the frame shows a scroll bar only if needed
    width = Math.max(260, frame.node().clientWidth - 2);
    const ratio = Math.min(devicePixelRatio || 1, 16000 / Math.max(width, height));
    canvas.attr("width", width * ratio).attr("height", height * ratio).style("width", width + "px").style("height", height + "px");
    const pen = canvas.node().getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    const ink = color("ink"), soft = color("soft"), line = color("line");
    const ticks = d3.scaleLinear().domain([from, to]).ticks(Math.max(2, Math.floor((width - left) / 110)));
    const shown = tickText(ticks);
    for (const t of ticks) {
      pen.fillStyle = line;
      pen.fillRect(x(t), 0, 1, height);
      pen.fillStyle = soft;
      if (x(t) < width - 50) pen.fillText(shown(t), x(t) + 3, 12);
    }
    rows.forEach((row, i) => {
      const y = top + i * high;
      pen.fillStyle = ink;
      pen.fillText(shortened(row.label, left), 4, y + high / 2 + 4);
      const reached = [left, left];
      for (const s of row.spans) {
        if (s.end <= from || s.begin >= to) continue;
        const a = Math.max(left, x(s.begin)), b = Math.min(width - 2, Math.max(x(s.end), a + 0.6)), lane = s.lane || 0;
        if (b < reached[lane] + 0.3) continue;  // it would be invisible
        reached[lane] = b;
        const tall = row.halves ? (high - 5) / 2 : high - 5, at = y + 2 + (row.halves && lane ? tall + 1 : 0);
        pen.fillStyle = s.color;
        pen.fillRect(a, at, b - a, tall);
        if (s.text && b - a > 7 * s.text.length + 4 && tall > 8) {
          pen.fillStyle = readableOn(s.color);
          pen.fillText(s.text, a + 3, at + tall / 2 + 4);
        }
      }
    });
    for (const m of marks) {
      if (m.at < from || m.at > to) continue;
      pen.fillStyle = color("red");
      pen.fillRect(x(m.at) - 1, 0, 2.5, height);
    }
  }
  const zoom = (factor, around = (from + to) / 2) => { clamp(around - (around - from) * factor, around + (to - around) * factor); draw(); };
  const move = part => { clamp(from + part * (to - from), to + part * (to - from)); draw(); };
  for (const [text, act, name] of [["−", () => zoom(2), "zoom out"], ["+", () => zoom(0.5), "zoom in"], ["◀", () => move(-0.5), "earlier"], ["▶", () => move(0.5), "later"], ["all", () => { clamp(0, end); draw(); }, "show all"],
    ...stretches.map(([name, begin, end]) => [name, () => { clamp(begin, end); draw(); }, "show " + name])]) {
    bar.append("button").attr("type", "button").attr("aria-label", name).text(text).on("click", act);
  }
  if (rows.length < allRows.length) box.append("p").attr("class", "note").text(`Printed: the first ${rows.length} of ${allRows.length} rows.`);
  bar.append("span").attr("class", "note hint").text("Drag or press the arrow keys to move; press + and − or turn the wheel with Ctrl to zoom.");
  const node = canvas.node(), spot = event => { const place = node.getBoundingClientRect(); return [event.clientX - place.left, event.clientY - place.top]; };
  const under = event => {
    const [px, py] = spot(event), row = rows[Math.floor((py - top) / high)], t = back(px), slack = 2 * (to - from) / width;
    const mark = marks.find(m => Math.abs(m.at - t) < slack);
    if (mark) return mark.title;
    if (!row || px < left) return null;
    const lower = row.halves && (py - top) % high > high / 2 ? 1 : 0;
    const found = row.spans.filter(s => s.begin <= t + slack / 2 && s.end >= t - slack / 2 && (!row.halves || (s.lane || 0) === lower));
    const s = found.find(s => s.begin <= t && s.end >= t) || found[0];
    return s ? `${row.label}\n${s.title()}\n${between(s.begin, s.end)}: ${duration(s.end - s.begin)}` : null;
  };
  let held = null;
  canvas.on("pointerdown", event => { held = spot(event)[0]; node.setPointerCapture(event.pointerId); })
    .on("pointerup pointercancel", () => { held = null; })
    .on("pointermove", event => {
      if (held !== null && event.buttons) {
        const px = spot(event)[0], shift = (held - px) / (width - left) * (to - from);
        held = px;
        clamp(from + shift, to + shift);
        draw();
        return hideTip();
      }
      const text = under(event);
      if (text) showTip(event, text); else hideTip();
    })
    .on("click", event => { const text = under(event); if (text) showTip(event, text); })
    .on("pointerleave", hideTip)
    .on("wheel", event => { if (!event.ctrlKey) return; event.preventDefault(); zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, back(spot(event)[0])); }, {passive: false})
    .on("keydown", event => {
      const act = {ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => { clamp(0, end); draw(); }}[event.key];
      if (act) { event.preventDefault(); act(); }
    });
  draw();
}

// Formats times up to `most` in one unit, with as many decimal places as a step needs; `padded`: including trailing zeros.
function timeText(most, step, padded) {
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, s]) => most >= s) || ["ns", 1];
  const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / size) + 1e-9)));
  return t => (t / size).toLocaleString("en", {minimumFractionDigits: padded ? places : 0, maximumFractionDigits: places}) + " " + unit;
}
const tickText = ticks => timeText(Math.abs(ticks[ticks.length - 1] || 1), ticks.length > 1 ? ticks[1] - ticks[0] : 1, true);

// "3.5432 s to 3.543275 s": both ends in one unit, to a thousandth of their distance.
function between(begin, end) {
  const text = timeText(end, (end - begin || 1) / 1000, false);
  return `${text(begin)} to ${text(end)}`;
}

// Draws a row for each role, a set of accelerators with the same operations: computation in the upper half, with a tone
// for each micro-batch; communication and waiting in the lower half.
function roles(one, iterations = []) {
  const profile = one.profile || {};
  const stretches = profile.stretches ? profile.stretches.filter(s => s.lanes) : profile.lanes ? [{...profile, begin_ns: 0}] : [];
  if (stretches.length === 0) return;
  const rows = new Map(), legends = new Map(), sums = new Map(), end = timeOf(one.result);
  for (const s of stretches) {
    const paints = s.parts.map((part, i) => i === 0 ? color("blue") : i === 1 ? color("sky") : i === 2 ? color("grey") : exposedColor(part));
    for (const lane of s.lanes) {
      const key = `${lane.ranks.length === 1 ? "rank" : "ranks"} ${ranges(lane.ranks)}`;
      if (!rows.has(key)) rows.set(key, {label: key, halves: true, spans: []});
      const computing = [], spans = unpacked(lane.spans, 4);
      let at = 0;
      for (const [wait, length, part] of spans) {
        at += wait;
        if (part < 2) computing.push([at, at + length]);
      }
      at = 0;
      for (const [wait, length, part, name] of spans) {
        at += wait;
        const text = name < 0 ? `${-name} operations` : s.names[name], words = part > 2 ? communication(s.parts[part], s.parts.slice(3)) : s.parts[part];
        const batch = /^(forward|backward)\w* (\d+)\b/.exec(text), back = /backward|gradient/.test(text);
        const paint = part === 0 ? tone(back ? color("green") : color("blue"), batch ? Number(batch[2]) : 0) : paints[part];
        // An accelerator that computes does not wait.
        const pieces = part === 2 ? without([at, at + length], computing) : [[at, at + length]];
        for (const [begin, end] of pieces) rows.get(key).spans.push({begin: s.begin_ns + begin * s.cycle_ns, end: s.begin_ns + end * s.cycle_ns, color: paint, lane: part > 1 ? 1 : 0,
          text: part === 0 && batch ? batch[2] : "", title: () => `${words}: ${text}`});
        legends.set(part === 0 ? (back ? "compute, backward" : "compute") : words, part === 0 ? (back ? color("green") : color("blue")) : paints[part]);
        const sum = sums.get(key) || new Map();
        sum.set(words, (sum.get(words) || 0) + d3.sum(pieces, p => p[1] - p[0]) * s.cycle_ns);
        sums.set(key, sum);
      }
    }
  }
  const box = section("roles", "Accelerators over time", "Accelerators with the same operations share a row, which shows the first of them. Upper half: computation, with a tone for each micro-batch. Lower half: communication, hidden or exposed, and waiting for others.");
  const marks = (one.result.failures || []).map(f => ({at: f.at_ns, title: `${f.failed} failed: ${f.effect}`}));
  const cycle = stretches[0].cycle_ns || 1;
  // Iterations follow each other without gaps if there are no failures and no other jobs.
  const ends = d3.cumsum(iterations, ([, ns]) => ns), few = ends.length > 1 && ends.length <= 6 && Math.abs(ends[ends.length - 1] - end) < 1e-3 * end;
  timeline(box, [...rows.values()], {end, marks, high: 30, least: 8 * cycle, id: "role-lines", stretches: few ? iterations.map(([name, ns], i) => [name, ends[i] - ns, ends[i]]) : []});
  legend(box, d3.sort(legends, ([name]) => !name.startsWith("compute")));
  const words = [...new Set([...sums.values()].flatMap(m => [...m.keys()]))];
  behind(box, ["role", ...words], [...sums].map(([key, sum]) => [key, ...words.map(w => duration(sum.get(w) || 0))]));
}

// The parts of an interval that are outside other intervals, which are in ascending order.
function without([begin, end], others) {
  const left = [];
  for (let i = d3.bisector(o => o[1]).right(others, begin); i < others.length && others[i][0] < end; ++i) {
    if (others[i][0] > begin) left.push([begin, others[i][0]]);
    begin = Math.max(begin, others[i][1]);
  }
  if (begin < end) left.push([begin, end]);
  return left;
}

// A colour that distinguishes neighbouring micro-batches.
const tone = (paint, i) => { const c = d3.hsl(paint); c.l = Math.max(0.25, Math.min(0.75, c.l + [0, 0.14, 0.07, 0.2][i % 4])); return c.formatHex(); };

// Between collectives, a waiting port of a program or of training cannot be distinguished from an idle one.
const isAlone = result => !result.program && !result.training;
// Whether too few messages of a program or of training are kept to draw its ports.
const portsCut = ({result, profile, network}) => profile.messages_of === 1 && profile.messages_kept < profile.messages_in_all && network && network.accelerators > 1 && !isAlone(result);

// The verb for messages with final values: "gather" in collectives that reduce or gather, "send" in others.
function finalWord(result) {
  const gathers = ["all_reduce", "all_gather", "reduce_scatter", "reduce", "gather"];
  const kinds = new Set((result.collectives || []).map(c => gathers.includes(c.op)));
  return kinds.size === 2 ? "gather or send" : kinds.has(false) ? "send" : "gather";
}

// A message is [source, port, free, data, issued, head, tail, done, flow, op, step, destination]. Times are in cycles; each
// of them but the first is stored as the difference from the previous one.
function portTimeline(one) {
  const profile = one.profile || {}, messages = unpacked(profile.messages || "", 12);
  if (messages.length === 0 || portsCut(one)) return;
  const alone = isAlone(one.result);
  const ns = profile.cycle_ns, groups = new Map(), ports = 1 + d3.max(messages, m => m[1]), word = m => m[9] ? finalWord(one.result) : "reduce";
  const paints = {data: color("orange"), "lockstep or launch": color("pink"), memory: color("sky"), 0: color("brown"), 1: color("blue")};
  for (const m of messages) {
    const key = ports > 1 ? `${m[0]}, port ${m[1]}` : `accelerator ${m[0]}`;
    if (!groups.has(key)) groups.set(key, {label: key, order: m[0] * 4096 + m[1], spans: []});
    const spans = groups.get(key).spans, data = m[2] + m[3], issued = data + m[4], head = issued + m[5], tail = head + m[6];
    for (const [name, begin, end] of [["data", m[2], data], ["lockstep or launch", data, issued], ["memory", issued, head]]) {
      if (alone && end > begin) spans.push({begin: begin * ns, end: end * ns, color: paints[name], title: () => `waits for ${name}`});
    }
    spans.push({begin: head * ns, end: (tail + 1) * ns, color: paints[m[9]], text: `${word(m)} ${m[8]}`, title: () => `${word(m)} of flow ${m[8]}, step ${m[10]}, to ${m[11]}; arrives at ${duration((tail + m[7]) * ns)}`});
  }
  const rows = [...groups.values()].sort((a, b) => a.order - b.order);
  for (const row of rows) row.spans.sort((a, b) => a.begin - b.begin);
  const box = section("ports", "Ports over time", alone ? "What each port of a network interface sends and what it waits for. In the breakdown above, waiting for data counts as dependencies until the data is sent, and as latency or contention while it is in flight." : "What each port of a network interface sends.");
  timeline(box, rows, {end: profile.time_ns, high: rows.length > 64 ? 16 : 20, least: 8 * ns, id: "port-lines"});
  const seen = new Set(rows.flatMap(r => r.spans.map(s => s.color)));
  legend(box, [["reduce", paints[0]], [finalWord(one.result), paints[1]], ["waits for data", paints.data], ["waits for lockstep or launch", paints["lockstep or launch"]], ["waits for memory", paints.memory]].filter(e => seen.has(e[1])));
  behind(box, [ports > 1 ? "accelerator, port" : "accelerator", "messages", "sending", "waiting"], rows.map(r => [r.label, r.spans.filter(s => s.text).length,
    duration(d3.sum(r.spans.filter(s => s.text), s => s.end - s.begin)), duration(d3.sum(r.spans.filter(s => !s.text), s => s.end - s.begin))]));
}

function dimensions(result) {
  if (!Array.isArray(result.dimensions) || result.dimensions.length === 0) return;
  const box = section("dimensions", "Dimensions", "The use of each dimension of the hierarchy.");
  const window = result.window_ns, name = (d, i) => `${i}: ${d.kind} of ${d.size}`;
  if (window && result.dimensions.some(d => (d.busy || []).length > 1)) {
    lines(box, result.dimensions.map((d, i) => ({name: name(d, i), color: palette(i), points: (d.busy || []).map((v, w) => [w * window, v])})), "time", "busy", {xFormat: duration, yFormat: percent});
  }
  box.append("p").attr("class", "note").text("Utilization counts only data, relative to the bandwidth; busy is the share of the time for which links are occupied, also by the heads of packets and messages and by the overhead of protocols.");
  table(box, ["dimension", "bandwidth", "bytes per accelerator", "utilization"], result.dimensions.map((d, i) => [name(d, i), number(d.bandwidth_gb_s) + " GB/s", volume(d.bytes_per_accelerator), percent(d.utilization)]));
}

// The edges of trees: [flow, op, source, destination, step].
function trees({profile, result}) {
  const flows = d3.groups(unpacked((profile && profile.trees) || "", 5), e => e[0]).sort((a, b) => a[0] - b[0]);
  if (flows.every(([, edges]) => edges.length < 2)) return;
  const box = section("trees", "How data moves", "The paths of one flow of the schedule. The small number at a node is the timestep of its message.");
  const controls = box.append("div").attr("class", "controls");
  controls.append("label").text("flow ").append("select").attr("id", "flow").selectAll("option").data(flows).enter().append("option").attr("value", (d, i) => i).text(d => d[0]);
  const way = controls.append("select").attr("id", "way").attr("aria-label", "phase"), drawing = box.append("div");
  const draw = () => {
    drawing.selectAll("*").remove();
    const edges = flows[Number(box.select("#flow").property("value"))][1];
    const phases = [[1, finalWord(result) === "gather" ? "gather: final values" : `${finalWord(result)}: data`], [0, "reduce: partial sums"]].filter(([op]) => edges.some(e => e[1] === op));
    const before = way.property("value");
    way.selectAll("option").remove();
    way.selectAll("option").data(phases).enter().append("option").attr("value", d => d[0]).text(d => d[1]);
    if (phases.some(([op]) => String(op) === before)) way.property("value", before);
    const op = Number(way.property("value"));
    drawTree(drawing, edges.filter(e => e[1] === op), op);
  };
  box.select("#flow").on("change", draw);
  way.on("change", draw);
  draw();
}

const kMostLeaves = 100;

// Draws a chain as a winding line and a tree from its root; shows anything else as a table.
function drawTree(box, edges, op) {
  const up = new Map();  // [child]: the edge from its parent
  for (const [, , source, destination, step] of edges) {
    const [parent, child] = op === 1 ? [source, destination] : [destination, source];
    if (!up.has(child)) up.set(child, {parent, child, step});
  }
  const all = new Set([...up.values()].flatMap(e => [e.parent, e.child])), roots = [...all].filter(n => !up.has(n));
  const rows = edges.map(e => [String(e[2]), String(e[3]), String(e[4])]).sort((a, b) => a[2] - b[2]);
  let tree = null;
  if (roots.length === 1) {
    try {
      tree = d3.stratify().id(e => e.child).parentId(e => e.parent)([{child: roots[0], parent: null, step: 0}, ...up.values()]);
    } catch (error) { tree = null; }  // there is a cycle, as in all-to-alls
  }
  if (!tree || tree.leaves().length > kMostLeaves) {
    box.append("p").text(tree ? `A tree of ${plural(all.size, "node")} in ${plural(tree.height + 1, "level")}, too wide to draw.`
      : `This flow is not a tree: ${plural(rows.length, "message")} between ${plural(all.size, "node")}, which the table lists.`);
    return behind(box, ["from", "to", "timestep"], rows);
  }
  const room = widthIn(box), leaves = tree.leaves().length, paint = op === 1 ? color("blue") : color("brown");
  let width, height;
  if (leaves === 1) {
    const gap = 52, columns = Math.max(4, Math.floor((room - 20) / gap));
    tree.each(d => { const row = Math.floor(d.depth / columns), k = d.depth % columns; d.x = 22 + gap * (row % 2 ? columns - 1 - k : k); d.y = 20 + 50 * row; });
    width = Math.min(tree.height + 1, columns) * gap; height = 20 + 50 * (Math.floor(tree.height / columns) + 1);
  } else {
    d3.tree().nodeSize([1, 52])(tree);
    const [least, most] = d3.extent(tree.descendants(), d => d.x), gap = Math.max(34, Math.min(46, (room - 60) / (most - least)));
    width = gap * (most - least) + 60; height = 60 + 52 * tree.height;
    tree.each(d => { d.x = 20 + gap * (d.x - least); d.y += 18; });
  }
  const frame = box.append("div").attr("class", "frame");
  const svg = frame.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("id", "tree").style("width", width + "px");
  frame.node().scrollLeft = tree.x - frame.node().clientWidth / 2;
  svg.selectAll("path").data(tree.links()).enter().append("path").attr("class", "link").attr("stroke", paint).attr("stroke-width", 1.4)
    .attr("d", leaves === 1 ? d => `M${d.source.x},${d.source.y}L${d.target.x},${d.target.y}` : d3.linkVertical().x(d => d.x).y(d => d.y));
  const node = svg.selectAll("g").data(tree.descendants()).enter().append("g").attr("class", "node").attr("transform", d => `translate(${d.x},${d.y})`);
  node.append("circle").attr("r", 10);
  node.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").style("font-size", "10px").text(d => d.id);
  node.filter(d => d.parent).append("text").attr("class", "soft close").attr("text-anchor", leaves === 1 ? "middle" : "start").attr("x", leaves === 1 ? 0 : 10).attr("y", leaves === 1 ? 21 : -7).style("font-size", "10px").text(d => d.data.step);
  tipped(node, d => d.parent ? `${d.data.parent} ${op === 1 ? "to" : "from"} ${d.id} in timestep ${d.data.step}` : `${d.id}: the root`);
  behind(box, ["from", "to", "timestep"], rows);
}

start();
