# Benchmarks: two baselines in C against the product, alternately, as ratios.

BENCH_BUILD := Benchmarks/build
BASELINE_SOURCES := $(addprefix Benchmarks/Baseline/,stream.c store.c append.c read.c delta.c trip.c main.c)
BENCH_CFLAGS := -O2 -std=c11 -Wall -Wextra -Werror

.PHONY: bench bench-quick bench-build

bench: bench-build
	Benchmarks/run $(BENCH_OPTIONS)

bench-quick: bench-build
	Benchmarks/run --quick $(BENCH_OPTIONS)

bench-build: $(BENCH_BUILD)/baseline $(BENCH_BUILD)/launch
	Scripts/release --product LedgerBenchmarks
	Scripts/release --product ledgerd

$(BENCH_BUILD)/baseline: $(BASELINE_SOURCES) Benchmarks/Baseline/baseline.h
	@mkdir -p $(BENCH_BUILD)
	$(CC) $(BENCH_CFLAGS) -o $@ $(BASELINE_SOURCES) $$(pkg-config --cflags --libs sqlite3)

$(BENCH_BUILD)/launch: Benchmarks/Baseline/launch.c
	@mkdir -p $(BENCH_BUILD)
	$(CC) $(BENCH_CFLAGS) -o $@ $<
