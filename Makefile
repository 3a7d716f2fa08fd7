.PHONY: deps demo test lint bench fuzz

deps:
	scripts/deps --all

demo:
	scripts/demo

test:
	scripts/test

lint:
	scripts/lint

bench:
	Benchmarks/run

fuzz:
	scripts/fuzz
