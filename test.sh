#!/usr/bin/env bash
# Runs the tests, and stops everything that it starts.
#   ./test.sh go      tests that need only Go
#   ./test.sh local   tests that need a browser or the emulators; installs them into .local/
#   ./test.sh all     both, those that need only Go first
# prove.sh has the tests that take longer. Property tests use the same values in each run, so that
# a change does not fail because of an older bug. RAPID_SEED=0 selects other values.
set -euo pipefail
export RAPID_SEED="${RAPID_SEED:-20261121}"
cd "$(dirname "${BASH_SOURCE[0]}")"

ours=(./... ./sqlite/... ./otel/... ./cmd/turnstile/... ./lint/... ./tools/smoke/... ./tools/release/... ./tools/site/...)
started_at=$SECONDS

step() {
	current="$*"
	printf '\n== [%4ds] %s\n' "$((SECONDS - started_at))" "$current"
}

# failures LOG: prints the failures, for readers who see only the end of a long log.
failures() { grep -E -A 8 '^ *--- FAIL|^panic: |^FAIL|^WARNING: DATA RACE' "$1" | head -n 100 || true; }

# tests DIRECTORY ARGUMENTS…: runs go test in the directory. An earlier step has run all checks of
# vet, so go test does not repeat some of them. Without symbol tables, linking takes two thirds of
# the time, and stack traces are the same. The timeout is for a test that hangs.
tests() {
	local log status=0
	log="$(mktemp)"
	(cd "$1" && go test -vet=off "-ldflags=-s -w" -timeout 40m "${@:2}") 2>&1 | tee "$log" || status=$?
	if [ "$status" -ne 0 ]; then
		printf '\nfailures in %s:\n' "$1"
		failures "$log"
	fi
	rm "$log"
	return "$status"
}

# packages raced|plain|programs: prints the packages whose code, without the tests, has goroutines or
# shares data between them; all other packages; or those with tests that build or start other
# programs. The simulation runs on one goroutine. ./prove.sh race runs all packages with the race detector.
packages() {
	local path dir race programs
	go list -f '{{.ImportPath}} {{.Dir}}' "${ours[@]}" | while read -r path dir; do
		race=plain programs=
		case "$path" in
		*/internal/simulation*) ;;
		*) ! grep -qsE --exclude='*_test.go' '\bgo (func|[a-z][A-Za-z0-9_.]*\()|\.Go\(|\b(sync|atomic)\.|\bchan ' "$dir"/*.go || race=raced ;;
		esac
		! grep -qsE 'stage\.Builds\(|TURNSTILE_BUILDS' "$dir"/*_test.go || programs=programs
		case "$1" in "$race" | "$programs") echo "$path" ;; esac
	done
}

go_tests() {
	local unformatted built sample samples=(orders agent approval files subscription)
	step "gofmt"
	unformatted="$(git ls-files -z '*.go' | xargs -0 gofmt -l)"
	if [ -n "$unformatted" ]; then
		printf 'not formatted (run gofmt -w on these files):\n%s\n' "$unformatted" >&2
		return 1
	fi
	step "go vet of every module"
	# sam build and users have no workspace, so go.mod and go.sum must be complete.
	GOWORK=off go list -deps ./... >/dev/null
	go vet "${ours[@]}" ./tools/bench/... ./tools/browsertest/...
	step "turnstile-lint on the orchestrations of this repository"
	built="$(mktemp -d)"
	go -C lint build -o "$built/turnstile-lint" ./cmd/turnstile-lint
	go vet -vettool="$built/turnstile-lint" ./examples/... ./lambdas/...
	step "the sample applications run to their end"
	go build -o "$built/" "${samples[@]/#/./examples/}"
	for sample in "${samples[@]}"; do
		"$built/$sample"
	done
	rm -r "$built"
	step "go test of packages without goroutines"
	tests . $(packages plain)
	# SQLite, which is C translated to Go, has no goroutines.
	step "go test -race of packages with goroutines"
	tests . -race "-gcflags=github.com/ncruces/...=-race=false" $(packages raced)
	# These tests use all processors, so only one package runs at a time.
	step "tests that build or start other programs"
	TURNSTILE_BUILDS=1 tests . -p 1 $(packages programs)
	# The Lambda build uses jsonv2 (lambdas/build/build.mk), which is the default in later versions of
	# Go.
	local other=nojsonv2
	case "$(go env GOVERSION)" in go1.26 | go1.26.*) other=jsonv2 ;; esac
	step "the kept histories, and the packages that read and write JSON, with GOEXPERIMENT=$other"
	GOEXPERIMENT="$other" tests . . ./history ./internal/wire ./engine ./store ./internal/activities ./client ./turnstiletest
	step "bench: the cost of a chain, and every benchmark once"
	tests tools/bench -bench . -benchtime 1x ./...
	tests sqlite -run '^$' -bench . -benchtime 1x -short .
	step "the tasks of docs/guide with the SDKs of other engines"
	# A module proxy may not have them.
	if GOWORK=off go -C tools/bench/peers/tasks mod download; then
		GOWORK=off go -C tools/bench/peers/tasks vet ./...
		GOWORK=off tests tools/bench/peers/tasks ./...
	else
		echo "NOT RUN: the module proxy does not have the SDKs of other engines"
	fi
}

# emulated DIRECTORY PACKAGES…: runs tests with the emulators or the browser. No test may be skipped,
# because what they need is available. It sets failed to a pattern of the failed tests.
emulated() {
	local log status=0
	log="$(mktemp)"
	failed=""
	(cd "$1" && go test -vet=off "-ldflags=-s -w" -count=1 -timeout 30m -v "${@:2}") >"$log" 2>&1 || status=$?
	if [ "$status" -ne 0 ]; then
		cat "$log"
		failed="$(sed -nE 's/^--- FAIL: ([^ ]+).*/^\1$/p' "$log" | paste -sd '|' -)"
		# After a panic the other tests have not run; without a failed test, the build failed.
		if [ -z "$failed" ] || grep -q '^panic: ' "$log"; then
			failed=.
		fi
		echo "failures in $1:"
		failures "$log"
	elif grep "NOT RUN" "$log"; then
		echo "tests were skipped although what they need is available; see above" >&2
		status=1
	else
		grep -E '^ok' "$log"
	fi
	rm -f "$log"
	return "$status"
}

# in_browser ARGUMENTS…: runs tests of the page. On a machine under load the browser may be killed or
# hang, and all tests that use it fail. So failed tests run again in a new browser, and must fail
# twice to count.
in_browser() {
	emulated tools/browsertest "$@" && return
	[ -n "$failed" ] || return 1
	step "failed tests again: $failed"
	emulated tools/browsertest -run "$failed" "$@"
}

stop_local() {
	localstack/local.sh down --all || true
}

# side_by_side FUNCTIONS…: runs functions concurrently, with their name at the start of each line of
# their output. When all have ended, it prints which of them failed, with the step and the tests.
side_by_side() {
	local name done status=0
	done="$(mktemp -d)"
	for name; do
		(
			trap '[ $? -eq 0 ] || echo "$current${failed:+: $failed}" >"$done/$name.failed"' EXIT
			"$name"
			: >"$done/$name"
		) 2>&1 | while IFS= read -r line; do printf '%s: %s\n' "$name" "$line"; done &
	done
	# Background processes do not receive an interrupt.
	trap 'trap - INT; kill -TERM 0' INT
	wait
	trap - INT
	for name; do
		[ -e "$done/$name" ] && continue
		status=1
		echo "FAILED: $name: $(cat "$done/$name.failed" 2>/dev/null || echo "it was killed")" >&2
	done
	rm -r "$done"
	return "$status"
}

pages() {
	step "a browser, the site of the users' pages, and their installation"
	go -C tools/browsertest run ./cmd/install
	# The timeout is for a download that hangs: building the site takes seconds.
	timeout 900 tools/site/site.sh
	step "the console's page and the site in the browser"
	in_browser -skip TestOnLocalStack ./...
}

storage() {
	local other=arm64 modules port="${TURNSTILE_DYNAMODB_PORT:-18000}"
	step "tests of the local commands, and the installation"
	localstack/local.sh install
	localstack/local.sh test
	step "store/dynamo and the workloads on DynamoDB Local"
	localstack/local.sh dynamodb-up "$port"
	export TURNSTILE_DYNAMODB_ENDPOINT="http://127.0.0.1:$port"
	emulated . ./store/... ./internal/store/...
	emulated tools/bench -run DynamoDB\|EachWrites ./workloads ./retention
	localstack/local.sh dynamodb-down "$port"
	# local.sh up has built for this machine's architecture. With a clean module cache, as on a user's
	# machine, the build fails if go.sum is incomplete.
	step "templates: sam validate --lint, and sam build for the other architecture in a clean module cache"
	export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=us-east-1
	.local/bin/sam validate --lint --template-file template.yaml
	.local/bin/sam validate --lint --template-file cmd/turnstile/project/template.yaml
	case "$(uname -m)" in arm64 | aarch64) other=x86_64 ;; esac
	modules="$(mktemp -d)"
	GOMODCACHE="$modules" GOFLAGS=-modcacherw .local/bin/sam build --template-file template.yaml --build-dir ".aws-sam/$other" --parameter-overrides "Architecture=$other"
	rm -r "$modules"
}

stack() {
	step "LocalStack up, the real template deployed with the real binaries"
	localstack/local.sh up --parameter TimerBorder=0 --parameter TimerLeast=5s \
		--parameter EventBusArn=arn:aws:events:us-east-1:000000000000:event-bus/default
	eval "$(localstack/local.sh env)"
	step "internal/queue/sqs, internal/timer/scheduler, internal/archive/s3 and the deployed system"
	# These tests mostly wait, so more of them than there are processors run at a time.
	emulated . -p 4 -parallel 8 ./internal/archive/... ./internal/queue/... ./internal/timer/... ./localstack/...
	# It pauses the stack, so nothing else runs at the same time.
	step "turnstile on the deployed system"
	emulated cmd/turnstile -run TestOnLocalStack .
	step "the smoke test of the stack, and the console by its API"
	side_by_side smoke console
}

smoke() {
	# With a timer of a minute, even a slow stack has time to create its schedule.
	go -C tools/smoke run . -stack turnstile -timer 1m -patience 20m
}

console() {
	emulated tools/smoke ./...
}

local_tests() {
	export TURNSTILE_LOCAL_PORT="${TURNSTILE_LOCAL_PORT:-14566}" TURNSTILE_LOCALSTACK=1
	trap stop_local EXIT
	side_by_side pages storage stack
	step "the console of the deployed system in the browser"
	eval "$(localstack/local.sh env)"
	emulated tools/browsertest -run TestOnLocalStack .
	localstack/local.sh down
}

case "${1:-all}" in
go) go_tests ;;
local) local_tests ;;
all)
	go_tests
	local_tests
	;;
*)
	sed -n '2,7s/^# *//p' "$0" >&2
	exit 2
	;;
esac
step "passed"
