# The sound box. `make` lists what there is to make.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# A target must name what it imports, so that the direction of the house is the compiler's business.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE_FLAGS := $(SWIFT_FLAGS) -c release --static-swift-stdlib
# What runs on the virtual board is what is released.
BOARD_ENVIRONMENT := BOARD_TEST_SOUNDBOX=$(CURDIR)/.build/release/soundbox
DEBIAN_IMAGE := Tests/Debian/Guest/make-image.sh .build/debian-cache .build/release/soundbox >/dev/null
CODENAME = $(shell . /etc/os-release && echo $$VERSION_CODENAME)
PACKAGES = env SOUNDBOX_DEB_SPEAK=.build/release/soundbox-speak \
	SOUNDBOX_DEB_VOICETOOLS=.build/release/soundbox-voicetools \
	SOUNDBOX_DEB_GATEWAY=.build/release/soundbox-gateway \
	SOUNDBOX_DEB_SUFFIX=$(if $(filter bookworm,$(CODENAME)),~deb12) \
	provisioning/debian/build.sh $(shell dpkg --print-architecture) .build/release/soundbox
FORMATTED := Package.swift Sources Tests Benchmarks/Sources Benchmarks/Package.swift Fuzzing/Sources \
	Fuzzing/Package.swift

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## install with apt what is missing; nothing when nothing is
	@provisioning/install-dependencies.sh

.PHONY: build
build: deps ## build the release binaries: .build/release/soundbox, and its helper soundbox-speak
	@swift build $(RELEASE_FLAGS) --product soundbox
	@swift build $(RELEASE_FLAGS) --product soundbox-speak

.PHONY: voicetools
voicetools: deps ## build the voice author's program: .build/release/soundbox-voicetools
	@swift build $(RELEASE_FLAGS) --product soundbox-voicetools

.PHONY: run
run: build ## try it: an own broker, the box, real payments, sound and a WAV
	@provisioning/trial/trial.sh .build/release/soundbox

.PHONY: gateway
gateway: deps ## build the provider's program: .build/release/soundbox-gateway
	@swift build $(RELEASE_FLAGS) --product soundbox-gateway

.PHONY: gateway-run
gateway-run: build gateway ## try the gateway: an own broker, a box, and a payment posted with curl that is heard
	@provisioning/trial/gateway.sh .build/release/soundbox .build/release/soundbox-gateway

.PHONY: unit
unit: deps ## the tests that need no broker and no process: the quick loop
	@provisioning/run-tests.sh $(SWIFT_FLAGS) --skip IntegrationTests --skip BoardTests --skip DebianTests

.PHONY: test
test: check build gateway bench-check ## every check and every test
	@provisioning/repository/test.sh
	@# In a session of its own: timeout takes it out of the terminal's foreground, and apt would be stopped there for ever.
	@setsid --wait timeout 600 provisioning/debian/build-debian13.sh arm64 --fill || echo "The test of the build for arm64 is skipped; fetching its compiler is given ten minutes."
	@# Both at once: each of them keeps one core busy, for a minute or so.
	@provisioning/test-dependencies.sh & \
		setsid --wait timeout 1200 $(DEBIAN_IMAGE) || echo "The tests on a booted Debian are skipped; making it is given twenty minutes."; \
		wait $$! || (($$? == 75))
	@# Apart: a test that computes for half a minute holds one of the two threads on which others wait for a box.
	@$(MAKE) --no-print-directory unit
	@$(BOARD_ENVIRONMENT) provisioning/run-tests.sh $(SWIFT_FLAGS) --skip-build --filter IntegrationTests --filter BoardTests
	@provisioning/run-tests.sh $(SWIFT_FLAGS) --skip-build --filter DebianTests
	@provisioning/check-libmosquitto.sh .build/libmosquitto $(SWIFT_FLAGS) || (($$? == 75))
	@provisioning/voices/ear/listen --short || { (($$? == 75)) && echo "The voices are not listened to; the reason is above."; }

.PHONY: listen
listen: deps ## what a recogniser understands of the voices' amounts; VOICES="zh-CN en-US", CONDITIONS="quiet shop10 shop5 shop0", LIMIT=50 for each range, SEED=… repeats a run, WHOLE=yes, HINT=yes
	@swift build $(SWIFT_FLAGS) --product soundbox-voicetools
	@swift build $(SWIFT_FLAGS) --product soundbox
	@provisioning/voices/ear/listen --limit $(or $(LIMIT),50) $(addprefix --seed ,$(SEED)) $(addprefix --condition ,$(or $(CONDITIONS),quiet)) $(if $(WHOLE),--whole) $(if $(HINT),--hint) $(VOICES)

.PHONY: torture
torture: deps ## break the box a few hundred times; SEED=… repeats a run, ROUNDS=… shortens it
	@swift build $(SWIFT_FLAGS) --build-tests
	@SEED=$(SEED) TORTURE_ROUNDS=$(or $(ROUNDS),300) swift test $(SWIFT_FLAGS) --skip-build --filter TortureTests

.PHONY: cluster-test
cluster-test: build ## payments while a node of a RabbitMQ cluster fails, DURATION=300 s for each of 18 runs; FRONTS="list name haproxy", FAULTS="killed frozen", QUEUES=classic
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/cluster-test --duration $(or $(DURATION),300) --queues $(or $(QUEUES),quorum) $(addprefix --front ,$(FRONTS)) $(addprefix --fault ,$(FAULTS))

.PHONY: fleet-test
fleet-test: build ## 10,000 simulated boxes and 20 real ones lose their broker; SESSIONS="1000 10000", BOXES=20
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/fleet-test --boxes $(or $(BOXES),20) $(addprefix --sessions ,$(SESSIONS))

.PHONY: gateway-test
gateway-test: gateway ## the gateway with 10,000 simulated boxes, some of them away, and a broker that is killed; BOXES=10000, RATE=200 payments a second
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/gateway-test --boxes $(or $(BOXES),10000) --rate $(or $(RATE),200)

.PHONY: gateway-figures
gateway-figures: gateway ## the gateway on SQLite beside one, two and three on a PostgreSQL: payments and receipts a second, bytes, processor; DURATION=20 s of load each
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/gateway-figures --seconds $(or $(DURATION),20)

.PHONY: gateway-cluster-test
gateway-cluster-test: build gateway ## three gateways on one PostgreSQL, and parts that fail: one of them, the database, the broker, a network; a standby takes over; BROKER=rabbitmq, BOXES=1000, REAL=3, RATE=100 payments a second, DURATION=300 s, FAULTS="gateway frozen database broker network failover"
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/gateway-cluster-test --broker $(or $(BROKER),mosquitto) --boxes $(or $(BOXES),1000) --real $(or $(REAL),3) --rate $(or $(RATE),100) --seconds $(or $(DURATION),300) $(addprefix --fault ,$(FAULTS))

.PHONY: gateway-interop
gateway-interop: gateway ## the gateway's hooks beside the providers' own SDKs from PyPI: what one takes or refuses, so must the other; ROUNDS=60, SEED=… repeats a run
	@Tests/gateway/Interop/interop-test --rounds $(or $(ROUNDS),60) $(addprefix --seed ,$(SEED)) || { (($$? == 75)) && echo "The hooks are not compared; the reason is above."; }

.PHONY: gateway-schema
gateway-schema: gateway ## the gateway beside docs/gateway-api.yaml, by schemathesis from PyPI; EXAMPLES=100, SEED=… repeats a run
	@Tests/gateway/Interop/schema-test --examples $(or $(EXAMPLES),100) $(addprefix --seed ,$(SEED)) || { (($$? == 75)) && echo "The description is not tried; the reason is above."; }

.PHONY: enrolment-test
enrolment-test: build ## a thousand blank boxes with one claim, some killed on the way, and the reference issuer; BOXES=1000
	@Tests/Cluster/enrolment-test --boxes $(or $(BOXES),1000)

.PHONY: page-test
page-test: build ## the shop's page in a real browser: signing in, payments as they come, two phones, a restarted box
	@provisioning/install-dependencies.sh browser
	@Tests/page/page-test --soundbox .build/release/soundbox

.PHONY: interop-test
interop-test: build ## what integration.md promises, against each broker that Debian has; BROKERS="mosquitto rabbitmq-quorum"
	@provisioning/install-dependencies.sh brokers
	@Tests/Cluster/interop-test $(addprefix --broker ,$(BROKERS))

.PHONY: board-test
board-test: build ## the box on real GPIO lines and a real sound card, under emulation
	@Tests/Board/Guest/make-kernel.sh .build/board-cache >/dev/null
	@$(BOARD_ENVIRONMENT) swift test $(SWIFT_FLAGS) --filter BoardTests

.PHONY: debian-image
debian-image: build ## the packages in a Debian that can be booted, for the tests on one; needs root
	@$(DEBIAN_IMAGE)

.PHONY: debian-test
debian-test: build gateway ## the packages as services of a booted Debian, under emulation; needs root; SUITE=… for one
	@next=$$(Tests/Debian/Guest/make-next.sh .build/debian-cache .build/release/soundbox-speak); export DEBIAN_NEXT=$$next; \
		$(DEBIAN_IMAGE); DEBIAN_TEST=full provisioning/run-tests.sh $(SWIFT_FLAGS) --filter DebianTests$(if $(SUITE),.*$(SUITE))

.PHONY: power-cut
power-cut: build ## cut the virtual board's power twenty times
	@$(BOARD_ENVIRONMENT) POWER_CUT_CYCLES=20 swift test $(SWIFT_FLAGS) --filter PowerCutTests

.PHONY: gpio-shim
gpio-shim: deps ## compile the shim over libgpiod against 1.6 and 2.2
	@provisioning/check-gpio-shim.sh .build/gpiod-headers

.PHONY: check
check: deps ## formatting, imports, warnings; the voices and the boards
	@swift format lint --strict --recursive $(wildcard $(FORMATTED))
	@swift build $(SWIFT_FLAGS) --build-tests
	@.build/debug/soundbox-voicetools check --sounds sounds
	@.build/debug/soundbox board list --boards board >/dev/null
	@python3 -m unittest discover -q -s provisioning/voices/ear 2>&1 | sed '/^-*$$/d; /^Ran /d; /^OK/d'

.PHONY: deb
deb: export SOUNDBOX_DEB_SYMBOLS := yes
deb: ## Debian packages in .build/deb for this machine's Debian; ARCH=arm64 or ARCH=amd64 for Debian 13 and Raspberry Pi OS 13
	@provisioning/install-dependencies.sh packaging
ifdef ARCH
	@provisioning/debian/build-debian13.sh $(ARCH) .build/deb
else
	@swift build $(RELEASE_FLAGS) --product soundbox
	@swift build $(RELEASE_FLAGS) --product soundbox-speak
	@swift build $(RELEASE_FLAGS) --product soundbox-voicetools
	@swift build $(RELEASE_FLAGS) --product soundbox-gateway
	@$(PACKAGES) .build/deb
endif

.PHONY: deb-test
deb-test: $(if $(filter arm64,$(ARCH)),deb) ## install, upgrade, roll back, purge the packages in a clean Debian, this one and 13; ARCH=arm64 emulates; needs root
	@provisioning/install-dependencies.sh packaging
	@swift build $(RELEASE_FLAGS) --product soundbox
ifeq ($(ARCH),arm64)
	@provisioning/debian/test-arm64.sh .build/deb .build/release/soundbox
else
	@swift build $(RELEASE_FLAGS) --product soundbox-speak
	@swift build $(RELEASE_FLAGS) --product soundbox-voicetools
	@swift build $(RELEASE_FLAGS) --product soundbox-gateway
	@provisioning/debian/test.sh $(CODENAME) $(PACKAGES)
	@[[ $(CODENAME) == trixie ]] || provisioning/debian/test.sh trixie provisioning/debian/build-debian13.sh amd64
endif

.PHONY: card-image
card-image: ## a card to write and plug in, for Raspberry Pi 3, Zero 2 W, 4 and 400: .build/card; needs root and `make deb ARCH=arm64`; VOICE=en-us, FOLLOWS="URL RING KEYRING"
	@provisioning/install-dependencies.sh packaging
	@CARD_FOLLOWS='$(FOLLOWS)' provisioning/card/make-card.sh .build/deb .build/card $(VOICE)

.PHONY: card-test
card-test: export CARD_BOOT := yes
card-test: card-image ## boot that card under emulation, set it up from its first partition, hear a payment: ten minutes; needs root
	@provisioning/card/test-card.sh .build/card

.PHONY: fmt
fmt: ## format the sources
	@swift format format --in-place --recursive $(wildcard $(FORMATTED))

.PHONY: sounds
sounds: deps ## make the synthesised recordings of every voice; a second run changes nothing; MASTERS=FOLDER: all, and FLAC of them
	@swift build $(SWIFT_FLAGS) --product soundbox-voicetools
	@.build/debug/soundbox-voicetools synthesize --sounds sounds $(if $(MASTERS),--all --masters "$(MASTERS)")

.PHONY: bench
bench: build ## ratios of speed, measured in one run; then the box beside what a shop would use instead
	@provisioning/install-dependencies.sh peers
	@swift run -c release $(SWIFT_FLAGS) --package-path Benchmarks
	@Benchmarks/peers/side-by-side

.PHONY: bench-card
bench-card: build ## the same on a sound card's driver and on dmix, in a Debian under emulation: 20 minutes; needs root; COUNT=10
	@provisioning/install-dependencies.sh peers
	@Benchmarks/peers/on-a-card .build/release/soundbox --count $(or $(COUNT),10)

.PHONY: payment-files
payment-files: deps ## the files that one payment passes, by coverage; the first build takes 10 to 30 minutes
	@provisioning/trial/payment-files.sh

.PHONY: growth
growth: build ## how cost grows with payments, time, history, backlog and voices: half an hour; PARTS="payments idle", COUNT=100000
	@provisioning/install-dependencies.sh peers
	@Benchmarks/growth --count $(or $(COUNT),100000) $(PARTS)

.PHONY: bench-check
bench-check: build ## instructions of the core and of sound, beside the committed ones; UPDATE=yes writes them
	@Benchmarks/instructions/bench-check $(if $(UPDATE),--update)

.PHONY: fuzz
fuzz: deps ## every parser of foreign bytes, SECONDS=600 of processor time each; TARGETS="notice yaml" for some
	@swift build -c release --sanitize fuzzer --package-path Fuzzing --product Fuzz
	@Fuzzing/fuzz.sh $(or $(SECONDS),600) $(TARGETS)

.PHONY: stress
stress: deps ## a thousand announcements back to back on a busy machine, in real time: about 50 minutes
	@SOUNDBOX_STRESS=$(or $(COUNT),1000) swift test $(SWIFT_FLAGS) --filter StressTests

.PHONY: clean
clean: ## remove what was built
	@rm -rf .build Benchmarks/.build Fuzzing/.build
