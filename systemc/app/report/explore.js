// The sections of a search: a scatter plot of any two quantities, parallel coordinates with filters, a
// point's configuration, importance, sweeps, and skipped points.


function explored(search) {
  const at = Object.fromEntries(search.columns.map((name, i) => [name, i]));
  const rows = search.points.map((cells, i) => ({cells, i, id: cells[at.point], done: cells[at.state] === "done",
    decided: cells[at.decided] === true, front: cells[at.front] === true, value: name => cells[at[name]]}));
  const state = {search, rows, filters: new Map(), chosen: rows.find(r => r.front) || rows.find(r => r.done) || null, redraw: []};
  d3.select("#title").text(search.title);
  d3.select("#subtitle").text(search.question || "A search");
  const done = rows.filter(r => r.done);
  answers(search.objectives.map(o => bestText(search, rows.filter(r => r.front), o)));
  const box = main.append("div").attr("class", "cards").attr("id", "figures").selectAll("div").data([
    ["points with results", number(done.length)], ["combinations in the space", number(search.combinations)],
    ["on the Pareto front", number(search.front.length)], ["deciding fidelity", search.decided_by.join(", ") || "–"],
    ["search method, seed", `${search.method}, ${search.seed}`],
    ["points without results", number(rows.length - done.length)]]).enter().append("div").attr("class", "card");
  box.append("b").text(d => d[1]);
  box.append("span").text(d => d[0]);
  if (search.constraints.length > 0) main.append("p").attr("class", "note").text("Constraints: " + search.constraints.join("; "));
  const numeric = search.columns.filter(name => done.some(r => typeof r.value(name) === "number"));
  exploredScatter(state, numeric);
  exploredCoordinates(state);
  exploredPoint(state);
  exploredFront(state);
  exploredProgress(state);
  exploredSensitivity(state);
  const reasons = Object.entries(search.skipped);
  if (reasons.length > 0) table(section("skipped", "Points without results"), ["reason", "points"], reasons);
}

// Whether a row passes all filters, which are [from, to] for numbers and sets for texts.
const passes = (state, row) => [...state.filters].every(([name, kept]) => {
  const value = row.value(name);
  return Array.isArray(kept) ? value >= kept[0] && value <= kept[1] : kept.has(String(value));
});

function redrawAll(state) { for (const draw of state.redraw) draw(); }

function choosePoint(state, row) {
  state.chosen = row;
  redrawAll(state);
}

const kInRange = "hardware.area_in_range";
const extrapolated = row => row.value(kInRange) === false;

// The range in which the true area or energy lies. For an energy, only the parts with a known error widen the range.
function rangeOf(row, name) {
  const value = row.value(name), error = row.value("hardware.area_error");
  if (name === "hardware.area_mm2" && error) return [value / error, value * error];
  if (name === "hardware.energy_uj" && isNumber(row.value("hardware.energy_low_uj"))) return [row.value("hardware.energy_low_uj"), row.value("hardware.energy_high_uj")];
  return [value, value];
}

// Describes the error bars of two quantities.
function errorNote(rows, names) {
  const factors = name => [...new Set(rows.map(r => r.value(name)).filter(isNumber))].map(v => number(v)).join(" or ");
  const texts = [];
  if (names.includes("hardware.area_mm2") && factors("hardware.area_error")) texts.push(`areas may be off by a factor of ${factors("hardware.area_error")} in either direction`);
  if (names.includes("hardware.energy_uj") && factors("hardware.energy_low_uj")) texts.push(`the energies of routers, additions and tables may be off by a factor of ${factors("hardware.energy_error")} in either direction; those of links and memories have no known error and do not lengthen the bars`);
  return texts.length > 0 ? `Error bars of points on the front: ${texts.join("; ")}.` : "";
}

const summaryOf = (search, row) => [`${row.id}${row.front ? " (front)" : ""}, ${row.value("fidelity")}`,
  ...search.objectives.map(o => `${o.name}: ${number(row.value(o.name))}`),
  ...search.keys.filter(k => row.value(k.name) !== null && row.value(k.name) !== undefined).map(k => `${k.name}: ${row.value(k.name)}`),
  ...(extrapolated(row) ? ["area extrapolated"] : [])].join("\n");

// Describes the point of the front that is best in one objective; of several such points, the one that is best in the
// first objective.
function bestText(search, front, {name, direction}) {
  const cost = (r, o) => (o.direction === "maximize" ? -1 : 1) * r.value(o.name);
  const best = d3.sort(front, r => cost(r, {name, direction}), r => cost(r, search.objectives[0]))[0];
  if (!best) return "";
  const keys = search.keys.filter(k => best.value(k.name) !== null && best.value(k.name) !== undefined);
  return `${direction === "maximize" ? "Highest" : "Lowest"} ${name}: ${number(best.value(name))} at point ${best.id}${keys.length > 0 ? ` (${choicesText(keys, best)})` : ""}${extrapolated(best) && name === "hardware.area_mm2" ? "; this area is extrapolated" : ""}.`;
}
const choicesText = (keys, row) => keys.map(k => `${k.name} ${row.value(k.name)}`).join(", ");

function picker(box, id, label, names, value, changed) {
  const entry = box.append("label").text(label + " ");
  const select = entry.append("select").attr("id", id).on("change", function () { changed(this.value); });
  select.selectAll("option").data(names).enter().append("option").attr("value", d => d).text(d => d);
  select.property("value", value);
}

function exploredScatter(state, numeric) {
  const {search, rows} = state;
  const box = section("scatter", "Any two quantities", "Filled points are on the Pareto front of all objectives. Faint points have a coarser fidelity or violate a constraint. Dashed points have an extrapolated area. Click a point to show its configuration.");
  const names = search.objectives.map(o => o.name);
  let x = names[1] || numeric[0], y = names[0], log = false;
  const controls = box.append("div").attr("class", "controls");
  picker(controls, "scatter-x", "x axis", numeric, x, v => { x = v; draw(); });
  picker(controls, "scatter-y", "y axis", numeric, y, v => { y = v; draw(); });
  const colours = ["–", ...search.keys.map(k => k.name)];
  let by = colours.includes("network") ? "network" : "–";
  picker(controls, "scatter-colour", "colour", colours, by, v => { by = v; draw(); });
  controls.append("label").text("logarithmic ").append("input").attr("type", "checkbox").attr("id", "scatter-log")
    .on("change", function () { log = this.checked; draw(); });
  const drawing = box.append("div").attr("id", "scatter-drawing");
  function draw() {
    drawing.selectAll("*").remove();
    const shown = rows.filter(r => r.done && typeof r.value(x) === "number" && typeof r.value(y) === "number" && passes(state, r));
    if (shown.length === 0) return drawing.append("p").text("No point passes the filters.");
    const width = widthIn(box), height = 380, edge = {left: 86, right: 16, top: 12, bottom: 42};
    const scale = (name, range) => {
      const ends = d3.extent(shown.flatMap(r => r.front ? rangeOf(r, name) : [r.value(name)]));
      return (log && ends[0] > 0 ? d3.scaleLog() : d3.scaleLinear()).domain(ends[0] === ends[1] ? [ends[0] * 0.9, ends[1] * 1.1 || 1] : ends).range(range).nice();
    };
    const across = scale(x, [edge.left, width - edge.right]), up = scale(y, [height - edge.bottom, edge.top]);
    const svg = drawing.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img");
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(across).tickValues(ticksOf(across, 7, 60)).tickFormat(v => number(v)));
    svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(d3.axisLeft(up).tickValues(ticksOf(up, 6, 26)).tickFormat(v => number(v)));
    svg.append("text").attr("class", "soft").attr("x", width / 2).attr("y", height - 6).attr("text-anchor", "middle").text(x);
    svg.append("text").attr("class", "soft").attr("transform", `translate(14,${height / 2}) rotate(-90)`).attr("text-anchor", "middle").text(y);
    for (const r of shown.filter(r => r.front)) {
      const [[x1, x2], [y1, y2]] = [[x, across], [y, up]].map(([name, scale]) => rangeOf(r, name).map(scale));
      if (x1 !== x2) svg.append("line").attr("class", "error").attr("x1", x1).attr("x2", x2).attr("y1", up(r.value(y))).attr("y2", up(r.value(y)));
      if (y1 !== y2) svg.append("line").attr("class", "error").attr("y1", y1).attr("y2", y2).attr("x1", across(r.value(x))).attr("x2", across(r.value(x)));
    }
    const bars = errorNote(shown, [x, y]);
    if (bars) drawing.append("p").attr("class", "note").text(bars);
    const key = search.keys.find(k => k.name === by);
    const paint = r => key ? palette(Math.max(0, key.values.indexOf(String(r.value(by))))) : color("accent");
    tipped(svg.selectAll("circle").data(shown.sort((a, b) => a.front - b.front)).enter().append("circle").attr("class", r => r.front ? "point front" : "point")
      .attr("data-point", r => r.id).attr("cx", r => across(r.value(x))).attr("cy", r => up(r.value(y))).attr("r", r => r === state.chosen ? 8 : r.front ? 5 : 3.5)
      .attr("fill", r => r.front ? paint(r) : "none").attr("fill-opacity", r => extrapolated(r) ? 0.25 : 1).attr("stroke", r => r === state.chosen ? color("ink") : paint(r)).attr("stroke-width", r => r === state.chosen ? 2.5 : 1.2).attr("stroke-dasharray", r => extrapolated(r) ? "2 2" : null)
      .attr("opacity", r => r.decided ? 1 : 0.3).style("pointer-events", "all"), r => summaryOf(search, r)).on("click.choose", (event, r) => choosePoint(state, r));
    if (key) legend(drawing, key.values.map((v, i) => [v, palette(i)]));
    behind(drawing, ["point", x, y, ...(key ? [by] : [])], shown.map(r => [r.id, number(r.value(x)), number(r.value(y)), ...(key ? [String(r.value(by))] : [])]));
  }
  state.redraw.push(draw);
  draw();
}

// An axis for every key and objective; dragging along an axis sets a filter.
function exploredCoordinates(state) {
  const {search, rows} = state;
  const box = section("coordinates", "All choices and objectives", `One line per point${state.search.decided_by.length > 0 ? " that was simulated with fidelity " + state.search.decided_by.join(" or ") : ""}; points on the front have a stronger colour. Drag along an axis to filter, or select it with Tab and press the arrow keys, with Shift for a larger range; a double click or Escape removes the filter.`);
  const controls = box.append("div").attr("class", "controls");
  let only = false;
  controls.append("label").text("front only ").append("input").attr("type", "checkbox").attr("id", "front-only").on("change", function () { only = this.checked; lines(); });
  controls.append("button").attr("type", "button").attr("id", "clear-filters").text("Clear filters").on("click", () => { state.filters.clear(); build(); redrawAll(state); });
  const count = controls.append("span").attr("class", "note").attr("id", "kept");
  const drawing = box.append("div").attr("class", "wide");
  const axes = [...search.keys.filter(k => k.values.length > 1).map(k => ({name: k.name, values: k.values})), ...search.objectives.map(o => ({name: o.name}))];
  const shown = rows.filter(r => r.decided);
  behind(box, ["point", ...axes.map(a => a.name)], shown.map(r => [r.id, ...axes.map(a => a.values ? String(r.value(a.name) ?? "–") : number(r.value(a.name)))]));
  let group, position, scales;
  function build() {
    drawing.selectAll("*").remove();
    const width = Math.max(widthIn(box), axes.length * 105), height = 320;
    position = d3.scalePoint().domain(axes.map(a => a.name)).range([Math.max(50, 18 + 6.2 * d3.max(axes[0].values || [""], v => String(v).length)), width - 60]);
    scales = new Map(axes.map(a => [a.name, a.values ? d3.scalePoint().domain(a.values).range([height - 16, 40])
      : d3.scaleLinear().domain(d3.extent(shown, r => r.value(a.name))).range([height - 16, 40])]));
    const svg = drawing.append("svg").attr("viewBox", `0 0 ${width} ${height}`).style("min-width", width + "px").attr("role", "group");
    group = svg.append("g");
    for (const axis of axes) {
      const scale = scales.get(axis.name);
      const g = svg.append("g").attr("class", "axis").attr("data-axis", axis.name).attr("transform", `translate(${position(axis.name)},0)`)
        .call(axis.values ? d3.axisLeft(scale) : d3.axisLeft(scale).ticks(5).tickFormat(v => number(v)));
      const last = name => name.split(".").pop(), alone = axes.filter(a => last(a.name) === last(axis.name)).length === 1;
      const short = alone ? last(axis.name) : axis.name.split(".").slice(-2).join(".");
      g.append("text").attr("y", 22).attr("text-anchor", "middle").text(shortened(short, 112)).append("title").text(axis.name);
      const brush = d3.brushY().extent([[-12, 32], [12, height - 8]]).on("brush end", event => {
        const span = event.selection;
        if (!span) state.filters.delete(axis.name);
        else if (axis.values) state.filters.set(axis.name, new Set(axis.values.filter(v => scale(v) >= span[0] && scale(v) <= span[1])));
        else state.filters.set(axis.name, [scale.invert(span[1]), scale.invert(span[0])]);
        redrawAll(state);
      });
      keyed(g, g.append("g").attr("class", "brush").call(brush), brush, axis, scale);
    }
    lines();
  }
  function lines() {
    const kept = shown.filter(r => (!only || r.front) && passes(state, r));
    count.text(`${kept.length} of ${shown.length} points`);
    const place = (r, a) => {
      const value = r.value(a.name);
      return value === null || value === undefined ? null : scales.get(a.name)(a.values ? String(value) : value);
    };
    const line = d3.line().defined(p => p[1] !== null && p[1] !== undefined && !Number.isNaN(p[1])).x(p => p[0]).y(p => p[1]);
    const drawn = group.selectAll("path").data(kept.sort((a, b) => a.front - b.front), r => r.i);
    drawn.exit().remove();
    tipped(drawn.enter().append("path").attr("fill", "none").attr("d", r => line(axes.map(a => [position(a.name), place(r, a)]))), r => summaryOf(search, r))
      .on("click.choose", (event, r) => choosePoint(state, r)).merge(drawn)
      .attr("stroke", r => r === state.chosen ? color("red") : r.front ? color("accent") : color("grey"))
      .attr("stroke-width", r => r === state.chosen ? 3 : 1.2).attr("opacity", r => r === state.chosen || r.front ? 0.9 : 0.3);
  }
  state.redraw.push(lines);
  build();
}

const kSteps = 10;  // number of steps of a keyboard filter on an axis of numbers

// Filters along an axis with the keyboard: an arrow key selects the first value or moves the filter; with Shift, it moves
// only the filter's upper end. Escape removes the filter.
function keyed(g, brushed, brush, axis, scale) {
  const [low, high] = scale.range(), count = axis.values ? axis.values.length : kSteps, pad = axis.values ? 6 : 0;
  // The position of a step in pixels; steps are counted from the bottom.
  const place = i => axis.values ? scale(axis.values[i]) : low + (high - low) * i / kSteps;
  let steps = null;
  const tell = () => g.attr("aria-valuetext", steps === null ? "no filter" : axis.values ? axis.values.slice(steps[0], steps[1] + 1).join(", ") : `${number(scale.invert(place(steps[0])))} to ${number(scale.invert(place(steps[1] + 1)))}`);
  g.attr("tabindex", 0).attr("role", "slider").attr("aria-orientation", "vertical").attr("aria-label", `filter ${axis.name}`).attr("aria-valuenow", 0).on("keydown", event => {
    const step = {ArrowUp: 1, ArrowDown: -1}[event.key];
    if (step === undefined && event.key !== "Escape") return;
    event.preventDefault();
    const last = count - 1, inside = i => Math.max(0, Math.min(last, i));
    if (step === undefined) steps = null;
    else if (steps === null) steps = step > 0 ? [0, 0] : [last, last];
    else if (event.shiftKey) steps = [steps[0], Math.max(steps[0], inside(steps[1] + step))];
    else if (steps[0] + step >= 0 && steps[1] + step <= last) steps = steps.map(i => i + step);
    brushed.call(brush.move, steps === null ? null : [place(axis.values ? steps[1] : steps[1] + 1) - pad, place(steps[0]) + pad]);
    g.attr("aria-valuenow", steps === null ? 0 : steps[0] + 1);
    tell();
  });
  tell();
}

// The configuration of a row: a copy of the first configuration, changed by the row's [path, value] pairs.
function configurationOf(search, row, workload) {
  const changes = search.configs.differences[row.i];
  if (!changes) return null;
  const whole = JSON.parse(JSON.stringify(search.configs.first[workload]));
  for (const [path, ...value] of changes[workload]) {
    const words = path.split("\t"), last = words.pop();
    let place = whole;
    for (const word of words) place = place[word] = place[word] !== undefined && place[word] !== null && typeof place[word] === "object" ? place[word] : {};
    if (value.length > 0) place[last] = value[0];
    else delete place[last];
  }
  return whole;
}

function exploredPoint(state) {
  const {search, rows} = state;
  const box = section("point", "A point's configuration", "Save it as a file; coppice run FILE then yields the same numbers.");
  const controls = box.append("div").attr("class", "controls");
  const heading = controls.append("b").attr("id", "point-name");
  let workload = search.workloads[0].name;
  if (search.workloads.length > 1) picker(controls, "point-workload", "workload", search.workloads.map(w => w.name), workload, v => { workload = v; draw(); });
  const text = box.append("pre").attr("id", "point-config");
  controls.append("button").attr("type", "button").attr("id", "copy").text("Copy").on("click", () => {
    const range = document.createRange();
    range.selectNodeContents(text.node());
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");  // works for pages that are files, where navigator.clipboard is unavailable
  });
  function draw() {
    if (!state.chosen) return;
    heading.text(`${state.chosen.id}: ` + search.objectives.map(o => `${o.name} ${number(state.chosen.value(o.name))}`).join(", ") +
      (extrapolated(state.chosen) ? "; area extrapolated" : ""));
    const config = configurationOf(search, state.chosen, workload);
    text.text(config ? configText(config) : state.chosen.value("reason"));
  }
  state.redraw.push(draw);
  draw();
}

function exploredFront(state) {
  const {search, rows} = state;
  const front = rows.filter(r => r.front);
  if (front.length === 0) return;
  const box = section("front", "The Pareto front", "No other point is at least as good as one of these in every objective and better in one. Click a row or press Enter on it to show the point's configuration.");
  const own = search.workloads.length > 1 ? search.workloads.flatMap(w => search.objectives.map(o => `${w.name}.${o.name}`)).filter(n => search.columns.includes(n)) : [];
  const names = [...search.objectives.map(o => o.name), ...own, ...search.keys.map(k => k.name),
    ...(search.columns.includes(kInRange) ? [kInRange] : [])];
  const beyond = front.filter(extrapolated).length;
  if (beyond > 0) {
    box.append("p").attr("class", "note").attr("id", "extrapolated").text(
      `The area of ${beyond} of ${front.length} points is extrapolated: it lies outside the synthesised range (${kInRange} is false).`);
  }
  const first = search.objectives[0];
  front.sort((a, b) => (first.direction === "maximize" ? -1 : 1) * (a.value(first.name) - b.value(first.name)));
  table(box, ["point", ...names, "fidelity"], front.map(r => [r.id, ...names.map(n => number(r.value(n))), r.value("fidelity")]));
  box.selectAll("tbody tr").data(front).style("cursor", "pointer").attr("tabindex", 0).on("click", (event, r) => choosePoint(state, r))
    .on("keydown", (event, r) => { if (event.key === "Enter") choosePoint(state, r); });
}

// The growth of the front: the hypervolume after each point that contributes to the decision.
function exploredProgress({search}) {
  if (search.objectives.length < 2 || !(search.hypervolumes?.length >= 3)) return;
  const box = section("progress", "How the front grew", "The hypervolume that the front dominates after each point, over all objectives and relative to the final hypervolume. Where the line is flat, further points brought no improvement.");
  lines(box, [{name: "hypervolume", color: palette(0), points: search.hypervolumes.map((v, i) => [i + 1, v])}], "points", "hypervolume", {yFormat: percent});
}

function exploredSensitivity({search, rows}) {
  if (search.importance.length > 0) {
    const box = section("importance", "Importance of the keys", "The share of an objective's variance in the search that each key explains (fANOVA).");
    const keys = [...new Set(search.importance.map(r => r.key))];
    bars(box, d3.groups(search.importance, r => r.objective).map(([name, values]) => ({name,
      parts: values.map(r => ({name: r.key, value: r.importance, color: palette(keys.indexOf(r.key))}))})), percent);
  }
  if (search.sweeps.length === 0) return;
  const box = section("sweeps", "One choice at a time", "Variations of points that were on the front before these sweeps: one key varies at a time, and each objective is shown relative to its value at the original point, which is an open circle.");
  for (const [around, values] of d3.groups(search.sweeps, r => r.around)) {
    const centre = rows.find(r => r.id === around);
    if (centre) box.append("p").text(`${around}: ${choicesText(search.keys.filter(k => centre.value(k.name) !== null && centre.value(k.name) !== undefined), centre)}.`);
    for (const objective of search.objectives) {
      const ratio = r => r[`${objective.name} over the centre`];
      const keys = d3.groups(values, r => r.key).map(([key, list]) => [key, list.filter(r => isNumber(ratio(r)))]).filter(([, list]) => list.length > 1);
      if (keys.length === 0) continue;
      box.append("h3").text(`${objective.name} around ${around}`);
      const [moving, still] = [true, false].map(moves => keys.filter(([, list]) => (d3.max(list, ratio) > d3.min(list, ratio)) === moves));
      if (still.length > 0) box.append("p").attr("class", "note").text(`Keys without effect: ${still.map(([key]) => key).join(", ")}.`);
      const cells = box.append("div").attr("class", "small");
      for (const [key, list] of moving) exploredSweep(cells.append("div"), key, list, ratio, objective.name, around);
    }
  }
}

// Draws an objective over one key, whose values are placed by size if they are numbers, with or without a unit.
function exploredSweep(box, key, list, ratio, objective, around) {
  const words = list.map(r => /^(-?[\d.]+(?:e[+-]?\d+)?)\s*([A-Za-z\/]*)$/i.exec(String(r.value).trim())), units = new Set(words.map(w => w && w[2]));
  const sizes = words.every(w => w && ["B", "KiB", "MiB", "GiB"].includes(w[2])), numeric = sizes || (units.size === 1 && !units.has(null));
  const unit = numeric && !sizes ? [...units][0] : "", format = sizes ? volume : v => number(v) + (unit ? " " + unit : "");
  const points = list.map((r, i) => [sizes ? bytesOf(r.value) : numeric ? Number(words[i][1]) : String(r.value), ratio(r), r.point === around ? "the point itself" : "", r.point === around]);
  if (numeric) points.sort((a, b) => a[0] - b[0]);
  const spread = numeric && points[0][0] > 0 && points[points.length - 1][0] >= 8 * points[0][0];
  lines(box, [{name: key, color: palette(0), points, dots: !numeric}], key, `${objective} over the centre`,
    {free: true, logAcross: spread, atPoints: true, names: numeric ? undefined : points.map(p => p[0]), xFormat: numeric ? format : undefined, yFormat: v => number(v, 6)});
}
