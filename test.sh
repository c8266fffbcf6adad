#!/usr/bin/env bash
# All tests, those that need Go only first. What it starts, it stops.
#   ./test.sh go      what needs Go only
#   ./test.sh local   what needs a browser or the emulators; installs them into .local/
#   ./test.sh all     both
#   ./test.sh fuzz    each fuzz target for half a minute, and each property test
#                     on other values than the last time
# The property tests of the first three draw the same values every time, so that
# nobody's change is refused for a bug that was there before: RAPID_SEED=0 gives
# them others.
set -euo pipefail
export RAPID_SEED="${RAPID_SEED:-20261121}"
cd "$(dirname "${BASH_SOURCE[0]}")"

modules=(. sqlite otel cmd/turnstile lint tools/smoke tools/release tools/site)
started_at=$SECONDS

step() { printf '\n== [%4ds] %s\n' "$((SECONDS - started_at))" "$*"; }

go_tests() {
	local module unformatted built sample samples=(orders agent approval files subscription)
	step "gofmt"
	unformatted="$(git ls-files -z '*.go' | xargs -0 gofmt -l)"
	if [ -n "$unformatted" ]; then
		printf 'not formatted (run gofmt -w on them):\n%s\n' "$unformatted" >&2
		return 1
	fi
	# Vetted once, by all that vet knows, and so not again by go test with its
	# few; without symbol tables the test binaries are linked in two thirds of the
	# time, and stacks read the same.
	local test=(go test -vet=off "-ldflags=-s -w")
	for module in "${modules[@]}"; do
		step "go vet and go test -race in $module"
		go -C "$module" vet ./...
		# The simulation runs on one goroutine: nothing there can race.
		(cd "$module" && go list ./... | grep -v '/simulation' | xargs "${test[@]}" -race)
	done
	# The Lambda build has jsonv2 (lambdas/build/build.mk); later versions of Go
	# have it unless they are told otherwise.
	local other=nojsonv2
	case "$(go env GOVERSION)" in go1.26 | go1.26.*) other=jsonv2 ;; esac
	step "the kept histories, and all that reads and writes JSON, with GOEXPERIMENT=$other"
	GOEXPERIMENT="$other" "${test[@]}" . ./history ./internal/wire ./engine ./store ./internal/activities ./client ./turnstiletest
	step "simulation: random schedules over engine and host"
	"${test[@]}" ./internal/simulation/...
	step "bench: the cost of a chain, and every benchmark once"
	go -C tools/bench vet ./...
	(cd tools/bench && "${test[@]}" -bench . -benchtime 1x ./...)
	(cd sqlite && "${test[@]}" -run '^$' -bench . -benchtime 1x -short .)
	step "the tasks of docs/guide as they are written with the SDKs of others"
	# Whose modules a proxy may refuse.
	if GOWORK=off go -C tools/bench/peers/tasks mod download; then
		GOWORK=off go -C tools/bench/peers/tasks vet ./...
		(cd tools/bench/peers/tasks && GOWORK=off "${test[@]}" ./...)
	else
		echo "NOT RUN: the module proxy does not have the SDKs of others"
	fi
	step "go vet in browsertest"
	go -C tools/browsertest vet ./...
	# turnstile dev and its database have code of their own there.
	step "go vet of cmd/turnstile and sqlite for Windows"
	GOOS=windows go -C cmd/turnstile vet ./...
	GOOS=windows go -C sqlite vet ./...
	step "turnstile-lint on our own orchestrations"
	built="$(mktemp -d)"
	go -C lint build -o "$built/turnstile-lint" ./cmd/turnstile-lint
	go vet -vettool="$built/turnstile-lint" ./examples/... ./lambdas/...
	step "the sample applications end by themselves"
	go build -o "$built/" "${samples[@]/#/./examples/}"
	for sample in "${samples[@]}"; do
		"$built/$sample"
	done
	rm -r "$built"
}

# emulated DIRECTORY PACKAGES…: their tests, of which none may be left out now
# that the emulators, or the browser, are there. It sets failed to a
# pattern of what has to run again.
emulated() {
	local log status=0
	log="$(mktemp)"
	(cd "$1" && go test -count=1 -timeout 30m -v "${@:2}") >"$log" 2>&1 || status=$?
	failed=""
	if [ "$status" -ne 0 ]; then
		cat "$log"
		# Whoever sees the end of a long log alone sees what failed, or hung.
		echo "what failed in $1:"
		grep -E -A 8 '^ *--- FAIL|^panic: |^FAIL' "$log" | head -n 100 || true
		if grep -q '^panic: ' "$log"; then
			failed=. # What comes behind has not been run.
		else
			failed="$(sed -nE 's/^--- FAIL: ([^ ]+).*/^\1$/p' "$log" | paste -sd '|')"
		fi
	else
		grep -E '^ok' "$log"
		if grep "NOT RUN" "$log"; then
			echo "left out although what they need is there; see above" >&2
			status=1
		fi
	fi
	rm -f "$log"
	return "$status"
}

# in_browser ARGUMENTS…: tests of the page. A browser is a large program, and a machine under
# load may kill it or let it hang, with all tests that use it then. So what failed runs once
# more, in another browser: what fails twice fails.
in_browser() {
	emulated tools/browsertest -timeout 20m "$@" && return
	[ -n "$failed" ] || return 1
	step "once more, because they failed: $failed"
	emulated tools/browsertest -timeout 20m -run "$failed" "$@"
}

stop_local() {
	localstack/local.sh down --all || true
}

local_tests() {
	# A site that takes longer hangs: it is built in seconds, once its tools are there.
	step "the site of the users' pages, and the installation of its tools"
	timeout 120 tools/site/site.sh
	step "the console's page in a browser, and the installation of one"
	go -C tools/browsertest run ./cmd/install
	in_browser -skip TestOnLocalStack ./...

	step "the local commands' own tests, and the installation"
	localstack/local.sh install
	localstack/local.sh test
	trap stop_local EXIT

	local port="${TURNSTILE_DYNAMODB_PORT:-18000}"
	step "store/dynamo and the workloads on DynamoDB Local"
	localstack/local.sh dynamodb-up "$port"
	TURNSTILE_DYNAMODB_ENDPOINT="http://127.0.0.1:$port" emulated . ./store/... ./internal/store/...
	TURNSTILE_DYNAMODB_ENDPOINT="http://127.0.0.1:$port" emulated tools/bench -run DynamoDB\|EachWrites ./workloads ./retention
	localstack/local.sh dynamodb-down "$port"

	step "LocalStack up, the real template deployed with the real binaries"
	export TURNSTILE_LOCAL_PORT="${TURNSTILE_LOCAL_PORT:-14566}"
	localstack/local.sh up --parameter TimerBorder=0 --parameter TimerLeast=5s \
		--parameter EventBusArn=arn:aws:events:us-east-1:000000000000:event-bus/default
	eval "$(localstack/local.sh env)"
	export TURNSTILE_LOCALSTACK=1

	step "template: sam validate --lint, sam build for both architectures"
	export SAM_CLI_TELEMETRY=0
	sam validate --lint --template-file template.yaml
	sam validate --lint --template-file cmd/turnstile/project/template.yaml
	for arch in arm64 x86_64; do
		sam build --template-file template.yaml --build-dir ".aws-sam/$arch" --parameter-overrides "Architecture=$arch"
	done

	step "internal/queue/sqs, internal/timer/scheduler, internal/archive/s3 and the deployed system"
	emulated . ./internal/archive/... ./internal/queue/... ./internal/timer/... ./localstack/...
	emulated cmd/turnstile -run TestOnLocalStack ./...
	step "the console on the deployed system, by its API and in the browser"
	emulated tools/smoke ./...
	emulated tools/browsertest -run TestOnLocalStack .

	step "smoke test of the stack"
	make smoke STACK=turnstile
	localstack/local.sh down
}

fuzz() {
	local package target
	step "property tests, ten times as many values"
	go list -f '{{if .XTestImports}}{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}}{{end}}{{end}}{{end}}{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}}{{end}}{{end}}' ./... |
		grep . | RAPID_SEED=0 RAPID_CHECKS=1000 xargs go test -count=1
	for package in ./history ./internal/wire ./engine ./store; do
		for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
			step "$package $target"
			go test -run '^$' -fuzz "^$target\$" -fuzztime 30s "$package"
		done
	done
}

case "${1:-all}" in
go) go_tests ;;
local) local_tests ;;
all)
	go_tests
	local_tests
	;;
fuzz) fuzz ;;
*)
	sed -n '2,10s/^# *//p' "$0" >&2
	exit 2
	;;
esac
step "passed"
