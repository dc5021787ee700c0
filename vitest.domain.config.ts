import { defineConfig } from 'vitest/config'

/** The tests of `domain/` alone: what mutation testing runs for each mutant (`npm run mutation`). */
export default defineConfig({
  test: {
    include: [
      'tests/{money,payment,payment-properties,register,clock,callback-decider,events}.test.ts',
    ],
    testTimeout: 60_000,
  },
})
