#!/usr/bin/env bash
# AWS on this machine: LocalStack with DynamoDB Local, and Turnstile deployed into it.
# This script checks all prerequisites before anything is installed; local/ has the commands, in Python.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
missing=()

# Runs every candidate, because a version manager's shim on PATH may fail.
find_python() {
	local candidate
	for candidate in "${TURNSTILE_PYTHON:-}" python3.13 python3 python \
		"${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13*/bin/python \
		"$HOME"/.local/share/uv/python/cpython-3.13*/bin/python3.13 \
		/opt/homebrew/bin/python3.13 /usr/local/bin/python3.13; do
		[ -n "$candidate" ] || continue
		if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' >/dev/null 2>&1; then
			printf '%s\n' "$candidate"
			return
		fi
	done
	return 1
}

# major TEXT: the first number in the output of a tool, or nothing.
major() { printf '%s\n' "$1" | sed -n 's/[^0-9]*\([0-9][0-9]*\).*/\1/p' | head -n 1; }

check_java() {
	local java="java" home version
	[ -z "${JAVA_HOME:-}" ] || java="$JAVA_HOME/bin/java"
	local properties
	properties="$("$java" -XshowSettings:properties -version 2>&1)" || properties=""
	version="$(printf '%s\n' "$properties" | sed -n 's/^ *java\.specification\.version = //p')"
	home="$(printf '%s\n' "$properties" | sed -n 's/^ *java\.home = //p')"
	if [ -z "$version" ]; then
		missing+=("Java 17 or newer, as a JDK (with javac): cannot run $java; install a JDK, or set JAVA_HOME")
	elif [ "${version%%.*}" -lt 17 ]; then
		missing+=("Java 17 or newer, as a JDK (with javac): $java is $version; install a newer JDK, or set JAVA_HOME")
	elif [ ! -x "$home/bin/javac" ]; then
		missing+=("a JDK: Java $version in $home has no javac, so it is only a runtime; install a JDK 17 or newer")
	else
		export TURNSTILE_JAVA_HOME="$home"
	fi
}

check_node() {
	local version
	version="$(major "$(node --version 2>/dev/null || true)")"
	if [ -z "$version" ]; then
		missing+=("Node.js 18 or newer, with npm: cannot run node")
	elif [ "$version" -lt 18 ]; then
		missing+=("Node.js 18 or newer, with npm: node is $(node --version)")
	elif ! npm --version >/dev/null 2>&1; then
		missing+=("npm (part of Node.js 18 or newer): cannot run npm")
	fi
}

check_go() {
	local want have
	want="$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$here/../go.mod")"
	have="$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go\([0-9]*\.[0-9]*\).*/\1/p')" || have=""
	if [ -z "$have" ]; then
		missing+=("Go $want or newer: cannot run go")
	elif [ "${have#*.}" -lt "${want#*.}" ]; then
		missing+=("Go $want or newer: go is $have")
	fi
}

python="$(find_python)" || {
	python=""
	missing+=("Python 3.13 (LocalStack 4.14.0 does not run on 3.12 or older): not found; install it, or set TURNSTILE_PYTHON to its path")
}
if [ -n "$python" ] && ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
	missing+=("the venv module of Python 3.13: $python lacks it (Debian: package python3.13-venv)")
fi
case "${1:-}" in
install | up | dynamodb-up)
	check_java
	check_node
	check_go
	;;
esac

if [ ${#missing[@]} -gt 0 ]; then
	{
		echo "local.sh: missing prerequisites:"
		printf '  - %s\n' "${missing[@]}"
		echo "Nothing was installed or started."
	} >&2
	exit 1
fi

PYTHONPATH="$here" exec "$python" -B -m local "$@"
