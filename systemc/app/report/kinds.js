// A page for each kind of result. It answers readers' questions in the terms of the terminal output and the result fields.
const kPorts = [["serialization", "green"], ["latency", "sky"], ["dependencies", "orange"], ["lockstep", "pink"],
  ["contention", "red"], ["credits", "yellow"], ["idle", "grey"], ["finished", "pale"]];
const kExposed = {data: "orange", tensor: "red", pipeline: "pink", expert: "yellow", sequence: "brown", context: "brown", model: "red", other: "orange"};
const exposedColor = kind => color(kExposed[kind] || "brown");
// "data communication". Operations without a kind are "other" in results and "unlabelled" here; if all operations lack a
// kind, the text is just "communication".
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

// The names of these parts in order, for rows that may lack some of them.
const orderOf = rows => {
  const names = [...new Set(rows.flatMap(parts => parts.map(p => p.name)))];
  return ["compute", "memory", ...names.filter(n => n.startsWith("exposed")), "waiting for others", "idle"];
};

// Jobs with different numbers of iterations have no iterations in common.
const iterationsDiffer = result => new Set((result.jobs || []).map(j => j.iterations.length)).size > 1;

// The parts of all iterations together.
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

// The error of the fluid simulation, measured on a sample: "+0.3%".
const fluidError = result => {
  const error = result.fluid && result.fluid.error;
  return !isNumber(error) ? undefined : Math.abs(error) < 0.0005 ? "less than 0.1%" : (error > 0 ? "+" : "") + percent(error);
};

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
  const busiest = busiestOf(one), net = one.network;
  const name = n => net.nodes === net.accelerators ? n : `${n < net.accelerators ? "accelerator" : "switch"} ${n}`;
  return busiest && busiest[5] > 0 ? `The busiest link, ${name(busiest[0])} → ${name(busiest[1])}, was busy ${percent(busiest[5])} of the time.` : "";
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
  ["time", duration(timeOf(result))], ["cycles", result.cycles], ["fidelity", result.fidelity], ["error of fluid times", fluidError(result)],
  ["sums checked by", result.verified],
  ["link utilization, mean", result.link_utilization ? percent(result.link_utilization.mean) : undefined, "link_utilization.mean"],
  ["link utilization, max", result.link_utilization ? percent(result.link_utilization.max) : undefined, "link_utilization.max"]];

const kKinds = {
  collective: {
    title: r => {
      const c = r.collectives ? {...r.collectives[0], size: volume(r.collectives[0].bytes)} : r.config.collective;
      return `${capital(opName(c.op))} of ${c.size} by ${r.chosen ? `${r.chosen} (chosen by ${c.algorithm})` : c.algorithm}${onNetwork(r)}`;
    },
    summary: one => {
      const r = one.result, least = leastOf(r);
      answers([
        `The run took ${duration(r.time_ns)}` + (least > 0 ? `; the lower bound on this network is ${duration(least)}, so the efficiency is ${percent(r.efficiency)}.` : "."),
        whyText(r), busiestText(one),
        least > 0 && (r.bound.latency_ns || 0) > (r.bound.time_ns || 0) ? "The lower bound is the latency from the farthest accelerator on which another depends."
          : groupsOf(r).length > 0 ? `The lower bound is due to the bandwidth out of ${groupsOf(r).length > 1 ? plural(groupsOf(r).length, "group") + " of accelerators" : "a group of accelerators"}, ${groupsText(groupsOf(r))}.` : ""]);
      cards([...figuresOf(r), ["efficiency", percent(r.efficiency)],
        ["algorithm bandwidth", isNumber(r.algbw_gb_s) ? number(r.algbw_gb_s) + " GB/s" : undefined],
        ["bus bandwidth", isNumber(r.busbw_gb_s) ? number(r.busbw_gb_s) + " GB/s" : undefined], ["steps", r.steps]]);
    },
    sections: one => {
      portTime(one.result);
      distance(one.result);
      network(one);
      portTimeline(one);
      trees(one);
      dimensions(one.result);
      expected(one.result);
      if (one.result.program && one.result.program.operations > one.result.program.ranks) roles(one);
      hardware(one.result);
    },
  },
  program: {
    title: r => {
      const traced = (r.config.program || {}).trace !== undefined, name = String(r.program.name || "");
      const files = name.replace(/\W*\{rank\}/g, "").replace(/\.\w+$/, "");
      return `${!traced ? `Program ${name}` : files === "trace" ? "Chakra trace" : `Chakra trace ${files}`}${onNetwork(r)}`;
    },
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
      const r = one.result, t = r.inference, served = (r.config.workload || {}).inference || {};
      answers([
        `The first token takes ${duration(t.time_to_first_token_ns)}, each further token ${duration(t.time_per_token_ns)}: ${number(t.tokens_per_s)} tokens per second for all requests together.`,
        ...(r.iterations || []).flatMap((it, i) => {
          const parts = partsOf(it), whole = d3.sum(parts, p => p.value) || 1, what = i === 0 ? "the prefill" : "a decode step";
          return [`${capital(what)} takes ${duration(it.time_ns)}: ${sharesText(parts, whole)}.`, ...helpful(parts, whole).slice(0, 1).map(p => savingText(p, whole, what))];
        }), busiestText(one)]);
      cards([["time to the first token", duration(t.time_to_first_token_ns)], ["time per token", duration(t.time_per_token_ns)], ["tokens per second", t.tokens_per_s],
        ["requests", served.batch], ["prompt tokens per request", served.prompt], ["context tokens per request", served.context], ...figuresOf(r),
        ["operations", r.program ? r.program.operations : undefined], ["ranks", r.program ? r.program.ranks : undefined]]);
    },
    sections: one => programSections(one, phaseName),
  },
  jobs: {
    title: r => `${plural((r.jobs || []).length, "job")}${(r.failures || []).length > 0 ? ` and ${plural(r.failures.length, "failure")}` : ""}${onNetwork(r)}`,
    summary: one => {
      const r = one.result, jobs = r.jobs || [], open = jobs.filter(j => j.unfinished);
      programSummary(one, [
        jobs.length === 1 && open.length === 0 ? `The job ended at ${duration(jobs[0].end_ns)}.`
          : `${open.length === 0 ? "All jobs ended" : `${plural(jobs.length - open.length, "job")} of ${jobs.length} ended`}; the last at ${duration(d3.max(jobs, j => j.end_ns))}.`,
        ...open.map(j => `${capital(j.name)} did not finish: ${j.unfinished}.`),
        ...(r.failures || []).slice(0, 8).map(f => `At ${duration(f.at_ns)}, ${f.failed} failed: ${f.effect}.`),
        r.lost && r.lost.time_ns > 0 ? `Failures cost ${duration(r.lost.time_ns)} of lost work, ${duration(r.lost.compute_ns)} of it compute (mean over accelerators), and ${duration(r.down_ns || 0)} in which nothing ran.` : ""]);
    },
    sections: one => { jobsOverTime(one.result); losses(one.result); programSections(one); },
  },
  traffic: {
    title: r => `${r.traffic.trace ? `Packet trace ${String(r.traffic.trace).replace(/^.*\/|\.\w+$/g, "")}` : `${capital(opName(r.traffic.pattern))} traffic`}${onNetwork(r)}`,
    summary: one => {
      const r = one.result, t = r.traffic;
      answers([
        t.trace && isNumber(r.cycles) ? `The last of ${plural(t.packets, "packet")} arrived in cycle ${number(r.cycles)}.` : "",
        isNumber(t.rate) ? `Sources offered ${number(t.rate)} flits per node per cycle; ${number(r.accepted_flits_per_node_cycle)} arrived.` : `${number(r.accepted_flits_per_node_cycle)} flits per node per cycle arrived.`,
        r.saturated ? "The network is saturated: it cannot keep up with this load, and latencies grow as long as the load lasts." : `The network keeps up: a packet takes ${number(r.packet_latency_mean)} cycles over ${number(r.hops_mean)} routers on average.`,
        unevenText(r), busiestText(one)]);
      cards([["packet latency, cycles", r.packet_latency_mean], ["flit latency, cycles", r.flit_latency_mean], ["transaction latency, cycles", r.transaction_latency_mean],
        ["accepted flits per node per cycle", r.accepted_flits_per_node_cycle], ["routers traversed", r.hops_mean], ["saturated", r.saturated], ["packets measured", r.packets_measured],
        ...figuresOf(r).filter(([name]) => name.startsWith("link"))]);
    },
    sections: one => { network(one); linkUse(one); trafficKeys(one.result); },
  },
  routing: {
    title: r => `Routing of ${plural((r.jobs || []).length, "job")} by ${r.method}${onNetwork(r)}`,
    summary: one => {
      const r = one.result, jobs = r.jobs || [], worst = d3.greatest(jobs, j => j.slowdown), flows = r.all_flows, failed = r.failed_spines || [], later = (r.timeline || []).filter(e => e.event === "spine_fails"), most = mostFlows(r);
      answers([
        worst ? `The all-reduces of job ${jobs.indexOf(worst)} (${worst.model}) take ${number(worst.slowdown)} times their ideal time${jobs.length > 1 ? ", the largest slowdown" : ""}.` : "",
        failed.length > 0 ? `Failed from the start: ${failed.length === 1 ? "spine" : "spines"} ${ranges(failed)}.` : later.length === 0 ? "No spine failed." : "",
        ...later.map(e => `Spine ${e.spine} failed at ${duration(1e9 * e.time_s)}.`),
        isNumber(most) ? `If all jobs communicate at once, ${r.method} puts up to ${number(most)} of ${number(flows.flows)} flows on one link; the lower bound for any assignment is ${number(flows.lower_bound)}.` : ""]);
      cards([["time", duration(timeOf(r))], ["method", r.method], ["messages", r.messages], ["fidelity", r.fidelity], ["sums checked by", r.verified],
        ["error of fluid times", fluidError(r)]]);
    },
    sections: one => { routedJobs(one.result); routedOverTime(one.result); routedFlows(one.result); network(one); routedEvents(one.result); },
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
    title: r => `Algorithms for ${opName((r.config && r.config.collective || {}).op)}${onNetwork(r)}`,
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
    title: r => `Lower bound for ${opName(r.collective && r.collective.op || r.collective)}${r.size_bytes ? " of " + volume(r.size_bytes) : ""}`,
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

// The parts of a run that this page cannot show, and how to get them.
function missingOf(one) {
  const {result, profile, network} = one, said = [];
  if (profile && profile.skipped && result.cycles !== undefined) said.push(profile.skipped);
  if (profile && profile.stretches && result.cycles !== undefined) said.push("The use of links and ports over time is not kept for runs with failures.");
  if (profile && profile.messages && portsCut(one)) {
    said.push(`Ports over time are not drawn, since only ${number(profile.messages_kept)} of ${number(profile.messages_in_all)} messages are kept. coppice run --trace keeps all of them.`);
  } else if (profile && profile.messages && profile.messages_in_all > profile.messages_kept) {
    said.push(`Only the messages of ${profile.messages_of === 1 ? "accelerator 0" : `accelerators 0 to ${profile.messages_of - 1}`} are kept: ${number(profile.messages_kept)} of ${number(profile.messages_in_all)}. coppice run --trace keeps all of them.`);
  }
  const windows = profile && profile.windows;
  if (windows && windows.sampled_from_ns !== undefined) said.push(`The use of links over time is sampled, not exact${windows.sampled_from_ns > 0 ? `, from ${duration(windows.sampled_from_ns)} on` : ""}.`);
  if (windows && network && windows.busy.length < network.channels.length) said.push(`The use over time is available for only ${number(windows.busy.length)} of ${number(network.channels.length)} channels.`);
  if (profile && profile.lanes_in_all > (profile.lanes || []).length) said.push(`Only the first ${profile.lanes.length} of ${number(profile.lanes_in_all)} roles of accelerators are drawn.`);
  if (profile && profile.merged) said.push("The timelines of roles merge neighbouring operations that are too short to see.");
  if (!network && result.config && result.config.system) said.push("The network could not be rebuilt from the configuration: a file that it names is missing.");
  return said.join(" ");
}

const phaseName = i => i === 0 ? "prefill" : i === 1 ? "decode step" : `iteration ${i + 1}`;

// The parts of a time as shares of it, in words; memory is left out if no time is spent on it.
function sharesText(parts, whole) {
  const share = name => d3.sum(parts.filter(p => p.name.startsWith(name)), p => p.value) / whole;
  return [["compute"], ["memory"], ["exposed", "exposed communication"], ["waiting", "waiting for others"], ["idle"]]
    .filter(([name]) => name !== "memory" || share(name) > 0).map(([name, words]) => `${percent(share(name))} ${words || name}`).join(", ");
}
const savingText = (part, whole, what) => `Without ${part.name === "idle" ? "idle time" : part.name}, ${what} would take at most ${percent(part.value / whole)} less.`;
// The axes of a large model: "tensor 8 × pipeline 4 × data 4".
function parallelText(result) {
  const axes = result.training ? {} : ((result.config || {}).training || {}).parallel || {};
  const used = Object.entries(axes).filter(([, size]) => isNumber(size) && size > 1).map(([axis, size]) => `${axis} ${number(size)}`);
  return used.length > 0 ? used.join(" × ") : undefined;
}

function programSummary(one, first = []) {
  const r = one.result, parts = wholeOf(r), whole = d3.sum(parts, p => p.value) || 1, t = r.training;
  const count = (r.iterations || []).length;
  answers([...first,
    count > 0 ? `${iterationsDiffer(r) ? `${(r.failures || []).length > 0 ? "Without lost work and down time, the" : "The"} jobs take` : count === 1 ? "The iteration takes" : `${count} iterations take`} ${duration(d3.sum(r.iterations, i => i.time_ns))}: ${sharesText(parts, whole)} (mean over accelerators).` : "",
    ...helpful(parts, whole).slice(0, 2).map(p => savingText(p, whole, count === 1 ? "it" : "they")),
    t && isNumber(t.overlapped_ns) && t.communication_ns > 0 ? `Computation hides ${duration(t.overlapped_ns)} of ${duration(t.communication_ns)} of communication (${percent(t.overlapped_ns / t.communication_ns)}).` : "",
    busiestText(one)]);
  cards([...figuresOf(r), ["operations", r.program ? r.program.operations : undefined], ["ranks", r.program ? r.program.ranks : undefined],
    ["parallel", parallelText(r)], ["micro-batches", parallelText(r) ? r.config.training.micro_batches : undefined],
    ["of the performance without communication", t ? percent(t.normalized_performance) : undefined], ["parameters", t ? t.parameters : undefined],
    ["gradients", t && isNumber(t.gradient_bytes) ? volume(t.gradient_bytes) : undefined],
    ["bus bandwidth", isNumber(r.busbw_gb_s) ? number(r.busbw_gb_s) + " GB/s" : undefined], ["efficiency", isNumber(r.efficiency) ? percent(r.efficiency) : undefined]]);
}

// The parts other than computing that could save the most time, largest first.
const helpful = (parts, whole) => parts.filter(p => p.name !== "compute" && p.value > 0.001 * whole).sort((a, b) => b.value - a.value);

function programSections(one, nameOf = i => `iteration ${i + 1}`) {
  const r = one.result, iterations = r.iterations || [];
  if (iterations.length > 0) {
    const apart = r.inference !== undefined;  // a prefill and a decode step are not parts of one time
    const box = section("breakdown", "Where the time went", `Parts of ${iterationsDiffer(r) ? "the time of all jobs" : "each iteration"}, mean over accelerators. Exposed communication is communication that no computation hides.` + (apart ? " Bars have different scales." : ""));
    bars(box, iterationsDiffer(r) ? [{name: "all jobs", parts: wholeOf(r)}] : iterations.map((it, i) => ({name: nameOf(i), parts: partsOf(it)})), duration, {shares: apart, order: orderOf(iterations.map(partsOf))});
    for (const [name, parts] of apart ? iterations.map((it, i) => [nameOf(i), partsOf(it)]) : [["", wholeOf(r)]]) {
      const whole = d3.sum(parts, p => p.value) || 1, best = helpful(parts, whole);
      if (best.length === 0) continue;
      box.append("h3").text("What would help most" + (name ? `: ${name}` : ""));
      box.append("p").attr("class", "note").text("The most time that could be saved if a part took no time; activities that it hides may take its place.");
      bars(box, best.map(p => ({name: p.name, parts: [p]})), v => `${duration(v)}, ${percent(v / whole)}`);
    }
  }
  roles(one, iterations.map((it, i) => [nameOf(i), it.time_ns]));
  collectives(r);
  spread(r);
  network(one);
  portTime(r);
  portTimeline(one);
  dimensions(r);
  distance(r);
  hardware(r);
}

// Formats a mean number of cycles; large numbers are rounded to whole cycles, so that the parts of a time add up as shown.
const wholeCycles = value => number(value >= 1000 ? Math.round(value) : value);

function portTime(result) {
  const parts = result.time_breakdown_cycles;
  if (!parts || d3.sum(Object.values(parts)) === 0) return;
  const box = section("ports-time", result.iterations ? "Where the time of a network-interface port went" : "Where the time went", "Cycles of a network-interface port, averaged over ports.");
  const known = [...kPorts, ...Object.keys(parts).filter(p => !kPorts.some(([n]) => n === p)).map(p => [p, "brown"])].filter(([p]) => parts[p] !== undefined);
  const whole = d3.sum(known, ([p]) => parts[p]);
  bars(box, [{name: "a port", parts: known.map(([p, paint]) => ({name: p, value: parts[p], color: color(paint)}))}], v => wholeCycles(v) + " cycles", {bare: true});
  table(box, ["part", "cycles", "share", "meaning"], known.map(([p]) => [p, wholeCycles(parts[p]), percent(parts[p] / whole), explanation("time_breakdown_cycles." + p)]));
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
  const place = box || section("bound", "What proves it");
  place.append("p").text(`The groups of accelerators that prove the bound by bandwidth: ${groupsText(groups)}.`);
  if (groups.some(g => g.length > 1)) behind(place, ["group", "accelerators", "which"], groups.slice(0, 256).map((g, i) => [i, g.length, ranges(g)]), "The groups");
}

function expected(result) {
  if (!Array.isArray(result.expected) || result.expected.length === 0) return;
  const box = section("expected", "What the automatic choice compared", `Expected times, computed from the schedules' tables; ${result.chosen ? `${result.chosen} was chosen.` : "the fastest was chosen."}`);
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
  const count = a => a.count || 1, all = d3.sum(list, count), copies = list.some(a => count(a) > 1);
  const box = section("spread", "How accelerators differ", `Over ${plural(all, "accelerator")} and the whole run.`);
  table(box, ["part", "least", "mean", "most", "accelerator with most"], parts.map(([name, key]) => {
    const most = d3.greatest(list, a => a[key] || 0), least = d3.min(list, a => a[key] || 0), mean = d3.sum(list, a => count(a) * (a[key] || 0)) / all;
    return [name, duration(least), duration(mean), duration(most[key]), duration(least) === duration(most[key]) ? "–" : String(most.accelerator)];
  }));
  behind(box, ["accelerator", ...(copies ? ["accelerators with the same times"] : []), ...parts.map(([name]) => name)],
    list.map(a => [String(a.accelerator), ...(copies ? [number(count(a))] : []), ...parts.map(([, key]) => duration(a[key] || 0))]), "Every accelerator");
}

function trainedLayers(result) {
  const list = result.training && result.training.layers;
  if (!Array.isArray(list) || list.length === 0 || !isNumber(list[0].forward_ns)) return;
  const box = section("layers", "Layers", "The time of each layer's passes.");
  const passes = [["forward", "forward_ns", "blue"], ["input gradient", "input_gradient_ns", "sky"], ["weight gradient", "weight_gradient_ns", "green"], ["update", "update_ns", "yellow"]];
  bars(box, list.map(l => ({name: l.name, parts: passes.filter(([, key]) => isNumber(l[key])).map(([name, key, paint]) => ({name, value: l[key], color: color(paint)}))})), duration, {order: passes.map(([name]) => name)});
  if (list.some(l => isNumber(l.all_reduce_end_ns))) {
    behind(box, ["layer", "gradients", "ready", "all-reduce begins", "all-reduce ends"], list.map(l => [l.name, volume(l.gradient_bytes), duration(l.gradient_ready_ns), duration(l.all_reduce_begin_ns), duration(l.all_reduce_end_ns)]), "All-reduces");
  }
}

function jobsOverTime(result) {
  const jobs = result.jobs || [];
  if (jobs.length === 0) return;
  const failing = (result.failures || []).length > 0;
  const box = section("jobs", "Jobs over time", failing ? "A job's bar consists of iterations, of work lost in a failure, and of time in which nothing ran. Lines mark failures." : "Each bar is a finished iteration.");
  const paints = {lost: color("orange"), down: color("grey")}, words = {lost: "lost work", down: "nothing ran"};
  const pieces = jobs.map(j => piecesOf(j, result.stretches || [])), rows = jobs.map((j, k) => ({label: j.name, spans: pieces[k].map(p => ({begin: p.begin, end: p.end, color: paints[p.what] || color(p.number % 2 ? "blue" : "sky"),
    text: p.number ? String(p.number) : "", title: () => `${j.name}, ${words[p.what] || `iteration ${p.number}`}`}))}));
  const marks = (result.failures || []).map(f => ({at: f.at_ns, title: `${f.failed} failed: ${f.effect}`}));
  timeline(box, rows, {end: timeOf(result), marks, high: 26});
  if (failing) legend(box, [["iterations", color("blue")], ...Object.entries(words).map(([what, word]) => [word, paints[what]]), ["failure", color("red")]]);
  const sum = (k, what) => d3.sum(pieces[k].filter(p => p.what === what), p => p.end - p.begin);
  table(box, ["job", "arrival", "end", ...(failing ? ["time of iterations", "lost work", "nothing ran"] : []), "iterations", "unfinished"], jobs.map((j, k) => [j.name, duration(j.arrival_ns), j.iterations.length > 0 ? duration(j.end_ns) : "–",
    ...(failing ? ["iteration", "lost", "down"].map(what => duration(sum(k, what))) : []), number(j.iterations.length) + (j.of === undefined ? "" : " of " + number(j.of)), j.unfinished || "no"]));
  if (failing) box.append("p").attr("class", "note").text("The three times of a job add up to the time from its arrival to its end, or to the failure that ended an unfinished job.");
}

// Divides a job's time from its arrival to its end into pieces {what: iteration, lost or down, begin, end, number}.
// `stretches` are the intervals between failures in which jobs ran. A failure destroys the work since the last finished
// iteration.
function piecesOf(job, stretches) {
  const pieces = [], ends = job.iterations.map(it => it.end_ns), stop = job.unfinished ? job.stopped_ns : ends[ends.length - 1];
  let at = job.arrival_ns, next = 0;
  const add = (what, end, number) => { if (end > at) pieces.push({what, begin: at, end, number}); at = Math.max(at, end); };
  for (const s of stretches.length > 0 ? stretches : [{begin_ns: 0, end_ns: Infinity}]) {
    if (!(at < stop)) break;
    add("down", Math.min(s.begin_ns, stop));
    for (; next < ends.length && ends[next] <= s.end_ns; ++next) add("iteration", ends[next], next + 1);
    add("lost", Math.min(s.end_ns, stop));
  }
  return pieces;
}

function losses(result) {
  if (!result.lost && !(result.failures || []).length) return;
  const sum = d3.sum(result.iterations || [], it => it.time_ns) + (result.lost ? result.lost.time_ns : 0) + (result.down_ns || 0);
  const box = section("losses", "What failures cost", "Means over accelerators. Work since the last finished iteration is lost and repeated." +
    (Math.abs(sum - timeOf(result)) > 1e-3 * timeOf(result) ? ` Iterations, lost work and down time of the whole run add up to ${duration(sum)} instead of ${duration(timeOf(result))}, since jobs arrive and end at different times; those of each job add up.` : ""));
  if ((result.failures || []).length > 0) table(box, ["at", "failed", "effect"], result.failures.map(f => [duration(f.at_ns), f.failed, f.effect]));
  const lost = result.lost && result.lost.time_ns > 0 ? [{name: "lost", parts: partsOf(result.lost)}] : [];
  const down = result.down_ns > 0 ? [{name: "down", parts: [{name: "nothing ran", value: result.down_ns, color: color("grey")}]}] : [];
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
  const box = section("jobs", "Jobs", "The mean time of each job's all-reduces. The ideal time is what its messages would take at the full bandwidth of an accelerator's link, without latency.");
  bars(box, jobs.map((j, i) => ({name: `${i}: ${j.model}`, parts: [
    {name: "ideal", value: 1e9 * j.ideal_s, color: color("green")},
    {name: "added by contention and latency", value: 1e9 * Math.max(0, j.all_reduce_s - j.ideal_s), color: color("red")}]})), duration, {bare: true});
  table(box, ["job", "rings", "all-reduce", "ideal", "slowdown", "completion of a flow", "throughput of a flow, GB/s"], jobs.map((j, i) => [`${i}: ${j.model}`, `${number(j.copy)} × ${number(j.data_parallel)}`,
    duration(1e9 * j.all_reduce_s), duration(1e9 * j.ideal_s), number(j.slowdown), duration(1e9 * j.flow_completion_s), number(j.throughput_gb_s)]));
}

// Computation and all-reduces of each job, from the events of the study.
function routedOverTime(result) {
  const since = new Map(), rows = (result.jobs || []).map((j, i) => ({label: `${i}: ${j.model}`, spans: []})), marks = [];
  for (const e of result.timeline || []) {
    const at = 1e9 * e.time_s, open = since.get(e.job);
    if (e.event === "spine_fails") marks.push({at, title: `spine ${e.spine} fails`});
    if (!rows[e.job]) continue;
    if (open && ["all_reduce_starts", "all_reduce_ends", "departure"].includes(e.event)) {
      const row = rows[e.job], count = row.spans.filter(s => s.text).length + 1, reducing = e.event === "all_reduce_ends";
      if (at > open) row.spans.push({begin: open, end: at, color: color(reducing ? "orange" : "blue"), text: reducing ? String(count) : "", title: () => reducing ? `all-reduce ${count}` : "compute"});
    }
    if (e.event === "departure") since.delete(e.job);
    else if (["arrival", "all_reduce_starts", "all_reduce_ends"].includes(e.event)) since.set(e.job, at);
  }
  if (rows.every(r => r.spans.length === 0)) return;
  const box = section("jobs-over-time", "Jobs over time", `From each job's arrival to its departure${marks.length > 0 ? "; lines mark failures" : ""}.`);
  timeline(box, rows, {end: timeOf(result), marks, high: 24});
  legend(box, [["compute", color("blue")], ["all-reduce", color("orange")]]);
  const sum = (row, reducing) => duration(d3.sum(row.spans.filter(s => (s.text !== "") === reducing), s => s.end - s.begin));
  behind(box, ["job", "arrival", "departure", "compute", "all-reduce"], rows.filter(r => r.spans.length > 0).map(r => [r.label, duration(r.spans[0].begin), duration(r.spans[r.spans.length - 1].end), sum(r, false), sum(r, true)]));
}

// The largest number of flows on a link with the study's own method, for the flows of all jobs together.
function mostFlows(result) {
  const own = ((result.all_flows || {}).methods || []).find(m => m.method === result.method);
  return own ? own.max_load : undefined;
}

function routedFlows(result) {
  const flows = result.all_flows, c = result.controller || {};
  if (!flows || !Array.isArray(flows.methods) || flows.methods.length === 0) return;
  const box = section("flows", "Flows on the busiest link", `The largest number of flows that share a link, for the ${number(flows.flows)} flows of all jobs together; the lower bound for any assignment is ${number(flows.lower_bound)}.`);
  const shown = flows.methods.filter(m => isNumber(m.max_load));
  bars(box, shown.map(m => ({name: m.method, parts: [{name: "most flows on a link", value: m.max_load, color: color(m.method === result.method ? "blue" : "grey")}]})), number, {bare: true});
  table(box, ["method", "most flows on a link", "time of the assignment"], shown.map(m => [m.method, number(m.max_load), duration(1e9 * m.seconds)]));
  if (c.assignments > 0) {
    box.append("p").attr("class", "note").text(`During the run, the controller made ${plural(c.assignments, "assignment")} of up to ${plural(c.most_flows, "flow")}, each in ${duration(1e9 * c.seconds_mean)} on average, and moved ${plural(c.moved, "flow")}; the busiest link carried ${number(c.load_over_bound_mean)} times the lower bound on average.`);
  }
}

function routedEvents(result) {
  const events = result.timeline || [];
  if (events.length === 0) return;
  const box = section("events", "Events");
  const keys = [...new Set(events.flatMap(e => Object.keys(e)))].filter(k => k !== "time_s");
  // Times are shown to the nanosecond: events of one iteration are only microseconds apart, but seconds after the start.
  const at = timeText(1e9 * d3.max(events, e => e.time_s), 1, false), words = text => text.replace(/_/g, " ");
  const cell = value => value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : typeof value === "string" ? words(value) : number(value);
  const rows = events.slice(0, 2000).map(e => [at(1e9 * e.time_s), ...keys.map(k => cell(e[k]))]), headings = ["time", ...keys.map(words)];
  if (rows.length > 20) behind(box, headings, rows, plural(events.length, "event"));
  else table(box, headings, rows);
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
  const [low, high] = d3.extent(uses), ends = d3.nice(low > 0.5 * high ? low : 0, Math.max(0.01, high, low + 0.01), 12);
  const bins = d3.bin().domain(ends).thresholds(d3.ticks(...ends, 12).filter(t => t > ends[0] && t < ends[1]))(uses);
  bars(box, bins.map(b => ({name: `${percent(b.x0)} to ${percent(b.x1)}`, parts: [{name: "links", value: b.length, color: color("blue")}]})), v => plural(v, "link"));
}

// The title of a page of several results: the common beginning of their titles, or their kind, and the common network.
function comparisonTitle(results) {
  const titles = [...new Set(results.map(r => headline(r.result)))], kinds = new Set(results.map(r => kindOf(r.result)));
  if (titles.length === 1) return `${plural(results.length, "result")}: ${titles[0]}`;
  const words = titles.map(t => t.split(" ")), shortest = d3.min(words, w => w.length);
  const same = at => words.every(w => w.at(at) === words[0].at(at));
  let front = 0, back = 0;
  while (front < shortest && same(front)) ++front;
  while (front + back < shortest && same(-1 - back)) ++back;
  // Prepositions at the end of the common beginning are left out, since they mean little without what follows.
  const begin = words[0].slice(0, front).join(" ").replace(/( (of|on|by|for|and))+$/, ""), end = back > 0 ? words[0].slice(-back).join(" ") : "";
  const network = /(^| )on (.*)$/.exec(end);
  const names = {collective: "collectives", training: "training runs", program: "programs", inference: "inference runs", jobs: "runs with jobs", traffic: "traffic",
    routing: "routing studies", layers: "layers", algorithms: "algorithms", bound: "lower bounds"};
  const subject = begin || (kinds.size === 1 && names[[...kinds][0]]) || "";
  return `Comparison of ${plural(results.length, "result")}${subject ? `: ${subject}` : ""}${network ? ` on ${network[2]}` : ""}`;
}

// Compares several results of any kind.
function compare(results) {
  const box = section("compare", "Comparison");
  const timed = results.filter(r => timeOf(r.result) !== undefined);
  const split = timed.filter(r => wholeOf(r.result).length > 0);
  if (timed.length > 0 && timed.every(r => r.result.inference && (r.result.iterations || []).length === 2)) {
    for (const i of [0, 1]) {
      box.append("h3").text(capital(phaseName(i)));
      bars(box, timed.map(r => ({name: r.name, parts: partsOf(r.result.iterations[i])})), duration);
    }
  } else if (split.length === timed.length && timed.length > 0) {
    bars(box, timed.map(r => ({name: r.name, parts: wholeOf(r.result)})), duration, {order: orderOf(timed.map(r => wholeOf(r.result)))});
  } else if (timed.length > 0 && timed.every(r => r.result.time_breakdown_cycles)) {
    bars(box, timed.map(r => ({name: r.name, parts: kPorts.filter(([p]) => r.result.time_breakdown_cycles[p] !== undefined).map(([p, paint]) => ({name: p,
      value: r.result.time_ns * r.result.time_breakdown_cycles[p] / (r.result.cycles || 1), color: color(paint)}))})), duration, {order: kPorts.map(([p]) => p)});
  } else if (timed.length > 0) {
    bars(box, timed.map(r => ({name: r.name, parts: [{name: "time", value: timeOf(r.result), color: color("blue")}]})), duration);
  }
  const ordered = d3.sort(timed, r => timeOf(r.result)), [first, last] = [ordered[0], ordered[ordered.length - 1]], kinds = new Set(timed.map(r => kindOf(r.result)));
  if (timed.length === results.length && kinds.size === 1 && ["collective", "training", "program", "jobs"].some(k => kinds.has(k))) {
    box.append("p").text(`Fastest: ${first.name}, ${duration(timeOf(first.result))}. Slowest: ${last.name}, ${duration(timeOf(last.result))}, ${number(timeOf(last.result) / timeOf(first.result), 3)} times as long.`);
  }
  loads(box, results.filter(offersLoad));
  const fields = ["time_ns", "cycles", "efficiency", "algbw_gb_s", "busbw_gb_s", "steps", "packet_latency_mean", "accepted_flits_per_node_cycle", "saturated", "fidelity", "verified"]
    .filter(f => results.some(r => r.result[f] !== undefined));
  const served = f => r => r.result.inference ? f(r.result.inference) : "–";
  const columns = [...trafficThatDiffers(results), ...(results.some(r => r.result.inference) ? [["time to the first token", served(t => duration(t.time_to_first_token_ns))],
    ["time per token", served(t => duration(t.time_per_token_ns))], ["tokens per second", served(t => number(t.tokens_per_s))]] : []), ...(results.some(r => r.result.schema === "coppice.route/1") ? [["largest slowdown", r => number(d3.max(r.result.jobs || [], j => j.slowdown))],
    ["mean slowdown", r => number(d3.mean(r.result.jobs || [], j => j.slowdown))], ["most flows on a link", r => number(mostFlows(r.result))]] : [])];
  const shown = (r, f) => f === "time_ns" ? duration(timeOf(r.result)) : f === "efficiency" ? percent(r.result[f]) : number(r.result[f]);
  const names = {time_ns: "time", algbw_gb_s: "algorithm bandwidth, GB/s", busbw_gb_s: "bus bandwidth, GB/s", verified: "sums checked by", packet_latency_mean: "packet latency, cycles", accepted_flits_per_node_cycle: "accepted flits per node per cycle"};
  table(box, ["result", ...columns.map(([heading]) => heading), ...fields.map(f => names[f] || f)], results.map(r => [r.name, ...columns.map(([, value]) => value(r)), ...fields.map(f => shown(r, f))]));
  const keys = results.map(r => new Map(flat(r.result.config || {})));
  const differing = [...new Set(keys.flatMap(k => [...k.keys()]))].filter(k => new Set(keys.map(m => m.get(k))).size > 1);
  if (differing.length > 0) {
    box.append("h3").text("Keys that differ");
    const most = 40, rows = differing.map(k => [k, ...keys.map(m => m.get(k) === undefined ? "–" : m.get(k).replace(/^"|"$/g, ""))]);
    table(box, ["key", ...results.map(r => r.name)], rows.map(row => row.map((text, i) => i > 0 && text.length > most ? text.slice(0, most - 1) + "…" : text)));
    if (rows.some(row => row.slice(1).some(text => text.length > most))) behind(box, ["key", ...results.map(r => r.name)], rows, "Keys with whole values");
  }
}

const offersLoad = one => one.result.traffic && isNumber(one.result.traffic.rate);

// Groups results of traffic into curves over the load, one for each combination of the other settings that differ:
// [[name, results by ascending load]].
function curves(offered) {
  const choices = offered.map(({result: r}) => {
    const {rate, seed, warmup, measure, pattern, packet_flits, ...rest} = r.traffic, {topology, ...system} = (r.config || {}).system || {};
    return new Map([["pattern", pattern], ["network", networkName(r)], ["flits", plural(packet_flits, "flit")],
      ...flat({...(r.config || {}), seed: 0, fidelity: 0, system, traffic: rest}).map(([key, value]) => [key, `${key.split(".").pop()} ${value.replace(/^"|"$/g, "")}`])]);
  });
  const differing = [...new Set(choices.flatMap(c => [...c.keys()]))].filter(k => new Set(choices.map(c => c.get(k))).size > 1);
  const name = c => (differing.length > 0 ? differing : ["pattern"]).map(k => c.get(k)).filter(Boolean).join(", ");
  const groups = d3.groups(offered, r => name(choices[offered.indexOf(r)]));
  if (groups.length > 1 && groups.every(([, list]) => list.length === 1)) return offered.map(r => [r.name, [r]]);
  return groups.map(([name, list]) => [name, d3.sort(list, r => r.result.traffic.rate)]);
}

// For each curve, the loads between which the network saturates.
function saturations(offered) {
  if (offered.length < 2) return [];
  const unit = "flits per node per cycle", load = r => number(r.result.traffic.rate);
  return curves(offered).map(([name, list]) => {
    const first = list.findIndex(r => r.result.saturated);
    return `${name === list[0].name ? name : capital(name)}: ` + (first < 0 ? `not saturated up to ${load(list[list.length - 1])} ${unit}.`
      : first === 0 ? `saturated at ${load(list[0])} ${unit}, the lowest load here.`
      : `saturated from ${load(list[first])} ${unit} on; keeps up with ${load(list[first - 1])}.`);
  });
}

// Latency and accepted flits over the offered load; saturated points are open circles.
function loads(box, offered) {
  if (offered.length < 2) return;
  const series = value => curves(offered).map(([name, list], i) => ({name, color: palette(i), points: list.filter(r => isNumber(value(r.result)))
    .map(r => [r.result.traffic.rate, value(r.result), r.result.saturated ? "saturated" : "", r.result.saturated])})).filter(s => s.points.length > 0);
  const saturated = offered.some(r => r.result.saturated), latencies = series(r => r.packet_latency_mean);
  const spread = d3.extent(latencies.flatMap(s => s.points), p => p[1]);
  box.append("ul").selectAll("li").data(saturations(offered)).enter().append("li").text(d => d);
  box.append("h3").text("Latency over load");
  if (saturated) box.append("p").attr("class", "note").text("Open circles mark saturated points, whose latency grows with the measured time.");
  lines(box, latencies, "offered flits per node per cycle", "packet latency, cycles", {zero: true, logUp: spread[1] > 8 * spread[0]});
  box.append("h3").text("Accepted over offered load");
  lines(box, series(r => r.accepted_flits_per_node_cycle), "offered flits per node per cycle", "accepted flits per node per cycle", {zero: true});
}

// Whether one accelerator receives far more than the others, which limits the load before a link does.
function unevenText(result) {
  const got = ((result.statistics || {}).terminal || {}).flits_ejected, mean = got ? got.sum / result.statistics.terminal.modules : 0;
  const most = result.ejection_utilization_max;
  return mean > 0 && got.max >= 2 * mean ? `The accelerator that receives most gets ${number(got.max / mean, 2)} times the mean of all accelerators${isNumber(most) ? `; its ejection channel was busy ${percent(most)} of the time` : ""}.` : "";
}

// Columns for those settings of the traffic that differ between results: [heading, function from a result to a text].
function trafficThatDiffers(results) {
  const sent = r => new Map(flat(r.result.traffic || {})), keys = new Set(results.flatMap(r => [...sent(r).keys()].filter(k => k !== "")));
  const headings = {rate: "offered flits per node per cycle", packet_flits: "flits per packet", warmup: "warm-up cycles", measure: "measured cycles"};
  return [...keys].filter(k => new Set(results.filter(r => r.result.traffic).map(r => sent(r).get(k))).size > 1)
    .map(k => [headings[k] || k, r => sent(r).has(k) ? trafficText(JSON.parse(sent(r).get(k))) : "–"]);
}

const trafficText = value => !Array.isArray(value) ? number(value)
  : value.map(v => typeof v === "object" ? Object.entries(v).map(([k, n]) => `${k} ${number(n)}`).join(", ") : number(v)).join("; ");

// A table of the traffic that sources sent, which is not part of the configuration.
function trafficKeys(result) {
  table(section("traffic", "The traffic"), ["what", "figure", "meaning"], flat(result.traffic).map(([key, value]) => [key, withUnit(trafficText(JSON.parse(value)), "traffic." + key), explanation("traffic." + key) || explanation(`traffic.${key}[].node`)]));
}
