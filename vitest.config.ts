import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const builtWorker = fileURLToPath(new URL('dist/infrastructure/worker.js', import.meta.url))

/** Tests that start the built program: they take as long as all others. */
export const processes = [
  'tests/process/**/*.test.ts',
  'tests/nodes/**/*.test.ts',
  'tests/readme.test.ts',
  'tests/auditors.test.ts',
]

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: processes,
    // `npm test` leaves them to `npm run test:long`; a file that is run by its name runs them, too.
    tags: [
      { name: 'long', description: 'takes seconds of processor by itself', timeout: 180_000 },
      { name: 'night', description: 'for `npm run test:night` alone', timeout: 600_000 },
    ],
    // Tests of the real process run what `npm start` runs.
    globalSetup: 'tests/build.ts',
    setupFiles: process.env['PROPERTY_SEED'] ? ['tests/property-seed.ts'] : [],
    // The build is made once, at the start: watching would test a stale one.
    watch: false,
    // Workers start from the build, too: from sources each start takes four times the processor.
    alias: [{ find: /^.*\/worker\.ts$/, replacement: builtWorker }],
    pool: 'forks',
    // Compiled modules are kept in `node_modules`: one file's tests begin in half of the time.
    experimental: { fsModuleCache: true },
    // Shared modules are loaded once for each worker, not once for each file.
    isolate: false,
    // One more than cores: tests of time-outs and sockets leave a worker idle. Measured: 180 s for 270.
    maxWorkers: availableParallelism() + 1,
    // Generous, so that on a busy machine only what hangs fails.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
