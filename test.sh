#!/usr/bin/env bash
# All tests, those that need Go only first. What it starts, it stops.
#   ./test.sh go      what needs Go only
#   ./test.sh local   what needs a browser or the emulators; installs them into .local/
#   ./test.sh all     both
# prove.sh has what takes longer. Property tests draw the same values every time, so that
# nobody's change is refused for a bug that was there before: RAPID_SEED=0 gives them others.
set -euo pipefail
export RAPID_SEED="${RAPID_SEED:-20261121}"
cd "$(dirname "${BASH_SOURCE[0]}")"

ours=(./... ./sqlite/... ./otel/... ./cmd/turnstile/... ./lint/... ./tools/smoke/... ./tools/release/... ./tools/site/...)
started_at=$SECONDS

step() {
	current="$*"
	printf '\n== [%4ds] %s\n' "$((SECONDS - started_at))" "$current"
}

# failures LOG: what failed, for whoever sees the end of a long log alone.
failures() { grep -E -A 8 '^ *--- FAIL|^panic: |^FAIL|^WARNING: DATA RACE' "$1" | head -n 100 || true; }

# tests DIRECTORY ARGUMENTS…: go test there. The code was vetted by all that vet knows, and so is
# not by go test with its few. Without symbol tables the test binaries are linked in two thirds of
# the time, and stacks read the same. The timeout is for a test that hangs.
tests() {
	local log status=0
	log="$(mktemp)"
	(cd "$1" && go test -vet=off "-ldflags=-s -w" -timeout 40m "${@:2}") 2>&1 | tee "$log" || status=$?
	if [ "$status" -ne 0 ]; then
		printf '\nwhat failed in %s:\n' "$1"
		failures "$log"
	fi
	rm "$log"
	return "$status"
}

# packages raced|plain|programs: those whose code, tests aside, has goroutines or what they share; all
# others; and those with tests that build or start other programs. The simulation runs on one
# goroutine. ./prove.sh race runs all of them under the race detector.
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
		printf 'not formatted (run gofmt -w on them):\n%s\n' "$unformatted" >&2
		return 1
	fi
	step "go vet of every module"
	# sam build and users have no workspace: go.mod and go.sum have to do without.
	GOWORK=off go list -deps ./... >/dev/null
	go vet "${ours[@]}" ./tools/bench/... ./tools/browsertest/...
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
	step "go test of packages without goroutines"
	tests . $(packages plain)
	# SQLite is C translated to Go, and has no goroutines of its own.
	step "go test -race of packages with goroutines"
	tests . -race "-gcflags=github.com/ncruces/...=-race=false" $(packages raced)
	# These use every processor themselves, so one package runs at a time.
	step "tests that build or start other programs"
	TURNSTILE_BUILDS=1 tests . -p 1 $(packages programs)
	# The Lambda build has jsonv2 (lambdas/build/build.mk); later versions of Go
	# have it unless they are told otherwise.
	local other=nojsonv2
	case "$(go env GOVERSION)" in go1.26 | go1.26.*) other=jsonv2 ;; esac
	step "the kept histories, and all that reads and writes JSON, with GOEXPERIMENT=$other"
	GOEXPERIMENT="$other" tests . . ./history ./internal/wire ./engine ./store ./internal/activities ./client ./turnstiletest
	step "bench: the cost of a chain, and every benchmark once"
	tests tools/bench -bench . -benchtime 1x ./...
	tests sqlite -run '^$' -bench . -benchtime 1x -short .
	step "the tasks of docs/guide as they are written with the SDKs of others"
	# Whose modules a proxy may refuse.
	if GOWORK=off go -C tools/bench/peers/tasks mod download; then
		GOWORK=off go -C tools/bench/peers/tasks vet ./...
		GOWORK=off tests tools/bench/peers/tasks ./...
	else
		echo "NOT RUN: the module proxy does not have the SDKs of others"
	fi
}

# emulated DIRECTORY PACKAGES…: their tests, of which none may be left out now that the emulators,
# or the browser, are there. It sets failed to a pattern of the tests that failed.
emulated() {
	local log status=0
	log="$(mktemp)"
	failed=""
	(cd "$1" && go test -vet=off "-ldflags=-s -w" -count=1 -timeout 30m -v "${@:2}") >"$log" 2>&1 || status=$?
	if [ "$status" -ne 0 ]; then
		cat "$log"
		failed="$(sed -nE 's/^--- FAIL: ([^ ]+).*/^\1$/p' "$log" | paste -sd '|' -)"
		# Behind a panic nothing has been run; without a failed test nothing was built.
		if [ -z "$failed" ] || grep -q '^panic: ' "$log"; then
			failed=.
		fi
		echo "what failed in $1:"
		failures "$log"
	elif grep "NOT RUN" "$log"; then
		echo "left out although what they need is there; see above" >&2
		status=1
	else
		grep -E '^ok' "$log"
	fi
	rm -f "$log"
	return "$status"
}

# in_browser ARGUMENTS…: tests of the page. A browser is a large program, and a machine under
# load may kill it or let it hang, with all tests that use it then. So what failed runs once
# more, in another browser: what fails twice fails.
in_browser() {
	emulated tools/browsertest "$@" && return
	[ -n "$failed" ] || return 1
	step "once more, because they failed: $failed"
	emulated tools/browsertest -run "$failed" "$@"
}

stop_local() {
	localstack/local.sh down --all || true
}

# side_by_side FUNCTIONS…: runs them at the same time, and begins each line of what they print
# with their name. When all have ended it says which failed, and at what.
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
	# What runs in the background does not hear an interrupt.
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
	# The limit is for a download that hangs: the site is built in seconds.
	timeout 900 tools/site/site.sh
	step "the console's page and the site in the browser"
	in_browser -skip TestOnLocalStack ./...
}

storage() {
	local other=arm64 port="${TURNSTILE_DYNAMODB_PORT:-18000}"
	step "the local commands' own tests, and the installation"
	localstack/local.sh install
	localstack/local.sh test
	step "store/dynamo and the workloads on DynamoDB Local"
	localstack/local.sh dynamodb-up "$port"
	export TURNSTILE_DYNAMODB_ENDPOINT="http://127.0.0.1:$port"
	emulated . ./store/... ./internal/store/...
	emulated tools/bench -run DynamoDB\|EachWrites ./workloads ./retention
	localstack/local.sh dynamodb-down "$port"
	# What local.sh up deploys is built for this machine.
	step "templates: sam validate --lint, and sam build for the other architecture"
	export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=us-east-1
	.local/bin/sam validate --lint --template-file template.yaml
	.local/bin/sam validate --lint --template-file cmd/turnstile/project/template.yaml
	case "$(uname -m)" in arm64 | aarch64) other=x86_64 ;; esac
	.local/bin/sam build --template-file template.yaml --build-dir ".aws-sam/$other" --parameter-overrides "Architecture=$other"
}

stack() {
	step "LocalStack up, the real template deployed with the real binaries"
	localstack/local.sh up --parameter TimerBorder=0 --parameter TimerLeast=5s \
		--parameter EventBusArn=arn:aws:events:us-east-1:000000000000:event-bus/default
	eval "$(localstack/local.sh env)"
	step "internal/queue/sqs, internal/timer/scheduler, internal/archive/s3 and the deployed system"
	# They wait most of the time: more of them than there are processors run at a time.
	emulated . -p 4 -parallel 8 ./internal/archive/... ./internal/queue/... ./internal/timer/... ./localstack/...
	# It pauses the stack, so that nothing else runs then.
	step "turnstile on the deployed system"
	emulated cmd/turnstile -run TestOnLocalStack .
	step "the smoke test of the stack, and the console by its API"
	side_by_side smoke console
}

smoke() {
	# A stack that is held up has most of the timer's minute to create its schedule.
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
