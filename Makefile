# Two commands matter to a newcomer: `make demo` and `make test`.
# The rest serves people who work on the code.

GO       ?= go
FUZZTIME ?= 200000x
LINT      = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.12.2

.PHONY: help timed demo test unit integration containers api observe arm64 chaos drill rehearsal rescale sim mutants accept sbc regimes theory paper paper-page page page-scale picture kernels gallery reference lint vulncheck kubernetes race steady fuzz bench bench-quick bench-compare build release digests up down

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## posteriors of real flights in this terminal; needs only Go
	bin/consumer demo

# What says at its end which tests took longest. A recipe that uses it needs timed.
TEST = .cache/times $(GO) test
timed:
	@$(GO) build -o .cache/times ./testenv/times

test: unit integration ## everything, on embedded parts and on a real Kafka and Redis

# Packages at a time: most that start servers or processes wait for much of theirs.
BESIDE ?= 4
# Those that take longest begin first: at the end none of them is alone, with an idle core.
LONG = ./testenv/integration ./cmd/consumer ./pipeline/redis ./models ./testenv/manual ./pipeline/kafka ./testenv/chaos

unit: timed ## tests of every package, on embedded parts; SHORT=1 leaves out the long ones and those that run whole programs or repeat research
ifdef SHORT
	$(TEST) -count=1 -short -vet=off $$($(GO) list ./... | grep -vE '/(testenv|examples|research)/|/cmd/consumer$$')
else
	$(TEST) -count=1 -p $(BESIDE) -timeout 60m $(LONG) ./...
endif

# What no server changes, and make unit runs.
SERVERLESS = 'TestVulncheck|TestKernelsAreGenerated|TestDeadJoinerLeaves|TestModulesOfPrograms|TestLayers|TestWhatIsNotRaced|TestMakeBuild|TestFarKafka'

# Whether real servers are containers is settled before the first test: testenv/compose starts an engine while
# others are at work, which would take it for theirs before it has images.
ENGINE = CREDENCE_COMPOSE=$${CREDENCE_COMPOSE:-$$(docker info >/dev/null 2>&1 || echo off)}

integration: timed ## the integration and the chaos suite on real parts, which it starts itself
	$(ENGINE) CREDENCE_BACKEND=real $(TEST) -count=1 -vet=off -skip $(SERVERLESS) -p 3 -v -timeout 60m ./testenv/browser ./testenv/integration ./testenv/interop ./testenv/chaos ./testenv/api ./testenv/manual ./testenv/compose ./testenv

containers: timed ## the integration suite on docker-compose.yml's Kafka and Redis, and the image in a registry and in the engine; starts an engine if it may; SHORT=1 without what takes a minute
	testenv/compose/prepare
	CREDENCE_BACKEND=compose $(TEST) -count=1 -vet=off -skip $(SERVERLESS) $(if $(SHORT),-short) -p 1 -v -timeout 30m ./testenv ./testenv/integration
	CREDENCE_BACKEND=compose $(TEST) -count=1 -v -timeout 30m -run TestImageElsewhere ./testenv/release

EXAMPLES ?= 450
api: ## requests that schemathesis makes of each operation of the HTTP API, EXAMPLES=450 of them, in all 10,000; a quarter of an hour
	CREDENCE_BACKEND=real CREDENCE_EXAMPLES=$(EXAMPLES) $(GO) test -count=1 -v -timeout 40m -run TestSchemathesis ./testenv/api

observe: ## the rules and the dashboard of deploy/ on a real Prometheus that scrapes a consumer: every panel, alerts from a process's start; spans in a real OpenTelemetry Collector, which it builds; minutes
	CREDENCE_OBSERVE=1 $(GO) test -count=1 -v -timeout 20m ./testenv/observe

KILLS ?= 300
chaos: ## every fault on three Kafka brokers, a Redis Cluster and a single Redis, KILLS=300 of them killed processes; a quarter of an hour
	CREDENCE_BACKEND=local CREDENCE_KILLS=$(KILLS) $(GO) test -count=1 -v -timeout 90m -run TestStorm ./testenv/chaos

drill: timed ## upgrades a group at work from the release before (testenv/chaos/PREVIOUS, or BASE=<commit>) process by process, and takes it back, on a real Kafka and Redis; two minutes
	CREDENCE_BACKEND=real CREDENCE_DRILL=9000 CREDENCE_BASE=$(BASE) $(TEST) -count=1 -v -timeout 20m -run 'TestDrill$$' ./testenv/chaos

rehearsal: ## 1 -> 6 -> 2 workers under traffic, one cut off the network; brokers restarted and killed in turn; a rescale with dying masters. Needs root; a quarter of an hour
	CREDENCE_BACKEND=local CREDENCE_REHEARSAL=whole $(GO) test -count=1 -v -timeout 60m -run 'TestRehearsal$$|TestStorm$$/rolling|TestStorm$$/rescale' ./testenv/chaos

KEYS ?= 50000
rescale: ## from 4 to 12 partitions with KEYS=50000 keys and 20 kills, on a real Kafka and Redis; some minutes
	CREDENCE_BACKEND=real CREDENCE_RESCALE_KEYS=$(KEYS) $(GO) test -count=1 -v -timeout 40m -run 'TestRescaled$$' ./testenv/integration

arm64: ## tests of the mathematics as arm64 computes, under QEMU (Debian's qemu-user); half an hour
	GOOS=linux GOARCH=arm64 $(GO) test -exec qemu-aarch64 -timeout 60m ./internal/... ./cdf/... ./models/...

SEEDS ?= 15000
FROM  ?= 1
sim: ## searches simulated schedules for one that breaks a guarantee; SEEDS=15000 FROM=1
	$(GO) run ./testenv/sim -seeds $(SEEDS) -from $(FROM)

mutants: ## plants each known fault and shows that a test finds it; SHARE=I/N only each Nth of them, from the Ith on
	$(GO) run ./testenv/mutants $(SHARE:%=-share %)

ADULT ?= $(wildcard $(or $(CREDENCE_SHARED),../shared)/data/adult.csv)

PART = docs/paper/results.part
paper: ## the paper's experiments with every competitor, hours; writes docs/paper.md. Goes on where it was stopped. QUICK=1: minutes, to the terminal
ifdef QUICK
	$(GO) run ./cmd/paper run all --quick $(ADULT:%=--data %)
else
	mkdir -p docs/paper
	$(GO) run ./cmd/paper run all --json --out docs/paper --resume $(PART) $(ADULT:%=--data %) >> $(PART)
	mv $(PART) docs/paper/results.jsonl
	$(MAKE) paper-page
endif

paper-page: ## docs/paper.md from the results that are there
	$(GO) run ./cmd/paper report docs/paper/results.jsonl > docs/paper.md.new && mv docs/paper.md.new docs/paper.md

lint: export GOLANGCI_LINT_CACHE = $(CURDIR)/.cache/golangci-lint # a shared one remembers the paths of other clones
lint: ## formatting, and golangci-lint with vet among its linters
	test -z "$$(gofmt -l .)"
	$(GO) run $(LINT) run --allow-parallel-runners ./...

vulncheck: ## known vulnerabilities of what is linked and called, by govulncheck; GOVULNDB=URL of a mirror of the database
	testenv/vulncheck

accept: ## the acceptance figures of every model, under an hour; QUICK=1 under a quarter
	CREDENCE_ACCEPT=$(if $(QUICK),quick,full) $(GO) test -count=1 -timeout 90m -v -run Acceptance ./internal/rscript ./models/... ./research/baselines/...

page: ## sink/web/dist from sink/web/ui; needs npm
	cd sink/web/ui && npm ci --no-audit --no-fund --ignore-scripts && npm run build

page-scale: ## the live page over 100,000 keys, 10,000 shards of a key and 500 columns; needs Chromium, minutes
	CREDENCE_BACKEND=real CREDENCE_PAGE_SCALE=full $(GO) test -count=1 -v -timeout 60m ./testenv/browser -run 'TestScale$$'

picture: ## docs/images: the page of the demo, moving and still; needs Chromium
	CREDENCE_BACKEND=real CREDENCE_PICTURE='$(CURDIR)/docs/images' $(GO) test -count=1 ./testenv/browser -run 'TestPicture$$'

kernels: ## the assembly of the packages of cdf from its generators
	$(GO) generate ./cdf/...

NAME ?= all
gallery: ## real questions, answered and drawn; NAME=nile for one of them
	$(GO) run ./examples/gallery $(NAME)

reference: ## docs/reference from the programs
	$(GO) test ./cmd/consumer ./cmd/consumer/config ./cmd/producer/commands ./cmd/credence -run TestReference -update

sbc: ## simulation-based calibration of every model, hours; writes docs/sbc.md. QUICK=1: 200 replicates, to the terminal
	$(GO) run ./research/sbc $(if $(QUICK),-quick,-out docs/sbc.md)

regimes: ## the defaults where users start, minutes; writes docs/regimes.md
	$(GO) run ./research/regimes -out docs/regimes.md
	$(GO) test ./models/probit -run '^TestWhatAgreesIsNotTold$$' -v -timeout 30m -calm-streams 1000

theory: ## distance to the posterior of all rows as shards come in, minutes; writes docs/theory.md
	$(GO) run ./research/approach -out docs/theory.md

race: timed ## the suite on embedded parts under the race detector, without packages that start no goroutine (testenv/race_test.go has the rule) and two long tests of rates and sizes; of models, baselines and studies, what runs side by side
	$(TEST) -race -short -vet=off -count=1 -p 3 -timeout 60m -skip '^(TestFalseAlarmsOfCalibration|TestCapacity)$$' $$($(GO) list $(LONG) ./... | grep -vE '/(cdf(/(bound|correlated|curved|formula|lin|mcmc|normal|quantity|reliability|repeated|rnd|season|tails|unequal|vec))?|models(/.*)?|pipeline/(alert|gather|quota)|research/.*|cmd/(paper|internal/(term|version))|sink/web/token|internal/(jsontext|rscript)|docs(/.*)?|examples/.*|testenv/(api|bench|browser|compose|interop|manual|mutants|observe|release(/.*)?|times))$$')
	$(TEST) -race -short -vet=off -count=1 -timeout 60m -run 'LanesSideBySide|OnCores|NumberOfCores|RunEnds|EveryRegimeRuns' ./models ./research/baselines ./research/regimes ./research/sbc ./research/study

ROUNDS ?= 5
steady: ## repeats the tests of PKG=./cmd/... beside busy loops, ROUNDS=5 times on one core and with eight threads, in random order: finds those that depend on time
	testenv/steady $(ROUNDS) $(or $(PKG),$(error PKG=./a/package/... says what to repeat))

fuzz: ## every fuzz target for FUZZTIME, executions or a time
	@for t in $$(git grep -lE '^func Fuzz' -- '*_test.go'); do \
	  for f in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9]+).*/\1/p' $$t); do \
	    echo "== $$f ./$$(dirname $$t)"; \
	    $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x ./$$(dirname $$t) || exit 1; \
	  done; done

bench: ## speed beside what others use, measured in turns; installs the others; writes the table of docs/performance.md. Half an hour; one part of it: go run ./testenv/bench -only PART
	$(GO) run ./testenv/bench -page docs/performance.md $(OUT:%=-out '%')

bench-quick: ## less of it, under ten minutes; writes bench.md and bench.json to the folder OUT
	$(GO) run ./testenv/bench -quick -out '$(or $(OUT),.cache/bench)'

bench-compare: ## benchmarks of models and cdf at BASE=<commit> and here, in turns, by benchstat; BENCH=regexp COUNT=6
	testenv/bench/compare $(or $(BASE),$(error BASE=<commit> says what to compare with))

build: ## static binaries in bin/
	CGO_ENABLED=0 $(GO) build -buildvcs=true -trimpath -ldflags '-s -w' -o bin/ ./cmd/credence ./cmd/consumer ./cmd/producer

release: ## archives, wheels and bills of materials for six systems, a container image, a Homebrew formula and checksums in dist/
	rm -rf dist
	$(GO) run ./testenv/release -out dist

digests: ## asks registries for the digests of the images of others that are named here, and writes deploy/images.lock; MIRROR=URL of one that has them all
	$(GO) run ./testenv/images $(MIRROR:%=-mirror %)

kubernetes: ## deploy/kubernetes by the types of Kubernetes, a Go module of its own
	$(GO) -C testenv/kubernetes test -count=1 ./...

up: ## Kafka, Redis, consumer and producer in containers
	testenv/compose/up

down: ## and away again, with their data
	testenv/compose/down
