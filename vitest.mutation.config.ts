import { defineConfig } from 'vitest/config'

/** What mutation testing runs for each mutant: tests of parts, without a service. */
export default defineConfig({
  test: {
    include: [
      'tests/domain/*.test.ts',
      'tests/accounting/line-sums.test.ts',
      'tests/read-models/{callback-queries,merchant-lookups,projections,projections-queries}.test.ts',
    ],
    // It copies the sources away from the mutants.
    testNamePattern: /^(?!.*another version of the code)/,
    setupFiles: ['tests/domain/without-shrinking.ts'],
    testTimeout: 60_000,
  },
})
