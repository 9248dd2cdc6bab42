// Draws the network according to its structure: grids as layers, boxes as boxes, switches in levels,
// identical switches as one glyph with a count, and other networks by distances. Large networks show groups that
// can be opened. Links are coloured by their use over time.
const kOpenNodes = 160;   // up to this number of accelerators, all groups are open
const kMostSpines = 20;   // up to this number, spines of a routing study are drawn apart, since their loads differ
const kMostForced = 400;  // maximum number of glyphs that are placed by their distances
const kStressRounds = 80;

const used = part => d3.interpolateRgbBasis(matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches
  ? ["#2a323b", "#31688e", "#35b779", "#fde725"] : ["#e4e8ec", "#7fc7c0", "#31688e", "#440154"])(Math.max(0, Math.min(1, part)));

// The sets of nodes that are connected by channels for which `keep` returns true.
function components(net, keep) {
  const root = d3.range(net.nodes), find = n => { while (root[n] !== n) n = root[n] = root[root[n]]; return n; };
  for (const c of net.channels) if (keep(c)) root[find(c[0])] = find(c[1]);
  return d3.groups(d3.range(net.nodes), find).map(([, nodes]) => nodes);
}

// Boxes of accelerators with the switches inside them, determined by the innermost dimension, by faster
// links, or by the switch to which accelerators are attached; none if the network has no such structure.
function boxesOf(net) {
  const isBox = nodes => nodes.some(n => n < net.accelerators);
  const fits = groups => {
    const boxes = groups.filter(isBox);
    return boxes.length > 1 && boxes.every(b => b.filter(n => n < net.accelerators).length > 1) ? boxes : null;
  };
  if (net.channels.some(c => c[3] > 0)) {
    const boxes = fits(components(net, c => c[3] === 0));
    if (boxes) return boxes;
  }
  for (const fastest of [...new Set(net.channels.map(c => c[2]))].sort((a, b) => b - a)) {
    const boxes = fits(components(net, c => c[2] >= fastest));
    if (boxes) return boxes;
  }
  const above = d3.range(net.accelerators).map(() => new Set());
  for (const [a, b] of net.channels) if (a < net.accelerators) above[a].add(b);
  if (above.some(s => s.size !== 1)) return null;
  const leaves = d3.groups(d3.range(net.accelerators), a => [...above[a]][0]);
  if (leaves.some(([s]) => s < net.accelerators)) return null;
  return fits(leaves.map(([s, list]) => [...list, s]));
}

const kMostSteps = 200000;  // maximum number of steps of a search for a grid in a graph

// Finds a numbering of a graph's accelerators as a grid in which all neighbours are linked, if there are only few other
// links, such as the wrap-around links of a twisted torus. Returns {dims, places} or null.
function gridIn(net) {
  const n = net.accelerators, near = d3.range(n).map(() => new Set());
  if (net.nodes > n || n < 8 || n > 4096) return null;
  for (const [a, b] of net.channels) { near[a].add(b); near[b].add(a); }
  const links = d3.sum(near, s => s.size) / 2, splits = [];
  for (let x = 2; x * x <= n; ++x) {
    if (n % x) continue;
    splits.push([x, n / x]);
    for (let y = x; x * y * y <= n; ++y) if ((n / x) % y === 0) splits.push([x, y, n / x / y]);
  }
  const inner = dims => d3.sum(dims, d => n / d * (d - 1));  // the number of links of a mesh
  for (const dims of d3.sort(splits, d => -inner(d))) {
    if (inner(dims) > links || inner(dims) < 0.6 * links || dims.some(d => d < 3)) continue;
    const nodes = placedIn(near, dims);
    if (!nodes) continue;
    const places = [];
    // The longest dimension comes first, so that layers are few and wide.
    nodes.forEach((node, place) => {
      let rest = place, turned = 0;
      for (const d of dims) { turned = turned * d + rest % d; rest = Math.floor(rest / d); }
      places[node] = turned;
    });
    return {dims: [...dims].reverse(), places};
  }
  return null;
}

// Returns the node at each place of a grid, or null. Places nodes in order, each next to the neighbours already placed, and
// backtracks if no node fits. First tries the numbering of the graph, which usually is that of the grid.
function placedIn(near, dims) {
  const strides = dims.map((d, i) => dims.slice(0, i).reduce((p, v) => p * v, 1)), free = near.map(() => true), nodes = [], waiting = [];
  const before = place => strides.filter((s, i) => Math.floor(place / s) % dims[i] > 0).map(s => nodes[place - s]);
  const fitting = place => {
    const [first, ...others] = before(place);
    return first === undefined ? [0] : d3.sort([...near[first]].filter(n => free[n] && others.every(o => near[o].has(n))), n => n !== place, n => n);
  };
  waiting.push(fitting(0));
  for (let steps = 0; steps < kMostSteps && waiting.length > 0; ++steps) {
    const place = waiting.length - 1, next = waiting[place].shift();
    if (nodes.length > place) free[nodes.pop()] = true;
    if (next === undefined) { waiting.pop(); continue; }
    nodes.push(next);
    free[next] = false;
    if (nodes.length === near.length) return nodes;
    waiting.push(fitting(nodes.length));
  }
  return null;
}

// A glyph: {nodes, x, y, w, h, kind: accelerator, switch or group, label, box}. `open`: the boxes whose contents are drawn.
function layoutOf(net, open, room) {
  const found = net.dims || net.twisted === false ? null : gridIn(net);
  net.twisted = net.twisted || found !== null;
  if (found) Object.assign(net, found, {wraps: true});
  const grid = net.dims && net.dims.filter(d => d > 1).length > 1;
  if (grid) return gridLayout(net, open, room);
  const boxes = boxesOf(net);
  return boxes ? boxLayout(net, boxes, open, room) : plainLayout(net, room);
}

function gridLayout(net, open, room) {
  const dims = net.dims, [w, h] = dims, layers = dims[2] || 1, blocks = d3.range(3, dims.length).reduce((n, i) => n * dims[i], 1);
  const deep = layers > 1, slant = deep ? 1 : 0, flat = deep ? 0.6 : 1, gap = deep ? 0.9 : 0;
  const across = Math.max(1, Math.min(blocks, Math.floor(room / (24 * (w + slant + 1)))));
  const width = across * (w + slant + 1), cell = Math.max(7, Math.min(deep ? 62 : 84, room / width));
  const place = n => net.places ? net.places[n] : n;
  const at = n => { const c = []; let rest = place(n); for (const d of dims) { c.push(rest % d); rest = Math.floor(rest / d); } return c; };
  const block = c => { let b = 0; for (let d = dims.length - 1; d > 2; --d) b = b * dims[d] + c[d]; return b; };
  const spot = (x, y, z, b) => [
    cell * ((b % across) * (w + slant + 1) + x + slant * y / h + 0.7),
    cell * (Math.floor(b / across) * (layers * (h * flat + gap) + 1) + z * (h * flat + gap) + y * flat + 0.8)];
  const many = net.accelerators > 4 * kOpenNodes, tile = many ? Math.max(2, Math.ceil(Math.sqrt(net.accelerators / 100))) : 1;
  const size = Math.max(4, Math.min(26, 0.42 * cell)), tiles = new Map(), glyphs = [], frames = [];
  for (let n = 0; n < net.accelerators; ++n) {
    const c = at(n), x = c[0], y = c[1], z = c[2] || 0, b = block(c);
    const key = many ? [Math.floor(x / tile), Math.floor(y / tile), z, b].join() : "";
    if (many && !tiles.has(key)) tiles.set(key, {nodes: [], c, key});
    if (many) tiles.get(key).nodes.push(n);
    if (many && !open.has(key)) continue;
    const [px, py] = spot(x, y, z, b);
    glyphs.push({nodes: [n], x: px, y: py, w: size, h: size, kind: "accelerator", label: String(n), c, box: many ? key : undefined});
  }
  for (const t of tiles.values()) {
    const x0 = Math.floor(t.c[0] / tile) * tile, y0 = Math.floor(t.c[1] / tile) * tile;
    const x1 = Math.min(w, x0 + tile) - 1, y1 = Math.min(h, y0 + tile) - 1, z = t.c[2] || 0, b = block(t.c);
    const [ax, ay] = spot(x0, y0, z, b), [bx, by] = spot(x1, y1, z, b);
    const frame = {x: (ax + bx) / 2, y: (ay + by) / 2, w: Math.abs(bx - ax) + 0.62 * cell, h: by - ay + 0.62 * cell};
    if (open.has(t.key)) frames.push({...frame, box: t.key, label: ranges(t.nodes)});
    else glyphs.push({...frame, nodes: t.nodes, kind: "group", label: plural(t.nodes.length, "accelerator"), box: t.key, c: [Math.floor(x0 / tile), Math.floor(y0 / tile), z]});
  }
  // Wrap-around links of a row are drawn as stubs at both ends.
  // In a twisted torus, such a link is also offset along another dimension; its stubs point along the dimension that wraps.
  const around = (a, b) => net.twisted && a.c && a.kind === "accelerator" ? a.c.findIndex((v, d) => Math.abs(v - b.c[d]) === dims[d] - 1) : -1;
  const outward = (a, b) => {
    const d = around(a, b), step = d < 0 ? 0 : a.c[d] > b.c[d] ? 1 : -1;
    if (d < 0) return null;
    const [x0, y0] = spot(0, 0, 0, 0), [x1, y1] = spot(Number(d === 0), Number(d === 1), Number(d === 2), 0), length = Math.hypot(x1 - x0, y1 - y0);
    return [step * (x1 - x0) / length, step * (y1 - y0) / length];
  };
  const wraps = (a, b) => net.wraps && a.c && b.c && (a.kind === b.kind) && a.c.some((v, d) => Math.abs(v - b.c[d]) > 1 && (a.kind === "accelerator" || d < 2)) && Math.hypot(a.x - b.x, a.y - b.y) > 1.6 * (a.kind === "group" ? Math.max(a.w, a.h) + cell : cell);
  const [, low] = spot(0, h - 1, layers - 1, blocks - 1);
  return {glyphs, frames, width: cell * width, height: low + cell * 0.8, stub: wraps, outward, cell, groups: [...tiles.keys()],
    text: `${dims.length > 2 ? `${dims.length}-dimensional grid, each layer a plane of the first two dimensions` : "grid"}${net.wraps && d3.max(dims) > 2 ? `; wrap-around links are drawn as stubs${net.twisted ? ", and may be offset along another dimension, as in a twisted torus" : ""}` : ""}`};
}

// Merges switches that are outside boxes and have the same neighbours into one glyph with a count.
function foldSwitches(net, glyphs, of) {
  for (let again = true; again;) {
    again = false;
    const near = glyphs.map(() => new Map());
    for (const c of net.channels) {
      const a = of[c[0]], b = of[c[1]];
      if (a !== b) near[a].set(b, (near[a].get(b) || 0) + c[2]);
    }
    const seen = new Map();
    glyphs.forEach((g, i) => {
      if (g.kind !== "switch" || net.apart) return;
      const count = g.nodes.length;
      const key = (g.failed ? "failed " : "") + [...near[i]].sort((p, q) => p[0] - q[0]).map(([j, v]) => `${j}:${(v / count).toPrecision(6)}`).join();
      if (!seen.has(key)) { seen.set(key, i); return; }
      const first = glyphs[seen.get(key)];
      first.nodes.push(...g.nodes);
      g.nodes = [];
      again = true;
    });
    const left = glyphs.filter(g => g.nodes.length > 0);
    glyphs.length = 0;
    glyphs.push(...left);
    glyphs.forEach((g, i) => g.nodes.forEach(n => { of[n] = i; }));
  }
}

function boxLayout(net, boxes, open, room) {
  // First treats every box as one glyph, to find levels and their order.
  const of = new Array(net.nodes).fill(-1), items = boxes.map((nodes, i) => ({nodes: [...nodes], kind: "group", box: "b" + i}));
  items.forEach((g, i) => g.nodes.forEach(n => { of[n] = i; }));
  for (let n = 0; n < net.nodes; ++n) if (of[n] < 0) { of[n] = items.length; items.push({nodes: [n], kind: n < net.accelerators ? "accelerator" : "switch", failed: isFailed(net, n)}); }
  foldSwitches(net, items, of);
  const near = items.map(() => new Set());
  for (const c of net.channels) if (of[c[0]] !== of[c[1]]) { near[of[c[0]]].add(of[c[1]]); near[of[c[1]]].add(of[c[0]]); }
  const level = items.map(g => g.kind === "switch" ? -1 : 0);
  let front = d3.range(items.length).filter(i => level[i] === 0);
  for (let l = 1; front.length > 0; ++l) {
    front = [...new Set(front.flatMap(i => [...near[i]]))].filter(i => level[i] < 0);
    for (const i of front) level[i] = l;
  }
  for (let i = 0; i < level.length; ++i) if (level[i] < 0) level[i] = 1;
  if (d3.max(level) === 0) twoRows(near, level);
  const rows = d3.range(d3.max(level) + 1).map(l => d3.range(items.length).filter(i => level[i] === l)).filter(r => r.length > 0);
  const of0 = new Map();
  rows[0].forEach((i, k) => of0.set(i, k));
  for (const row of rows.slice(1)) {
    const mean = i => d3.mean([...near[i]].filter(j => of0.has(j)), j => of0.get(j)) || 0;
    row.sort((a, b) => mean(a) - mean(b));
    row.forEach((i, k) => of0.set(i, (k + 0.5) * rows[0].length / row.length - 0.5));
  }
  // Then places glyphs from the bottom; the size of a box depends on its contents.
  for (const g of items) sizeOf(net, g, open, rows[0].length, room);
  if (rows.length === 1 && items.length > 2) return peersLayout(net, items, room);
  const glyphs = [], frames = [];
  let y = 0, width = room;
  const lanes = rows.map(row => wrapped(row.map(i => items[i]), room));
  width = Math.max(room, ...lanes.flatMap(l => l.map(r => r.width)));
  for (const lane of [...lanes].reverse()) {
    for (const line of lane) {
      const spare = lane.length === 1 && line.items.length > 1 ? (width - line.width) / line.items.length : 0;
      let x = spare > 0 ? spare / 2 : (width - line.width) / 2;
      for (const g of line.items) {
        put(net, g, x + g.w / 2, y + line.height / 2, glyphs, frames);
        x += g.w + 8 + spare;
      }
      y += line.height + 14;
    }
    y += 56;
  }
  return {glyphs, frames, width, height: y - 40, stub: () => false, cell: 30, groups: items.filter(g => g.kind === "group").map(g => g.box),
    text: `${boxes.length} boxes${rows.length > 1 ? `, and ${rows.length - 1} level${rows.length > 2 ? "s" : ""} of switches above them` : ""}${net.apart ? "" : "; identical switches are drawn once, with their number"}`};
}

// Connected boxes, drawn around a circle.
function peersLayout(net, items, room) {
  for (const g of items) if (!g.inside) Object.assign(g, {w: 46, h: 24});
  const glyphs = [], frames = [], high = d3.max(items, g => g.h), wide = d3.max(items, g => g.w);
  const radius = Math.max(110, items.length * Math.min(wide, Math.hypot(wide, high)) * 1.12 / (2 * Math.PI)), width = Math.max(room, 2 * radius + wide + 16);
  items.forEach((g, i) => {
    const angle = 2 * Math.PI * i / items.length - Math.PI / 2;
    put(net, g, width / 2 + radius * Math.cos(angle), radius * Math.sin(angle) + radius + high / 2 + 4, glyphs, frames);
  });
  return {glyphs, frames, width, height: 2 * radius + high + 12, stub: () => false, cell: 30, groups: items.filter(g => g.kind === "group").map(g => g.box), peers: true,
    text: `${items.length} connected boxes, drawn around a circle`};
}

// If possible, divides connected boxes without levels into two rows such that every link connects one row with the other.
function twoRows(near, level) {
  const side = near.map(() => -1);
  for (let first = 0; first < near.length; ++first) {
    if (side[first] >= 0) continue;
    side[first] = 0;
    for (const queue = [first]; queue.length > 0;) {
      const i = queue.shift();
      for (const j of near[i]) {
        if (side[j] < 0) { side[j] = 1 - side[i]; queue.push(j); } else if (side[j] === side[i]) return;
      }
    }
  }
  side.forEach((s, i) => { level[i] = s; });
}

// Divides items into lines of about equal length that fit in a width.
function wrapped(items, room, most = Infinity) {
  const lines = [];
  for (const g of items) {
    const line = lines[lines.length - 1];
    if (!line || line.items.length === most || line.width + g.w + 8 > room) lines.push({items: [g], width: g.w, height: g.h});
    else { line.items.push(g); line.width += g.w + 8; line.height = Math.max(line.height, g.h); }
  }
  if (most !== Infinity || lines.length < 2) return lines;
  const even = wrapped(items, room, Math.ceil(items.length / lines.length));
  return even.length === lines.length ? even : lines;
}

function sizeOf(net, g, open, count, room) {
  const own = g.nodes.filter(n => n < net.accelerators).length;
  if (g.kind === "switch") { g.w = g.nodes.length > 1 ? 44 : 30; g.h = 22; if (count > 16) g.w = Math.min(g.w, 36); return; }
  if (g.kind === "accelerator") { g.w = g.h = 20; return; }
  if (!open.has(g.box)) {
    g.inside = null;
    g.w = Math.max(14, Math.min(92, room / Math.min(count, 64) - 8));
    g.h = 32;
    return;
  }
  g.inside = insideOf(net, g.nodes);
  g.columns = own;
  const narrow = Math.ceil(Math.sqrt(own));
  while (g.columns > narrow && Math.max(count, 2) * (g.columns * 24 + 22) > room) --g.columns;
  g.w = Math.max(g.columns * 24 + 14, g.inside.length * 42 + 14);
  g.h = Math.ceil(own / g.columns) * 26 + (g.inside.length > 0 ? 54 : 0) + 30;
}

// The switches of a box, with identical switches as one glyph.
function insideOf(net, nodes) {
  const member = new Set(nodes), reach = new Map(nodes.filter(n => n >= net.accelerators).map(n => [n, []]));
  for (const [a, b] of net.channels) if (reach.has(a) && member.has(b)) reach.get(a).push(b);
  return d3.groups([...reach.keys()], n => reach.get(n).sort((a, b) => a - b).join()).map(([, list]) => list);
}

function put(net, g, x, y, glyphs, frames) {
  if (g.kind !== "group" || !g.inside) {
    const own = g.nodes.filter(n => n < net.accelerators);
    const label = g.kind === "switch" ? (g.nodes.length > 1 ? `×${g.nodes.length}` : String(g.nodes[0])) : g.kind === "group" ? ranges(own) : String(g.nodes[0]);
    glyphs.push({...g, x, y, label});
    return;
  }
  // The label is at the bottom, since links come from above.
  frames.push({x, y, w: g.w, h: g.h, box: g.box, label: ranges(g.nodes.filter(n => n < net.accelerators)), below: true});
  const own = g.nodes.filter(n => n < net.accelerators), top = y - g.h / 2 + 10;
  g.inside.forEach((list, i) => glyphs.push({nodes: list, x: x + (i - (g.inside.length - 1) / 2) * 42, y: top + 10, w: 34, h: 20, kind: "switch",
    label: list.length > 1 ? `×${list.length}` : String(list[0]), box: undefined}));
  const base = top + (g.inside.length > 0 ? 54 : 0);
  own.forEach((n, i) => glyphs.push({nodes: [n], x: x + ((i % g.columns) - (g.columns - 1) / 2) * 24, y: base + Math.floor(i / g.columns) * 26 + 12, w: 18, h: 18, kind: "accelerator", label: String(n)}));
}

// Draws networks without boxes: accelerators below their switches if these are few, a circle if few or densely connected
// accelerators have no switches, and otherwise a layout by distances.
function plainLayout(net, room) {
  const glyphs = d3.range(net.nodes).map(n => ({nodes: [n], kind: n < net.accelerators ? "accelerator" : "switch", failed: isFailed(net, n)}));
  const of = d3.range(net.nodes);
  foldSwitches(net, glyphs, of);
  const accelerators = glyphs.filter(g => g.kind === "accelerator"), switches = glyphs.filter(g => g.kind === "switch");
  for (const g of glyphs) g.label = g.nodes.length > 1 ? `×${g.nodes.length}` : String(g.nodes[0]);
  const done = (width, height, text) => ({glyphs, frames: [], width, height, stub: () => false, bend: text.startsWith("circle"), cell: 40, groups: [], text});
  const between = net.channels.some(c => c[0] < net.accelerators && c[1] < net.accelerators);
  if (switches.length > 0 && switches.length <= 6 && !between) {
    const columns = Math.min(accelerators.length, Math.max(8, Math.floor(room / 26))), size = Math.min(20, room / columns - 4);
    switches.forEach((g, i) => Object.assign(g, {x: (i + 0.5) * room / switches.length, y: 24, w: 60, h: 26}));
    accelerators.forEach((g, i) => Object.assign(g, {x: (i % columns + 0.5) * room / columns, y: 110 + Math.floor(i / columns) * 30, w: size, h: size}));
    return done(room, 130 + Math.floor((accelerators.length - 1) / columns) * 30, `accelerators under their switches${switches.some(g => g.nodes.length > 1) ? "; identical switches are drawn once, with their number" : ""}`);
  }
  const size = glyphs.length > 64 ? 10 : 20;
  for (const g of glyphs) g.w = g.h = size;
  if (switches.length === 0 && (glyphs.length <= 40 || net.channels.length > 0.5 * net.nodes * (net.nodes - 1))) {
    const radius = Math.min(room / 2 - 30, Math.max(110, glyphs.length * 9)), middle = Math.min(room, 2 * radius + 60) / 2;
    glyphs.forEach((g, i) => { const a = 2 * Math.PI * i / glyphs.length - Math.PI / 2; g.x = middle + radius * Math.cos(a); g.y = radius + 24 + radius * Math.sin(a); });
    return done(2 * middle, 2 * radius + 48, "circle");
  }
  byDistance(net, glyphs, of);
  const [x0, x1] = d3.extent(glyphs, g => g.x), [y0, y1] = d3.extent(glyphs, g => g.y), factor = (room - 40) / (x1 - x0 || 1);
  const scale = Math.min(factor, 560 / (y1 - y0 || 1));
  for (const g of glyphs) { g.x = 20 + (g.x - x0) * scale + (room - 40 - (x1 - x0) * scale) / 2; g.y = 20 + (g.y - y0) * scale; }
  return done(room, 40 + (y1 - y0) * scale, "a layout whose distances follow those in the network");
}

// Places glyphs at distances that match those in the network as closely as possible (stress majorization,
// Gansner et al. 2004).
function byDistance(net, glyphs, of) {
  if (glyphs.length > kMostForced) {
    const columns = Math.ceil(Math.sqrt(glyphs.length * 1.6));
    glyphs.forEach((g, i) => { g.x = i % columns; g.y = Math.floor(i / columns); });
    return;
  }
  const n = glyphs.length, near = glyphs.map(() => new Set());
  for (const [a, b] of net.channels) if (of[a] !== of[b]) { near[of[a]].add(of[b]); near[of[b]].add(of[a]); }
  const from = first => {  // the number of links to each glyph; unconnected glyphs count as far
    const far = new Array(n).fill(Infinity);
    far[first] = 0;
    for (const queue = [first]; queue.length > 0;) {
      const i = queue.shift();
      for (const j of near[i]) if (far[j] === Infinity) { far[j] = far[i] + 1; queue.push(j); }
    }
    const most = d3.max(far.filter(Number.isFinite));
    return far.map(d => Number.isFinite(d) ? d : most + 2);
  };
  const apart = d3.range(n).map(from), farthest = d => d3.greatestIndex(d), a = farthest(apart[0]), b = farthest(apart[a]);
  const side = farthest(d3.range(n).map(i => Math.min(apart[a][i], apart[b][i]))), other = farthest(d3.range(n).map(i => Math.min(apart[a][i], apart[b][i], apart[side][i])));
  // A little noise separates glyphs with equal distances.
  glyphs.forEach((g, i) => { g.x = apart[a][i] - apart[b][i] + 0.1 * Math.sin(7 * i); g.y = apart[side][i] - apart[other][i] + 0.1 * Math.cos(11 * i); });
  for (let round = 0; round < kStressRounds; ++round) {
    for (let i = 0; i < n; ++i) {
      let x = 0, y = 0, weights = 0;
      for (let j = 0; j < n; ++j) {
        if (j === i) continue;
        const d = apart[i][j], weight = 1 / (d * d), dx = glyphs[i].x - glyphs[j].x, dy = glyphs[i].y - glyphs[j].y, now = Math.hypot(dx, dy) || 1e-6;
        x += weight * (glyphs[j].x + d * dx / now);
        y += weight * (glyphs[j].y + d * dy / now);
        weights += weight;
      }
      if (weights > 0) { glyphs[i].x = x / weights; glyphs[i].y = y / weights; }
    }
  }
}

function network(one) {
  const net = one.network;
  if (!net) return;
  const seen = net.channels.some(c => isNumber(c[5]));
  const box = section("network", "The network", `${networkName(one.result) || net.name.replace(/ of \d.*/, "").replace(/_/g, " ").replace(/(\d)x(?=\d)/g, "$1×")}: ${plural(net.accelerators, "accelerator")}, ${["", "1 switch, "][net.nodes - net.accelerators] ?? `${number(net.nodes - net.accelerators)} switches, `}${plural(net.channels.length, "channel")}.` +
    (seen ? " Colours show the share of the time for which a link is busy." : ""));
  drawNetwork(box, one);
  const listed = d3.range(net.channels.length).sort((a, b) => seen ? (net.channels[b][5] || 0) - (net.channels[a][5] || 0) : 0).slice(0, 256).map(c => net.channels[c]);
  behind(box, ["channel", "bandwidth", ...(seen ? ["carried", "busy"] : [])],
    listed.map(c => [`${c[0]} → ${c[1]}`, number(c[2]) + " GB/s", ...(seen ? [volume(c[4]), percent(c[5])] : [])]),
    listed.length === net.channels.length ? "Every channel" : `The ${seen ? "busiest" : "first"} ${listed.length} channels`);
}

const kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function drawNetwork(box, one) {
  const net = one.network, profile = one.profile || {}, windows = profile.windows ? profile.windows.busy : null;
  const open = new Set(), controls = box.append("div").attr("class", "controls"), drawing = box.append("div").attr("class", "wide").attr("id", "network-drawing");
  const seen = net.channels.some(c => isNumber(c[5])), room = widthIn(box), failed = failedLinks(one.result);
  net.failed = failedNodes(one.result, net);
  net.apart = kindOf(one.result) === "routing" && one.result.config.system.topology.dims[2] <= kMostSpines;
  // Whether a channel or a node at one of its ends has failed.
  const hasFailed = i => failed.has(`${net.channels[i][0]}-${net.channels[i][1]}`) || isFailed(net, net.channels[i][0]) || isFailed(net, net.channels[i][1]);
  const whole = c => net.channels[c][5] || 0;
  let use = whole, paint = () => {}, rescale = () => {}, most = 1;  // `most`: the use with the darkest colour
  const first = layoutOf(net, open, room);
  if (net.accelerators <= kOpenNodes && !(first.peers && first.groups.length > 8)) first.groups.forEach(g => open.add(g));
  const text = box.append("p").attr("class", "note");
  function draw() {
    drawing.selectAll("*").remove();
    const layout = layoutOf(net, open, room), {glyphs, frames} = layout, of = new Map();
    glyphs.forEach((g, i) => g.nodes.forEach(n => of.set(n, i)));
    text.text(`Drawn as: ${layout.text}.`);
    if (layout.groups.length > 0) text.append("span").attr("class", "hint").text(" A click opens or closes a group.");
    const bundles = new Map(), inner = glyphs.map(() => []);
    net.channels.forEach((c, i) => {
      const a = of.get(c[0]), b = of.get(c[1]);
      if (a === b) inner[a].push(i);
      if (a === b) return;
      const key = a * glyphs.length + b;
      if (!bundles.has(key)) bundles.set(key, {a: glyphs[a], b: glyphs[b], list: []});
      bundles.get(key).list.push(i);
    });
    const svg = drawing.append("svg").attr("viewBox", `0 -4 ${layout.width} ${layout.height + 8}`).attr("role", layout.groups.length > 0 ? "group" : "img").style("max-width", layout.width + "px")
      .style("min-width", Math.min(layout.width, 2 * room) + "px").style("margin", "0 auto");
    svg.append("title").text(net.name);
    const scene = svg.append("g");
    svg.call(d3.zoom().scaleExtent([1, 16]).filter(event => event.ctrlKey || (event.type !== "wheel" && event.target.tagName !== "rect")).on("zoom", event => scene.attr("transform", event.transform))).on("dblclick.zoom", null);
    scene.selectAll("rect.box").data(frames).enter().append("rect").attr("class", "box").attr("x", f => f.x - f.w / 2).attr("y", f => f.y - f.h / 2).attr("width", f => f.w).attr("height", f => f.h).attr("rx", 6);
    const width = Math.max(1, Math.min(3.5, 0.05 * layout.cell));
    const links = scene.selectAll("path.link").data([...bundles.values()]).enter().append("path").attr("class", "link").attr("d", d => linkPath(layout, d, width))
      .attr("stroke-width", d => Math.min(6, width * (1 + Math.log2(d.list.length) / 3))).attr("stroke-linecap", "round");
    links.filter(d => d.list.some(hasFailed)).classed("failed", true);
    const mean = d => d3.mean(d.list, use);
    tipped(links, d => (d.list.length === 1 ? `${net.channels[d.list[0]][0]} → ${net.channels[d.list[0]][1]}` : `${plural(d.list.length, "channel")} from ${whatIs(net, d.a)} to ${whatIs(net, d.b)}`) +
      `\n${number(d3.sum(d.list, i => net.channels[i][2]))} GB/s` + (seen ? `\nbusy ${percent(mean(d))}` + (d.list.length > 1 ? `, at most ${percent(d3.max(d.list, use))}` : "") : "") + (d.list.some(hasFailed) ? "\nfailed" : ""));
    const nodes = scene.selectAll("g.node").data(glyphs).enter().append("g").attr("class", g => `node ${g.kind}${g.nodes.some(n => isFailed(net, n)) ? " broken" : ""}`).attr("transform", g => `translate(${g.x},${g.y})`);
    nodes.filter(g => g.kind === "accelerator").append("circle").attr("r", g => g.w / 2);
    nodes.filter(g => g.kind !== "accelerator").append("rect").attr("x", g => -g.w / 2).attr("y", g => -g.h / 2).attr("width", g => g.w).attr("height", g => g.h).attr("rx", g => g.kind === "group" ? 6 : 2);
    nodes.filter(g => g.label && g.h > 13 && labelSize(g) >= 6.5).append("text").attr("text-anchor", "middle").attr("dy", "0.35em").style("font-size", g => labelSize(g) + "px").style("pointer-events", "none").text(g => g.label);
    nodes.filter(g => g.kind !== "group" && g.nodes.some(n => isFailed(net, n))).append("path").attr("class", "cross").attr("d", g => `M${-g.w / 2},${-g.h / 2}L${g.w / 2},${g.h / 2}M${g.w / 2},${-g.h / 2}L${-g.w / 2},${g.h / 2}`);
    tipped(nodes, g => whatIs(net, g) + (g.nodes.some(n => isFailed(net, n)) ? `\n${g.kind === "group" ? `failed: ${ranges(g.nodes.filter(n => isFailed(net, n)))}` : "failed"}` : "") + (g.kind === "group" ? `${seen ? `\nlinks inside busy ${percent(d3.mean(inner[glyphs.indexOf(g)], use))}` : ""}\nclick to open` : ""));
    const toggle = (event, g) => {
      if (g.box === undefined) return;
      if (open.has(g.box)) open.delete(g.box); else open.add(g.box);
      hideTip();
      draw();
    };
    // Enter and the space bar work like a click, and the focus stays on the group.
    const key = (event, g) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle(event, g);
      drawing.selectAll("[role=button]").filter(d => d.box === g.box).nodes().slice(0, 1).forEach(e => e.focus());
    };
    const button = (made, does) => made.attr("tabindex", 0).attr("role", "button").attr("aria-label", g => `${does} ${g.label}`).on("keydown", key);
    button(nodes.filter(g => g.kind === "group"), "open").on("click.open", toggle);
    scene.selectAll("text.close").data(frames).enter().append("text").attr("class", "soft close").attr("x", f => f.x - f.w / 2 + 5).attr("y", f => f.below ? f.y + f.h / 2 - 6 : f.y - f.h / 2 + 13).style("font-size", "10px").style("cursor", "pointer")
      .text(f => shortened(f.label, f.w)).on("click", toggle).call(button, "close").append("title").text("click to close");
    const groups = nodes.filter(g => g.kind === "group");
    paint = () => {
      links.attr("stroke", d => seen || windows ? used(mean(d) / most) : color("grey"));
      if (!seen && !windows) return;
      const within = g => used((d3.mean(inner[glyphs.indexOf(g)], use) || 0) / most);
      groups.select("rect").style("fill", within);
      groups.select("text").style("fill", g => readableOn(within(g)));
    };
    paint();
  }
  draw();
  if (first.groups.length > 1 && first.groups.length <= 512) {
    controls.append("button").attr("type", "button").attr("id", "open-groups").text(open.size > 0 ? "close groups" : "open groups").on("click", function () {
      if (open.size > 0) open.clear(); else first.groups.forEach(g => open.add(g));
      d3.select(this).text(open.size > 0 ? "close groups" : "open groups");
      draw();
    });
  }
  if (seen || windows) {
    const scale = box.append("div").attr("id", "use-scale");
    const explain = () => {
      scale.selectAll("*").remove();
      legend(scale, [0, 0.25, 0.5, 0.75, 1].map(t => [percent(most * t).replace(".0%", "%"), used(t)]));
    };
    explain();
    const greatest = () => d3.max(d3.range(net.channels.length), use === whole ? whole : c => d3.max(windows[c] || "", d => kDigits.indexOf(d) / 61)) || 1;
    const relative = controls.append("button").attr("type", "button").attr("id", "relative").attr("aria-pressed", "false").text("colours up to the busiest link").on("click", () => {
      most = most === 1 ? greatest() : 1;
      relative.attr("aria-pressed", String(most !== 1));
      explain();
      paint();
    });
    rescale = () => { if (most !== 1) { most = greatest(); explain(); } };
  }
  const broken = [failed.size > 0 || net.failed.size > 0 ? "Dashed links have failed." : "", net.failed.size > 0 ? `Crossed out: failed ${[...net.failed][0] < net.accelerators ? "accelerators" : "switches"}.` : ""].filter(Boolean);
  if (broken.length > 0) box.append("p").attr("class", "note").text(broken.join(" "));
  if (windows) overTime(controls, profile, w => { use = w < 0 ? whole : c => kDigits.indexOf((windows[c] || "")[w] || "0") / 61; rescale(); paint(); });
}

// The font size at which a glyph's label fits into the glyph.
const labelSize = g => Math.min(11, g.kind === "accelerator" ? 0.5 * g.w : 11, (g.w - 3) / (0.58 * g.label.length));

const whatIs = (net, g) => g.kind === "switch" ? (g.nodes.length > 1 ? `${g.nodes.length} identical switches, ${ranges(g.nodes)}` : `switch ${g.nodes[0]}`)
  : g.kind === "group" ? `accelerators ${ranges(g.nodes.filter(n => n < net.accelerators))}` : `accelerator ${g.nodes[0]}`;

const isFailed = (net, n) => net.failed !== undefined && net.failed.has(n);

// The accelerators that failed during a run, and the failed spines of a routing study.
function failedNodes(result, net) {
  const spines = [...(result.failed_spines || []), ...(result.timeline || []).filter(e => e.event === "spine_fails").map(e => e.spine)];
  const [, leaves] = spines.length > 0 ? result.config.system.topology.dims : [];
  return new Set([...spines.map(s => net.accelerators + leaves + s),
    ...(result.failures || []).map(f => /^accelerator (\d+)$/.exec(String(f.failed))).filter(Boolean).map(m => Number(m[1]))]);
}

function failedLinks(result) {
  const links = new Set();
  for (const f of result.failures || []) {
    const found = /(\d+)-(\d+)/.exec(String(f.failed));
    if (found) { links.add(`${found[1]}-${found[2]}`); links.add(`${found[2]}-${found[1]}`); }
  }
  return links;
}

// Draws both directions of a link next to each other; a wrap-around link of a grid becomes a stub at each
// end.
function linkPath(layout, {a, b}, width) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
  const side = Math.max(1, width * 0.75), nx = -uy * side, ny = ux * side, p = [a.x + nx, a.y + ny], q = [b.x + nx, b.y + ny];
  if (layout.stub(a, b)) {
    const out = (a.kind === "group" ? Math.max(a.w, a.h) / 2 : a.w / 2) + 0.22 * layout.cell;
    const [vx, vy] = (layout.outward && layout.outward(a, b)) || [-ux, -uy];
    return `M${p}l${vx * out},${vy * out}M${q[0] - vx * out},${q[1] - vy * out}L${q}`;
  }
  if (!layout.bend || length < 1.5 * layout.cell) return `M${p}L${q}`;
  const bend = Math.min(0.12 * length, 40);
  return `M${p}Q${(p[0] + q[0]) / 2 - uy * bend},${(p[1] + q[1]) / 2 + ux * bend} ${q}`;
}

// A slider over windows of time, which calls shows(window), with -1 for the whole run.
function overTime(controls, profile, shows) {
  const count = d3.max(profile.windows.busy, w => w.length), length = profile.windows.length_ns;
  if (!(count > 1)) return;
  const label = controls.append("span");
  const slider = controls.append("input").attr("type", "range").attr("id", "window").attr("min", -1).attr("max", count - 1).attr("value", -1).attr("aria-label", "window of time");
  const play = controls.append("button").attr("type", "button").attr("id", "play").text("play");
  const go = w => {
    label.text(w < 0 ? "the whole run" : `${duration(w * length)} to ${duration(Math.min((w + 1) * length, profile.time_ns))}`);
    shows(w);
  };
  slider.on("input", function () { go(Number(this.value)); });
  let timer = null;
  play.on("click", () => {
    if (timer) { timer.stop(); timer = null; play.text("play"); return; }
    play.text("stop");
    timer = d3.interval(() => {
      if (!document.body.contains(slider.node())) { timer.stop(); return; }
      const next = Number(slider.property("value")) + 1;
      slider.property("value", next >= count ? -1 : next);
      go(Number(slider.property("value")));
    }, 200);
  });
  label.text("the whole run");
}
