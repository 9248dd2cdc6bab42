# All tasks of the project. `make` lists the targets that have a "target: ... ## description" line.
JOBS ?= $(shell nproc)
BENCH_ARGS ?=
SOAK_SECONDS ?= 600
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?=
SANITIZED ?=
SANITIZER ?= sanitize
space := $(subst ,, )
comma := ,

.DEFAULT_GOAL := help
.PHONY: help setup clang run build command verilog setup-lint setup-hardware setup-test test test-long sanitize lint format bench budget random soak fuzz clean reproduce-multitree reproduce-themis reproduce-ccube reproduce-routing reproduce-model reproduce-packed_trees reproduce-programs reproduce-reality reproduce-scale reproduce-studies docs docs-examples numbers test-slurm cosim coverage nightly formal mutate mutate-model area timing layout energy waveforms fpga tile sweep wheel deb explore report-picture
.NOTPARALLEL:

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | awk -F'\t' '{ printf "make %-20s %s\n", $$1, $$2 }'

run: command ## install missing packages, build, and run the main job: ring and MultiTree on an 8x8 torus
	@scripts/main_job

build: setup-test ## build the command, the Verilated models and all tests in build/release
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)

# Only the command, without tests and tools.
command:
	@scripts/setup.sh run
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target coppice

verilog: command ## build the Verilated network interface and router, for `impl: rtl`
	@scripts/setup.sh hardware
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target coppice_verilog

test: build ## run the tests of the model and its Verilog on the release build
	@ctest --preset release --parallel $(JOBS)

test-long: build setup ## run the tests that take long or need more packages: pages, searches, hardware estimates, installation
	@scripts/setup_editor
	@ctest --preset long --parallel $(JOBS)

# SANITIZER=fuzz: the sanitizers of clang; make fuzz needs their objects anyway. SANITIZER=threads: ThreadSanitizer, for
# runs with several threads.
sanitize: setup $(if $(filter fuzz,$(SANITIZER)),clang) ## run the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer; SANITIZED: only these folders
	@cmake --preset $(SANITIZER)
	@cmake --build --preset $(SANITIZER) --parallel $(JOBS) $(if $(SANITIZED),--target $(SANITIZED:%=%_tests))
	@ctest --preset $(SANITIZER) --parallel $(JOBS) $(if $(SANITIZED),--tests-regex '^($(subst $(space),|,$(strip $(SANITIZED))))\.')

lint: setup-lint ## check format, clang-tidy, layers and scripts; SINCE=REVISION: clang-tidy only for changed files; TIDY=0: without clang-tidy
	@scripts/lint.sh $(if $(filter 0,$(TIDY)),--no-tidy,$(if $(SINCE),--since $(SINCE)))

format: setup-lint ## format all C++ files in place
	@find systemc tb -name '*.h' -o -name '*.cpp' | xargs -r clang-format -i

bench: command ## measure the simulator's speed and memory, also as JSON: build/bench.json
	@scripts/setup.sh test
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target coppice_bench
	@build/release/tb/bench/coppice_bench --benchmark_out=build/bench.json --benchmark_out_format=json $(BENCH_ARGS)

budget: command ## compare the instruction counts of five small runs with their budget, tb/bench/instructions.json
	@scripts/setup.sh test
	@scripts/bench/budget

# The compiler of the fuzz preset.
clang:
	@scripts/setup.sh run test fuzz

fuzz: clang ## fuzz parsers and simulations with libFuzzer for FUZZ_SECONDS (600) each; FUZZ_TARGETS: only these, or parsers
	@scripts/fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS) $(FUZZ_TARGETS)

random: command ## check sums, bounds and fidelities of random systems, then programs, for FUZZ_SECONDS (600) each, from FUZZ_SEED
	@scripts/setup.sh test
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target coppice_fuzz_system coppice_fuzz_program
	@build/release/tb/fuzz/coppice_fuzz_system $(FUZZ_SECONDS) $(FUZZ_SEED)
	@build/release/tb/fuzz/coppice_fuzz_program $(FUZZ_SECONDS) $(FUZZ_SEED)

soak: command ## compare trains with flits on random systems for SOAK_SECONDS (600)
	@scripts/setup.sh test
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target coppice_soak
	@build/release/tb/fuzz/coppice_soak $(SOAK_SECONDS)

reproduce-multitree: command ## run MultiTree's experiments into results/multitree; FULL=1: all sizes and node counts
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce multitree

reproduce-themis: command ## run Themis' experiments into results/themis
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce themis

reproduce-ccube: command ## run C-Cube's experiments into results/ccube
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce ccube

reproduce-routing: command ## run the study of Routing for Large ML Models into results/routing; FULL=1: five seeds
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce routing

reproduce-model: command ## measure all-reduces, flow control and the router, into docs/measurements/model.md
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce model

reproduce-packed_trees: command ## compare all algorithms with the lower bound; FULL=1: more sizes
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce packed_trees

reproduce-programs: command ## measure scale-up domains, buckets and overlap, into docs/measurements/programs.md
	@scripts/setup.sh experiments
	@scripts/experiments/reproduce programs

reproduce-reality: command ## run today's machines at all measured sizes, into docs/measurements/reality.md
	@scripts/setup.sh experiments calibrate
	@scripts/reality

reproduce-scale: command ## measure time and memory over the number of accelerators, into docs/measurements/figures
	@scripts/setup.sh experiments
	@scripts/experiments/scale

reproduce-studies: command ## search the spaces of docs/studies and draw their figures
	@scripts/setup.sh explore experiments
	@build/release/coppice explore configs/explore/networks.yaml --out results/explore/networks
	@build/release/coppice explore configs/explore/interfaces.yaml --method grid --runs 1152 --out results/explore/interfaces_grid
	@build/release/coppice explore configs/explore/dimensions.yaml --out results/explore/dimensions
	@scripts/experiments/study_figures

explore: command ## search a small space of machines and write its page: results/explore/small/explore.html
	@scripts/setup.sh explore
	@build/release/coppice explore configs/explore/small.yaml --out results/explore/small

docs: command ## build the documentation site: pages, reference of keys and results, API
	@scripts/setup.sh docs
	@scripts/docs/build

docs-examples: command ## run the slow commands of the documentation, and compare their output
	@scripts/docs/run_blocks build/release/coppice --long

report-picture: command ## redraw the picture of a report page in README.md
	@scripts/setup.sh experiments browser
	@scripts/docs/report_picture

numbers: command ## rerun the commands behind the numbers in the documentation and print changes; ONLY="model timing": only these pages
	@scripts/setup.sh experiments hardware explore
	@scripts/docs/numbers $(ONLY)

test-slurm: command ## run a small experiment and a search on a temporary one-node Slurm cluster
	@scripts/setup.sh experiments slurm explore
	@scripts/experiments/test_slurm
	@scripts/experiments/test_slurm_search

cosim: build ## compare systems in which network interfaces are Verilog with those in SystemC, flit by flit
	@build/release/tb/cosim/coppice_cosim_check

tile: command setup-hardware ## run all-reduces on tiles in Verilog alone, Verilated and in Icarus, and compare sums and cycles with the model
	@cmake --build --preset release --parallel $(JOBS) --target tile_network_4_128
	@tb/tile/all

sweep: command setup-hardware ## compare networks of tiles (1, 2 and 4 ports; 128- and 256-bit flits; fp32, bf16 and int32) with the model
	@cmake --preset release -DCOPPICE_TILE_SWEEP=ON
	@cmake --build --preset release --parallel $(JOBS) --target tile_networks
	@tb/tile/sweep

coverage: setup ## measure which lines and signals of the Verilog the co-simulation tests reach
	@scripts/coverage --jobs $(JOBS)

nightly: test-long ## run tests too slow for every change: memories and tiles in Icarus, ten million sums through the Verilog adder
	@ctest --preset nightly --parallel $(JOBS)
	@COPPICE_ADDER_PAIRS=10000000 build/release/tb/cosim/cosim_tests --gtest_filter='Fp32Adder.*'

# Builds with installed packages, without a package index.
wheel: command ## make the Python wheel of the release build, including the command: build/release/coppice-*.whl
	@scripts/setup.sh wheel
	@/usr/bin/python3 -m pip wheel --quiet --no-index --no-deps --no-build-isolation scripts/python --wheel-dir build/release
	@ls build/release/coppice-*.whl

deb: verilog ## make the Debian package of the release build, and check it with lintian
	@scripts/setup.sh packaging
	@scripts/packaging/make_deb build/release
	@lintian --fail-on error,warning build/release/coppice_*.deb

area: command setup-hardware ## estimate the area of the Verilog and of schedule tables, into results/hardware; FULL=1: all sizes
	@scripts/setup.sh experiments
	@scripts/area --jobs $(JOBS)
	@scripts/overhead

timing: setup-hardware ## find the ten worst paths of each Verilog block, into results/hardware/timing; BLOCKS: only these
	@scripts/timing --jobs $(JOBS) $(BLOCKS)

layout: setup-hardware ## place and route Verilog blocks, into results/hardware/layout, with pictures; BLOCKS: only these
	@scripts/setup.sh experiments
	@scripts/layout --jobs $(JOBS) $(BLOCKS)

energy: command setup-hardware ## measure the energy of a flit, a sum, a table entry and an all-reduce in gates, into results/hardware/energy; BLOCKS: only these
	@scripts/energy --jobs $(JOBS) $(BLOCKS)
	@$(if $(BLOCKS),,scripts/all_reduce_energy)
	@$(if $(BLOCKS),,scripts/all_reduce_energy --gates)

waveforms: command setup-hardware ## draw waveforms of the Verilog blocks' ports from a run of four tiles, into docs/hardware/figures
	@scripts/waveforms

fpga: setup-hardware ## count the FPGA resources of Verilog blocks (ECP5, Xilinx 7), into results/hardware/fpga; BLOCKS: only these
	@scripts/fpga --jobs $(JOBS) $(BLOCKS)

formal: setup-hardware ## prove properties of the Verilog, that clock gates change nothing, and that broken Verilog fails; PROOFS: only these
	@tb/formal/formal --jobs $(JOBS) $(PROOFS)
	@$(if $(PROOFS),,tb/formal/gates --jobs $(JOBS))

mutate: command ## check that tests and proofs notice 320 random mutants of the Verilog; MUTANTS=20: a sample of 20
	@tb/mutate/mutate --jobs $(JOBS) $(if $(MUTANTS),--sample $(MUTANTS),--out docs/hardware/mutants.md)

COUNT ?= 150
SEED ?= 1
mutate-model: setup ## check that tests notice 150 random mutants of systemc/; COUNT, SEED: other mutants; ONLY: only these folders
	@scripts/mutate_model --jobs $(JOBS) --count $(COUNT) --seed $(SEED) $(if $(ONLY),--only $(subst $(space),$(comma),$(ONLY)))

setup: ## install the Debian packages needed to build and test everything
	@scripts/setup.sh run test hardware explore experiments browser wheel

setup-test:
	@scripts/setup.sh run test

setup-lint:
	@scripts/setup.sh run lint hardware

setup-hardware:
	@scripts/setup.sh run hardware

clean: ## remove the build folder
	rm -rf build
