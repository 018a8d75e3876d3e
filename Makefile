# The front door: `make help`. CMake does the work; presets are in CMakePresets.json.
JOBS ?= $(shell nproc)
# A Python that has NumPy and PyTorch: the benchmarks then measure them too.
PEERS_PYTHON ?= python3
.DEFAULT_GOAL := help
.PHONY: help demo test bench build install asan tsan format clean packages

help:      ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

demo:      ## install what is missing, build, and see loops decided, merged, proved and run on real data (under 5 minutes)
	@scripts/demo.sh $(JOBS)

test:      ## build everything and run every test
	@scripts/install.sh
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS)
	ctest --preset dev -j $(JOBS)

build:     ## the optimised program, library and examples, in build/release
	@scripts/install.sh
	cmake --preset release -DTWOFOLD_CUDA_KERNELS=ON
	cmake --build --preset release -j $(JOBS)

bench:     ## build and run the benchmarks; results go to bench/results
	@scripts/install.sh --peers
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target twofold bench_cpu bench_attention
	scripts/bench_check.py --program build/bench/bin/twofold
	scripts/bench.py build/bench
	$(PEERS_PYTHON) scripts/cpu_bench.py run build/bench
	scripts/cpu_bench.py page
	$(PEERS_PYTHON) scripts/cpu_attention.py build/bench/bin/bench_attention $(if $(GGML),--ggml $(GGML))
	scripts/cpu_attention.py --page

install: build  ## install into PREFIX (default /usr/local)
	cmake --install build/release $(if $(PREFIX),--prefix $(PREFIX))

asan:      ## tests under the address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS) -LE project

tsan:      ## tests of the library under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS) -LE project

format:    ## lay out all C++ files with clang-format
	@scripts/format.sh

packages:  ## install the Debian packages that are missing
	@scripts/install.sh

clean:     ## remove build/
	rm -rf build
