import { defineConfig } from 'vitest/config'

/** Tests of the payment core without a service: what mutation testing runs for each mutant (`npm run mutation`). */
export default defineConfig({
  test: {
    include: [
      'tests/domain/{money,register,changes,clock,callback-decider,events,funding,pieces}.test.ts',
      'tests/domain/payment{,-charges,-pick-up,-properties}.test.ts',
    ],
    setupFiles: ['tests/domain/without-shrinking.ts'],
    testTimeout: 60_000,
  },
})
