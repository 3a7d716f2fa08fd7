.PHONY: deps demo test lint bench

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
