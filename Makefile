# abut: a front end of CMake and the scripts. Targets that build install the packages they need, except install.
PRESET  ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
TESTS   ?= .
SKIP    ?= --none--
SUITES  ?= free bdtree bounds kinetic voronoi sweep depth hard rays
SCENE   ?=
SECONDS ?= 600
PYTHON  ?= $(firstword $(wildcard /usr/bin/python3) python3)
TOOLCHAIN ?=
# groups of further packages that some presets need
PACKAGES = $(if $(filter clang sanitize tsan,$(PRESET)),ci) $(if $(filter bench ci,$(PRESET)),bench) $(if $(filter mpi,$(PRESET)),mpi)

.PHONY: build demo test test-middle test-long test-wasm web test-web fuzz install wheel blender npm deb bench performance papers runs docs figures lint format clean help

build: ## build the library and the command (the default)
	@scripts/setup build
	@scripts/build $(PRESET) installed

demo: build ## build, check a built-in scene and write a report of it; SCENE=name selects another scene
	@build/$(PRESET)/abut demo $(SCENE) $(if $(filter chairs shoal tear,$(SCENE)),,--html build/demo.html)
	@echo "The command is build/$(PRESET)/abut; 'make install' installs it."

test: ## build all and run the quick tests; TESTS=regex selects some, SKIP=regex leaves some out
	@scripts/setup build test $(PACKAGES)
	@scripts/timed 'Building took' scripts/build $(PRESET) all
	@ABUT_TEST_EFFORT=quick scripts/test $(PRESET) -L quick -R '$(value TESTS)' -E '$(value SKIP)'

test-middle: ## run the quick tests and those of tests/middle, each with more random cases
	@scripts/setup build test $(PACKAGES)
	@scripts/timed 'Building took' scripts/build $(PRESET) all
	@ABUT_TEST_EFFORT=normal scripts/test $(PRESET) -L 'quick|middle' -R '$(value TESTS)' -E '$(value SKIP)'

test-long: ## run all tests, each with its full number of cases (an hour or more)
	@scripts/setup build test long wasm deb
	@scripts/timed 'Building took' scripts/build $(PRESET) all
	@ABUT_TEST_EFFORT=long scripts/test $(PRESET) -R '$(value TESTS)'

test-wasm: ## build for WebAssembly and compare its answers with those of this machine
	@scripts/setup build wasm
	@scripts/test-wasm

web: ## build the page that checks dropped models, build/web/index.html
	@scripts/setup build wasm
	@scripts/web

test-web: ## test that page in a browser, against the command of this machine
	@scripts/setup build test wasm
	@scripts/test-web

fuzz: ## fuzz the readers of files, SECONDS=600 each
	@scripts/setup build ci
	@scripts/fuzz $(SECONDS)

install: ## build, then install libraries, headers and command under PREFIX (DESTDIR is put before it)
	@scripts/build $(PRESET) installed
	@DESTDIR='$(DESTDIR)' scripts/install $(PRESET) '$(PREFIX)'

wheel: ## build the wheel of the Python package in build/wheel; TOOLCHAIN=cmake/aarch64.cmake for 64-bit ARM, cmake/windows.cmake for Windows
	@scripts/setup build python
	@$(PYTHON) python/backend.py build/wheel $(TOOLCHAIN)

blender: wheel ## pack the Blender add-on, with the wheel inside: build/wheel/abut-blender.zip
	@$(PYTHON) python/blender/pack.py "$$(ls -t build/wheel/abut-*.whl | head -n1)" build/wheel/abut-blender.zip

npm: ## pack the npm package: build/npm/abut-VERSION.tgz
	@scripts/setup build wasm
	@scripts/npm

deb: ## build the Debian packages in build/deb and check them with lintian
	@scripts/setup build test deb
	@scripts/test-debian build/deb

bench: ## run the benchmarks, some minutes; SUITES='free sweep' selects some, BENCH='--rows REGEX' adds options; SUITES=python, web or scale
	@scripts/setup build bench $(if $(filter python,$(SUITES)),python-bench) $(if $(filter web,$(SUITES)),wasm) $(if $(filter scale,$(SUITES)),mpi)
	@scripts/build bench $(if $(filter python,$(SUITES)),python_package) $(if $(filter web,$(SUITES)),web_native) $(if $(filter scale,$(SUITES)),abut_scale) $(if $(filter-out python web,$(SUITES)),abut_command)
	@for suite in $(SUITES); do \
	    case $$suite in \
	        web) web/bench/run build/bench/web/web_native $(BENCH) ;; \
	        python) $(PYTHON) python/bench/compare.py build/bench/python $(BENCH) ;; \
	        *) build/bench/abut bench $$suite $(BENCH) ;; \
	    esac || exit 1; \
	done

performance: ## measure all suites, half an hour or more, and write the tables of README.md and docs/performance.md
	@scripts/setup build bench
	@scripts/build bench abut_command
	@scripts/performance measure $(SUITES)
	@scripts/performance write

papers: ## measure the tables and figures of the four papers, an hour or more, and write docs/papers.md
	@scripts/setup build bench
	@scripts/build bench abut_command
	@scripts/performance papers
	@scripts/performance write

runs: ## run the two long simulations of the BD-Tree paper, hours, and write their figures and tables; may be interrupted
	@scripts/setup build
	@scripts/build $(PRESET) installed
	@scripts/runs chairs --preset $(PRESET)
	@scripts/runs shoal --preset $(PRESET)

docs: ## write the reference of all public calls to build/docs, and that of Python to docs/; a call without a comment is an error
	@scripts/setup docs
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo 'The reference is build/docs/html/index.html.'
	@scripts/setup build python
	@scripts/build release python_package abut_command
	@PYTHONPATH=build/release/python $(PYTHON) scripts/python-reference docs/python-reference.md
	@PYTHONPATH=build/release/python ABUT_COMMAND=build/release/abut $(PYTHON) scripts/notebook docs/python-tutorial.ipynb

figures: ## draw the figures of the documentation
	@docs/figures/layers docs/figures/layers.svg
	@docs/figures/scale
	@scripts/setup build test
	@scripts/build $(PRESET) all
	@for name in levels blend flight voronoi questions; do build/$(PRESET)/docs/figures/figure_$$name docs/figures/$$name.svg || exit 1; done
	@scripts/runs draw

lint: ## check the format and run the linters
	@scripts/setup build lint
	@scripts/lint

format: ## format all C files
	@scripts/setup lint
	@scripts/lint fix

clean: ## delete the folder build
	rm -rf build

help: ## show this text
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo 'Variables: PRESET=release|debug|sanitize|tsan|werror|clang  PREFIX=$(PREFIX)  DESTDIR=  TESTS=regex  SKIP=regex  SUITES="free sweep ..."  SCENE=name'
