# Wants Python 3.11 or newer with venv and headers, a C compiler and make; PYTHON=... names the interpreter to use.
# Everything else goes into .venv, which each target fills by itself.

VENV := .venv
BIN := $(VENV)/bin
BUILT := $(VENV)/.built
NATIVE := $(shell find cython_ext engines -name '*.pyx' -o -name '*.pxd')
CATALOGUES := $(shell find solver engines -name '*.po')

export PATH := $(CURDIR)/$(BIN):$(PATH)

.DELETE_ON_ERROR:
.PHONY: help build demo test lint bench soak fuzz sanitize proto catalogues pictures clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.* ## /\1\t/p' Makefile | expand -t 12

build: $(BUILT) ## install the product and its tools into .venv, editable

demo: build ## a server answers a stored position with ranked moves
	python examples/demo.py

test: build ## all tests, on all cores; ARGS="-k gatto" goes to pytest
	python -m pytest -n auto --dist loadfile $(ARGS)

lint: build ## ruff, cython-lint, mypy, buf, and the generated stubs must be fresh
	ruff check
	cython-lint $(NATIVE)
	mypy .
	cd proto && buf lint
	rm -rf build/stubs && scripts/stubs.sh build/stubs
	diff -r --exclude=__init__.py --exclude=__pycache__ build/stubs/cafebrain/v1 cafebrain/v1

bench: build ## every figure of speed, with its unit
	cafebrain bench $(ARGS)

soak: build ## a server under 64 clients for 9 minutes; ARGS="--minutes 2" for less
	python -m bench.soak $(ARGS)

fuzz: build ## a million bad positions and 100,000 bad requests; goes on where it was, ARGS=--fresh begins anew
	python -m fuzz $(ARGS)

sanitize: build ## the tests and some fuzzing on code built with ASan, UBSan and bounds checks, in build/sanitize
	scripts/sanitize.sh python -m pytest -p no:cacheprovider --hypothesis-profile=ci $(ARGS)
	scripts/sanitize.sh python -m fuzz --fresh --codec 40000 --server 4000 --guided 0

proto: build ## generate the stubs in cafebrain/v1 from proto/
	scripts/stubs.sh .

catalogues: build ## take new texts into the message catalogues, to be translated there
	scripts/catalogues.sh

pictures: build ## draw the boards of docs/boards anew
	python scripts/pictures.py

clean: ## remove what was built, but for .venv
	rm -rf build dist $(BUILT)
	find cython_ext engines -name '*.so' -delete

$(BIN)/python:
	scripts/venv.sh $(VENV)

# A changed build is installed anew, which compiles everything; else what changed is compiled in place.
$(BUILT): pyproject.toml setup.py $(NATIVE) $(CATALOGUES) | $(BIN)/python
	$(if $(filter %.toml %.py,$?),scripts/install.sh,python setup.py -q build_ext --inplace)
	@touch $@
