#!/usr/bin/env bash
# Holds the OpenAPI document to the linters that integrators use, and to a client that is generated from it.
# The tools are fetched for the run alone: together they are as large as all dependencies of the project.
set -euo pipefail
cd "$(dirname "$0")"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
mkdir -p generated
(cd ../.. && npm run --silent openapi) >generated/openapi.json
npx --yes @redocly/cli@2.77.0 lint --config redocly.yaml --max-problems 1000 generated/openapi.json
npx --yes @stoplight/spectral-cli@6.16.3 lint --ruleset spectral.yaml --fail-severity hint generated/openapi.json
npx --yes --package openapi-typescript@7.13.0 --package typescript@5 openapi-typescript generated/openapi.json -o generated/api.ts
../../node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module nodenext --allowImportingTsExtensions \
  --ignoreConfig client.ts
