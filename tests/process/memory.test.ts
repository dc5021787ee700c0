import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Cache size of a process with this heap limit, in MB. */
const bytesIn = (heap: number): number => {
  const script = `import { cacheLimitsInHeap } from './infrastructure/event-store/open-log.ts'
    console.log(cacheLimitsInHeap().bytes)`
  const flags = [`--max-old-space-size=${heap}`, '--import', 'tsx', '--input-type=module']
  return Number(execFileSync(process.execPath, [...flags, '--eval', script], { encoding: 'utf8' }))
}

test('a process may remember as much as is a small part of its heap', () => {
  const [small, large] = [bytesIn(256), bytesIn(2_048)]
  expect(small).toBeGreaterThan((256 * 1_048_576) / 40)
  // The young generation counts too, and is larger in later releases.
  expect(small).toBeLessThan((256 * 1_048_576) / 10)
  expect(large).toBeGreaterThan(3 * small)
})
