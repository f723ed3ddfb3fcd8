# The main commands. Each is one line that calls a script or a cmake preset.
.DEFAULT_GOAL := help
.PHONY: help demo build test test-python test-budgets test-service test-arm test-crash test-damage test-postgres cluster test-cluster simulate soak fuzz examples bench bench-python bench-quality bench-peers bench-gauntlet ablation hunt bench-paretobandit bench-serve bench-offpolicy serve clean docs format lint wheel

help:
	@echo "rein: contextual bandits that keep long-run budgets. Start with make demo (some minutes)."
	@echo "What is missing is installed first, by apt-get (scripts/install.sh). build/rein --help goes on."
	@echo
	@echo "make demo   install what is missing, build, run the main job, write out/demo.*"
	@echo "make build  leave the program at build/rein"
	@echo "make test   library (unit tests under ASan and UBSan too), program, pages, docs, Python; long runs are below"
	@echo "make test-python  the Python package alone, in a virtual environment; all examples at full size too"
	@echo "make test-budgets  budgets against a plain model, a million operations (OPERATIONS=1000000)"
	@echo "make test-service  the service as its callers meet it, and schemathesis against docs/openapi.json (CASES=100 SEED=1)"
	@echo "make test-arm  cross-compile for aarch64 and run the unit tests under qemu: the same bits"
	@echo "make test-crash  kill -9 under 16 clients, 200 times, and 50 000 outcomes across kills; some minutes (KILLS=200)"
	@echo "make test-damage  every byte of a small journal flipped, cut off and zeroed, old copies of every file; some minutes"
	@echo "make test-postgres  journals in PostgreSQL: failover to a standby, paused writers, races; a minute or two"
	@echo "make cluster  three nodes, PostgreSQL with a standby and nginx on this machine; nodes and databases die; a minute"
	@echo "make test-cluster  cut networks, then many kills, and the ledger of the clients afterwards (KILLS=100)"
	@echo "make simulate  nodes in simulated worlds with faults, from their seeds (SEEDS=1000 FIRST=1)"
	@echo "make test-sanitized  tests of journal, service and cluster under ASan and UBSan, then under TSan; builds for long"
	@echo "make deb    Debian packages in dist/: rein with its unit, manual and completion, and librein-dev"
	@echo "make test-contrib  what is under contrib/: alerts and dashboard over the running demo, and more; a minute"
	@echo "make release  everything of a release in dist/, checksums, bills of materials, and a rehearsal of each (REIN_QUICK=1)"
	@echo "make test-helm  the chart for Kubernetes: rendered, every field checked, the program started with what a pod gets"
	@echo "make test-otlp  spans of OpenTelemetry: against its protobuf messages, and its collector where go is"
	@echo "make test-kafka  journals in Kafka: three brokers from Maven Central, one killed, one stopped; some minutes"
	@echo "make soak   the same with 2000 kills and a million outcomes; about 40 minutes (KILLS=2000 OUTCOMES=1000000)"
	@echo "make fuzz   libFuzzer on every door that takes bytes, a minute each (SECONDS_EACH=60)"
	@echo "make examples  routing, dosing, coupons, a quality floor and a warm start in Python, with plots in out/examples"
	@echo "make bench  rounds per CPU second, the growth of cost, and Vowpal Wabbit beside it"
	@echo "make bench-python  what Python costs over C++, and other packages beside rein (docs/python_speed.md)"
	@echo "make bench-quality DATA=FOLDER  reward and spend of ccb on eight real tables (docs/lab/tables.md)"
	@echo "make bench-peers DATA=FOLDER  every peer beside ccb, on those tables and on worlds (docs/peers.md)"
	@echo "make bench-gauntlet DATA=FOLDER  ccb in over 50 conditions, targets and tuned peers (docs/lab/gauntlet.md; FULL=1: all peers)"
	@echo "make ablation DATA=FOLDER  every constant of the default halved and doubled, every principle left out"
	@echo "make hunt  random small problems, an hour of them, to find one on which the default fails (MINUTES=60)"
	@echo "make bench-paretobandit  ParetoBandit from PyPI beside ccb, on its own rows (docs/lab/paretobandit.md)"
	@echo "make bench-offpolicy DATA=FOLDER  whether intervals and bands from logs are true (docs/lab/offpolicy.md); hours"
	@echo "make bench-serve  the decision service under load: latency, rates, and LiteLLM's budget router (docs/service.md)"
	@echo "make serve  the decision service with simulated traffic, to see its live page (build/rein serve --help)"
	@echo "make wheel  a Python wheel with everything inside, in dist/, installed and tested in a clean environment"
	@echo "make playground  the library as WebAssembly in out/playground, and its test in a browser: the same bits as here"
	@echo "make docs   this documentation as a site with search, in out/docs"
	@echo "make lint   clang-tidy, ruff and mypy over everything (scripts/lint.sh --since REF: what changed)"
	@echo "make format clang-format over everything we wrote"
	@echo "make clean  remove what was built"

demo: build
	@scripts/demo.sh

build:
	@scripts/install.sh build
	@cmake --preset release -DREIN_TESTS=OFF > /dev/null
	@cmake --build --preset release

test:
	@scripts/install.sh build test
	@scripts/test.sh

test-python:
	@scripts/install.sh build test
	@scripts/test_python.sh

test-budgets:
	@scripts/install.sh build test
	@cmake --preset release -DREIN_TESTS=ON > /dev/null
	@cmake --build build --target engine_test
	@REIN_OPERATIONS=$(or $(OPERATIONS),1000000) build/tests/engine_test --gtest_filter='BudgetsProperty.*'

test-service:
	@scripts/install.sh build test
	@scripts/test_service.sh $(or $(CASES),100) $(or $(SEED),1)

test-arm:
	@scripts/install.sh build arm
	@scripts/test_arm.sh

test-crash:
	@scripts/install.sh build
	@scripts/crash.sh $(or $(KILLS),200) $(or $(OUTCOMES),50000)

test-damage:
	@scripts/install.sh build test
	@cmake --preset release -DREIN_TESTS=ON > /dev/null
	@cmake --build build --target journal_test tools_test
	@REIN_EVERY_DAMAGE=1 build/tests/journal_test --gtest_filter='LossTest.*'
	@REIN_EVERY_DAMAGE=1 build/tests/tools_test --gtest_filter='ServiceDamageTest.*'

simulate:
	@scripts/install.sh build test
	@cmake --preset release -DREIN_TESTS=ON > /dev/null
	@cmake --build build --target cluster_test
	@REIN_SEEDS=$(or $(SEEDS),1000) REIN_FIRST_SEED=$(or $(FIRST),1) build/tests/cluster_test --gtest_filter='SimulationTest.Nothing*' 2> /dev/null

cluster:
	@scripts/install.sh build cluster
	@cmake --preset release > /dev/null
	@cmake --build build --target rein_app
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/cluster/cluster.py

test-cluster:
	@scripts/install.sh build cluster
	@cmake --preset release > /dev/null
	@cmake --build build --target rein_app
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/cluster/partitions.py
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/cluster/cluster.py --kills $(or $(KILLS),100)

test-postgres:
	@scripts/install.sh build test
	@cmake --preset release -DREIN_TESTS=ON > /dev/null
	@cmake --build build --target postgres_test
	@build/tests/postgres_test

# Preset dev: ASan and UBSan. Worlds are fewer, because each node of one is a thread there.
.PHONY: test-sanitized
test-sanitized:
	@scripts/install.sh build test
	@for preset in dev tsan; do \
	  cmake --preset $$preset -DREIN_TESTS=ON -DREIN_GROUPS=ON > /dev/null && \
	  cmake --build --preset $$preset --target service_tests && \
	  REIN_SEEDS=$(or $(SEEDS),40) ctest --test-dir build-$$preset --output-on-failure -R '^(journal|http|serve|cluster|tools)[.]' \
	  || exit 1; done

.PHONY: deb
deb:
	@scripts/install.sh build deb
	@cmake --preset release > /dev/null
	@cmake --build build --target rein rein_app
	@scripts/deb.sh

.PHONY: test-contrib
test-contrib:
	@scripts/install.sh build test contrib
	@cmake --preset release > /dev/null
	@cmake --build build --target rein_app
	@scripts/test_contrib.sh

.PHONY: release
release:
	@scripts/install.sh build python deb
	@cmake --preset release > /dev/null
	@cmake --build build --target rein rein_app
	@scripts/release.sh

.PHONY: test-helm
test-helm:
	@scripts/install.sh build contrib
	@cmake --preset release > /dev/null
	@cmake --build build --target rein_app
	@scripts/test_helm.sh

.PHONY: test-otlp
test-otlp:
	@scripts/install.sh build python
	@cmake --preset release > /dev/null
	@cmake --build build --target rein_app
	@scripts/test_otlp.sh

.PHONY: test-kafka
test-kafka:
	@scripts/install.sh build test kafka
	@scripts/kafka.sh jars build/kafka
	@cmake --preset release -DREIN_TESTS=ON -DREIN_KAFKA=ON > /dev/null
	@cmake --build build --target kafka_test
	@REIN_KAFKA_JARS=build/kafka build/tests/kafka_test

soak:
	@scripts/install.sh build
	@scripts/crash.sh $(or $(KILLS),2000) $(or $(OUTCOMES),1000000)

fuzz:
	@scripts/install.sh build test clang
	@scripts/fuzz.sh

examples:
	@scripts/install.sh build python
	@scripts/examples.sh

bench:
	@scripts/install.sh build bench
	@scripts/bench.sh

bench-python:
	@scripts/install.sh build bench
	@scripts/bench_python.sh

bench-quality: build
	@test -n "$(DATA)" || { echo "make bench-quality: say where the tables are: DATA=FOLDER (docs/lab/tables.md)"; exit 2; }
	@/usr/bin/python3 bench/quality.py build/rein "$(DATA)"

bench-peers: build
	@test -n "$(DATA)" || { echo "make bench-peers: say where the tables are: DATA=FOLDER (docs/peers.md)"; exit 2; }
	@scripts/peers.sh build/rein "$(DATA)" out/peers

bench-gauntlet: build
	@test -n "$(DATA)" || { echo "make bench-gauntlet: say where the tables are: DATA=FOLDER (docs/lab/tables.md)"; exit 2; }
	@/usr/bin/python3 bench/gauntlet.py --rein build/rein --data "$(DATA)" --all --seeds 10 $(if $(FULL),--full,--peers)

ablation:
	@test -n "$(DATA)" || { echo "make ablation: say where the tables are: DATA=FOLDER (docs/lab/tables.md)"; exit 2; }
	@scripts/install.sh build
	@cmake --preset release -B build-ablation -DREIN_ABLATION=ON -DREIN_TESTS=OFF > /dev/null
	@cmake --build build-ablation --target rein_app
	@/usr/bin/python3 bench/ablation.py build-ablation/rein --data "$(DATA)"

hunt: build
	@/usr/bin/python3 bench/hunt.py build/rein --minutes $(or $(MINUTES),60)

bench-paretobandit:
	@scripts/install.sh build bench
	@scripts/paretobandit.sh --tuned --into docs/lab/paretobandit.md

bench-serve:
	@scripts/install.sh build bench
	@scripts/bench_serve.sh --into docs/service.md

bench-offpolicy:
	@test -n "$(DATA)" || { echo "make bench-offpolicy: say where the tables are: DATA=FOLDER (docs/lab/tables.md)"; exit 2; }
	@scripts/install.sh build bench
	@scripts/bench_offpolicy.sh "$(DATA)"

serve: build
	@build/rein serve --demo

wheel:
	@scripts/install.sh build python
	@scripts/wheel.sh
	@scripts/test_wheel.sh

.PHONY: playground
playground:
	@scripts/install.sh build test playground
	@cmake --preset release -DREIN_TESTS=ON > /dev/null
	@cmake --build build --target playground_native
	@scripts/playground.py out/playground
	@REIN_PLAYGROUND=out/playground REIN_PLAYGROUND_NATIVE=build/tests/playground_native /usr/bin/python3 tests/web/playground_test.py

docs: build
	@scripts/install.sh build python playground
	@scripts/docs.sh build/rein out/docs

lint:
	@scripts/install.sh build test bench lint
	@scripts/lint.sh

format:
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-arm build-bench build-clang build-dev build-docs build-fuzz build-lint build-mutate build-playground build-python build-tsan \
	  build-wheel dist out
