# orthant: `make help` lists the targets.

GO        ?= go
BIN       := bin
OUT       ?= out
TAGS      ?=
ORTHANT   := $(BIN)/orthant
# A commit that is tagged v… is that release; any other is told with its commit.
RELEASE   := $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' internal/release/release.go)
VERSION   ?= $(shell git describe --exact-match --match 'v*' 2>/dev/null | sed 's/^v//' | grep . || echo "$(RELEASE)+$$(git describe --always --dirty --exclude '*' 2>/dev/null || echo devel)")
LDFLAGS   := -s -w -X main.version=$(VERSION)
# One way of compiling, so that what tests compile serves builds too.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath
# The packages with goroutines, for the race detector.
CONCURRENT := ./blas/... ./sparse ./solvers/... ./bench ./engine ./engine/model ./engine/restarts ./engine/internal/... ./engine/neighbors ./engine/measures ./engine/datasets ./engine/files

# The packages with assembly.
KERNELS    := ./blas ./engine/neighbors

.PHONY: test-more test-processors test-arm64 builds test-race-command help run build build-openblas build-bench lib python pages images wheel test-python test-worker test-accel test-accel-peers test-slurm test-deploy python-unstable test-python-unstable install man same-builds test test-pure test-packages test-commands test-openblas test-race test-kernels memory bench lint reproduction cover faults soak fuzz generated prerequisites peers clean test-dask build-mpi test-mpi

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  \1|\2/' | column -t -s '|'

run: build ## embed a swiss roll with a hole and the WDBC table, with pictures (needs only Go)
	@mkdir -p '$(OUT)'
	@echo '1. The swiss roll with a hole, 1500 samples in 3 dimensions (Wang and Zhang 2010, first figure, with its γ)'
	@$(ORTHANT) generate swiss-roll-hole --samples 1500 --seed 1 --out '$(OUT)/roll.npy' --out-params '$(OUT)/roll.params.npy' --quiet
	@for method in neml lle; do \
	  $(ORTHANT) embed --method $$method --neighbors 15 --set gamma=0.001 --in '$(OUT)/roll.npy' --out "$(OUT)/roll.$$method.npy" \
	    --plot "$(OUT)/roll.$$method.png" --color '$(OUT)/roll.params.npy' --color-column 2 --quiet && \
	  printf '   dev of %-4s  %.4f   %s\n' "$$method" \
	    "$$($(ORTHANT) evaluate --metric dev --truth '$(OUT)/roll.params.npy' --embedding "$(OUT)/roll.$$method.npy")" \
	    "$(OUT)/roll.$$method.npy, $(OUT)/roll.$$method.png" || exit 1; done
	@echo '   (dev is the relative error of the best affine map to the true coordinates: smaller is better)'
	@echo '2. WDBC: 569 tumours, 30 measurements each, embedded in one dimension'
	@$(ORTHANT) embed --method neml --neighbors 10 --dim 1 --in testdata/wdbc.csv --out '$(OUT)/wdbc.neml.npy' \
	  --labels testdata/wdbc.labels.csv --plot '$(OUT)/wdbc.neml.png' --quiet
	@printf '   AUC of neml  %.4f   %s\n' "$$($(ORTHANT) evaluate --metric roc-auc --embedding '$(OUT)/wdbc.neml.npy' --labels testdata/wdbc.labels.csv)" \
	  '$(OUT)/wdbc.neml.npy, $(OUT)/wdbc.neml.png'
	@echo 'The embeddings are .npy files, the pictures .png files next to them, under $(OUT)/.'

build: ## the pure-Go command: bin/orthant (TAGS=arrow: with Arrow files)
	CGO_ENABLED=0 $(GO) build -trimpath -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o $(BIN)/orthant ./cmd/orthant

build-openblas: ## the command linked with OpenBLAS: bin/orthant-openblas
	CGO_ENABLED=1 $(GO) build -trimpath -tags openblas -ldflags '$(LDFLAGS)' -o $(BIN)/orthant-openblas ./cmd/orthant

# The command with the suites in place of what users do: "orthant-bench orthant …" is what users have.
build-bench: ## the suites that check the papers' claims: bin/orthant-bench, and where OpenBLAS can be linked bin/orthant-bench-openblas
	CGO_ENABLED=0 $(GO) build -trimpath -tags '$(strip bench $(TAGS))' -ldflags '$(LDFLAGS)' -o $(BIN)/orthant-bench ./cmd/orthant
	@if sh blas/linkable.sh; then set -x; CGO_ENABLED=1 $(GO) build -trimpath -tags 'bench,openblas' -ldflags '$(LDFLAGS)' -o $(BIN)/orthant-bench-openblas ./cmd/orthant; \
	else echo "LEFT OUT: orthant-bench-openblas"; fi

build-mpi: ## the command for several machines: bin/orthant-mpi (needs a C compiler, SLEPc and Open MPI; Debian: slepc-dev, openmpi-bin)
	CGO_ENABLED=1 $(GO) build -trimpath -tags mpi -ldflags '$(LDFLAGS)' -o $(BIN)/orthant-mpi ./cmd/orthant-mpi

# The version of the interface (soname) and of the library's file.
LIB        ?= $(BIN)/lib
SOMAJOR    := 1
SOVERSION  := $(SOMAJOR).0.0
SO         := liborthant.so.$(SOVERSION)
# No build ID: Go makes it of the flags, and so of the folder that is in them.
LIBFLAGS   := $(LDFLAGS) -buildid= -extldflags '-Wl,-soname,liborthant.so.$(SOMAJOR) -Wl,--version-script=$(CURDIR)/cmd/liborthant/liborthant.map $(LIBLINK)'

lib: ## the C library, shared and static: bin/lib (needs a C compiler)
	CGO_ENABLED=1 $(GO) build -trimpath -buildmode=c-shared -ldflags "$(LIBFLAGS)" -o '$(LIB)/$(SO)' ./cmd/liborthant
	CGO_ENABLED=1 $(GO) build -trimpath -buildmode=c-archive -ldflags '$(LDFLAGS) -buildid=' -o '$(LIB)/liborthant.a' ./cmd/liborthant
	@cd '$(LIB)' && rm -f liborthant.h liborthant.so.*.h && ln -sf $(SO) liborthant.so.$(SOMAJOR) && ln -sf $(SO) liborthant.so

# The library exports what liborthant.map lists; a linker for Windows reads that as a module definition.
WINDOWS := $(BIN)/windows
MINGW   := x86_64-w64-mingw32-gcc
.PHONY: windows test-windows
windows: ## for Windows on x86-64: bin/windows/orthant.exe, and orthant.dll where there is a compiler (Debian: gcc-mingw-w64-x86-64)
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o '$(WINDOWS)/orthant.exe' ./cmd/orthant
	@if command -v $(MINGW) >/dev/null 2>&1; then set -ex; \
	  { echo 'LIBRARY orthant.dll'; echo EXPORTS; sed -n 's/^ *\(orthant_[a-z_0-9]*\);$$/  \1/p' cmd/liborthant/liborthant.map; } >'$(WINDOWS)/orthant.def'; \
	  CGO_ENABLED=1 GOOS=windows GOARCH=amd64 CC=$(MINGW) $(GO) build -trimpath -buildmode=c-shared -ldflags "$(LDFLAGS) -buildid= -extldflags '-static -Wl,--no-insert-timestamp $(abspath $(WINDOWS))/orthant.def'" -o '$(WINDOWS)/orthant.dll' ./cmd/liborthant; \
	  rm -f '$(WINDOWS)/orthant.h'; \
	else echo "LEFT OUT: orthant.dll (no $(MINGW); Debian: gcc-mingw-w64-x86-64)"; fi

test-windows: build windows ## the command, the library by programs in C, and tests of files, locks and batches on Windows by wine, where that is there (Debian: wine64; 3 minutes)
	@GO='$(GO)' .ci/windows '$(WINDOWS)' '$(ORTHANT)'

# The Python of Debian's python3-numpy and python3-sklearn, else whichever is found first.
PYTHON ?= $(shell for p in /usr/bin/python3 python3; do $$p -c 'import numpy' 2>/dev/null && echo $$p && break; done)

python: ## the library and the estimators inside the Python package: PYTHONPATH=python is then enough (needs a C compiler)
	CGO_ENABLED=1 $(GO) build -trimpath -buildmode=c-shared -ldflags "$(LIBFLAGS)" -o python/orthant/liborthant.so ./cmd/liborthant
	@rm -f python/orthant/liborthant.h
	$(or $(PYTHON),python3) python/build_estimators.py

pages: ## rewrite the examples and tables of docs/methods, and the methods in the README
	$(GO) run ./cmd/pages

PAGES ?=
images: build ## draw the pictures of docs/methods and docs/tutorial.md by the commands on these pages (PAGES='pca tutorial': of some methods, or of the tutorial)
	$(GO) run ./cmd/pages $(ORTHANT) $(PAGES)

.PHONY: site test-site
site: ## the documentation as static pages, with a search: out/site (open index.html; no server is needed)
	$(GO) run ./cmd/site '$(OUT)/site'

# Where something is missing, its part says so. Screenshots are kept in SCREENSHOTS, if that is given.
SCREENSHOTS ?=
test-site: build ## every page of the site in Chromium at two widths, light and dark, and the examples of all methods in the shell, Python, R and Go, whose bits are compared (10 minutes)
	@python=; rscript=; if command -v cc >/dev/null 2>&1; then \
	  if [ -n '$(PYTHON)' ]; then $(MAKE) python && python='$(PYTHON)'; fi; \
	  if command -v $(R) >/dev/null 2>&1; then $(MAKE) r && rscript=Rscript; fi; fi; set -x; \
	ORTHANT_SITE_TESTS=1 ORTHANT_PYTHON="$$python" ORTHANT_RSCRIPT="$$rscript" ORTHANT_SCREENSHOTS='$(SCREENSHOTS)' CGO_ENABLED=0 $(GO) test -vet=off -count=1 -timeout 30m -v ./cmd/site

# One page that needs no server. The program is compiled by the same Go, whose wasm_exec.js goes with it.
.PHONY: wasm test-wasm
WASM := $(OUT)/wasm
wasm: ## the engine in a browser, one page: out/wasm/orthant.html (open it; no server is needed)
	@mkdir -p '$(WASM)'
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' -o '$(WASM)/orthant.wasm' ./cmd/orthant-wasm
	$(GO) run ./cmd/orthant-wasm '$(WASM)/orthant.wasm' "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" '$(WASM)/orthant.html'

test-wasm: wasm ## that page in Chromium: maps, groups, errors, cancelling, and the bits of its results against those of this system without assembly
	ORTHANT_WASM='$(abspath $(WASM))/orthant.html' ORTHANT_SCREENSHOTS='$(SCREENSHOTS)' CGO_ENABLED=0 $(GO) test -tags noasm -vet=off -count=1 -v ./cmd/orthant-wasm

# For glibc 2.17 and later; the library is built anew, with the version of the package unless VERSION is given on the command line.
WHEELARCH ?= $(shell uname -m)
wheel: ## a wheel of the Python package: python/dist (WHEELARCH=aarch64: for that, by its cross-compiler; WHEELARCH=all: for all systems)
	GO='$(GO)' $(if $(filter command line,$(origin VERSION)),VERSION='$(VERSION)') $(PYTHON) python/build_wheel.py --arch '$(WHEELARCH)'

.PHONY: sdist test-wheel
sdist: ## a source distribution of the Python package, with the Go modules that it needs: python/dist
	GO='$(GO)' $(PYTHON) python/build_sdist.py

test-wheel: ## build wheel and source distribution, install each in a fresh environment and use it; aarch64 under qemu (10 minutes)
	GO='$(GO)' $(PYTHON) python/check_packages.py

# How the tests of the Python package are run, and those that are run again with the command in the place of the library.
PYTESTS := cd python && PYTHONPATH='$(CURDIR)/python:$(CURDIR)/python/tests' PYTHONDONTWRITEBYTECODE=1
COMMAND  := $(abspath $(BIN))/worker/orthant
ATWORKER := ORTHANT_COMMAND='$(COMMAND)' ORTHANT_WORKER=1

test-python: ## the tests of the Python package, where NumPy is there (of the estimators: scikit-learn); some again by the command as a worker
	@if ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: the Python package (no C compiler)"; \
	elif [ -z '$(PYTHON)' ]; then echo "LEFT OUT: the Python package (no Python with NumPy; Debian: python3-numpy, python3-sklearn)"; \
	else $(MAKE) python && $(MAKE) build BIN='$(dir $(COMMAND))' && ($(PYTESTS) ORTHANT_COMMAND='$(COMMAND)' $(PYTHON) -W ignore -m unittest discover -s tests) && \
	  ($(PYTESTS) $(ATWORKER) $(PYTHON) -W ignore -m unittest test_cases test_points test_evaluate test_runs); fi

test-worker: ## all tests of the Python package by the command as a worker, in the place of the library (10 minutes)
	@if ! command -v cc >/dev/null 2>&1 || [ -z '$(PYTHON)' ]; then echo "LEFT OUT: the worker of the Python package (no C compiler, or no Python with NumPy)"; \
	else $(MAKE) python && $(MAKE) build BIN='$(dir $(COMMAND))' && $(PYTESTS) $(ATWORKER) $(PYTHON) -W ignore -m unittest discover -s tests; fi

test-dask: ## a model over blocks on a real cluster of Dask, of which a worker is killed (needs python3-distributed; else it says so)
	@if ! command -v cc >/dev/null 2>&1; then echo "left out: Dask (no C compiler for the Python package)"; \
	elif [ -z '$(PYTHON)' ] || ! $(PYTHON) -c 'import distributed, pandas' 2>/dev/null; then echo "left out: Dask (its distributed is not installed; Debian: python3-distributed, python3-pandas)"; \
	elif ! [ -d /proc/self/task ]; then echo "left out: Dask (no /proc, by which the test sees what is left of the cluster)"; \
	else $(MAKE) python && cd python && PYTHONPATH='$(CURDIR)/python' PYTHONDONTWRITEBYTECODE=1 timeout 180 $(PYTHON) -W ignore tests/dask_cluster.py; fi

test-slurm: build ## a batch as an array of a real Slurm on this machine (needs slurm-wlm, munge and root; else it says so)
	@.ci/slurm $(ORTHANT)

test-mpi: ## orthant-mpi on 1 to 3 processes, and across hosts made of network namespaces (needs a C compiler, slepc-dev, openmpi-bin; else it says so)
	@if ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: orthant-mpi (no C compiler)"; \
	elif ! command -v mpirun >/dev/null 2>&1; then echo "LEFT OUT: orthant-mpi (no mpirun; Debian: openmpi-bin)"; \
	elif ! pkg-config --exists slepc PETSc ompi-c 2>/dev/null; then echo "LEFT OUT: orthant-mpi (no SLEPc to build with; Debian: slepc-dev)"; \
	else set -x; CGO_ENABLED=1 $(GO) vet -tags mpi ./cmd/orthant-mpi && CGO_ENABLED=1 $(GO) test -tags mpi -count=1 -v ./cmd/orthant-mpi; fi

test-deploy: ## the manifest of docs/deploy by Kubernetes' own types (a module of its own, which is fetched)
	cd docs/deploy/manifest && $(GO) vet . && $(GO) test -count=1 .

test-accel: ## scikit-learn's own tests on orthant.accel, where pytest and scikit-learn 1.2 are there
	@if ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: scikit-learn's tests on orthant.accel (no C compiler)"; \
	elif [ -z '$(PYTHON)' ]; then echo "LEFT OUT: scikit-learn's tests on orthant.accel (no Python with NumPy; Debian: python3-numpy, python3-sklearn, python3-pytest)"; \
	else $(MAKE) python && PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 $(PYTHON) python/accel_suites.py; fi

ACCEL_PEERS ?=
test-accel-peers: ## the tests of umap-learn, pynndescent, openTSNE and PaCMAP on orthant.accel (ACCEL_PEERS=FOLDER has copies of their repositories)
	@if ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: other libraries' tests on orthant.accel (no C compiler)"; \
	elif [ -z '$(PYTHON)' ]; then echo "LEFT OUT: other libraries' tests on orthant.accel (no Python with NumPy; Debian: python3-umap-learn, python3-pynndescent, python3-pytest)"; \
	else $(MAKE) python && PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 $(PYTHON) python/accel_peers.py '$(ACCEL_PEERS)'; fi

# The R package finds the library by ORTHANT_LIB; its header is packed with it.
R      ?= R
RBUILD := $(BIN)/r
.PHONY: r r-source test-r
r-source:
	rm -rf '$(RBUILD)' && mkdir -p '$(RBUILD)/library' && cp -r r/orthant '$(RBUILD)/orthant' && cp cmd/liborthant/orthant.h '$(RBUILD)/orthant/src' && cp testdata/cases.json testdata/wdbc.csv '$(RBUILD)/orthant/tests'
	cd '$(RBUILD)' && $(R) CMD build orthant

r: lib r-source ## the R package: bin/r/orthant_*.tar.gz, installed in bin/r/library (needs R and a C compiler)
	cd '$(RBUILD)' && ORTHANT_LIB='$(abspath $(LIB))' $(R) CMD INSTALL --library=library orthant_*.tar.gz

test-r: ## R CMD check of the R package, where R is there; a warning is a failure
	@if ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: the R package (no C compiler)"; \
	elif ! command -v $(R) >/dev/null 2>&1; then echo "LEFT OUT: the R package (no R; Debian: r-base-core, r-cran-matrix)"; \
	else $(MAKE) r && cd '$(RBUILD)' && ORTHANT_LIB='$(abspath $(LIB))' _R_CHECK_FORCE_SUGGESTS_=false $(R) CMD check --no-manual orthant_*.tar.gz && \
	  if grep -q '^Status:.*WARNING' orthant.Rcheck/00check.log; then echo "R CMD check has warnings"; exit 1; fi; fi

# Unstable moves every day: what is found there gates nothing.
UNSTABLE ?= $(OUT)/unstable
python-unstable: ## a chroot of Debian unstable with today's scikit-learn: UNSTABLE=FOLDER (out/unstable; Debian, as root)
	python/unstable.sh make '$(UNSTABLE)'

test-python-unstable: python python-unstable ## the tests of the Python package and scikit-learn's on orthant.accel, with the Python of that chroot
	python/unstable.sh run '$(UNSTABLE)' env -C python PYTHONPATH=/orthant/python PYTHONDONTWRITEBYTECODE=1 python3 -W ignore -m unittest discover -s tests
	python/unstable.sh run '$(UNSTABLE)' env PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 python3 python/accel_suites.py

# Folders of different names and lengths: paths must not get into what is built, nor those that a release gives
# to the C compiler.
same-builds: ## build the command, and where there is a C compiler the library, in two folders and compare every byte
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && what=build && \
	if command -v cc >/dev/null 2>&1; then what='build lib'; else echo "LEFT OUT: the library (no C compiler)"; fi && \
	for at in one another/folder; do mkdir -p "$$d/$$at" && cp -r go.mod go.sum Makefile blas bench cmd engine internal solvers sparse testdata "$$d/$$at" && \
	  CGO_CFLAGS="-O2 -g -include $$d/$$at/cmd/liborthant/glibc_2_17.h" $(MAKE) -s -C "$$d/$$at" $$what VERSION='$(VERSION)' BIN=bin || exit 1; done && \
	cd "$$d/one/bin" && for f in $$(find . -type f); do cmp "$$f" "$$d/another/folder/bin/$$f" && sha256sum "$$f" || exit 1; done

.PHONY: release test-release licences messages api abi apidiff vulncheck fresh
RELEASES ?= $(OUT)/release
release: ## all files of a release, with bills of materials, provenance and sums: out/release, of the last commit (docs/releasing.md; 15 minutes, and the first time 30 for the tools that it fetches)
	GO='$(GO)' VERSION='$(VERSION)' .ci/release '$(RELEASES)'

test-release: ## install each file of a release that runs here, by qemu and wine too, and run it (10 minutes): out/release/checked.txt
	@GO='$(GO)' VERSION='$(VERSION)' .ci/released '$(RELEASES)'

licences: ## docs/licences.md and the texts of all licences, of the modules in go.mod
	$(GO) run ./cmd/release licences

messages: ## give new errors and warnings their identifiers: internal/messages/messages.txt
	$(GO) test ./internal/messages -run TestListIsCurrent -update

api: ## keep what this version exports and prints with --json: testdata/api, docs/schemas, llms.txt
	ORTHANT_WRITE_API=1 $(GO) test -count=1 -run 'TestPublicAPI' ./internal/release
	ORTHANT_WRITE_API=1 $(GO) test -tags bench -count=1 -run 'TestSchemas|TestPageForPrograms' ./cmd/orthant

abi: ## compare the interface of the C library with that of the last release (needs abigail-tools; else it says so)
	@MAKE='$(MAKE)' .ci/abi

apidiff: ## what the public packages export against a commit: BASE=REVISION (the last tag; fetches a tool, else it says so)
	@GO='$(GO)' .ci/apidiff $(BASE)

vulncheck: ## known vulnerabilities of what is called (fetches a tool and its list, else it says so)
	@GO='$(GO)' .ci/vulncheck

FRESH ?= $(OUT)/fresh
fresh: ## the README's two commands on a minimal Debian, of the last commit (root, mmdebstrap; an hour)
	@GO='$(GO)' .ci/fresh '$(FRESH)'

PREFIX ?= /usr/local
man: build ## the man pages: bin/man1
	$(ORTHANT) man '$(BIN)/man1'

install: build lib ## the command, its man pages and completion, the library, its headers and its pkg-config file: make install PREFIX=/usr/local DESTDIR=
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/lib/pkgconfig'
	install -m 755 $(ORTHANT) '$(DESTDIR)$(PREFIX)/bin/orthant'
	$(ORTHANT) man '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -d '$(DESTDIR)$(PREFIX)/share/bash-completion/completions' '$(DESTDIR)$(PREFIX)/share/zsh/site-functions' '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
	$(ORTHANT) completion bash > '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/orthant'
	$(ORTHANT) completion zsh > '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_orthant'
	$(ORTHANT) completion fish > '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/orthant.fish'
	install -m 644 cmd/liborthant/orthant.h cmd/liborthant/orthant.hpp '$(DESTDIR)$(PREFIX)/include'
	install -m 755 '$(LIB)/$(SO)' '$(DESTDIR)$(PREFIX)/lib'
	install -m 644 '$(LIB)/liborthant.a' '$(DESTDIR)$(PREFIX)/lib'
	ln -sf $(SO) '$(DESTDIR)$(PREFIX)/lib/liborthant.so.$(SOMAJOR)'
	ln -sf $(SO) '$(DESTDIR)$(PREFIX)/lib/liborthant.so'
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(RELEASE)|' cmd/liborthant/orthant.pc.in > '$(DESTDIR)$(PREFIX)/lib/pkgconfig/orthant.pc'

# ALSO has further targets for the cores that the tests leave idle.
ALSO ?=
test: prerequisites ## the tests, in both builds, the race detector, every instruction level, from Python and R, and a summary
	@MAKE='$(MAKE)' .ci/test test-packages test-commands test-openblas test-race test-python $(ALSO) test-kernels test-r

test-more: test-processors test-race-command same-builds vulncheck test-dask test-slurm test-mpi ## what CI leaves out, before a release or a merge: other processors, the race detector on the command, equal builds, known faults of packages, clusters (each says so where it cannot run)
	@if (cd docs/deploy/manifest && $(GO) mod download) >/dev/null 2>&1; then $(MAKE) test-deploy; else echo "left out: the manifest (Kubernetes' types cannot be fetched here)"; fi

# "make lint" goes over the packages with vet, which "go test" need not do again. The longest come first. The command is
# tested with the suites in it, and what differs without them once more.
test-pure: test-packages test-commands ## the tests of the pure-Go build

test-packages: ## of the pure-Go build, the tests of all but the commands
	CGO_ENABLED=0 $(GO) test -vet=off -tags bench ./engine ./engine/neighbors $$(CGO_ENABLED=0 $(GO) list -tags bench ./... | grep -v /cmd/)

test-commands: ## of the pure-Go build, the tests of the commands
	CGO_ENABLED=0 $(GO) test -vet=off -tags bench ./cmd/orthant ./cmd/liborthant ./cmd/...
	CGO_ENABLED=0 $(GO) test -vet=off -run 'TestBench|TestHelp|TestMan|Example' -skip TestHelpExamplesRun ./cmd/orthant

# The packages whose results depend on the linear algebra, and the commands. The suites check the same claims in
# both builds: the pure one checks them, and a suite of its own compares the two.
ALGEBRA    := ./blas/... ./sparse ./solvers/... ./engine ./engine/model ./engine/restarts ./engine/internal/... ./engine/neighbors ./engine/measures ./engine/selftest ./bench/suites/backends
# What is not there is said, not passed over: the two targets below need a C
# compiler, the first one OpenBLAS and LAPACKE besides.
# What becomes of files when calls fail does not depend on the linear algebra, nor does what pages say, what
# is live in Go's memory, what is refused, how models are stored, or by which metric neighbours are found. Parameters at the ends of their ranges are left to the pure build:
# degenerate samples, magnitudes and data that break during a run try the libraries. So are verdicts, which judge results of either build by the same code.
test-openblas: ## the tests of the OpenBLAS build, where it can be linked
	@if sh blas/linkable.sh; then \
	  set -x; CGO_ENABLED=1 $(GO) vet -tags openblas ./blas/... ./engine/memory ./cmd/liborthant ./cmd/orthant && CGO_ENABLED=1 $(GO) test -vet=off -short -tags bench,openblas -skip 'WithFaults|LossOfPower|AfterAnEnd|FileSizeLimits|OpenFileLimits|ReckonedMemoryHolds|PagesWorkAsTyped|TestBatch|Shard|TestInterrupted|TestKilled|OutputsAreValid|TestHTML|SpeakGo|EndsOf|EditedNumbers|RefusalsOfEveryMethod|ModelsComeBack|PairsAreByTheMetric|MetricIsItsGraph|TrefoilForEveryK|TwoTrefoilsForEveryK|Verif|Verdict|Remed|Instability|CausesAre|CleanData|Promises|BetaOfFaces|RankIsFound|RankAuto|Storage|Reruns|ModelsOfLong|TestTrust' $(ALGEBRA); \
	else echo "LEFT OUT: the tests of the OpenBLAS build (no C compiler, OpenBLAS or LAPACKE to link with)"; fi

# The tests of threads, blocks and cancelling take every way that goroutines take. Failing calls are tried one by
# one, on one thread, and left out.
CONCURRENCY := Thread|Bits|Parallel|Concurrent|Cancel|Stop|Stream|Panic|Batch|Schedule|Interrupt|Killed|Pipe|Block
UNRACED     := -skip 'UpdateValuesSameBits|LDLTGivesTheSameBits|LargeTSNE|WithFaults|LossOfPower|AfterAnEnd|FileSizeLimits|OpenFileLimits|Sklearn|Packed|KilledAtAnyMoment|FindsPlantedFactors|ComesNearTheWhole'
test-race: ## the concurrent packages under the race detector
	@if command -v cc >/dev/null 2>&1; then \
	  set -x; CGO_ENABLED=1 $(GO) test -vet=off -race -short -timeout 20m $(UNRACED) -run '$(CONCURRENCY)' $(CONCURRENT); \
	else echo "LEFT OUT: the race detector (no C compiler)"; fi

test-race-command: ## the command's batches, streams and interrupts under the race detector
	CGO_ENABLED=1 $(GO) test -vet=off -race -short -timeout 20m -tags bench $(UNRACED) -run '$(CONCURRENCY)' ./cmd/orthant

# A level that the processor lacks is said to be left out.
test-kernels: ## the assembly at the instruction levels below the processor's own, which the other tests take, and without it
	@for isa in generic avx2; do \
	  if [ $$isa = avx2 ] && ! grep -qw avx512bw /proc/cpuinfo 2>/dev/null; then echo "LEFT OUT: ORTHANT_ISA=avx512 (not on this processor)"; continue; fi; \
	  (set -x; CGO_ENABLED=0 ORTHANT_ISA=$$isa $(GO) test -vet=off -short $(KERNELS)) || exit 1; done
	CGO_ENABLED=0 $(GO) test -vet=off -short -tags noasm ./blas
	CGO_ENABLED=0 ORTHANT_ISA=generic $(GO) test -vet=off -run Approximate ./engine/neighbors
	@if command -v cc >/dev/null 2>&1; then set -x; CGO_ENABLED=1 $(GO) test -vet=off -race -short -tags noasm -run 'Concurrent|Parallel|Threads|TestFor' ./blas; fi

# qemu 7 knows AVX2 and FMA but not AVX-512, and is so slow that it runs the tests of the kernels alone, and of these not
# the longest.
EMULATED := -vet=off -short -skip 'SymEig|SVD|Parallel|LongSums|Threads'
# Without what takes the emulator longest, and what compares numbers of threads.
EMULATED_ALGORITHMS := -vet=off -short -timeout 30m -skip 'UpdateValues|Inertia|Indefinite|LargeMatrices|SameBits|Dissection(Saves|DoesNot)|PiecesOfAGrid|ParallelFactor|PlainLloyd'
test-processors: prerequisites ## the kernels as compiled for GOAMD64=v3 and on earlier processors by qemu, and other systems vetted (minutes)
	@if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then set -x; CGO_ENABLED=0 GOAMD64=v3 $(GO) test -vet=off -short $(KERNELS); fi
	CGO_ENABLED=0 GOOS=windows GOARCH=arm64 $(GO) vet ./blas/... ./internal/... ./engine/files ./engine/memory ./engine/neighbors ./cmd/orthant
	@for arch in arm64 amd64; do (set -x; CGO_ENABLED=0 GOOS=darwin GOARCH=$$arch $(GO) vet ./...) || exit 1; done
	@if command -v qemu-x86_64 >/dev/null 2>&1; then \
	  for cpu in Haswell Nehalem; do (set -x; CGO_ENABLED=0 GOARCH=amd64 $(GO) test $(EMULATED) -exec "qemu-x86_64 -cpu $$cpu" ./blas) || exit 1; done; \
	else echo "LEFT OUT: earlier processors (no qemu-x86_64; Debian: qemu-user)"; fi
	@if command -v qemu-aarch64 >/dev/null 2>&1; then set -ex; export GOARCH=arm64 CGO_ENABLED=0; \
	  $(GO) test $(EMULATED_ALGORITHMS) -exec qemu-aarch64 ./sparse ./solvers/alm ./solvers/kmeans; \
	  $(GO) build -o '$(BIN)/arm64/orthant' ./cmd/orthant; qemu-aarch64 '$(BIN)/arm64/orthant' selftest; fi

test-arm64: ## the kernels, selftest and the golden tests on arm64 by qemu, where that is there (minutes)
	@if command -v qemu-aarch64 >/dev/null 2>&1; then set -ex; export CGO_ENABLED=0 GOARCH=arm64; \
	  $(GO) test $(EMULATED) -exec qemu-aarch64 ./blas; \
	  for isa in generic neon dotprod; do ORTHANT_ISA=$$isa $(GO) test -vet=off -exec qemu-aarch64 -run 'Everywhere|Precision' ./engine/selftest; done; \
	  $(GO) test -vet=off -short -exec qemu-aarch64 -run TestGolden $$(grep -rl --include='*_test.go' '^func TestGolden' . | xargs -n1 dirname | sort -u); \
	else echo "LEFT OUT: arm64 (no qemu-aarch64; Debian: qemu-user)"; fi

builds: ## compile the command for macOS on arm64, and the engine for browsers
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/orthant
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -o /dev/null ./cmd/orthant-wasm

generated: pages ## regenerate the assembly and the documentation's tables and see that nothing changed
	$(GO) generate ./blas
	git diff --exit-code -- blas docs/methods README.md

prerequisites: ## install OpenBLAS, LAPACKE and qemu where that is possible (Debian, as root)
	@if sh blas/linkable.sh && command -v qemu-aarch64 >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq gcc libc6-dev libopenblas-dev liblapacke-dev qemu-user; } >/dev/null 2>&1 \
	  || echo "could not install libopenblas-dev, liblapacke-dev and qemu-user"; \
	else echo "to test the OpenBLAS build too, install a C compiler, libopenblas-dev and liblapacke-dev; to test other processors, qemu-user"; fi

peers: ## install scikit-learn for "orthant-bench run peers" and Dask for "make test-dask" where that is possible (Debian, as root)
	@for of in 'sklearn python3-sklearn scikit-learn' 'distributed python3-distributed Dask'; do set -- $$of; \
	  if /usr/bin/python3 -c "import $$1" 2>/dev/null || python3 -c "import $$1" 2>/dev/null; then echo "$$3 is there"; \
	  elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$2; } >/dev/null 2>&1 \
	    || { echo "could not install $$2"; exit 1; }; \
	  else echo "install $$3 (Debian: $$2)"; fi; done
	@echo "SLEPc is measured where its Python package is there (Debian: python3-slepc4py; without libslepc-real-dev set SLEPC_DIR and PETSC_DIR)"
	@echo "The suite maps runs umap-learn and Rtsne (Debian: umap-learn, r-cran-rtsne), openTSNE and PaCMAP (modules of Python), and FIt-SNE (fast_tsne on the path, or ORTHANT_FITSNE), where they are there"
	@echo "The suite neighbours runs faiss, hnswlib and pynndescent (Debian: python3-faiss, python3-hnswlib, python3-pynndescent), where they are there"
	@echo "Tapkee is not packaged: build it from its source and give its command by --tapkee PATH or ORTHANT_TAPKEE"

memory: build ## what --memory promises and what is taken, of every method (10 minutes for each build)
	@for binary in orthant orthant-openblas; do \
	  if [ $$binary = orthant-openblas ]; then if sh blas/linkable.sh; then $(MAKE) build-openblas || exit 1; else echo "LEFT OUT: the OpenBLAS build"; continue; fi; fi; \
	  echo "== $(BIN)/$$binary"; \
	  ORTHANT_MEMORY_TABLE=1 ORTHANT_MEMORY_BINARY='$(CURDIR)/$(BIN)'/$$binary CGO_ENABLED=0 $(GO) test -count=1 -timeout 30m -run TestMemoryIsAPromise -v ./cmd/orthant \
	    | grep -v '^=== \|^    --- PASS' || exit 1; done

bench: ## every benchmark of the packages (one thread each where it matters)
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The build with OpenBLAS, where it can be linked, has all backends to compare.
DATA ?= $(ORTHANT_DATA)
reproduction: ## run every suite on the data of DATA=FOLDER and write docs/reproduction.md (hours; QUICK=--quick: minutes)
	$(MAKE) build-bench
	@binary=$(BIN)/orthant-bench; if sh blas/linkable.sh; then binary=$$binary-openblas; fi; set -x; \
	$$binary run all $(if $(DATA),--data '$(DATA)') --out '$(OUT)/report' $(QUICK) && $$binary report '$(OUT)/report' --reproduction docs/reproduction.md

lint: ## formatting, vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not formatted: run gofmt -w"; exit 1; }
	CGO_ENABLED=0 $(GO) vet -tags arrow,bench ./...
	CGO_ENABLED=0 $(GO) tool staticcheck -tags bench $$(CGO_ENABLED=0 $(GO) list ./... | grep -v /cmd/liborthant)
	@if command -v cc >/dev/null 2>&1; then set -x; CGO_ENABLED=1 $(GO) tool staticcheck ./cmd/liborthant; fi

# By the tests of the packages themselves, and of the command for what it does with files.
COVERED := engine/files+=engine/files/[^/]*[.]go$$ engine/files/parquet+=engine/files/parquet/ engine/files/arrow+=engine/files/arrow/ \
  internal/disk+=internal/disk/[^/]*[.]go$$ models+=engine/(internal/modelfile/|model/|model[.]go) journal+=engine/files/journal[.]go$$ batch+=cmd/orthant/batch[^/]*[.]go$$
cover: ## statements that the tests cover of files, models, journal and batch, which must be 95 % of each
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && set -e; \
	run() { out=$$1; shift; CGO_ENABLED=0 $(GO) test -count=1 -coverprofile "$$d/$$out" -coverpkg ./engine,./engine/model,./engine/internal/modelfile,./internal/disk,./engine/files/...,./cmd/orthant "$$@" >"$$d/log" 2>&1 || { cat "$$d/log"; exit 1; }; }; \
	run files -short ./engine/files/... ./internal/disk ./internal/faults ./internal/powerloss; \
	run models -short -run 'Model|Clone|Transform|Stream|Array|Header' ./engine ./engine/model ./engine/internal/modelfile; \
	run command -short -run 'Batch|Job|Errors|Faults|LossOfPower|Transform' -skip 'Killed|Interrupted' ./cmd/orthant; \
	cat "$$d/files" "$$d/models" "$$d/command" | awk -v least=95 -v groups='$(COVERED)' -f engine/coverage.awk

# The table is made by the tests themselves, which fail where something is left.
faults: ## fail every call to the file system once, lose the power after each, and print what came of it
	@table=$$(mktemp) && trap 'rm -f "$$table"' EXIT && \
	  CGO_ENABLED=0 ORTHANT_FAULT_TABLE="$$table" $(GO) test -count=1 -run 'Faults|AnEnd|LossOfPower' ./cmd/orthant && cat "$$table" && \
	  CGO_ENABLED=0 $(GO) test -count=1 -run 'Faults|AnEnd|LossOfPower' ./internal/disk ./internal/faults ./internal/powerloss ./engine/files

# Needs Linux. What is watched, and what it may grow by: cmd/soak.
SOAK_SECONDS ?= 600
SOAK_JOBS    ?= 50000
SOAK_SEED    ?= 1
soak: build ## batches of SOAK_JOBS=50000 mixed jobs, SOAK_SECONDS=600 undisturbed and as many with kills: nothing grows, is lost or done twice
	$(GO) run ./cmd/soak --orthant $(ORTHANT) --out '$(OUT)/soak' --jobs $(SOAK_JOBS) --seconds $(SOAK_SECONDS) --seed $(SOAK_SEED)

# Targets are found by their names: a new one is run without being entered anywhere. Inputs are
# made smaller only a little while, else a target of large files does nothing besides.
# FUZZ chooses among them: make fuzz FUZZ='EditedModel|BatchJournal|Claim|Report' FUZZTIME=1h gives
# an hour to each file that an enemy may have written, within 200 MiB.
FUZZTIME ?= 20s
FUZZ     ?= .
fuzz: ## every fuzz target for FUZZTIME=20s each, from the inputs in testdata/fuzz, or those that FUZZ='A|B' names; the others run on where one fails
	@failed=; for p in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  if [ "$$p" = ./cmd/liborthant ] && ! command -v cc >/dev/null 2>&1; then echo "LEFT OUT: $$p (no C compiler)"; continue; fi; \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep -E '^Fuzz.*($(FUZZ))'); do echo "== $$p $$f"; \
	    $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p || failed="$$failed $$p:$$f"; done; done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

clean: ## remove what was built
	rm -rf $(BIN) $(OUT)
