import { defineConfig, mergeConfig } from 'vitest/config'
import all, { processes } from '../vitest.config.ts'

/** Tests of the built program (`npm run test:process`), which `.ci/run` runs too. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], exclude: [] } },
  defineConfig({ test: { root: new URL('..', import.meta.url).pathname, include: processes } }),
)
