// The network, drawn with the use of each link, over the whole run or in a window of it.
const kMostDrawn = 6000;  // channels

// Places of nodes: grids for tori and meshes, circles where all are alike, layers over switches.
function places(topology) {
  const {kind, dims, accelerators, nodes} = topology;
  const spots = new Array(nodes);
  if ((kind === "torus" || kind === "mesh") && dims.length >= 2) {
    const [w, h] = dims;
    const across = Math.ceil(Math.sqrt(accelerators / (w * h)));
    for (let n = 0; n < nodes; ++n) {
      const plane = Math.floor(n / (w * h)), x = n % w, y = Math.floor(n / w) % h;
      spots[n] = [(plane % across) * (w + 0.8) + x, Math.floor(plane / across) * (h + 0.8) + y];
    }
    return spots;
  }
  if (nodes === accelerators) {
    const radius = Math.max(1.2, nodes / 6);
    for (let n = 0; n < nodes; ++n) {
      const angle = 2 * Math.PI * n / nodes - Math.PI / 2;
      spots[n] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    }
    return spots;
  }
  const level = new Array(nodes).fill(-1);
  let front = d3.range(accelerators);
  for (const n of front) level[n] = 0;
  const next = d3.range(nodes).map(() => []);
  for (const [src, dst] of topology.channels) next[src].push(dst);
  for (let l = 1; front.length > 0; ++l) {
    front = [...new Set(front.flatMap(n => next[n]))].filter(n => level[n] < 0);
    for (const n of front) level[n] = l;
  }
  const rows = d3.nest().key(n => level[n]).sortKeys((a, b) => a - b).entries(d3.range(nodes));
  const width = d3.max(rows, r => r.values.length);
  const gap = Math.max(1.6, width / 7);
  for (const row of rows) row.values.forEach((n, i) => { spots[n] = [(i + 0.5) * width / row.values.length, -gap * Number(row.key)]; });
  return spots;
}

// Whether a channel of a torus joins the two ends of one of the two dimensions that are drawn straight.
function wraps(topology, src, dst) {
  let below = 1;
  for (const width of topology.dims.slice(0, 2)) {
    if (Math.abs(src - dst) === below * (width - 1) && width > 2) return true;
    below *= width;
  }
  return false;
}

function network(result, profile) {
  const topology = profile.topology;
  const box = section("network", "The network", `${topology.name}: ${topology.accelerators} accelerators, ${topology.nodes - topology.accelerators} switches, ${topology.channels.length} channels. Colours are the part of the time in which a link is busy.`);
  const windows = profile.windows ? profile.windows.busy : null;
  const whole = profile.busy;
  if (topology.channels.length > kMostDrawn) {
    box.append("p").text("Too many channels to draw; the busiest are:");
  } else {
    drawNetwork(box, result, profile, windows);
  }
  if (!whole) return;
  const busiest = d3.range(whole.length).sort((a, b) => whole[b] - whole[a]).slice(0, 8);
  const details = box.append("details");
  details.append("summary").text("The busiest channels");
  table(details, ["channel", "bandwidth", "busy"], busiest.map(c => [`${topology.channels[c][0]} → ${topology.channels[c][1]}`, number(topology.channels[c][2]) + " GB/s", percent(whole[c])]));
}

function drawNetwork(box, result, profile, windows) {
  const topology = profile.topology, spots = places(topology), whole = profile.busy;
  const [x0, x1] = d3.extent(spots, s => s[0]), [y0, y1] = d3.extent(spots, s => s[1]);
  const width = Math.min(760, widthIn(box)), scale = Math.min((width - 20) / (x1 - x0 + 1.2), 90);
  const height = Math.max(120, (y1 - y0 + 1.2) * scale), left = (width - (x1 - x0) * scale) / 2;
  const at = n => [left + (spots[n][0] - x0) * scale, 0.6 * scale + (spots[n][1] - y0) * scale];
  const radius = Math.max(3, Math.min(13, 0.2 * scale));
  const shade = d3.scaleSequential(t => d3.interpolateTurbo ? d3.interpolateTurbo(0.1 + 0.85 * t) : d3.interpolateYlOrRd(0.15 + 0.85 * t)).domain([0, 1]).clamp(true);
  const controls = box.append("div").attr("class", "controls");
  const svg = box.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("id", "network-drawing");
  const scene = svg.append("g");
  svg.call(d3.zoom().scaleExtent([1, 12]).filter(() => !d3.event.button && (d3.event.type !== "wheel" || d3.event.ctrlKey))
    .on("zoom", () => scene.attr("transform", d3.event.transform)));

  // Channels between the same nodes lie side by side. Those that wrap around leave the drawing at one end and
  // come in at the other; those between planes bend around the nodes between.
  const beside = new Map();
  const links = topology.channels.map(([src, dst], id) => {
    const key = src + ">" + dst, rank = beside.get(key) || 0;
    beside.set(key, rank + 1);
    return {id, src, dst, rank};
  });
  const most = d3.max([...beside.values()]);
  const step = Math.min(Math.max(2, 0.06 * scale), 0.5 * scale / most);
  const path = d => {
    const [ax, ay] = at(d.src), [bx, by] = at(d.dst), length = Math.hypot(bx - ax, by - ay) || 1;
    const nx = -(by - ay) / length, ny = (bx - ax) / length, side = step * (0.5 + d.rank);
    const grid = topology.kind === "torus" && topology.dims.length > 1, long = grid && length > 1.5 * scale;
    const p = [ax + nx * side, ay + ny * side], q = [bx + nx * side, by + ny * side];
    if (long && wraps(topology, d.src, d.dst)) {
      const away = 0.5 * scale / length, dx = (bx - ax) * away, dy = (by - ay) * away;
      return `M${p}l${-dx},${-dy}M${q[0] + dx},${q[1] + dy}L${q}`;
    }
    const bend = long ? Math.min(0.16 * length, 0.45 * scale) : 0;
    return bend === 0 ? `M${p}L${q}` : `M${p}Q${(p[0] + q[0]) / 2 + nx * 2 * bend},${(p[1] + q[1]) / 2 + ny * 2 * bend} ${q}`;
  };
  const groups = groupsOf(result, profile), groupOf = new Map();
  groups.forEach((g, i) => g.forEach(n => groupOf.set(n, i)));
  let use = c => whole ? whole[c] : 0;
  const drawn = scene.selectAll("path").data(links).enter().append("path").attr("class", "link").attr("d", path)
    .attr("stroke-width", Math.max(1.2, Math.min(3.5, 0.045 * scale)));
  tipped(drawn, d => `${d.src} → ${d.dst}, ${number(topology.channels[d.id][2])} GB/s\nbusy ${percent(use(d.id))}`);
  const nodes = scene.selectAll("g").data(d3.range(topology.nodes)).enter().append("g").attr("class", "node").attr("transform", n => `translate(${at(n)})`);
  nodes.filter(n => n < topology.accelerators).append("circle").attr("r", radius);
  nodes.filter(n => n >= topology.accelerators).append("rect").attr("x", -radius).attr("y", -radius).attr("width", 2 * radius).attr("height", 2 * radius).attr("rx", 2);
  nodes.filter(n => groupOf.has(n) && groups.length < 2 * topology.nodes).selectAll("circle,rect").style("stroke", function () { return palette(groupOf.get(d3.select(this.parentNode).datum())); }).style("stroke-width", groups.length > 0 && groups.length < topology.accelerators ? 3 : null);
  if (radius >= 6) nodes.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").style("font-size", Math.min(11, radius) + "px").text(n => n);
  tipped(nodes, n => (n < topology.accelerators ? "accelerator " : "switch ") + n + (groupOf.has(n) ? `\ngroup ${groupOf.get(n)} of the bound` : ""));
  const paint = () => drawn.attr("stroke", d => whole || windows ? shade(use(d.id)) : color("line"));
  paint();
  legend(box, [0, 0.25, 0.5, 0.75, 1].map(t => [percent(t), shade(t)]));
  if (!windows) return;

  const count = d3.max(windows, w => w.length), length = profile.windows.length_ns;
  const label = controls.append("span");
  const slider = controls.append("input").attr("type", "range").attr("id", "window").attr("min", -1).attr("max", count - 1).attr("value", -1).attr("aria-label", "window of time");
  const play = controls.append("button").attr("type", "button").attr("id", "play").text("play");
  const show = w => {
    use = w < 0 ? c => whole[c] : c => (windows[c][w] || 0) / 100;
    label.text(w < 0 ? "the whole run" : `${duration(w * length)} to ${duration(Math.min((w + 1) * length, profile.time_ns))}`);
    paint();
  };
  slider.on("input", function () { show(Number(this.value)); });
  let timer = null;
  play.on("click", () => {
    if (timer) { timer.stop(); timer = null; play.text("play"); return; }
    play.text("stop");
    timer = d3.interval(() => {
      if (!document.body.contains(slider.node())) { timer.stop(); return; }
      const next = Number(slider.property("value")) + 1;
      slider.property("value", next >= count ? -1 : next);
      show(Number(slider.property("value")));
    }, 200);
  });
  show(-1);
}
