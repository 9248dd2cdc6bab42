"""Mutants that always run: bugs that tests once missed. Each has a description, the file below systemc/, the
expression and its replacement.
"""

MUTANTS = [
    ("the least urgent waiting tables are loaded first", "system/program/program_runner.cpp", "-state_.priority(id)", "state_.priority(id)"),
    ("links are charged for injections", "system/output/hardware.cpp", "crossings * bits * table.link_pj_per_bit",
     "hops * bits * table.link_pj_per_bit"),
    ("the piece with the least work ahead goes first", "schedule/packed_trees/piece_schedule.cpp",
     "-static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[h]))",
     "static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[h]))"),
    ("the next train does not wait for routing", "fabric/trains/train_fabric.cpp",
     "now + known.train.last_head + timing_.routing_and_allocation()", "now + known.train.last_head"),
]
