#!/usr/bin/env bash
# Fetches the sources of the other engines into .local/peers, at the commits of the figures in
# docs/internal/performance.md, and builds Temporal's server there.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
fetch() { # NAME REPOSITORY COMMIT
  local to=$root/.local/peers/$1
  [ -e "$to" ] || git clone --quiet "https://github.com/$2" "$to"
  git -C "$to" checkout --quiet "$3"
}
fetch go-workflows cschleiden/go-workflows 8ef4f86
fetch dbos-transact-golang dbos-inc/dbos-transact-golang fe1d839
fetch durabletask-go microsoft/durabletask-go 812d373
# v1.6.1 of the command line, which contains v1.30.1 of the server as its development server.
fetch temporal-cli temporalio/cli 9a1a4eb1
[ -e "$root/.local/peers/bin/temporal" ] ||
  GOWORK=off go -C "$root/.local/peers/temporal-cli" build -o ../bin/temporal ./cmd/temporal
