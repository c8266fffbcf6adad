#!/usr/bin/env bash
# Runs the tests that take too long for make test: every mutation, every bias, exhaustive scopes, a
# soak, fuzzing, every test at full length under the race detector, and ./test.sh local at full length.
# Each proof writes its log and its row of the table to .local/prove/COMMIT. A proof that has passed on this commit
# is not run again, so an interrupted run continues where it stopped. At the end, it prints one table with commit and figures.
#   ./prove.sh              all proofs
#   ./prove.sh soak bias    proofs whose names start with one of these prefixes
#   ./prove.sh -list        the names of the proofs
# SCHEDULES (100000) is the number of schedules whose seeds choose the bias, BIASED (10000) the number with each bias.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export TURNSTILE_PROVE=1 TURNSTILE_BUILDS=1

commit="$(git rev-parse --short=8 HEAD)"
[ -z "$(git status --porcelain --untracked-files=no)" ] || commit+="-$(git diff HEAD | git hash-object --stdin | cut -c 1-8)"
kept=".local/prove/$commit"
wanted=("$@")
# Each commit uses its own seeds.
first="$(($(git rev-list --count HEAD) * 1000000))"
mkdir -p "$kept"

# prove NAME COMMAND…: runs the command, unless NAME has passed on this commit.
prove() {
	local name="$1" began=$SECONDS prefix file
	shift
	file="$kept/${name//[ \/]/-}"
	if [ "${wanted[0]:-}" = -list ]; then
		echo "$name"
		return
	fi
	if [ "${#wanted[@]}" -gt 0 ]; then
		for prefix in "${wanted[@]}" ""; do [[ "$name" != "$prefix"* ]] || break; done
		[ -n "$prefix" ] || return 0
	fi
	[ ! -e "$file.passed" ] || return 0
	echo "== $name"
	if "$@" >"$file.log" 2>&1; then
		printf '| %s | passed | %d | %s |\n' "$name" "$(((SECONDS - began + 59) / 60))" "$(grep -E 'schedules|caught|passed|^ok|^PASS' "$file.log" | tail -n 1)" >"$file.row"
		touch "$file.passed"
	else
		printf '| %s | **failed** | %d | %s |\n' "$name" "$(((SECONDS - began + 59) / 60))" "see $file.log" >"$file.row"
		tail -n 40 "$file.log"
	fi
}

raced() { go list ./... ./sqlite/... ./otel/... ./cmd/turnstile/... ./lint/... ./tools/{smoke,release,site}/... | grep -v /simulation | xargs go test -race -timeout 5h; }
simulation() { go test -timeout 5h ./internal/simulation/...; }
properties() {
	git grep -l pgregory.net/rapid -- '*_test.go' ':!sqlite' ':!cmd' ':!tools' | xargs -n 1 dirname | sort -u | sed 's|^|./|' |
		RAPID_SEED=0 RAPID_CHECKS=1000 xargs go test -count=1 -timeout 5h
}

soak=".local/prove/soak-$commit"
[ "${wanted[0]:-}" = -list ] || go build -o "$soak" ./internal/simulation/cmd/soak

prove "soak" "$soak" -n "${SCHEDULES:-100000}" -from "$first"
while IFS= read -r bias; do
	prove "bias $bias" "$soak" -bias "$bias" -n "${BIASED:-10000}" -from "$first"
done < <(go run ./internal/simulation/cmd/soak -biases)
prove "scopes" "$soak" -exhaustive
for part in {1..20}; do
	prove "mutations $part of 20" go run ./internal/simulation/cmd/mutants -part "$part/20" -most 50000
done
prove "simulation" simulation
prove "properties" properties
for package in ./history ./internal/wire ./engine ./store; do
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z]*\)(.*/\1/p' "$package"/*_test.go); do
		prove "fuzz $target" go test -run '^$' -fuzz "^$target\$" -fuzztime 5m "$package"
	done
done
# turnstile dev and its database have code that is specific to Windows.
prove "windows" env GOOS=windows go vet ./cmd/turnstile/... ./sqlite/...
prove "race" raced
prove "local" ./test.sh local
[ "${wanted[0]:-}" != -list ] || exit 0

printf '\n| proof on %s | result | minutes | figures |\n| --- | --- | --- | --- |\n' "$commit"
cat "$kept"/*.row
! grep -qF '**failed**' "$kept"/*.row
