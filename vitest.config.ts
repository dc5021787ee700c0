import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const builtWorker = fileURLToPath(new URL('dist/infrastructure/worker.js', import.meta.url))

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // Tests of the real process run what `npm start` runs.
    globalSetup: 'tests/build.ts',
    // Threads begin with what was built, too: with the source each takes four times as much of the processor to begin.
    alias: [{ find: /^.*\/worker\.ts$/, replacement: builtWorker }],
    pool: 'forks',
    // What the files share is loaded once for each worker, not once for each file.
    isolate: false,
    // As many as there are cores; by default one is left idle, which of two is half of them.
    maxWorkers: '100%',
    // Real processes and real sockets on a busy machine: generous, so that only what hangs fails.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
