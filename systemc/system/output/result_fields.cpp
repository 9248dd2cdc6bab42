#include "system/output/result_fields.h"

#include <algorithm>
#include <iterator>

namespace coppice::system {
namespace {

constexpr ResultField kFields[] = {
    {"schema", "",
     "The kind of result and the version of its form: coppice.result/1, coppice.traffic/1, coppice.route/1."},
    {"version", "", "The version of Coppice that wrote it."},
    {"config", "", "Every key of the configuration with its resolved value; loading it gives the same run."},
    {"assumptions", "", "What was taken for granted of files that leave it open, a sentence each."},
    {"verified", "", "What the sums were checked by: values, contributions, or off."},
    {"verified_sample.elements", "", "The elements of every buffer that were checked, where not all were."},
    {"verified_sample.of", "", "The elements of a buffer."},
    {"fidelity", "", "What moved through the network: flit, train, or fluid; chunks for text workloads."},
    {"fidelity_reason", "", "Why flits were simulated one by one."},
    {"contention_free", "", "Whether no two messages of the schedule share a channel at a time."},
    {"steps", "", "The timesteps of the schedule, both phases of an all-reduce."},
    {"cycles", "cycles", "The cycles of system.clock until the last message was reduced or stored."},
    {"time_ns", "ns", "The same as a time."},
    {"algbw_gb_s", "GB/s", "The bytes of the collective over its time."},
    {"busbw_gb_s", "GB/s", "What each accelerator's links carry of that: all-reduce, 2 (n - 1) / n of it."},
    {"bound.time_ns", "ns", "The least time that any schedule could take on this network."},
    {"bound", "", "What proves the least time."},
    {"efficiency", "", "The least time over the time."},
    {"flits", "", "The flits that were injected."},
    {"flit_hops", "", "The channels that flits passed, all flits together."},
    {"link_utilization.mean", "", "The part of the time in which a channel was busy, mean over channels."},
    {"link_utilization.max", "", "The same of the busiest channel."},
    {"dimensions[].kind", "", "How the dimension joins accelerators."},
    {"dimensions[].size", "", "The accelerators of a group of the dimension."},
    {"dimensions[].bandwidth_gb_s", "GB/s",
     "What an accelerator may send in the dimension, all links together."},
    {"dimensions[].bytes_per_accelerator", "B",
     "What an accelerator sent in the dimension, mean over accelerators."},
    {"dimensions[].utilization", "", "The part of the dimension's bandwidth that its data used."},
    {"dimensions[].activity", "", "Per window, the part of it in which a message was in the dimension."},
    {"dimensions[].busy", "", "Per window, the part of it in which the dimension's channels were busy."},
    {"window_ns", "ns", "The length of a window of activity and busy."},
    {"channels[].src", "", "The node that a channel leaves."},
    {"channels[].dst", "", "The node that a channel enters."},
    {"channels[].bytes", "B", "The bytes of the flits that passed a channel."},
    {"channels[].busy", "", "The part of the time in which a channel was busy."},
    {"ni_overhead", "",
     "The tables of the schedule in the network interface: field widths in bits, entries, bytes a node."},
    {"time_breakdown_cycles.serialization", "cycles",
     "Flits of a port's messages went out, mean over ports."},
    {"time_breakdown_cycles.latency", "cycles", "A port waited for memory, or for data on its way."},
    {"time_breakdown_cycles.dependencies", "cycles", "A port waited for data that had not left its sender."},
    {"time_breakdown_cycles.lockstep", "cycles", "A port waited for its next timestep."},
    {"time_breakdown_cycles.contention", "cycles",
     "Other traffic held a port up, or the data that it waited for."},
    {"time_breakdown_cycles.credits", "cycles",
     "A port waited for buffers that do not cover the credit loop."},
    {"time_breakdown_cycles.finished", "cycles", "A port was done while others went on."},
    {"cost_model", "",
     "What C-Cube's equations say of rings and trees: the latency of a step, the time of a byte, the whole."},
    {"gradients.chunks", "", "The chunks that become final one by one."},
    {"gradients.turnaround_ns", "ns", "When the first gradients were final at all accelerators."},
    {"gradients.in_order", "", "Whether chunks became final in order."},
    {"gradients.early_chunks", "", "The chunks that were final before the last of them."},
    {"gradients.forward", "", "The forward pass that was chained to the collective, per accelerator."},
    {"gradients", "", "When gradients became final."},
    {"forwarding", "", "The accelerators that forwarded messages of others."},
    {"training.model", "", "The network that was trained."},
    {"training.normalized_performance", "",
     "Computation over the time of the iteration; 1 is communication at no cost."},
    {"training.accelerator_performance", "", "The same per accelerator."},
    {"training.overlap", "", "What communication overlapped."},
    {"training.batch_per_accelerator", "", "The samples of an accelerator."},
    {"training.accelerators", "", "The accelerators."},
    {"training.parameters", "", "The parameters of the network."},
    {"training.gradient_bytes", "B", "The bytes of its gradients."},
    {"training.macs_per_sample", "", "The multiplications of a forward pass of one sample."},
    {"training.forward_ns", "ns", "The time of the forward pass."},
    {"training.backward_ns", "ns", "The time of the backward pass."},
    {"training.compute_ns", "ns", "The computation of the iteration."},
    {"training.communication_ns", "ns", "The communication of the iteration."},
    {"training.exposed_communication_ns", "ns", "The communication that no computation hid."},
    {"training.overlapped_ns", "ns", "The communication that computation hid."},
    {"training.total_ns", "ns", "The time of the iteration."},
    {"training.exposed_model_ns", "ns", "The exposed communication among accelerators that share a model."},
    {"training.exposed_data_ns", "ns", "The exposed communication among accelerators that share data."},
    {"training.ideal_exposed_communication_ns", "ns",
     "The exposed communication if every collective used all bandwidth."},
    {"training.ideal_total_ns", "ns", "The iteration if every collective used all bandwidth."},
    {"training.beyond_ideal_ns", "ns", "The iteration's time beyond that."},
    {"training.over_ideal", "", "The iteration's time over that."},
    {"training.utilization", "", "The part of the bandwidth that the collectives used."},
    {"training.all_reduces[]", "", "An all-reduce that was simulated, by its size, and how often it occurs."},
    {"training.layers[]", "", "A layer: the times of its passes, its gradients, and its all-reduce."},
    {"training.collectives[]", "", "A collective of the workload, by its size, and how often it occurs."},
    {"training", "", "An iteration of training."},
    {"traffic.pattern", "", "Where packets went."},
    {"traffic.rate", "flits/node/cycle", "The load that was offered."},
    {"traffic.packet_flits", "", "The flits of a packet."},
    {"traffic.warmup", "cycles", "The cycles before the measurement."},
    {"traffic.measure", "cycles", "The cycles of the measurement."},
    {"traffic.seed", "", "The seed."},
    {"traffic", "", "What was offered."},
    {"packet_latency_mean", "cycles", "From a packet's creation to its tail's ejection."},
    {"flit_latency_mean", "cycles", "From a flit's creation to its ejection."},
    {"accepted_flits_per_node_cycle", "flits/node/cycle", "What came out of the network."},
    {"hops_mean", "", "The routers that a packet traversed."},
    {"saturated", "", "Whether the network could not keep up with the load."},
    {"packets_measured", "", "The packets that were measured."},
    {"method", "", "How paths were assigned."},
    {"failed_spines", "", "The spines that were out of order."},
    {"time_s", "s", "When the last job was done."},
    {"jobs[].model", "", "The model of a job."},
    {"jobs[].copy", "", "The accelerators of one copy of it."},
    {"jobs[].data_parallel", "", "The copies."},
    {"jobs[].message_bytes", "B", "The bytes of a message of its rings."},
    {"jobs[].arrival_s", "s", "When the job started."},
    {"jobs[].compute_s", "s", "The computation of an iteration."},
    {"jobs[].all_reduce_s", "s", "The time of its all-reduce, mean over iterations."},
    {"jobs[].ideal_s", "s", "The same on links of its own."},
    {"jobs[].slowdown", "", "The first over the second."},
    {"jobs[].flow_completion_s", "s", "The time of a flow, mean over flows."},
    {"jobs[].throughput_gb_s", "GB/s", "The bytes of a flow over its time, mean over flows."},
    {"jobs[].iterations_s", "s", "The all-reduce of each iteration."},
    {"controller", "", "What the path controller did: its assignments, their run times, what it predicted."},
    {"all_flows", "",
     "The paths of all flows at once: the most flows on a link by each method, and the least possible."},
    {"messages", "", "The messages that were delivered."},
    {"timeline[]", "", "What happened when: arrivals, phases, assignments, failures."},
    {"simulator.wall_s", "s", "The wall-clock time of the simulation."},
    {"simulator.user_s", "s", "Its CPU time."},
    {"simulator.flit_hops_per_s", "1/s", "The flit-hops of a CPU second."},
    {"simulator.peak_rss_bytes", "B", "The most memory that it took."},
    {"simulator.simulations", "", "The simulations of a training run."},
    {"simulator", "", "What the simulation cost."},
};

// "a.b[]" of "a.b[].c", "a.b" of that, "a" of that, nothing of that.
std::string_view around(std::string_view path) {
  if (path.ends_with("[]")) return path.substr(0, path.size() - 2);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

}  // namespace

std::span<const ResultField> result_fields() {
  return kFields;
}

const ResultField* describe_field(std::string_view path) {
  for (; !path.empty(); path = around(path)) {
    const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                     [&](const ResultField& field) { return field.path == path; });
    if (found != std::end(kFields)) return found;
  }
  return nullptr;
}

}  // namespace coppice::system
