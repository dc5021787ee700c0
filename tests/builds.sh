#!/usr/bin/env bash
# builds.sh FOLDER COMMIT...: builds commits and tags from their own sources, each into FOLDER/<its name>.
# NODE_MODULES=<folder> takes installed packages in the place of npm ci, where the lock files agree.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1")
shift
for commit; do
  place=$folder/$commit
  [ -e "$place/dist/service/main.js" ] && continue
  mkdir -p "$place"
  git archive "$commit" | tar -x -C "$place"
  if [ -n "${NODE_MODULES:-}" ]; then
    ln -sfn "$(realpath "$NODE_MODULES")" "$place/node_modules"
  else
    npm --prefix "$place" ci --no-audit --no-fund
  fi
  npm --prefix "$place" run --silent build
  echo "$place"
done
