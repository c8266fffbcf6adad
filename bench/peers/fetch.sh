#!/usr/bin/env bash
# Fetches the sources of the peers, at the commits that the figures in
# docs/performance.md are of, into .local/peers.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
fetch() { # NAME REPOSITORY COMMIT
  local to=$root/.local/peers/$1
  [ -e "$to" ] || git clone --quiet "https://github.com/$2" "$to"
  git -C "$to" checkout --quiet "$3"
}
fetch go-workflows cschleiden/go-workflows 8ef4f86
fetch dbos-transact-golang dbos-inc/dbos-transact-golang fe1d839
fetch durabletask-go microsoft/durabletask-go 812d373
