import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../vitest.config.ts'

/**
 * Tests with a real browser (`npm run test:browser`): they need Chromium, which `.ci/run` installs.
 */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], exclude: [], maxWorkers: '100%' } },
  defineConfig({
    test: {
      root: new URL('..', import.meta.url).pathname,
      include: ['tests/**/*.browser.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }),
)
