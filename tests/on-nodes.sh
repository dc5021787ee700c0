#!/usr/bin/env bash
# What CI does, on other versions of Node: tests/on-nodes.sh 22 24 26. Each comes from the npm registry, and works in a
# fresh clone; the last line of each run says how it went.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

fetch_node() {
  local package
  package=$(npm pack --silent --pack-destination "$folder" "node-$(node -p 'process.platform + "-" + process.arch')@$1") &&
    mkdir "$folder/node-$1" && tar -xzf "$folder/$package" -C "$folder/node-$1" --strip-components=1
}

for version in "$@"; do
  node=$folder/node-$version
  clone=$folder/clone-$version
  fetch_node "$version" || { echo "Node $version cannot be had from the npm registry" >&2; exit 1; }
  git clone -q "$root" "$clone" || exit 1
  echo "==== Node $("$node/bin/node" --version)"
  # Whatever is compiled is compiled for that version, with the headers that come with it.
  PATH="$node/bin:$PATH" npm_config_nodedir="$node" bash "$clone/.ci/run" || status=1
  rm -rf "$clone"
done
exit "$status"
