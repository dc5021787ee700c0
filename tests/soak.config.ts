import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../vitest.config.ts'

/** Long tests (`npm run test:soak`), which `.ci/run` runs too. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [] } },
  defineConfig({
    test: { root: new URL('..', import.meta.url).pathname, include: ['tests/**/*.soak.ts'] },
  }),
)
