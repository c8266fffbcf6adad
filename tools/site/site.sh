#!/usr/bin/env bash
# Builds the site of the users' pages into .local/site/public and checks it.
#   tools/site/site.sh          installs what is missing, builds, checks
#   tools/site/site.sh serve    does the same, and serves the site on 127.0.0.1:8090
# When the tools are installed in .local/site, it needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work="$PWD/.local/site"
mermaid=11.12.1

python="${TURNSTILE_PYTHON:-}"
for candidate in "$python" python3 python3.13 python; do
	[ -n "$candidate" ] && command -v "$candidate" >/dev/null && "$candidate" -c 'import venv, ensurepip' 2>/dev/null && { python="$candidate"; break; }
done
missing=()
[ -n "$python" ] || missing+=("Python 3 with venv: set TURNSTILE_PYTHON to its path")
command -v npm >/dev/null || missing+=("npm, which downloads the script that draws diagrams")
command -v go >/dev/null || missing+=("Go")
if [ "${#missing[@]}" -gt 0 ]; then
	printf 'site.sh: missing prerequisites:\n' >&2
	printf '  %s\n' "${missing[@]}" >&2
	exit 2
fi

mkdir -p "$work"
if ! cmp -s tools/site/requirements.txt "$work/requirements.txt"; then
	rm -rf "$work/venv"
	"$python" -m venv "$work/venv"
	"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r tools/site/requirements.txt
	cp tools/site/requirements.txt "$work/requirements.txt"
fi
if [ ! -f "$work/mermaid-$mermaid.js" ]; then
	(cd "$work" && npm pack --silent "mermaid@$mermaid" >/dev/null && tar -xzf "mermaid-$mermaid.tgz" package/dist/mermaid.min.js)
	mv "$work/package/dist/mermaid.min.js" "$work/mermaid-$mermaid.js"
	rm -rf "$work/package" "$work/mermaid-$mermaid.tgz"
fi

PATH="$work/venv/bin:$PATH" go -C tools/site run . -root "$PWD" -work "$work" -mermaid "$work/mermaid-$mermaid.js"

if [ "${1:-}" = serve ]; then
	echo "http://127.0.0.1:8090/"
	exec "$work/venv/bin/python" -m http.server --bind 127.0.0.1 --directory "$work/public" 8090
fi
