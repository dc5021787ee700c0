import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    // Real processes and real sockets on a busy machine: generous, so that only what hangs fails.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
