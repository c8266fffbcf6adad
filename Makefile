# What people type. The steps of `make test` stand in test.sh.
.PHONY: run test test-go prove lint local-up local-down local-status smoke bench screenshots site

run: ## The sample application, embedded: Go alone
	go run ./examples/orders

test: ## Everything, emulators included; installs what it needs into .local/
	./test.sh all

test-go: ## What needs Go only
	./test.sh go

prove: ## What takes hours: all mutations, biases, scopes, soaks, fuzzing; goes on where it was interrupted
	./prove.sh

lint: ## golangci-lint of .golangci.yaml in every module
	@which golangci-lint >/dev/null || { echo "golangci-lint is not there: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0" >&2; exit 2; }
	@set -e; for module in . sqlite otel cmd/turnstile lint tools/smoke tools/release tools/site tools/bench tools/browsertest; do \
		echo "== golangci-lint in $$module"; (cd $$module && golangci-lint run ./...); done

local-up: ## AWS on this machine, with Turnstile deployed into it
	localstack/local.sh up

local-down:
	localstack/local.sh down

local-status:
	localstack/local.sh status

smoke: ## make smoke STACK=turnstile: a 40-step chain, a timer through Scheduler and an event on a deployed stack
	@test -n "$(STACK)" || { echo "name the deployed stack: make smoke STACK=turnstile" >&2; exit 2; }
	go -C tools/smoke run . -stack "$(STACK)"

bench: ## Replay beside Temporal's; see docs/internal/performance.md
	go -C tools/bench test -run '^$$' -bench . -benchmem

screenshots: ## The pictures of the console in README and docs; look at each before it is committed
	go -C tools/browsertest run ./cmd/install
	go -C tools/browsertest run -trimpath ./cmd/screenshots

site: ## The site of the users' pages, in .local/site/public; ./tools/site/site.sh serve shows it
	tools/site/site.sh
