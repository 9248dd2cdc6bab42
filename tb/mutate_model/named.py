"""Mutants that are always among those drawn: bugs that no test noticed once. What they are, the file below systemc/, the expression, and
what it becomes."""

MUTANTS = [
    ("of the tables that wait, the least urgent is loaded first", "system/program/program_runner.cpp", "-state_.priority(id)", "state_.priority(id)"),
    ("links are charged for injections", "system/output/hardware.cpp", "crossings * bits * table.link_pj_per_bit",
     "hops * bits * table.link_pj_per_bit"),
    ("the piece with the least work ahead goes first", "schedule/packed_trees/piece_schedule.cpp",
     "-static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[h]))",
     "static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[h]))"),
    ("the next train does not wait for routing", "fabric/trains/train_fabric.cpp",
     "now + known.train.last_head + timing_.routing_and_allocation()", "now + known.train.last_head"),
]
