import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../vitest.config.ts'

const root = new URL('..', import.meta.url).pathname
const hasLongTests = (file: string) =>
  /\.(soak|test)\.ts$/.test(file) &&
  /tags: 'long'|@module-tag long/.test(readFileSync(file, 'utf8'))
const files = readdirSync(`${root}tests`, { recursive: true, encoding: 'utf8' })
  .map((file) => `tests/${file}`)
  .filter((file) => hasLongTests(root + file))

/** Long tests (`npm run test:soak`), which `.ci/run` runs too. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [] } },
  defineConfig({ test: { root, include: files } }),
)
