"""Design-space exploration: the best machines for a workload, by `coppice explore`."""
