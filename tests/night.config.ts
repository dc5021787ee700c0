import { defineConfig, mergeConfig } from 'vitest/config'
import ofBrowser from './browser.config.ts'

/**
 * All tests of all kinds (`npm run test:night`): those of `.ci/run`, those tagged `night`, and the
 * soaks, which no other run takes.
 */
export default mergeConfig(
  ofBrowser,
  defineConfig({
    test: { include: ['tests/**/*.{test,soak}.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
  }),
)
