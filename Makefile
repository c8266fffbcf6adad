# Commands for developers. test.sh has the steps of `make test`.
.PHONY: run test test-go prove lint local-up local-down local-status smoke bench screenshots site

run: ## Run the sample application in one process; needs only Go
	go run ./examples/orders

test: ## Run all tests, including emulators; installs what they need into .local/
	./test.sh all

test-go: ## Run the tests that need only Go
	./test.sh go

prove: ## Run the tests that take hours: mutations, biases, scopes, soaks, fuzzing; continues after an interruption
	./prove.sh

lint: ## Run golangci-lint with .golangci.yaml in every module
	@which golangci-lint >/dev/null || { echo "golangci-lint is not installed; run: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0" >&2; exit 2; }
	@set -e; for module in . sqlite otel cmd/turnstile lint tools/smoke tools/release tools/site tools/bench tools/browsertest; do \
		echo "== golangci-lint in $$module"; (cd $$module && golangci-lint run ./...); done

local-up: ## Start AWS on this machine and deploy Turnstile into it
	localstack/local.sh up

local-down:
	localstack/local.sh down

local-status:
	localstack/local.sh status

smoke: ## make smoke STACK=turnstile: test a deployed stack with a 40-step chain, a timer of Scheduler and an event
	@test -n "$(STACK)" || { echo "name the deployed stack: make smoke STACK=turnstile" >&2; exit 2; }
	go -C tools/smoke run . -stack "$(STACK)"

bench: ## Benchmark replay against Temporal's; see docs/internal/performance.md
	go -C tools/bench test -run '^$$' -bench . -benchmem

screenshots: ## Make the pictures of the console for README and docs; look at each before you commit it
	go -C tools/browsertest run ./cmd/install
	go -C tools/browsertest run -trimpath ./cmd/screenshots

site: ## Build the site of the users' pages in .local/site/public; tools/site/site.sh serve shows it
	tools/site/site.sh
