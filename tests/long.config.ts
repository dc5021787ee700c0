import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../vitest.config.ts'

const root = new URL('..', import.meta.url).pathname
const hasLongTests = (file: string) =>
  file.endsWith('.test.ts') &&
  /tags: 'long'|@module-tag long/.test(readFileSync(root + file, 'utf8'))
const include = readdirSync(`${root}tests`, { recursive: true, encoding: 'utf8' })
  .map((file) => `tests/${file}`)
  .filter(hasLongTests)

/** Long tests (`npm run test:long`), which `.ci/run` runs too. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [] } },
  defineConfig({ test: { root, include } }),
)
