"""Design-space exploration: `coppice explore` searches for the best machines for a workload."""
