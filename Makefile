# Everything a person or a machine does with this project; `make help` lists it.

PREFIX ?= /usr/local
SWIFT ?= swift
VENV := .venv

.PHONY: help deps deps-python build demo test lint install clean

help:
	@echo "make demo      build, and play a person's day on a phone and a tablet"
	@echo "make test      build, and run all tests"
	@echo "make bench     measure against plain SQLite (BENCH_OPTIONS=--quick for a short run)"
	@echo "make bench-daemon   a daemon's memory with 32 peers; make bench-peers   other replicated data types"
	@echo "make lint      check the formatting"
	@echo "make install   put ledgerd, completions and the systemd unit below PREFIX=$(PREFIX)"
	@echo "make deps      install what is missing (Debian)"

deps:
	@Scripts/deps

deps-python: deps
	@test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	@$(VENV)/bin/python -c 'import cbor2' 2>/dev/null \
		|| $(VENV)/bin/pip install --quiet --disable-pip-version-check -r Tests/Independent/requirements.txt

build: deps
	Scripts/release

demo: build
	Examples/demo

test: deps-python
	Scripts/test

lint:
	$(SWIFT) format lint --strict -r -p Package.swift Sources Tests Benchmarks Examples

install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 .build/release/ledgerd $(DESTDIR)$(PREFIX)/bin/ledgerd
	.build/release/ledgerd completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ledgerd
	.build/release/ledgerd completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ledgerd
	.build/release/ledgerd completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ledgerd.fish
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d \
		$(DESTDIR)$(PREFIX)/share/doc/ledgerd
	sed 's#@PREFIX@#$(PREFIX)#' Packaging/ledgerd.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/ledgerd.service
	install -m 644 Packaging/ledgerd.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/ledgerd.conf
	install -m 644 Packaging/ledgerd.json docs/CONTROL.md docs/OPERATIONS.md \
		$(DESTDIR)$(PREFIX)/share/doc/ledgerd

clean:
	$(SWIFT) package clean
	rm -rf $(VENV) Benchmarks/build

include Benchmarks/bench.mk
