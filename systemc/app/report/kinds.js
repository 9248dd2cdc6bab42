// A page for each kind of result, which answers readers' questions in the terms of the terminal output and
// the result fields.
const kPorts = [["serialization", "green"], ["latency", "sky"], ["dependencies", "orange"], ["lockstep", "pink"],
  ["contention", "red"], ["credits", "yellow"], ["idle", "grey"], ["finished", "pale"]];
const kExposed = {data: "orange", tensor: "red", pipeline: "pink", expert: "yellow", sequence: "brown", context: "brown", model: "red", other: "orange"};
const exposedColor = kind => color(kExposed[kind] || "brown");
// "data communication"; operations without a kind are "other" in results, and have no name if all operations
// are.
const communication = (kind, kinds) => kind !== "other" ? `${kind} communication` : kinds.length > 1 ? "unlabelled communication" : "communication";

function kindOf(result) {
  const schemas = {"coppice.traffic/1": "traffic", "coppice.route/1": "routing", "coppice.layers/1": "layers",
    "coppice.compare/1": "algorithms", "coppice.bound/1": "bound"};
  if (schemas[result.schema]) return schemas[result.schema];
  if (result.rows) return "algorithms";
  if (result.failures || (result.jobs && result.program)) return "jobs";
  if (result.inference) return "inference";
  if (result.training) return "training";
  const one = result.steps !== undefined && (result.collectives || []).length === 1;
  if (result.program && !one) return isModel(result) ? "training" : "program";
  if (result.cycles !== undefined && result.steps !== undefined) return "collective";
  return "other";
}
const modelOf = result => result.training ? result.training.model
  : result.config && result.config.training && result.config.training.model ? String(result.config.training.model).replace(/^.*\/|\.\w+$/g, "") : "";
const isModel = result => modelOf(result) !== "";

const timeOf = result => isNumber(result.time_ns) ? result.time_ns : isNumber(result.time_s) ? 1e9 * result.time_s : undefined;

function networkName(result) {
  const topology = result.config && result.config.system ? result.config.system.topology : null;
  if (!topology || !topology.kind) return "";
  const dims = Array.isArray(topology.dims) && topology.dims.length > 0 ? topology.dims
    : Array.isArray(topology.dimensions) ? topology.dimensions.map(d => d.size).filter(isNumber) : [];
  if (topology.kind === "file") return String(topology.file || "a graph").replace(/^.*\/|\.\w+$/g, "");
  return `${String(topology.kind).replace(/_/g, " ")}${dims.length > 0 ? " " + dims.join("×") : ""}`;
}
const onNetwork = result => networkName(result) ? " on " + networkName(result) : "";
const opName = op => String(op || "collective").replace(/_/g, "-");
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

// The parts of the time of an iteration, of an accelerator, or of lost work; they add up to the whole time.
function partsOf(it) {
  const kinds = Object.entries(it.exposed || {});
  const exposed = kinds.length > 0 ? kinds.map(([kind, ns]) => ["exposed " + communication(kind, kinds), ns, exposedColor(kind)])
    : [["exposed communication", it.exposed_ns, color("orange")]];
  return [["compute", it.compute_ns, color("blue")], ["memory", it.memory_ns, color("sky")], ...exposed,
    ["waiting for others", it.bubble_ns, color("grey")], ["idle", it.idle_ns, color("pale")]]
    .filter(([, ns]) => isNumber(ns)).map(([name, value, paint]) => ({name, value, color: paint}));
}

// The parts of the time, summed over all iterations.
function wholeOf(result) {
  const sums = new Map();
  for (const it of result.iterations || []) {
    for (const part of partsOf(it)) {
      const before = sums.get(part.name);
      sums.set(part.name, before ? {...before, value: before.value + part.value} : part);
    }
  }
  return [...sums.values()];
}

const leastOf = result => result.bound ? Math.max(result.bound.time_ns || 0, result.bound.latency_ns || 0) : undefined;

// "each accelerator by itself", or the groups as ranges.
function groupsText(groups) {
  const named = groups.filter(g => g.length > 0);
  if (named.length === 0) return "";
  if (named.length > 1 && named.every(g => g.length === 1)) return "each accelerator by itself";
  const texts = named.slice(0, 6).map(ranges);
  return texts.join(" | ") + (named.length > 6 ? ` and ${named.length - 6} more groups` : "");
}
const groupsOf = result => {
  const named = (result.bound && result.bound.groups) || result.groups;
  return Array.isArray(named) ? named.map(g => Array.isArray(g) ? g : g.accelerators || g.nodes || []) : [];
};

function busiestOf(one) {
  const channels = one.network ? one.network.channels : [];
  return d3.greatest(channels.filter(c => isNumber(c[5])), c => c[5]);
}
const busiestText = one => {
  const busiest = busiestOf(one);
  return busiest && busiest[5] > 0 ? `The busiest link, ${busiest[0]} → ${busiest[1]}, was busy ${percent(busiest[5])} of the time.` : "";
};

// Explains why a run took longer than its lower bound: the largest part of a port's time apart from sending.
function whyText(result) {
  const parts = Object.entries(result.time_breakdown_cycles || {}).filter(([name]) => name !== "serialization");
  const whole = d3.sum(Object.values(result.time_breakdown_cycles || {}));
  const most = d3.greatest(parts, p => p[1]);
  if (!most || whole === 0) return "";
  const sending = `A port spent ${percent((result.time_breakdown_cycles.serialization || 0) / whole)} of the time sending (serialization)`;
  if (most[1] === 0) return sending + ".";
  const meaning = explanation("time_breakdown_cycles." + most[0]);
  return `${sending}. The largest other part is ${most[0]}, ${percent(most[1] / whole)}${meaning ? ": " + meaning.charAt(0).toLowerCase() + meaning.slice(1) : "."}`;
}

const figuresOf = result => [
  ["time", duration(timeOf(result))], ["cycles", result.cycles], ["fidelity", result.fidelity], ["verification", result.verified],
  ["link utilization, mean", result.link_utilization ? percent(result.link_utilization.mean) : undefined],
  ["link utilization, max", result.link_utilization ? percent(result.link_utilization.max) : undefined]];

const kKinds = {
  collective: {
    title: r => {
      const c = r.collectives ? {...r.collectives[0], size: volume(r.collectives[0].bytes)} : r.config.collective;
      return `${capital(opName(c.op))} of ${c.size} by ${c.algorithm}${onNetwork(r)}`;
    },
    summary: one => {
      const r = one.result, least = leastOf(r);
      answers([
        `The run took ${duration(r.time_ns)}` + (least > 0 ? `; the lower bound on this network is ${duration(least)}, so the efficiency is ${percent(r.efficiency)}.` : "."),
        whyText(r), busiestText(one),
        groupsOf(r).length > 0 ? `The lower bound follows from the bandwidth out of ${groupsOf(r).length > 1 ? plural(groupsOf(r).length, "group") + " of accelerators" : "a group of accelerators"}, ${groupsText(groupsOf(r))}.` : ""]);
      cards([...figuresOf(r), ["efficiency", percent(r.efficiency)],
        ["algorithm bandwidth", isNumber(r.algbw_gb_s) ? number(r.algbw_gb_s) + " GB/s" : undefined],
        ["bus bandwidth", isNumber(r.busbw_gb_s) ? number(r.busbw_gb_s) + " GB/s" : undefined], ["steps", r.steps]]);
    },
    sections: one => {
      portTime(one.result);
      distance(one.result);
      network(one);
      portTimeline(one);
      trees(one.profile);
      dimensions(one.result);
      expected(one.result);
      if (one.result.program && one.result.program.operations > one.result.program.ranks) roles(one);
      hardware(one.result);
    },
  },
  program: {
    title: r => `Program ${r.program.name || ""}${onNetwork(r)}`,
    summary: one => programSummary(one),
    sections: one => programSections(one),
  },
  training: {
    title: r => `Training of ${modelOf(r)}${onNetwork(r)}`,
    summary: one => programSummary(one),
    sections: one => { programSections(one); trainedLayers(one.result); },
  },
  inference: {
    title: r => `Inference of ${r.config.workload.inference.model}${onNetwork(r)}`,
    summary: one => {
      const t = one.result.inference;
      programSummary(one, [
        `The first token takes ${duration(t.time_to_first_token_ns)} and each further token ${duration(t.time_per_token_ns)}; all requests together generate ${number(t.tokens_per_s)} tokens per second.`,
        t.time_per_token_ns > 0 ? `Exposed communication takes ${percent(t.exposed_per_token_ns / t.time_per_token_ns)} of a token's time.` : ""]);
    },
    sections: one => programSections(one, i => i === 0 ? "prefill" : i === 1 ? "decode step" : `iteration ${i + 1}`),
  },
  jobs: {
    title: r => `${plural((r.jobs || []).length, "job")}${(r.failures || []).length > 0 ? ` and ${plural(r.failures.length, "failure")}` : ""}${onNetwork(r)}`,
    summary: one => {
      const r = one.result, jobs = r.jobs || [], open = jobs.filter(j => j.unfinished);
      programSummary(one, [
        `${open.length === 0 ? "All jobs finished" : `${plural(jobs.length - open.length, "job")} of ${jobs.length} finished`}; the last at ${duration(d3.max(jobs, j => j.end_ns))}.`,
        ...open.map(j => `${capital(j.name)} did not finish: ${j.unfinished}.`),
        ...(r.failures || []).slice(0, 8).map(f => `At ${duration(f.at_ns)} ${f.failed} failed: ${f.effect}.`),
        r.lost && r.lost.time_ns > 0 ? `Failures cost ${duration(r.lost.time_ns)} of lost work, ${duration(r.lost.compute_ns)} of it compute, and ${duration(r.down_ns || 0)} in which nothing ran.` : ""]);
    },
    sections: one => { jobsOverTime(one.result); losses(one.result); programSections(one); },
  },
  traffic: {
    title: r => `${capital(String(r.traffic.pattern))} traffic${onNetwork(r)}`,
    summary: one => {
      const r = one.result, t = r.traffic;
      answers([
        isNumber(t.rate) ? `Sources offered ${number(t.rate)} flits per node per cycle; ${number(r.accepted_flits_per_node_cycle)} arrived.` : `${number(r.accepted_flits_per_node_cycle)} flits per node per cycle arrived.`,
        r.saturated ? "The network is saturated: it cannot keep up with this load, and latencies grow as long as it lasts." : `The network keeps up: on average, a packet takes ${number(r.packet_latency_mean)} cycles and traverses ${number(r.hops_mean)} routers.`,
        busiestText(one)]);
      cards([["packet latency, cycles", r.packet_latency_mean], ["flit latency, cycles", r.flit_latency_mean], ["transaction latency, cycles", r.transaction_latency_mean],
        ["accepted flits per node per cycle", r.accepted_flits_per_node_cycle], ["routers traversed", r.hops_mean], ["saturated", r.saturated], ["packets measured", r.packets_measured],
        ...figuresOf(r).filter(([name]) => name.startsWith("link"))]);
    },
    sections: one => { network(one); linkUse(one); },
  },
  routing: {
    title: r => `Routing of ${plural((r.jobs || []).length, "job")} by ${r.method}${onNetwork(r)}`,
    summary: one => {
      const r = one.result, worst = d3.greatest(r.jobs || [], j => j.slowdown), flows = r.all_flows;
      answers([
        worst ? `All-reduces take up to ${number(worst.slowdown)} times as long as on dedicated links (${worst.model}).` : "",
        (r.failed_spines || []).length > 0 ? `${plural(r.failed_spines.length, "spine")} failed: ${ranges(r.failed_spines)}.` : "No spine failed.",
        flows && isNumber(flows.flows) ? `However ${number(flows.flows)} simultaneous flows are assigned, some link carries at least ${number(flows.lower_bound)} of them.` : ""]);
      cards([["time", duration(timeOf(r))], ["method", r.method], ["messages", r.messages], ["fidelity", r.fidelity], ["verification", r.verified]]);
    },
    sections: one => { routedJobs(one.result); routedFlows(one.result); network(one); routedEvents(one.result); },
  },
  layers: {
    title: r => `Layers of ${r.model || "a model"} on one accelerator`,
    summary: one => {
      const r = one.result, slow = d3.greatest(r.layers || [], l => l.cycles + (l.stall_cycles || 0));
      const whole = (r.cycles || 0) + (r.stall_cycles || 0);
      answers([`An iteration computes for ${number(whole)} cycles, ${percent((r.stall_cycles || 0) / (whole || 1))} of which are stalls for the memory.`,
        slow ? `The longest pass is ${slow.pass.replace(/_/g, " ")} of ${slow.name}: ${number(slow.cycles + (slow.stall_cycles || 0))} cycles at ${percent(slow.utilization)} utilization.` : ""]);
      cards([["time", duration(r.time_ns)], ["cycles", r.cycles], ["stall cycles", r.stall_cycles], ["processing elements", r.pes], ["samples", r.batch_per_accelerator],
        ["memory footprint", r.footprint ? volume(r.footprint.bytes) : undefined]]);
    },
    sections: one => layers(one.result),
  },
  algorithms: {
    title: r => `Algorithms side by side${onNetwork(r)}`,
    summary: one => {
      const timed = (one.result.rows || []).filter(r => isNumber(r.time_ns));
      answers([...d3.group(timed, r => r.size)].map(([size, rows]) => {
        const best = d3.least(rows, r => r.time_ns);
        return `Fastest for ${volume(bytesOf(size))}: ${best.algorithm}, ${duration(best.time_ns)}${isNumber(best.efficiency) ? `, efficiency ${percent(best.efficiency)}` : ""}.`;
      }).slice(0, 12));
    },
    sections: one => { algorithms(one.result); network(one); },
  },
  bound: {
    title: r => `Lower bound of ${opName(r.collective && r.collective.op || r.collective)}${r.size_bytes ? " of " + volume(r.size_bytes) : ""}`,
    summary: one => {
      const r = one.result;
      answers([`No schedule takes less than ${duration(Math.max(r.time_ns || 0, r.latency_ns || 0))}.`,
        r.passing ? `${volume(r.passing.bytes)} must pass through ${number(r.passing.bandwidth_gb_s)} GB/s.` : "",
        groupsOf(r).length > 0 ? `Proof: ${groupsText(groupsOf(r))}.` : ""]);
      cards([["by bandwidth", duration(r.time_ns)], ["by latency", duration(r.latency_ns)]]);
    },
    sections: one => { groupTable(one.result); network(one); },
  },
  other: {
    title: r => `Result of coppice${onNetwork(r)}`,
    summary: one => cards(figuresOf(one.result)),
    sections: one => { portTime(one.result); network(one); portTimeline(one); },
  },
};
const headline = result => kKinds[kindOf(result)].title(result);

// Describes the parts of a run that this page cannot show, and how to obtain them.
function missingOf({result, profile, network}) {
  const said = [];
  if (profile && profile.skipped && result.cycles !== undefined) said.push(profile.skipped);
  if (profile && profile.messages && profile.messages_in_all > profile.messages_kept) {
    said.push(`The profile contains only the messages of ${profile.messages_of === 1 ? "accelerator 0" : `accelerators 0 to ${profile.messages_of - 1}`}: ${number(profile.messages_kept)} of ${number(profile.messages_in_all)}. coppice run --trace writes all messages.`);
  }
  const windows = profile && profile.windows;
  if (windows && windows.sampled_from_ns !== undefined) said.push(`The use of links over time is sampled, not exact${windows.sampled_from_ns > 0 ? `, from ${duration(windows.sampled_from_ns)} on` : ""}.`);
  if (windows && network && windows.busy.length < network.channels.length) said.push(`The use over time is available for only ${number(windows.busy.length)} of ${number(network.channels.length)} channels.`);
  if (profile && profile.lanes_in_all > (profile.lanes || []).length) said.push(`Only the first ${profile.lanes.length} of ${number(profile.lanes_in_all)} roles of accelerators are drawn.`);
  if (profile && profile.merged) said.push("The timelines of roles merge neighbouring operations that are too short to see.");
  if (!network && result.config && result.config.system) said.push("The network could not be rebuilt from the configuration: a file that it names is missing.");
  return said.join(" ");
}

function programSummary(one, first = []) {
  const r = one.result, parts = wholeOf(r), whole = d3.sum(parts, p => p.value) || 1, t = r.training;
  const share = name => d3.sum(parts.filter(p => p.name.startsWith(name)), p => p.value) / whole;
  const count = (r.iterations || []).length;
  answers([...first,
    count > 0 ? `${count === 1 ? "The iteration takes" : `${count} iterations take`} ${duration(d3.sum(r.iterations, i => i.time_ns))}: ${percent(share("compute"))} compute, ${percent(share("exposed"))} exposed communication, ${percent(share("waiting"))} waiting for others, ${percent(share("idle"))} idle.` : "",
    ...helpful(parts, whole).slice(0, 2).map(p => `Without ${p.name === "idle" ? "idle time" : p.name}, the run would take at most ${percent(p.value / whole)} less time.`),
    t && isNumber(t.overlapped_ns) && t.communication_ns > 0 ? `Computation hides ${duration(t.overlapped_ns)} of the ${duration(t.communication_ns)} of communication (${percent(t.overlapped_ns / t.communication_ns)}).` : "",
    busiestText(one)]);
  cards([...figuresOf(r), ["operations", r.program ? r.program.operations : undefined], ["ranks", r.program ? r.program.ranks : undefined],
    ["performance relative to a run without communication", t ? percent(t.normalized_performance) : undefined], ["parameters", t ? t.parameters : undefined],
    ["gradients", t && isNumber(t.gradient_bytes) ? volume(t.gradient_bytes) : undefined],
    ["bus bandwidth", isNumber(r.busbw_gb_s) ? number(r.busbw_gb_s) + " GB/s" : undefined], ["efficiency", isNumber(r.efficiency) ? percent(r.efficiency) : undefined]]);
}

// The parts other than computing that could save the most time, largest first.
const helpful = (parts, whole) => parts.filter(p => p.name !== "compute" && p.value > 0.001 * whole).sort((a, b) => b.value - a.value);

function programSections(one, nameOf = i => `iteration ${i + 1}`) {
  const r = one.result, iterations = r.iterations || [];
  if (iterations.length > 0) {
    const box = section("breakdown", "Where the time went", "The parts of each iteration, averaged over accelerators. Exposed communication is not hidden by computation.");
    bars(box, iterations.map((it, i) => ({name: nameOf(i), parts: partsOf(it)})), duration);
    const parts = wholeOf(r), whole = d3.sum(parts, p => p.value) || 1, best = helpful(parts, whole);
    if (best.length > 0) {
      box.append("h3").text("What would help most");
      box.append("p").attr("class", "note").text("The maximum saving if a part took no time; time that the part hides may replace it.");
      bars(box, best.map(p => ({name: p.name, parts: [p]})), v => `${duration(v)}, ${percent(v / whole)}`);
    }
  }
  roles(one);
  collectives(r);
  spread(r);
  network(one);
  portTime(r);
  portTimeline(one);
  dimensions(r);
  distance(r);
  hardware(r);
}

function portTime(result) {
  const parts = result.time_breakdown_cycles;
  if (!parts || d3.sum(Object.values(parts)) === 0) return;
  const box = section("ports-time", result.iterations ? "Where the time of a network-interface port went" : "Where the time went", "Cycles of a network-interface port, averaged over ports.");
  const known = [...kPorts, ...Object.keys(parts).filter(p => !kPorts.some(([n]) => n === p)).map(p => [p, "brown"])].filter(([p]) => parts[p] !== undefined);
  const whole = d3.sum(known, ([p]) => parts[p]);
  bars(box, [{name: "a port", parts: known.map(([p, paint]) => ({name: p, value: parts[p], color: color(paint)}))}], v => number(v) + " cycles", {bare: true});
  table(box, ["part", "cycles", "share", "meaning"], known.map(([p]) => [p, number(parts[p]), percent(parts[p] / whole), explanation("time_breakdown_cycles." + p)]));
}

function distance(result) {
  const least = leastOf(result);
  if (!result.bound || !(least > 0)) return;
  const box = section("bound", "Distance from the lower bound");
  bars(box, [["bound by bandwidth", result.bound.time_ns, "green"], ["bound by latency", result.bound.latency_ns, "sky"], ["this run", result.time_ns, "blue"]]
    .filter(([, ns]) => ns > 0).map(([name, value, paint]) => ({name, parts: [{name: "time", value, color: color(paint)}]})), duration);
  groupTable(result, box);
}

function groupTable(result, box) {
  const groups = groupsOf(result).filter(g => g.length > 0);
  if (groups.length === 0) return;
  const place = box || section("bound", "Proof of the bound");
  place.append("p").text(`The groups of accelerators that prove the bound: ${groupsText(groups)}.`);
  if (groups.some(g => g.length > 1)) behind(place, ["group", "accelerators", "which"], groups.slice(0, 256).map((g, i) => [i, g.length, ranges(g)]), "The groups");
}

function expected(result) {
  if (!Array.isArray(result.expected) || result.expected.length === 0) return;
  const box = section("expected", "Algorithms compared by the automatic choice", `Expected times of the tables; ${result.chosen ? `${result.chosen} was chosen.` : "the fastest was chosen."}`);
  bars(box, result.expected.filter(e => isNumber(e.time_ns)).map(e => ({name: e.algorithm + (e.chunks ? `, ${plural(e.chunks, "chunk")}` : "") + (e.protocol ? `, ${e.protocol}` : ""),
    parts: [{name: "expected", value: e.time_ns, color: color(e.algorithm === result.chosen ? "blue" : "grey")}]})), duration);
}

function hardware(result) {
  const h = result.hardware;
  if (!h) return;
  const box = section("hardware", "What the hardware costs", h.area_in_range === false ? "Extrapolated: some parts lie outside the range that was synthesised." : "");
  const rows = flat(h).filter(([, v]) => v !== "null").map(([k, v]) => [k, number(JSON.parse(v)), explanation("hardware." + k)]);
  for (const [what, unit] of [["area", "mm²"], ["energy", "µJ"]]) {
    const parts = Object.entries(h[what] || {}).filter(([, v]) => isNumber(v));
    if (parts.length > 0) bars(box, [{name: what, parts: parts.map(([k, value], i) => ({name: k.replace(/_(mm2|uj)$/, "").replace(/_/g, " "), value, color: palette(i)}))}], v => `${number(v)} ${unit}`);
  }
  table(box, ["quantity", "value", "meaning"], rows);
}

function collectives(result) {
  const rows = (result.collectives || []).filter(c => isNumber(c.time_ns));
  if (rows.length === 0) return;
  const box = section("collectives", "Collectives and transfers", "Summed by operation, kind, algorithm and size. Times start when all ranks have joined; the times of overlapping operations are added.");
  bars(box, rows.slice(0, 12).map(c => ({name: `${number(c.count)} × ${opName(c.op)} of ${volume(c.bytes)}`, parts: [{name: c.kind || "unlabelled", value: c.time_ns, color: exposedColor(c.kind || "other")}]})), duration, {bare: true});
  const kinds = new Map(rows.slice(0, 12).map(c => [c.kind || "unlabelled", exposedColor(c.kind || "other")]));
  if (kinds.size > 1) legend(box, [...kinds]);
  behind(box, ["operation", "kind", "algorithm", "size", "count", "total time", "bandwidth, GB/s", "efficiency"], rows.map(c => [opName(c.op), c.kind || "–", c.algorithm, volume(c.bytes),
    number(c.count), duration(c.time_ns), number(c.bandwidth_gb_s), percent(c.efficiency)]), "All collectives and transfers");
}

// The minimum, mean and maximum of each part over accelerators.
function spread(result) {
  const list = (result.accelerators || []).filter(a => a && isNumber(a.compute_ns));
  if (list.length < 2) return;
  const parts = [["compute", "compute_ns"], ["memory", "memory_ns"], ["exposed communication", "exposed_ns"], ["waiting for others", "bubble_ns"], ["idle", "idle_ns"], ["lost to failures", "lost_ns"]]
    .filter(([, key]) => list.some(a => a[key] > 0));
  const box = section("spread", "Differences between accelerators", `Over ${plural(list.length, "accelerator")} and the whole run.`);
  table(box, ["part", "least", "mean", "most", "accelerator with most"], parts.map(([name, key]) => {
    const most = d3.greatest(list, a => a[key] || 0);
    return [name, duration(d3.min(list, a => a[key] || 0)), duration(d3.mean(list, a => a[key] || 0)), duration(most[key]), String(most.accelerator)];
  }));
  behind(box, ["accelerator", ...parts.map(([name]) => name)], list.map(a => [String(a.accelerator), ...parts.map(([, key]) => duration(a[key] || 0))]), "Every accelerator");
}

function trainedLayers(result) {
  const list = result.training && result.training.layers;
  if (!Array.isArray(list) || list.length === 0 || !isNumber(list[0].forward_ns)) return;
  const box = section("layers", "Layers", "The time of each layer's passes.");
  const passes = [["forward", "forward_ns", "blue"], ["input gradient", "input_gradient_ns", "sky"], ["weight gradient", "weight_gradient_ns", "green"], ["update", "update_ns", "yellow"]];
  bars(box, list.map(l => ({name: l.name, parts: passes.filter(([, key]) => isNumber(l[key])).map(([name, key, paint]) => ({name, value: l[key], color: color(paint)}))})), duration);
  if (list.some(l => isNumber(l.all_reduce_end_ns))) {
    behind(box, ["layer", "gradients", "ready", "all-reduce begins", "all-reduce ends"], list.map(l => [l.name, volume(l.gradient_bytes), duration(l.gradient_ready_ns), duration(l.all_reduce_begin_ns), duration(l.all_reduce_end_ns)]), "All-reduces");
  }
}

function jobsOverTime(result) {
  const jobs = result.jobs || [];
  if (jobs.length === 0) return;
  const box = section("jobs", "Jobs over time", "Each bar is a finished iteration, and each line a failure.");
  const rows = jobs.map(j => ({label: j.name, spans: j.iterations.map((it, i) => ({begin: i === 0 ? j.arrival_ns : j.iterations[i - 1].end_ns, end: it.end_ns, color: color(i % 2 ? "sky" : "blue"), text: String(i + 1), title: () => `${j.name}, iteration ${i + 1}`}))}));
  const marks = (result.failures || []).map(f => ({at: f.at_ns, title: `${f.failed} failed: ${f.effect}`}));
  timeline(box, rows, {end: timeOf(result), marks, high: 26});
  table(box, ["job", "arrival", "end", "iterations", "unfinished"], jobs.map(j => [j.name, duration(j.arrival_ns), duration(j.end_ns),
    number(j.iterations.length) + (j.of === undefined ? "" : " of " + number(j.of)), j.unfinished || "no"]));
}

function losses(result) {
  if (!result.lost && !(result.failures || []).length) return;
  const box = section("losses", "What failures cost", "Averaged over accelerators. Work after the last finished iteration is lost and repeated.");
  if ((result.failures || []).length > 0) table(box, ["at", "failed", "effect"], result.failures.map(f => [duration(f.at_ns), f.failed, f.effect]));
  const lost = result.lost && result.lost.time_ns > 0 ? [{name: "lost", parts: partsOf(result.lost)}] : [];
  const down = result.down_ns > 0 ? [{name: "down", parts: [{name: "nothing ran", value: result.down_ns, color: color("ink")}]}] : [];
  if (lost.length + down.length > 0) bars(box, [...lost, ...down], duration);
}

function layers(result) {
  const box = section("layers", "Layers", "The cycles of each pass of a layer, including stalls.");
  const passes = [...new Set(result.layers.map(l => l.pass))];
  bars(box, d3.groups(result.layers, l => l.name).map(([name, list]) => ({name, parts: list.map(l => ({name: l.pass.replace(/_/g, " "), value: l.cycles + (l.stall_cycles || 0), color: palette(passes.indexOf(l.pass))}))})),
    v => number(v) + " cycles", {most: 40});
  const fields = ["name", "pass", "m", "n", "k", "count", "cycles", "stall_cycles", "utilization", "bytes", "bound_by"];
  behind(box, fields.map(f => f.replace(/_/g, " ")), result.layers.map(l => fields.map(f => f === "utilization" ? percent(l[f]) : number(l[f]))), "Every pass");
}

function routedJobs(result) {
  const jobs = result.jobs || [];
  if (jobs.length === 0) return;
  const box = section("jobs", "Jobs", "The time of each job's all-reduce, and its time on links of its own.");
  bars(box, jobs.map((j, i) => ({name: `${i}: ${j.model}`, parts: [
    {name: "on dedicated links", value: 1e9 * j.ideal_s, color: color("green")},
    {name: "added by other traffic", value: 1e9 * Math.max(0, j.all_reduce_s - j.ideal_s), color: color("red")}]})), duration);
  table(box, ["job", "copies", "all-reduce", "on dedicated links", "slowdown", "flow completion", "throughput, GB/s"], jobs.map((j, i) => [`${i}: ${j.model}`, number(j.data_parallel),
    duration(1e9 * j.all_reduce_s), duration(1e9 * j.ideal_s), number(j.slowdown), duration(1e9 * j.flow_completion_s), number(j.throughput_gb_s)]));
}

function routedFlows(result) {
  const flows = result.all_flows;
  if (!flows || !Array.isArray(flows.methods) || flows.methods.length === 0) return;
  const box = section("flows", "Flows on the busiest link", `However ${number(flows.flows)} simultaneous flows are assigned, some link carries at least ${number(flows.lower_bound)} of them.`);
  bars(box, flows.methods.filter(m => isNumber(m.max_load)).map(m => ({name: m.method, parts: [{name: "most flows on a link", value: m.max_load, color: color(m.method === result.method ? "blue" : "grey")}]})), number);
}

function routedEvents(result) {
  const events = result.timeline || [];
  if (events.length === 0) return;
  const box = section("events", "Events");
  const keys = [...new Set(events.flatMap(e => Object.keys(e)))].filter(k => k !== "time_s");
  const rows = events.slice(0, 2000).map(e => [duration(1e9 * e.time_s), ...keys.map(k => e[k] === undefined ? "" : typeof e[k] === "object" ? JSON.stringify(e[k]) : number(e[k]))]);
  if (rows.length > 20) behind(box, ["time", ...keys], rows, plural(events.length, "event"));
  else table(box, ["time", ...keys], rows);
}

const bytesOf = size => {
  const [, figure, unit] = /^([\d.]+)\s*(\w*)$/.exec(String(size)) || [];
  const units = {B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, KB: 1e3, kB: 1e3, MB: 1e6, GB: 1e9};
  return figure === undefined ? 0 : Number(figure) * (units[unit] || 1);
};

function algorithms(result) {
  const rows = result.rows.filter(r => isNumber(r.time_ns));
  const box = section("algorithms", "Algorithms side by side");
  const sizes = new Set(rows.map(r => r.size)), groups = d3.groups(rows, r => r.algorithm);
  if (sizes.size > 1) {
    const least = d3.groups(rows.filter(r => isNumber(r.bound_ns)), r => r.size).map(([size, list]) => [bytesOf(size), list[0].bound_ns]);
    const last = g => d3.greatest(g[1], r => bytesOf(r.size)).time_ns;
    const drawn = groups.sort((a, b) => last(a) - last(b)).slice(0, 9);
    lines(box, [...drawn.map(([name, list], i) => ({name, color: palette(i), points: list.map(r => [bytesOf(r.size), r.time_ns]).sort((a, b) => a[0] - b[0])})),
      ...(least.length > 1 ? [{name: "lower bound", color: color("soft"), dashed: true, points: least.sort((a, b) => a[0] - b[0])}] : [])],
      "size", "time", {log: true, xFormat: volume, yFormat: duration, bare: true});
    if (groups.length > drawn.length) box.append("p").attr("class", "note").text(`Only the ${drawn.length} algorithms that are fastest at the largest size are drawn.`);
  } else {
    bars(box, [...rows].sort((a, b) => a.time_ns - b.time_ns).map(r => ({name: r.algorithm + (r.estimated ? " (estimate)" : ""), parts: [{name: "time", value: r.time_ns, color: color(r.estimated ? "grey" : "blue")}]})), duration, {bare: true});
  }
  if (rows.some(r => r.estimated)) box.append("p").attr("class", "note").text("Times marked ~ are estimates: these algorithms cannot be the fastest.");
  behind(box, ["algorithm", "size", "time", "efficiency", "tables"], rows.map(r => [r.algorithm, volume(bytesOf(r.size)), (r.estimated ? "~" : "") + duration(r.time_ns), percent(r.efficiency), isNumber(r.table_bytes) ? volume(r.table_bytes) : "–"]));
}

// Traffic: the distribution of load over links.
function linkUse(one) {
  const uses = (one.network ? one.network.channels : []).map(c => c[5]).filter(isNumber);
  if (uses.length < 2) return;
  const box = section("links", "How evenly links are used", "The number of links by the share of the time for which they were busy.");
  const bins = d3.bin().domain([0, Math.max(0.01, d3.max(uses))]).thresholds(12)(uses);
  bars(box, bins.map(b => ({name: `${percent(b.x0)} to ${percent(b.x1)}`, parts: [{name: "links", value: b.length, color: color("blue")}]})), v => plural(v, "link"));
}

// Several results, of any kind.
function compare(results) {
  const box = section("compare", "Comparison");
  const timed = results.filter(r => timeOf(r.result) !== undefined);
  const split = timed.filter(r => wholeOf(r.result).length > 0);
  if (split.length === timed.length && timed.length > 0) {
    bars(box, timed.map(r => ({name: r.name, parts: wholeOf(r.result)})), duration);
  } else if (timed.length > 0 && timed.every(r => r.result.time_breakdown_cycles)) {
    bars(box, timed.map(r => ({name: r.name, parts: kPorts.filter(([p]) => r.result.time_breakdown_cycles[p] !== undefined).map(([p, paint]) => ({name: p,
      value: r.result.time_ns * r.result.time_breakdown_cycles[p] / (r.result.cycles || 1), color: color(paint)}))})), duration);
  } else if (timed.length > 0) {
    bars(box, timed.map(r => ({name: r.name, parts: [{name: "time", value: timeOf(r.result), color: color("blue")}]})), duration);
  }
  loads(box, results.filter(r => r.result.traffic && isNumber(r.result.traffic.rate)));
  const fields = ["time_ns", "cycles", "efficiency", "algbw_gb_s", "busbw_gb_s", "steps", "packet_latency_mean", "accepted_flits_per_node_cycle", "saturated", "fidelity", "verified"]
    .filter(f => results.some(r => r.result[f] !== undefined));
  const shown = (r, f) => f === "time_ns" ? duration(timeOf(r.result)) : f === "efficiency" ? percent(r.result[f]) : number(r.result[f]);
  const names = {time_ns: "time", algbw_gb_s: "algorithm bandwidth, GB/s", busbw_gb_s: "bus bandwidth, GB/s", packet_latency_mean: "packet latency, cycles", accepted_flits_per_node_cycle: "accepted flits per node per cycle"};
  table(box, ["result", ...fields.map(f => names[f] || f)], results.map(r => [r.name, ...fields.map(f => shown(r, f))]));
  const keys = results.map(r => new Map(flat(r.result.config || {})));
  const differing = [...new Set(keys.flatMap(k => [...k.keys()]))].filter(k => new Set(keys.map(m => m.get(k))).size > 1);
  if (differing.length > 0) {
    box.append("h3").text("Keys that differ");
    table(box, ["key", ...results.map(r => r.name)], differing.map(k => [k, ...keys.map(m => m.get(k) === undefined ? "–" : m.get(k).replace(/^"|"$/g, ""))]));
  }
}

// Latency and accepted flits over the offered load; saturated points are open circles.
function loads(box, offered) {
  if (offered.length < 2) return;
  const groups = d3.groups(offered, r => `${r.result.traffic.pattern}${onNetwork(r.result)}, ${plural(r.result.traffic.packet_flits, "flit")}`);
  const series = value => groups.map(([name, list], i) => ({name, color: palette(i), points: list.filter(r => isNumber(value(r.result)))
    .map(r => [r.result.traffic.rate, value(r.result), r.result.saturated ? "saturated" : "", r.result.saturated]).sort((a, b) => a[0] - b[0])})).filter(s => s.points.length > 0);
  const unsaturated = offered.filter(r => !r.result.saturated), first = d3.least(offered.filter(r => r.result.saturated), r => r.result.traffic.rate);
  box.append("h3").text("Latency over load");
  box.append("p").attr("class", "note").text(first ? `Saturated at ${number(first.result.traffic.rate)} flits per node per cycle and above (open circles).` : `Not saturated up to ${number(d3.max(unsaturated, r => r.result.traffic.rate))} flits per node per cycle.`);
  lines(box, series(r => r.packet_latency_mean), "offered flits per node per cycle", "packet latency, cycles");
  box.append("h3").text("Accepted over offered load");
  lines(box, series(r => r.accepted_flits_per_node_cycle), "offered flits per node per cycle", "accepted");
}
