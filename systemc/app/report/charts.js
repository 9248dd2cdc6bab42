// Charts: stacked bars and lines, with axes, labels and a table of the numbers.

// Horizontal bars: rows of {name, parts: [{name, value, color}]}. A part shows its share if it is wide enough. With
// `shares`, every row is as wide as the longest.
function bars(box, rows, format, options = {}) {
  if (rows.length === 0) return;
  const width = widthIn(box), most = options.most || 24, shown = rows.slice(0, most), total = row => d3.sum(row.parts, p => p.value);
  // Names are above their bars if they do not fit beside them.
  const beside = nameRoom(width, shown.map(r => r.name)), stacked = shown.some(r => shortened(r.name, beside - 12) !== r.name);
  const left = stacked ? 2 : beside, top = stacked ? 16 : 0, high = 26 + top;
  const right = 14 + 6.6 * d3.max(shown, r => format(total(r)).length);
  const longest = d3.scaleLinear().domain([0, d3.max(rows, total) || 1]).range([left, width - right]);
  const svg = box.append("div").attr("class", "figure").append("svg")
    .attr("viewBox", `0 0 ${width} ${high * shown.length + 4}`).attr("role", "img");
  const row = svg.selectAll("g").data(shown).enter().append("g").attr("transform", (d, i) => `translate(0,${i * high})`);
  row.append("text").attr("x", stacked ? 2 : left - 8).attr("y", stacked ? 15 : 17).attr("text-anchor", stacked ? "start" : "end").text(d => shortened(d.name, stacked ? width : left - 12));
  row.each(function (d) {
    let at = 0;
    const whole = total(d) || 1, x = options.shares ? longest.copy().domain([0, whole]) : longest;
    const parts = d.parts.filter(p => p.value > 0).map(part => ({...part, begin: at, end: (at += part.value)}));
    const piece = d3.select(this).selectAll("g").data(parts).enter().append("g");
    tipped(piece, p => `${p.name}: ${format(p.value)}` + (parts.length > 1 ? `, ${percent(p.value / whole)}` : ""));
    piece.append("rect").attr("class", "bar").attr("x", p => x(p.begin)).attr("width", p => Math.max(0, x(p.end) - x(p.begin)))
      .attr("y", top + 4).attr("height", high - top - 8).attr("fill", p => p.color);
    if (parts.length > 1) {
      piece.filter(p => x(p.end) - x(p.begin) > 40).append("text").attr("x", p => (x(p.begin) + x(p.end)) / 2).attr("y", top + 17)
        .attr("text-anchor", "middle").style("fill", p => readableOn(p.color)).text(p => percent(p.value / whole));
    }
    d3.select(this).append("text").attr("x", x(at) + 6).attr("y", top + 17).text(format(at));
  });
  if (rows.length > most) box.append("p").attr("class", "note").text(`And ${rows.length - most} more, in the table.`);
  const place = ([name]) => (options.order || []).indexOf(name);
  const parts = new Map(d3.sort(new Map(rows.flatMap(r => r.parts.filter(p => p.value > 0).map(p => [p.name, p.color]))), place));
  if (parts.size > 0 && rows.some(r => r.parts.length > 1)) legend(box, [...parts]);
  if (options.bare) return;
  const names = [...parts.keys()], one = rows.every(r => r.parts.length === 1);
  behind(box, ["", ...(one ? ["value"] : names), ...(one ? [] : ["total"])], rows.map(r => [r.name,
    ...(one ? r.parts.map(p => format(p.value)) : names.map(n => format(d3.sum(r.parts.filter(p => p.name === n), p => p.value)))),
    ...(one ? [] : [format(total(r))])]));
}

// Black or white, whichever is legible on `fill`.
function readableOn(fill) {
  const {r, g, b} = d3.rgb(fill);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000" : "#fff";
}

// A line's colour, made darker or brighter until text in this colour is legible on a section's background.
function legible(paint) {
  const light = c => { const {r, g, b} = d3.rgb(c); return d3.sum([[r, 0.2126], [g, 0.7152], [b, 0.0722]], ([v, w]) => w * (v / 255) ** 2.2); };
  const ground = light(color("panel")), contrast = c => (Math.max(light(c), ground) + 0.05) / (Math.min(light(c), ground) + 0.05);
  let c = d3.rgb(paint);
  for (let i = 0; i < 20 && contrast(c) < 4.5; ++i) c = ground > 0.5 ? c.darker(0.15) : c.brighter(0.15);
  return c.formatHex();
}

// Lines over a common x axis: series of {name, color, points: [[x, y, text]]}, named at their ends. A series with `dots`
// has points but no line. `bare`: without a table.
function lines(box, series, xTitle, yTitle, options = {}) {
  const points = series.flatMap(s => s.points);
  if (points.length === 0) return;
  const width = widthIn(box), height = 280;
  // Names stand at the ends of lines, or in a legend if they are far too long for that.
  const listed = series.length > 1 && 7 * d3.max(series, s => s.name.length) > 1.4 * 0.26 * width;
  const room = listed ? 16 : series.length > 1 ? Math.min(0.26 * width, 16 + 7 * d3.max(series, s => s.name.length))
    : options.xFormat && options.atPoints ? Math.max(16, 4 + 3.3 * options.xFormat(d3.max(points, p => p[0])).length) : 16;
  // Names that do not fit side by side stand in two rows.
  const rows = options.names && 6.4 * d3.sum(options.names, n => n.length + 1) > width - 64 - room ? 2 : 1;
  const edge = {left: 64, right: room, top: 12, bottom: 28 + 14 * rows}, logAcross = options.log || options.logAcross;
  const scale = (values, zero, log, range) => {
    let [least, most] = d3.extent(values);
    if (log && least > 0 && most > least) return d3.scaleLog().domain([least, most]).range(range);
    if (zero) least = Math.min(0, least);
    if (least === most) [least, most] = [least - (Math.abs(least) || 1) * 0.1, most + (Math.abs(most) || 1) * 0.1];
    return d3.scaleLinear().domain([least, most]).range(range);
  };
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
  const y = scale(ys, !options.free, options.log || options.logUp, [height - edge.bottom, edge.top]).nice(), yTicks = ticksOf(y, 5, 34), yFormat = options.yFormat || (v => number(v));
  edge.left = Math.max(64, 32 + 6.2 * (d3.max(yTicks, v => yFormat(v).length) || 0));
  const x = options.names ? d3.scalePoint().domain(options.names).range([edge.left, width - edge.right]).padding(0.5)
    : scale(xs, options.zero, logAcross, [edge.left, width - edge.right]);
  const svg = box.append("div").attr("class", "figure").append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img");
  const bottom = d3.axisBottom(x), side = d3.axisLeft(y).tickValues(yTicks).tickFormat(v => yFormat(v));
  if (!options.names) bottom.tickValues(logAcross || options.atPoints ? apart([...new Set(xs)].sort((a, b) => a - b), x, 70) : ticksOf(x, Math.min(8, width / 100), 60)).tickFormat(v => (options.xFormat || number)(v));
  svg.append("g").attr("class", "grid").selectAll("line").data(yTicks).enter().append("line").attr("x1", edge.left)
    .attr("x2", width - edge.right).attr("y1", v => y(v)).attr("y2", v => y(v));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(bottom).selectAll(".tick text").attr("dy", (d, i) => i % rows ? "1.9em" : "0.71em");
  svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(side);
  svg.append("text").attr("class", "soft").attr("x", (edge.left + width - edge.right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text(xTitle);
  svg.append("text").attr("class", "soft").attr("transform", `translate(13,${(edge.top + height - edge.bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(yTitle);
  const line = d3.line().x(p => x(p[0])).y(p => y(p[1]));
  svg.selectAll("path.series").data(series).enter().append("path").attr("class", "series").attr("fill", "none")
    .attr("stroke-width", 1.8).attr("stroke", s => s.dots ? "none" : s.color).attr("stroke-dasharray", s => s.dashed ? "5 4" : null).attr("d", s => line(s.points));
  for (const s of series) {
    if (s.points.length > 60) continue;
    tipped(svg.append("g").selectAll("circle").data(s.points).enter().append("circle").attr("r", 3.5).attr("stroke", s.color)
      .attr("fill", p => p[3] ? color("ground") : s.color).attr("cx", p => x(p[0])).attr("cy", p => y(p[1])),
      p => `${s.name}\n${xTitle} ${options.xFormat ? options.xFormat(p[0]) : number(p[0])}: ${(options.yFormat || number)(p[1])}${p[2] ? "\n" + p[2] : ""}`);
  }
  if (listed) legend(box, series.map(s => [s.name, s.color]));
  else if (series.length > 1) endLabels(svg, series, s => y(s.points[s.points.length - 1][1]), width - edge.right + 8, room - 10, edge.top, height - edge.bottom);
  if (options.bare) return;
  const noted = points.some(p => p[2]);
  behind(box, ["series", xTitle, yTitle, ...(noted ? ["note"] : [])], series.flatMap(s => s.points.map(p => [s.name, options.xFormat ? options.xFormat(p[0]) : number(p[0], 6), (options.yFormat || number)(p[1]), ...(noted ? [p[2] || ""] : [])])));
}

// The ticks of a scale. If it is logarithmic, these are decades, with intermediate values if there are few
// decades.
function ticksOf(scale, count, gap) {
  if (!scale.base) return scale.ticks(count);
  const decades = scale.ticks().filter(v => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
  return apart(decades.length > 2 ? decades : scale.ticks(), scale, gap);
}
// Drops each of the ascending values that is less than `gap` pixels after the previous value kept.
function apart(values, scale, gap) {
  const kept = [];
  for (const v of values) if (kept.length === 0 || Math.abs(scale(v) - scale(kept[kept.length - 1])) >= gap) kept.push(v);
  return kept;
}

// Names next to the ends of lines, moved apart.
function endLabels(svg, series, at, x, room, top, bottom) {
  const labels = series.filter(s => s.points.length > 0).map(s => ({s, y: at(s)})).sort((a, b) => a.y - b.y);
  labels.forEach((l, i) => { l.y = Math.max(l.y, i === 0 ? top : labels[i - 1].y + 13); });
  for (let i = labels.length - 1; i >= 0; --i) labels[i].y = Math.min(labels[i].y, (i === labels.length - 1 ? bottom : labels[i + 1].y - 13));
  svg.append("g").selectAll("text").data(labels).enter().append("text").attr("x", x).attr("y", l => l.y + 4)
    .style("fill", l => legible(l.s.color)).text(l => shortened(l.s.name, room));
}
