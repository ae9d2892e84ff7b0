# Benchmarks: two baselines in C against the product, alternately, as ratios.

BENCH_BUILD := Benchmarks/build
BASELINE_SOURCES := $(addprefix Benchmarks/Baseline/,stream.c store.c append.c read.c delta.c trip.c main.c)
BENCH_CFLAGS := -O2 -std=c11 -Wall -Wextra -Werror

.PHONY: bench bench-quick bench-daemon bench-peers bench-build

bench: bench-build
	Benchmarks/run $(BENCH_OPTIONS)

bench-quick: bench-build
	Benchmarks/run --quick $(BENCH_OPTIONS)

# The memory of a daemon while events pass to many others.
bench-daemon: bench-build
	Benchmarks/daemon_memory.py $(BENCH_OPTIONS)

# The same merges by other replicated data types, from an environment of their own.
bench-peers: bench-build
	@test -x $(BENCH_BUILD)/peers/bin/python || python3 -m venv $(BENCH_BUILD)/peers
	@$(BENCH_BUILD)/peers/bin/pip install --quiet --disable-pip-version-check -r Benchmarks/peers-requirements.txt
	$(BENCH_BUILD)/peers/bin/python Benchmarks/peers.py $(BENCH_OPTIONS)

bench-build: $(BENCH_BUILD)/baseline $(BENCH_BUILD)/launch
	Scripts/release --product LedgerBenchmarks
	Scripts/release --product ledgerd

$(BENCH_BUILD)/baseline: $(BASELINE_SOURCES) Benchmarks/Baseline/baseline.h
	@mkdir -p $(BENCH_BUILD)
	$(CC) $(BENCH_CFLAGS) -o $@ $(BASELINE_SOURCES) $$(pkg-config --cflags --libs sqlite3)

$(BENCH_BUILD)/launch: Benchmarks/Baseline/launch.c
	@mkdir -p $(BENCH_BUILD)
	$(CC) $(BENCH_CFLAGS) -o $@ $<
