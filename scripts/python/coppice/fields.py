"""The classes of results for type checkers and editors; written by scripts/result_classes, so do not edit it.

`coppice.run` and the other functions return a `Result`, and its sections are of class `Section`: at run time, their
names come from the result itself. The classes here declare which names there are and what their values are. Items of
lists are dictionaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from coppice.result import Result, Section

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Integers(Section):
    """A section with free names."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> int: ...
        def __getitem__(self, name: str) -> int: ...


class Numbers(Section):
    """A section with free names."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> float: ...
        def __getitem__(self, name: str) -> float: ...


class VerifiedSample(Section):
    elements: int
    """The number of elements checked per buffer, if only a sample was checked."""
    of: int
    """The number of elements per buffer."""


class Trains(Section):
    messages: int
    """The number of messages of a run that mixed trains and flits."""
    as_flits: int
    """The number of messages that moved as flits because they met others or might have met them."""


class Leap(Section):
    simulated_cycles: int
    """The number of cycles that were simulated individually, at fidelity leap. Unit: cycles."""
    leapt_cycles: int
    """The number of cycles skipped because all traffic repeated an earlier period. Unit: cycles."""
    node_cycles: int
    """The simulated cycles, summed over nodes. Unit: cycles."""
    stretched_node_cycles: int
    """The node cycles simulated in stretches, in which only body flits pass the node. Unit: cycles."""


class FluidSample(Section):
    scale: float
    """The bytes and computations of the sample divided by those of the run; 1 if they are equal."""
    first_iteration: bool
    """Whether the sample is only the first iteration of a program. Not in every result."""
    all_reduces: int
    """The number of all-reduces in a routing study's sample: the first one of every job, simultaneously. Not in every
    result."""
    fidelity: str
    """The fidelity at which the sample was timed exactly. Not in every result."""
    time_ns: float
    """The exact time of the sample, simulated by trains or flits. Unit: ns. Not in every result."""
    fluid_time_ns: float
    """The fluid time of the sample. Unit: ns. Not in every result."""


class Fluid(Section):
    error: float
    """The error of the fluid time relative to the exact time of the sample; negative if the fluid time is shorter. Not
    in every result."""
    reason: str
    """Why there is no error estimate: for example, the sample took too long. Not in every result."""
    sample: FluidSample


class Bound(Section):
    time_ns: float
    """The lower bound on any schedule's time due to the network's bandwidth. Unit: ns."""
    latency_ns: float
    """The lower bound due to latency: the longest one-way time of a flit between two accelerators of which one needs
    the other's data. Unit: ns."""
    attainable: float
    """The largest possible efficiency: the larger of the two lower bounds, divided by the value of that bound when the
    head flits of packets (system.ni.payload) are counted, too."""
    groups: list[list[int]]
    """The partition of the accelerators that proves the bandwidth bound: exchanging the data that must cross between
    groups takes at least bound.time_ns."""


class LinkUtilization(Section):
    mean: float
    """The fraction of the time for which a channel was busy, averaged over channels."""
    max: float
    """The fraction of the time for which the busiest channel was busy."""


class ChannelsItem(TypedDict):
    src: int
    """The node at which the channel starts."""
    dst: int
    """The node at which the channel ends."""
    bytes: int
    """The bytes that passed the channel, including heads of packets and messages. Unit: B."""
    busy: float
    """The share of the time for which the channel was busy."""


class DimensionsItemOperationsItem(TypedDict):
    """A stage of a chunk in the dimension; stages are listed in the order in which they begin."""

    chunk: int
    """The number of the chunk."""
    stage: int
    """The number of the chunk's stage."""
    came_ns: float
    """When the chunk arrived in the dimension. Unit: ns."""
    began_ns: float
    """When the dimension began to send the chunk. Unit: ns."""
    sent_ns: float
    """When the chunk was sent. Unit: ns."""
    complete_ns: float
    """When the chunk had arrived. Unit: ns."""


class DimensionsItem(TypedDict):
    kind: str
    """The topology that connects the accelerators of a group in the dimension."""
    size: int
    """The number of accelerators per group of the dimension."""
    bandwidth_gb_s: float
    """The bandwidth at which an accelerator can send in the dimension, over all its links. Unit: GB/s."""
    bytes_per_accelerator: float
    """The bytes an accelerator sent in the dimension, averaged over accelerators. Unit: B."""
    utilization: float
    """The fraction of the dimension's bandwidth that was used for data."""
    activity: list[float]
    """For each window, the fraction of time for which a message was in the dimension."""
    busy: NotRequired[list[float]]
    """For each window, the fraction of time for which the dimension's channels were busy."""
    operations: NotRequired[list[DimensionsItemOperationsItem]]


class HardwareArea(Section):
    routers_mm2: float
    """The area of the routers of all accelerators. Unit: mm2."""
    interfaces_mm2: float
    """The area of the network interfaces of all accelerators. Unit: mm2."""
    switches_mm2: float
    """The area of all switches. Unit: mm2."""


class HardwareEnergy(Section):
    """The energy by part."""

    routers_uj: float
    """The energy of router buffers and router logic. Unit: uJ."""
    links_uj: float
    """The energy of moving flits over links. Unit: uJ."""
    additions_uj: float
    """The energy of additions. Unit: uJ."""
    memory_uj: float
    """The energy of reading and writing gradients. Unit: uJ."""
    tables_uj: float
    """The energy of reading and issuing table entries. Unit: uJ."""


class Hardware(Section):
    technology: str
    """The process technology for area and energy."""
    area_mm2: float
    """The area of an accelerator's router and network interface, plus the accelerator's share of the switches. Unit:
    mm2."""
    area_error: float
    """The factor by which areas may be off in either direction."""
    area: HardwareArea
    area_in_range: bool
    """Whether all parameters are within the range of the synthesised designs."""
    energy_uj: float
    """The dynamic energy of all data movement and arithmetic. Unit: uJ. Not in every result."""
    energy_error: float
    """The factor by which energies of routers, additions and tables may be off in either direction. Not in every
    result."""
    energy: HardwareEnergy
    """The energy by part. Not in every result."""


class StatisticsAnyAny(Section):
    sum: float
    """The sum of the quantity over the modules of the kind."""
    max: float
    """The largest value of the quantity in any one module of the kind."""


class StatisticsAny(Section):
    modules: int
    """The number of modules of the kind."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> StatisticsAnyAny: ...


class Statistics(Section):
    """Statistics of the modules by module kind: sum and maximum over modules. `coppice modules CONFIG --statistics`
    explains each quantity, and `coppice run --statistics FILE` writes them per module."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> StatisticsAny: ...


class Program(Section):
    name: str
    """The name of the program."""
    ranks: int
    """The number of ranks of the program."""
    operations: int
    """The number of operations of all ranks."""
    messages: int
    """The number of messages of all collectives and transfers."""


class IterationsItem(TypedDict):
    time_ns: float
    """The time from the end of the previous iteration, or from the start, to the end of this iteration. Unit: ns."""
    compute_ns: float
    """The time for which an accelerator computed, averaged over ranks. Unit: ns."""
    memory_ns: float
    """The time for which an accelerator accessed its memory without computing. Unit: ns."""
    exposed_ns: float
    """Exposed communication: the time for which an accelerator neither computed nor accessed memory while one of its
    collectives or transfers was in flight. Unit: ns."""
    bubble_ns: float
    """The time for which an accelerator waited for others to join or send. Unit: ns."""
    idle_ns: float
    """The time for which an accelerator had nothing to do. Unit: ns."""
    exposed: dict[str, float]
    """The exposed communication of each kind of operation; `other` is for operations without a kind."""


class GradientsDict(TypedDict):
    """When gradients became final."""

    chunks: int
    """The number of chunks that become final individually."""
    turnaround_ns: float
    """The gradient turnaround time: when every accelerator had its first final gradients. Unit: ns."""
    in_order: bool
    """Whether chunks became final in order at every accelerator."""
    early_chunks: int
    """The largest number of chunks that were final at an accelerator while an earlier chunk was not."""


class CollectivesItem(TypedDict):
    """A collective or transfer of the program."""

    name: str
    """The name of the collective or transfer."""
    op: str
    """The collective operation, such as all_reduce; send for a transfer."""
    kind: str
    """The kind of parallelism that it serves, such as data or tensor; empty if the program names none."""
    group: NotRequired[str]
    """The name of the group that runs the collective."""
    source: NotRequired[int]
    """The rank that sends a transfer."""
    destination: NotRequired[int]
    """The rank that receives a transfer."""
    bytes: int
    """The size of the collective or transfer. Unit: B."""
    algorithm: str
    """The algorithm that ran; none if nothing had to move."""
    steps: int
    """The number of timesteps of its schedule."""
    begin_ns: float
    """When the first member joined. Unit: ns."""
    joined_ns: float
    """When the last member joined. Unit: ns."""
    end_ns: float
    """When all members were done. Unit: ns."""
    bandwidth_gb_s: float
    """The size of the collective divided by its time. Unit: GB/s."""
    efficiency: NotRequired[float]
    """The lower bound for the group's network divided by the time."""
    gradients: NotRequired[GradientsDict]
    """When gradients became final."""
    count: NotRequired[int]
    """The number of identical and simultaneous collectives or transfers in the copies of the model."""


class AcceleratorsItemOperationsItem(TypedDict):
    """An operation of the rank, with the times at which it became ready, began and ended."""

    name: str
    """The name of the operation."""
    ready_ns: float
    """When all operations that it depends on had finished. Unit: ns."""
    begin_ns: float
    """When the operation began. Unit: ns."""
    end_ns: float
    """When the operation ended. Unit: ns."""


class AcceleratorsItem(TypedDict):
    """How an accelerator with a rank spent its time; the fields are those of `iterations`."""

    time_ns: float
    """The time from the end of the previous iteration, or from the start, to the end of this iteration. Unit: ns."""
    compute_ns: float
    """The time for which an accelerator computed, averaged over ranks. Unit: ns."""
    memory_ns: float
    """The time for which an accelerator accessed its memory without computing. Unit: ns."""
    exposed_ns: float
    """Exposed communication: the time for which an accelerator neither computed nor accessed memory while one of its
    collectives or transfers was in flight. Unit: ns."""
    bubble_ns: float
    """The time for which an accelerator waited for others to join or send. Unit: ns."""
    idle_ns: float
    """The time for which an accelerator had nothing to do. Unit: ns."""
    exposed: dict[str, float]
    """The exposed communication of each kind of operation; `other` is for operations without a kind."""
    operations: NotRequired[list[AcceleratorsItemOperationsItem]]
    accelerator: int
    """The number of the accelerator."""
    rank: int
    """The rank of the program that runs on it."""
    count: NotRequired[int]
    """The number of accelerators, one in each copy of the model, that behaved identically; this is the first of
    them."""
    lost_ns: NotRequired[float]
    """The accelerator's time lost at failures: from the end of its job's last finished iteration to the failure. Unit:
    ns."""


class ExpectedItem(TypedDict):
    algorithm: str
    """An algorithm considered by collective.algorithm: auto; the fastest is first."""
    chunks: int | str
    """The number of chunks that the algorithm would use."""
    time_ns: float
    """The expected time of the algorithm's tables; a rough estimate if other algorithms are much faster. Unit: ns."""
    protocol: NotRequired[str]
    """The protocol that the algorithm's messages would use."""
    scheduler: NotRequired[str]
    """The value of collective.scheduler with which the algorithm would run, if it or dimension_algorithms is not as in
    the configuration."""
    dimension_algorithms: NotRequired[list[str]]
    """The value of collective.dimension_algorithms with which the algorithm would run, if not the default."""


class Inference(Section):
    time_to_first_token_ns: float
    """The duration of the prefill. Unit: ns."""
    time_per_token_ns: float
    """The duration of the decode step. Unit: ns."""
    exposed_per_token_ns: float
    """The part of the decode step for which accelerators waited for communication. Unit: ns."""
    tokens_per_s: float
    """The number of tokens per second, over all requests, at this time per token. Unit: 1/s."""


class NiOverheadFolded(Section):
    """The table sizes if repeated pieces are stored only once, as in the network interface: table lines with loops, and
    loop registers."""

    line_bits: int
    """The width of a table line. Unit: bits."""
    field_bits: Integers
    """The width of each field of a line. Unit: bits."""
    lines_per_port_max: int
    """The largest number of lines in a port's table."""
    lines_per_node_max: int
    """The largest number of lines in an accelerator's tables."""
    lines_per_node_mean: float
    """The mean number of lines in an accelerator's tables."""
    table_bytes_per_node: int
    """The size of an accelerator's folded tables. Unit: B."""
    loop_bytes_per_node: int
    """The size of an accelerator's loop registers. Unit: B."""
    bytes_per_node: int
    """The size of folded tables, loop registers, arrival counts and counters. Unit: B."""


class NiOverhead(Section):
    """The size of the schedule's tables in the network interface: field widths in bits, entries, bytes per node."""

    folded: NiOverheadFolded
    """The table sizes if repeated pieces are stored only once, as in the network interface: table lines with loops, and
    loop registers. Not in every result."""
    accelerators: int
    """The number of accelerators with tables."""
    ports: int
    """The number of ports per network interface."""
    entry_bits: int
    """The width of a table entry. Unit: bits."""
    field_bits: Integers
    """The width of each field of an entry. Unit: bits."""
    entries_per_port_max: int
    """The largest number of entries in a port's table."""
    entries_per_node_max: int
    """The largest number of entries in an accelerator's tables."""
    entries_per_node_mean: float
    """The mean number of entries in an accelerator's tables."""
    table_bytes_per_node: int
    """The size of an accelerator's tables. Unit: B."""
    dependency_bytes_per_node: int
    """The size of an accelerator's arrival counts. Unit: B."""
    counter_bytes_per_node: int
    """The size of an accelerator's timestep and lockstep counters. Unit: B."""
    bytes_per_node: int
    """The size of tables, arrival counts and counters. Unit: B."""


class TimeBreakdownCycles(Section):
    serialization: float
    """Time for which a port sent flits, averaged over ports. Unit: cycles."""
    latency: float
    """Time for which a port waited for memory or for data in flight. Unit: cycles."""
    dependencies: float
    """Time for which a port waited for data that had not been sent yet. Unit: cycles."""
    lockstep: float
    """Time for which a port waited for its next timestep. Unit: cycles."""
    contention: float
    """Time for which other traffic delayed a port or the data it waited for. Unit: cycles."""
    credits: float
    """Time for which a port waited for credits because buffers do not cover the credit loop. Unit: cycles."""
    idle: float
    """Time for which a port was idle because the table of its next message had not been started. Unit: cycles. Not in
    every result."""
    finished: float
    """Time for which a port had nothing left to send while other ports did; the whole time for an unused port. Unit:
    cycles."""


class CostModel(Section):
    """Predictions of C-Cube's equations for rings and trees: latency per step, time per byte, total time."""

    alpha_ns: float
    """The latency of a step. Unit: ns."""
    beta_ns_per_byte: float
    """The time per byte on a link. Unit: ns/B."""
    time_ns: float
    """The predicted time of the collective. Unit: ns."""


class Gradients(Section):
    """When gradients became final."""

    chunks: int
    """The number of chunks that become final individually."""
    turnaround_ns: float
    """The gradient turnaround time: when every accelerator had its first final gradients. Unit: ns."""
    in_order: bool
    """Whether chunks became final in order at every accelerator."""
    early_chunks: int
    """The largest number of chunks that were final at an accelerator while an earlier chunk was not."""


class TrainingAllReducesItem(TypedDict):
    """A simulated all-reduce: its size and how often it occurs."""

    bytes: int
    """The size of the all-reduce. Unit: B."""
    count: int
    """The number of all-reduces of this size."""
    cycles: int
    """The mean time of the all-reduces of this size, in cycles of system.clock. Unit: cycles."""
    time_ns: float
    """The mean time of the all-reduces of this size. Unit: ns."""
    algbw_gb_s: float
    """The size of the all-reduce divided by the mean time. Unit: GB/s."""
    efficiency: float
    """The lower bound divided by the time, averaged over the all-reduces of this size."""
    steps: int
    """The number of timesteps of the schedule."""
    fidelity: str
    """The level of detail of the simulation, as in `fidelity`."""
    verified: str
    """How the sums were verified, as in `verified`."""
    contention_free: bool
    """Whether no two messages shared a channel at the same time."""


class TrainingLayersItem(TypedDict):
    """A layer: times of its passes, size of its gradients, and times of its all-reduce."""

    name: str
    """The name of the layer."""
    forward_ns: float
    """The time of the forward pass. Unit: ns."""
    input_gradient_ns: float
    """The time to compute the gradients of the inputs. Unit: ns."""
    weight_gradient_ns: float
    """The time to compute the gradients of the weights. Unit: ns."""
    update_ns: float
    """The time to update the weights. Unit: ns."""
    gradient_bytes: int
    """The size of the weight gradients. Unit: B."""
    gradient_ready_ns: float
    """When the weight gradients are available. Unit: ns."""
    all_reduce_begin_ns: NotRequired[float]
    """When the all-reduce of the gradients began. Unit: ns."""
    all_reduce_end_ns: NotRequired[float]
    """When the all-reduce of the gradients ended. Unit: ns."""


class TrainingCollectivesItem(TypedDict):
    """A collective of the workload: its size and how often it occurs."""

    collective: str
    """The collective operation, such as all_reduce."""
    among: str
    """The group that runs the collective, such as data or model."""
    bytes: int
    """The size of the collective. Unit: B."""
    count: int
    """How often the collective occurs per iteration."""
    time_ns: float
    """The predicted time of one occurrence. Unit: ns."""
    ideal_time_ns: float
    """The time of one occurrence if all dimensions were busy throughout. Unit: ns."""


class Training(Section):
    """The results of a training iteration."""

    model: str
    """The neural network to train, or its layer table."""
    normalized_performance: float
    """Computation time divided by iteration time; 1 means that no communication is exposed. Not in every result."""
    accelerator_performance: list[float]
    """Each accelerator's computation time divided by the iteration time. Not in every result."""
    timing: str
    """The method of timing computation: formula, array or roofline. Not in every result."""
    overlap: str
    """How communication overlaps with computation: the value of training.overlap."""
    batch_per_accelerator: int
    """The number of samples per accelerator per iteration. Not in every result."""
    accelerators: int
    """The number of accelerators."""
    parameters: int
    """The number of parameters of the model. Not in every result."""
    gradient_bytes: int
    """The size of the model's gradients. Unit: B. Not in every result."""
    macs_per_sample: int
    """The number of multiply-accumulates in a forward pass of one sample. Not in every result."""
    forward_ns: float
    """The time of the forward pass. Unit: ns."""
    backward_ns: float
    """The time of the backward pass. Unit: ns."""
    compute_ns: float
    """The computation time of the iteration. Unit: ns."""
    communication_ns: float
    """The communication time of the iteration. Unit: ns."""
    exposed_communication_ns: float
    """The communication time not hidden by computation. Unit: ns."""
    overlapped_ns: float
    """The communication time hidden by computation. Unit: ns. Not in every result."""
    update_ns: float
    """The time in which the optimizer updates the weights. Unit: ns. Not in every result."""
    total_ns: float
    """The iteration time. Unit: ns."""
    exposed_model_ns: float
    """The exposed communication of model parallelism. Unit: ns. Not in every result."""
    exposed_data_ns: float
    """The exposed communication of data parallelism. Unit: ns. Not in every result."""
    ideal_exposed_communication_ns: float
    """The exposed communication if every collective used the full bandwidth. Unit: ns. Not in every result."""
    ideal_total_ns: float
    """The iteration time if every collective used the full bandwidth. Unit: ns. Not in every result."""
    beyond_ideal_ns: float
    """The iteration time minus the ideal iteration time. Unit: ns. Not in every result."""
    over_ideal: float
    """The iteration time divided by the ideal iteration time. Not in every result."""
    utilization: float
    """The fraction of the bandwidth that the collectives used. Not in every result."""
    all_reduces: list[TrainingAllReducesItem]
    """Not in every result."""
    layers: list[TrainingLayersItem]
    """Not in every result."""
    collectives: list[TrainingCollectivesItem]
    """Not in every result."""


class Passes(Section):
    """How passes were timed, if memory bandwidth is limited."""

    formula: int
    """The number of passes over layers, and of other computations given in bytes, that were timed by formula."""
    tiles: int
    """The number of passes simulated tile by tile because a collective or transfer may access memory meanwhile."""
    delayed_ns: float
    """The time by which memory accesses of network interfaces delayed passes simulated tile by tile, averaged over
    accelerators. Unit: ns."""


class JobsItemIterationsItem(TypedDict):
    """A finished iteration of the job."""

    end_ns: float
    """When the iteration ended. Unit: ns."""


class JobsItem(TypedDict):
    name: NotRequired[str]
    """The name of the job in program.jobs, or of the program."""
    arrival_ns: NotRequired[float]
    """The earliest time at which the job could begin. Unit: ns."""
    end_ns: NotRequired[float]
    """When the job's last iteration ended. Unit: ns."""
    iterations: NotRequired[list[JobsItemIterationsItem]]
    of: NotRequired[int]
    """The number of iterations of the job."""
    unfinished: NotRequired[str]
    """Why the job did not finish all iterations."""
    stopped_ns: NotRequired[float]
    """The time of the failure that ended an unfinished job. Unit: ns."""
    model: NotRequired[str]
    """The model that the job trains."""
    copy: NotRequired[int]
    """The number of accelerators per copy of the model."""
    data_parallel: NotRequired[int]
    """The number of copies of the model."""
    message_bytes: NotRequired[int]
    """The size of a message of the job's rings. Unit: B."""
    arrival_s: NotRequired[float]
    """When the job started. Unit: s."""
    compute_s: NotRequired[float]
    """The computation time of an iteration. Unit: s."""
    all_reduce_s: NotRequired[float]
    """The time of the job's all-reduce, averaged over iterations. Unit: s."""
    ideal_s: NotRequired[float]
    """The time of the job's all-reduce without other jobs on its links. Unit: s."""
    slowdown: NotRequired[float]
    """all_reduce_s divided by ideal_s."""
    flow_completion_s: NotRequired[float]
    """The flow completion time, averaged over flows. Unit: s."""
    throughput_gb_s: NotRequired[float]
    """The bytes of a flow divided by its completion time, averaged over flows. Unit: GB/s."""
    iterations_s: NotRequired[list[float]]
    """The all-reduce time of each iteration. Unit: s."""


class FailuresItem(TypedDict):
    at_ns: float
    """The time of the failure. Unit: ns."""
    failed: str
    """The link or accelerator that failed."""
    effect: str
    """The failure's effect on jobs."""


class TrainsDict(TypedDict):
    messages: int
    """The number of messages of a run that mixed trains and flits."""
    as_flits: int
    """The number of messages that moved as flits because they met others or might have met them."""


class FluidSampleDict(TypedDict):
    scale: float
    """The bytes and computations of the sample divided by those of the run; 1 if they are equal."""
    first_iteration: NotRequired[bool]
    """Whether the sample is only the first iteration of a program."""
    all_reduces: NotRequired[int]
    """The number of all-reduces in a routing study's sample: the first one of every job, simultaneously."""
    fidelity: NotRequired[str]
    """The fidelity at which the sample was timed exactly."""
    time_ns: NotRequired[float]
    """The exact time of the sample, simulated by trains or flits. Unit: ns."""
    fluid_time_ns: NotRequired[float]
    """The fluid time of the sample. Unit: ns."""


class FluidDict(TypedDict):
    error: NotRequired[float]
    """The error of the fluid time relative to the exact time of the sample; negative if the fluid time is shorter."""
    reason: NotRequired[str]
    """Why there is no error estimate: for example, the sample took too long."""
    sample: FluidSampleDict


class LinkUtilizationDict(TypedDict):
    mean: float
    """The fraction of the time for which a channel was busy, averaged over channels."""
    max: float
    """The fraction of the time for which the busiest channel was busy."""


class TimeBreakdownCyclesDict(TypedDict):
    serialization: float
    """Time for which a port sent flits, averaged over ports. Unit: cycles."""
    latency: float
    """Time for which a port waited for memory or for data in flight. Unit: cycles."""
    dependencies: float
    """Time for which a port waited for data that had not been sent yet. Unit: cycles."""
    lockstep: float
    """Time for which a port waited for its next timestep. Unit: cycles."""
    contention: float
    """Time for which other traffic delayed a port or the data it waited for. Unit: cycles."""
    credits: float
    """Time for which a port waited for credits because buffers do not cover the credit loop. Unit: cycles."""
    idle: NotRequired[float]
    """Time for which a port was idle because the table of its next message had not been started. Unit: cycles."""
    finished: float
    """Time for which a port had nothing left to send while other ports did; the whole time for an unused port. Unit:
    cycles."""


class LostDict(TypedDict):
    """The lost time by activity, as in `iterations`."""

    time_ns: float
    """The time lost in unfinished iterations: from the end of a job's last finished iteration to the failure, averaged
    over ranks. Unit: ns."""
    compute_ns: float
    """The time for which an accelerator computed, averaged over ranks. Unit: ns."""
    memory_ns: float
    """The time for which an accelerator accessed its memory without computing. Unit: ns."""
    exposed_ns: float
    """Exposed communication: the time for which an accelerator neither computed nor accessed memory while one of its
    collectives or transfers was in flight. Unit: ns."""
    bubble_ns: float
    """The time for which an accelerator waited for others to join or send. Unit: ns."""
    idle_ns: float
    """The time for which an accelerator had nothing to do. Unit: ns."""
    exposed: dict[str, float]
    """The exposed communication of each kind of operation; `other` is for operations without a kind."""


class StretchesItem(TypedDict):
    """The result of the run between two failures."""

    begin_ns: float
    """When the stretch began. Unit: ns."""
    end_ns: float
    """When the stretch ended. Unit: ns."""
    verified: str
    """How the sums were verified: values, contributions, or off."""
    fidelity: str
    """The level of detail of the simulation: flit, leap, train or fluid; for predictions, chunks."""
    fidelity_reason: NotRequired[str]
    """Why train fidelity was insufficient."""
    trains: NotRequired[TrainsDict]
    fluid: NotRequired[FluidDict]
    flits: int
    """The number of flits injected."""
    flit_hops: int
    """The number of channel traversals, summed over all flits."""
    link_utilization: NotRequired[LinkUtilizationDict]
    channels: NotRequired[list[ChannelsItem]]
    dimensions: NotRequired[list[DimensionsItem]]
    window_ns: NotRequired[float]
    """The length of the windows of activity and busy. Unit: ns."""
    statistics: dict[str, Any]
    """Statistics of the modules by module kind: sum and maximum over modules. `coppice modules CONFIG --statistics`
    explains each quantity, and `coppice run --statistics FILE` writes them per module."""
    profile: NotRequired[Any]
    """The activity that `coppice report` draws over time, if recorded (`coppice run --record`): use of channels in
    windows, messages of ports, paths of flows, and operations of accelerators."""
    iterations: list[IterationsItem]
    collectives: list[CollectivesItem]
    accelerators: list[AcceleratorsItem]
    time_breakdown_cycles: NotRequired[TimeBreakdownCyclesDict]
    lost: NotRequired[LostDict]
    """The lost time by activity, as in `iterations`."""


class Lost(Section):
    """The lost time by activity, as in `iterations`."""

    time_ns: float
    """The time lost in unfinished iterations: from the end of a job's last finished iteration to the failure, averaged
    over ranks. Unit: ns."""
    compute_ns: float
    """The time for which an accelerator computed, averaged over ranks. Unit: ns."""
    memory_ns: float
    """The time for which an accelerator accessed its memory without computing. Unit: ns."""
    exposed_ns: float
    """Exposed communication: the time for which an accelerator neither computed nor accessed memory while one of its
    collectives or transfers was in flight. Unit: ns."""
    bubble_ns: float
    """The time for which an accelerator waited for others to join or send. Unit: ns."""
    idle_ns: float
    """The time for which an accelerator had nothing to do. Unit: ns."""
    exposed: Numbers
    """The exposed communication of each kind of operation; `other` is for operations without a kind."""


class Simulator(Section):
    """The cost of the simulation."""

    wall_s: float
    """The wall-clock time of the simulation. Unit: s."""
    user_s: float
    """The CPU time of the simulation. Unit: s."""
    flit_hops_per_s: float
    """Simulated flit-hops per second of CPU time; missing for fluid routing studies. Unit: 1/s. Not in every result."""
    peak_rss_bytes: int
    """The peak memory use of the simulator. Unit: B. Not in every result."""
    threads: int
    """The number of threads that simulated nodes. Not in every result."""
    simulations: int
    """The number of simulations of a training run. Not in every result."""


class RunResult(Result):
    """The result of `coppice run`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    verified: str
    """How the sums were verified: values, contributions, or off."""
    verified_sample: VerifiedSample
    """Not in every result."""
    fidelity: str
    """The level of detail of the simulation: flit, leap, train or fluid; for predictions, chunks."""
    fidelity_reason: str
    """Why train fidelity was insufficient. Not in every result."""
    trains: Trains
    """Not in every result."""
    leap: Leap
    """Not in every result."""
    fluid: Fluid
    """Not in every result."""
    contention_free: bool
    """Whether no two messages of the schedule share a channel at the same time. Not in every result."""
    chunks: int
    """The number of chunks chosen by the algorithm, if collective.chunks is auto. Not in every result."""
    steps: int
    """The number of timesteps of the schedule, counting both phases of an all-reduce. Not in every result."""
    cycles: int
    """The cycles of system.clock until the last message was reduced or stored. Unit: cycles."""
    time_ns: float
    """The simulated time until the last message was reduced or stored. Unit: ns."""
    algbw_gb_s: float
    """Algorithm bandwidth: the size of the collective divided by its time. Unit: GB/s. Not in every result."""
    busbw_gb_s: float
    """Bus bandwidth: algorithm bandwidth times the bytes that each accelerator's links carry per byte of the
    collective, 2 (n - 1) / n for an all-reduce. Unit: GB/s. Not in every result."""
    bound: Bound
    """Not in every result."""
    efficiency: float
    """The larger of the two lower bounds divided by the time. Not in every result."""
    flits: int
    """The number of flits injected. Not in every result."""
    flit_hops: int
    """The number of channel traversals, summed over all flits."""
    link_utilization: LinkUtilization
    """Not in every result."""
    channels: list[ChannelsItem]
    """Not in every result."""
    dimensions: list[DimensionsItem]
    """Not in every result."""
    hardware: Hardware
    """Not in every result."""
    window_ns: float
    """The length of the windows of activity and busy. Unit: ns. Not in every result."""
    statistics: Statistics
    """Statistics of the modules by module kind: sum and maximum over modules. `coppice modules CONFIG --statistics`
    explains each quantity, and `coppice run --statistics FILE` writes them per module. Not in every result."""
    profile: Any
    """The activity that `coppice report` draws over time, if recorded (`coppice run --record`): use of channels in
    windows, messages of ports, paths of flows, and operations of accelerators. Not in every result."""
    program: Program
    """Not in every result."""
    iterations: list[IterationsItem]
    """Not in every result."""
    collectives: list[CollectivesItem]
    """Not in every result."""
    accelerators: list[AcceleratorsItem]
    """Not in every result."""
    chosen: str
    """The algorithm chosen by collective.algorithm: auto. Not in every result."""
    expected: list[ExpectedItem]
    """Not in every result."""
    inference: Inference
    """Not in every result."""
    ni_overhead: NiOverhead
    """The size of the schedule's tables in the network interface: field widths in bits, entries, bytes per node. Not in
    every result."""
    time_breakdown_cycles: TimeBreakdownCycles
    """Not in every result."""
    cost_model: CostModel
    """Predictions of C-Cube's equations for rings and trees: latency per step, time per byte, total time. Not in every
    result."""
    gradients: Gradients
    """When gradients became final. Not in every result."""
    forwarding: list[int]
    """The accelerators that forwarded other accelerators' messages. Not in every result."""
    training: Training
    """The results of a training iteration. Not in every result."""
    passes: Passes
    """How passes were timed, if memory bandwidth is limited. Not in every result."""
    jobs: list[JobsItem]
    """Not in every result."""
    failures: list[FailuresItem]
    """Not in every result."""
    stretches: list[StretchesItem]
    """Not in every result."""
    lost: Lost
    """The lost time by activity, as in `iterations`. Not in every result."""
    down_ns: float
    """The time after failures during which nothing ran: at least program.restart per failure that stopped the machine.
    Unit: ns. Not in every result."""
    simulator: Simulator
    """The cost of the simulation."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class TrafficHotspotsItem(TypedDict):
    """A destination of pattern hotspot with its weight."""

    node: int
    """A destination of pattern hotspot."""
    weight: int
    """The weight of the destination."""


class TrafficBursts(Section):
    """The probabilities of on-off sources."""

    begin: float
    """The probability per cycle that a source turns on."""
    end: float
    """The probability per cycle that a source turns off."""


class TrafficRequestReply(Section):
    """The packets of requests and replies."""

    writes: float
    """The fraction of requests that are writes."""
    read_request: int
    """The length of a read request. Unit: flits."""
    read_reply: int
    """The length of a read reply. Unit: flits."""
    write_request: int
    """The length of a write request. Unit: flits."""
    write_reply: int
    """The length of a write reply. Unit: flits."""


class Traffic(Section):
    """The offered traffic."""

    pattern: str
    """The traffic pattern. Not in every result."""
    rate: float
    """The offered load. Unit: flits/node/cycle. Not in every result."""
    packet_flits: int
    """The number of flits per packet. Not in every result."""
    warmup: int
    """The number of cycles before the measurement. Unit: cycles. Not in every result."""
    measure: int
    """The number of measured cycles. Unit: cycles. Not in every result."""
    seed: int
    """The seed of the random numbers. Not in every result."""
    hotspots: list[TrafficHotspotsItem]
    """Not in every result."""
    permutation: str
    """The permutation file. Not in every result."""
    bursts: TrafficBursts
    """The probabilities of on-off sources. Not in every result."""
    request_reply: TrafficRequestReply
    """The packets of requests and replies. Not in every result."""
    trace: str
    """The file of the packet trace. Not in every result."""
    packets: int
    """The number of packets in the trace. Not in every result."""


class TrafficResult(Result):
    """The result of `coppice traffic`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    fidelity: str
    """The level of detail of the simulation: flit, leap, train or fluid; for predictions, chunks."""
    cycles: int
    """The cycles of system.clock until the last message was reduced or stored. Unit: cycles. Not in every result."""
    flit_hops: int
    """The number of channel traversals, summed over all flits."""
    link_utilization: LinkUtilization
    channels: list[ChannelsItem]
    statistics: Statistics
    """Statistics of the modules by module kind: sum and maximum over modules. `coppice modules CONFIG --statistics`
    explains each quantity, and `coppice run --statistics FILE` writes them per module."""
    traffic: Traffic
    """The offered traffic."""
    packet_latency_mean: float | None
    """The mean time from a packet's creation to the ejection of its tail. Unit: cycles."""
    flit_latency_mean: float | None
    """The mean time from a flit's creation to its ejection. Unit: cycles."""
    transaction_latency_mean: float | None
    """The mean time from a request's creation to the ejection of its reply. Unit: cycles. Not in every result."""
    accepted_flits_per_node_cycle: float
    """The accepted load: flits ejected per node per cycle. Unit: flits/node/cycle."""
    hops_mean: float | None
    """The mean number of routers that a packet traversed."""
    ejection_utilization_max: float
    """The fraction of the time for which the ejection channel of the accelerator that received the most flits was
    busy."""
    saturated: bool
    """Whether the offered load exceeded what the network could deliver."""
    packets_measured: int
    """The number of measured packets."""
    simulator: Simulator
    """The cost of the simulation."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class Controller(Section):
    """Statistics of the path controller: assignments, their run times, predictions."""

    assignments: int
    """The number of assignments computed."""
    most_flows: int
    """The largest number of flows in an assignment."""
    seconds_mean: float
    """The mean run time of an assignment on this computer. Unit: s."""
    seconds_max: float
    """The longest run time of an assignment on this computer. Unit: s."""
    moved: int
    """The number of flows that assignments moved to another path."""
    load_over_bound_mean: float
    """The mean of the largest number of flows on a link divided by its lower bound."""
    runs: list[list[float]]
    """The number of flows and the run time in seconds of each assignment."""
    predicted: int
    """The number of answers that had been computed in advance."""
    surprises: int
    """The number of answers that had to be computed on request."""
    fallbacks: int
    """How often hosts hashed flows over spines instead of waiting for the controller."""


class AllFlowsMethodsItem(TypedDict):
    """An assignment method."""

    method: str
    """The name of the method."""
    max_load: int
    """The largest number of flows on a link."""
    seconds: float
    """The run time of the method on this computer. Unit: s."""


class AllFlows(Section):
    """The assignment of all jobs' flows by each method: the largest number of flows on a link, and its lower bound."""

    flows: int
    """The number of flows."""
    lower_bound: int
    """The lower bound on the largest number of flows on a link."""
    methods: list[AllFlowsMethodsItem]


class TimelineItem(TypedDict):
    """An event (arrival, phase, assignment or failure) with its time."""

    time_s: float
    """When the event happened. Unit: s."""
    event: str
    """The name of the event, such as arrival, all_reduce_starts or spine_fails."""
    job: NotRequired[int]
    """The number of the job."""
    flows: NotRequired[int]
    """The number of flows that a request or an assignment concerns."""
    message_bytes: NotRequired[int]
    """The size of a message of the job's rings. Unit: B."""
    precomputed: NotRequired[bool]
    """Whether the assignment had been computed in advance."""
    moved: NotRequired[int]
    """The number of flows moved to another path."""
    max_load: NotRequired[int]
    """The largest number of flows on a link."""
    lower_bound: NotRequired[int]
    """The lower bound on the largest number of flows on a link."""
    spine: NotRequired[int]
    """The spine that failed."""


class RouteResult(Result):
    """The result of `coppice route`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    verified: str
    """How the sums were verified: values, contributions, or off."""
    fidelity: str
    """The level of detail of the simulation: flit, leap, train or fluid; for predictions, chunks."""
    fluid: Fluid
    """Not in every result."""
    link_utilization: LinkUtilization
    channels: list[ChannelsItem]
    method: str
    """The path assignment method."""
    failed_spines: list[int]
    """The spines that had failed."""
    time_s: float
    """The time at which the last job finished. Unit: s."""
    jobs: list[JobsItem]
    controller: Controller
    """Statistics of the path controller: assignments, their run times, predictions."""
    all_flows: AllFlows
    """The assignment of all jobs' flows by each method: the largest number of flows on a link, and its lower bound."""
    messages: int
    """The number of messages delivered."""
    timeline: list[TimelineItem]
    simulator: Simulator
    """The cost of the simulation."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class Footprint(Section):
    """The memory footprint of an iteration: weights, gradients, optimizer state, activations."""

    bytes: int
    """The whole memory footprint. Unit: B."""
    weights: int
    """The size of the weights. Unit: B."""
    gradients: int
    """The size of the gradients. Unit: B."""
    optimizer: int
    """The size of the optimizer state. Unit: B."""
    activations: int
    """The size of the activations. Unit: B."""
    partial_sums: int
    """The largest size of partial sums that are stored and reloaded. Unit: B."""


class LayersItemTrafficDict(TypedDict):
    input: int
    """The bytes of the operand that enters the arrays from the left. Unit: B."""
    weight: int
    """The bytes of the operand that enters the arrays from the top. Unit: B."""
    output: int
    """The bytes of results, including partial sums that are stored and reloaded. Unit: B."""


class LayersItemTileDict(TypedDict):
    """The loop order of the tiles and the largest tile size."""

    order: str
    """The order of the loops over tiles."""
    m: int
    """The number of rows of the largest tile."""
    k: int
    """The inner dimension of the largest tile."""
    n: int
    """The number of columns of the largest tile."""


LayersItem = TypedDict("LayersItem", {
    "name": "str",
    "pass": "str",
    "m": "int",
    "n": "int",
    "k": "int",
    "count": "int",
    "cycles": "int",
    "stall_cycles": "int",
    "utilization": "float",
    "mapping_efficiency": "float",
    "bytes": "int",
    "bound_by": "str",
    "macs": "int",
    "aggregation_cycles": "int",
    "memory_cycles": "int",
    "traffic": "LayersItemTrafficDict",
    "split": "NotRequired[str]",
    "tile": "NotRequired[LayersItemTileDict]",
})


class LayersResult(Result):
    """The result of `coppice layers`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    cycles: int
    """The cycles of system.clock until the last message was reduced or stored. Unit: cycles."""
    time_ns: float
    """The simulated time until the last message was reduced or stored. Unit: ns."""
    model: str
    """The neural network, or its layer table."""
    timing: str
    """How array cycles were determined: formula or array."""
    convention: str
    """How a tile's cycles are counted: causal or scale_sim."""
    batch_per_accelerator: int
    """The number of samples per accelerator."""
    pes: int
    """The number of processing elements per accelerator."""
    peak_macs_per_cycle: int
    """The peak number of multiply-accumulates per cycle, summed over arrays."""
    memory_bytes_per_cycle: float | None
    """The memory bandwidth, in bytes per array cycle. Unit: B."""
    stall_cycles: int
    """The cycles for which the arrays wait for memory, summed over layers. Unit: cycles."""
    footprint: Footprint
    """The memory footprint of an iteration: weights, gradients, optimizer state, activations."""
    layers: list[LayersItem]
    simulator: Simulator
    """The cost of the simulation."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class Passing(Section):
    bytes: int
    """The bytes that must pass between the groups. Unit: B."""
    bandwidth_gb_s: float
    """The bandwidth at which the groups can send or receive these bytes. Unit: GB/s."""
    direction: str
    """Whether the bytes leave (out) or enter (in) the groups."""


class BoundResult(Result):
    """The result of `coppice bound`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    time_ns: float
    """The simulated time until the last message was reduced or stored. Unit: ns."""
    collective: str
    """The collective operation to which the bound applies."""
    size_bytes: int
    """The size of the collective to which the bound applies. Unit: B."""
    latency_ns: float
    """The lower bound of `coppice bound` that follows from latency, as in `bound.latency_ns`. Unit: ns."""
    attainable: float
    """The largest possible efficiency with the head flits of packets, as in `bound.attainable`."""
    groups: list[list[int]]
    """The groups of accelerators that prove the bound, as in `bound.groups`."""
    passing: Passing
    """Not in every result."""
    lengths: list[float]
    """The length assigned to each channel in the proof of an all-to-all's bound. Not in every result."""
    network: str
    """The network to which the bound applies."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class ChunksItem(TypedDict):
    bytes: int
    """The size of the chunk. Unit: B."""
    reduce_scatter: list[int]
    """The dimensions in the order in which the chunk is reduce-scattered."""
    all_gather: list[int]
    """The dimensions in the order in which the chunk is all-gathered."""


class ChunksResult(Result):
    """The result of `coppice chunks`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    verified: str
    """How the sums were verified: values, contributions, or off. Not in every result."""
    fidelity: str
    """The level of detail of the simulation: flit, leap, train or fluid; for predictions, chunks. Not in every
    result."""
    time_ns: float
    """The simulated time until the last message was reduced or stored. Unit: ns."""
    dimensions: list[DimensionsItem]
    """Not in every result."""
    window_ns: float
    """The length of the windows of activity and busy. Unit: ns. Not in every result."""
    training: Training
    """The results of a training iteration. Not in every result."""
    ideal_time_ns: float
    """The expected time if all dimensions were busy throughout. Unit: ns. Not in every result."""
    utilization: float
    """The fraction of the dimensions' bandwidth that is expected to be used. Not in every result."""
    chunks: list[ChunksItem]
    """Not in every result."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class RowsItem(TypedDict):
    algorithm: str
    """The algorithm."""
    size: int
    """The size of the collective. Unit: B."""
    time_ns: float
    """The time of the collective. Unit: ns."""
    algbw_gb_s: float
    """The algorithm bandwidth. Unit: GB/s."""
    busbw_gb_s: float
    """The bus bandwidth. Unit: GB/s."""
    efficiency: float
    """The lower bound divided by the time."""
    bound_ns: float
    """The larger of the two lower bounds. Unit: ns."""
    table_bytes: int
    """The size of an accelerator's tables, folded if pieces repeat. Unit: B."""
    chosen: NotRequired[str]
    """The algorithm chosen by auto."""
    estimated: NotRequired[bool]
    """Whether the time is only an estimate."""


class CompareResult(Result):
    """The result of `coppice compare`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    version: str
    """The version of Coppice that wrote the result."""
    config: Any
    """Every configuration key with its resolved value; loading it repeats the run."""
    assumptions: list[str]
    """Assumptions about details that an input file does not specify, one sentence each."""
    warnings: list[str]
    """Likely mistakes in the input, such as keys without effect, one sentence each."""
    rows: list[RowsItem]
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""


class TopologyResult(Result):
    """The result of `coppice topology`."""

    schema: str
    """The kind and format version of the result: coppice.result/1, coppice.traffic/1, coppice.route/1,
    coppice.layers/1."""
    hardware: Hardware
    """Not in every result."""
    name: str
    """The name of the network."""
    accelerators: int
    """The number of accelerators of the network."""
    switches: int
    """The number of switches."""
    switch_ports: int
    """The number of ports of all switches."""
    channels: int
    """The number of channels of the network."""
    links: float
    """The number of links: half the number of channels."""
    bandwidth_gb_s: float
    """The bandwidth of all channels together. Unit: GB/s."""
    injection_gb_s: float
    """The mean bandwidth at which an accelerator can send. Unit: GB/s."""
    command: str
    """The command line that wrote the result, quoted for a shell."""
    commit: str
    """The commit that was built, followed by + if files were modified; unknown outside a git checkout."""
