import { defineConfig } from 'vitest/config'

/**
 * Tests with a real browser (`npm run test:browser`): they need Chromium, which `.ci/run` installs.
 */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // The walk through the portal runs the built program.
    globalSetup: 'tests/build.ts',
    include: ['tests/**/*.browser.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
