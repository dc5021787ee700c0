#!/usr/bin/env bash
# Runs the service from its package, as on a fresh machine: an empty folder, a home and a cache of npm of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
service=
finish() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  rm -rf "$place"
}
trap finish EXIT
mkdir "$place/home" "$place/cache" "$place/empty"
tarball=$place/$(npm pack --silent --pack-destination "$place" | tail -1)
echo "$(basename "$tarball"): $(du -h "$tarball" | cut -f1), $(tar -tzf "$tarball" | wc -l) files"
cp "$tarball" "$place/empty/"
cd "$place/empty"
export HOME=$place/home npm_config_cache=$place/cache npm_config_update_notifier=false
# Where no binary of better-sqlite3 can be fetched it is compiled, with the headers beside Node if they are there.
prefix=$(node -p 'require("path").resolve(process.execPath, "../..")')
[ ! -e "$prefix/include/node/node.h" ] || export npm_config_nodedir=$prefix
package=./$(basename "$tarball")
npx --yes "$package" --help >"$place/help"
grep -q 'DATA_DIR' "$place/help" && grep -q ' copy ' "$place/help" && grep -q ' snapshot' "$place/help"
echo "--help lists $(grep -cE '^  [a-z-]+ ' "$place/help") commands and $(grep -cE '^  [A-Z_]+ ' "$place/help") settings"
PORT=0 npx --yes "$package" serve >"$place/out" 2>"$place/err" &
service=$!
for _ in $(seq 600); do
  address=$(sed -n 's/^listening on //p' "$place/out")
  [ -n "$address" ] && break
  kill -0 "$service" 2>/dev/null || { cat "$place/err"; exit 1; }
  sleep 0.1
done
[ -n "$address" ] || { cat "$place/err"; exit 1; }
curl -fsS --retry 30 --retry-delay 1 "$address/health/ready"
echo
curl -fsS -H 'X-Service-Merchant: sandbox' -H 'X-Service-User: pos1' -H 'Authorization: SECRET sandbox-secret' "$address/merchant/v1/pos/till-1/"
echo
kill -TERM "$service"
wait "$service" || true
service=
for _ in $(seq 100); do
  curl -fsS "$address/health/live" >/dev/null 2>&1 || break
  sleep 0.1
done
if curl -fsS "$address/health/live" >/dev/null 2>&1; then
  echo "the service still answers after SIGTERM"
  exit 1
fi
echo "1 passed, 0 failed"
