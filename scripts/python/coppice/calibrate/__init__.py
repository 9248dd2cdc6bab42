"""`coppice calibrate`: fits the costs of a machine file to measured times of collectives."""
