// @module-tag long
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashOfPublic, verifySlowly } from '../../infrastructure/keys/slow-crypto.ts'
import { newCoverage } from '../../simulation/coverage.ts'
import { mutants } from '../../simulation/mutants.ts'
import { simulate } from '../../simulation/simulate.ts'
import { excluded } from '../../simulation/wanderer.ts'

const folder = posix.join(import.meta.dirname, '../../simulation/regressions')
const kept = readdirSync(folder).filter((name) => name.endsWith('.json'))

describe('a simulated world', () => {
  test('is the same each time for one seed, and nothing is wrong in it', async () => {
    const [one, again] = [
      await simulate({ seed: 11, steps: 50 }),
      await simulate({ seed: 11, steps: 50 }),
    ]
    expect(one.failure).toBeUndefined()
    expect(again.trace).toBe(one.trace)
    expect(again.story).toEqual(one.story)
  })

  test('of several nodes is the same each time too', { tags: 'night' }, async () => {
    const [one, again] = [
      await simulate({ seed: 11, nodes: 3, steps: 40 }),
      await simulate({ seed: 11, nodes: 3, steps: 40 }),
    ]
    expect(one.failure).toBeUndefined()
    expect(again.trace).toBe(one.trace)
    expect(again.story).toEqual(one.story)
  })

  test('is another one for another seed', async () => {
    const [one, other] = [
      await simulate({ seed: 12, steps: 5 }),
      await simulate({ seed: 13, steps: 5 }),
    ]
    expect(other.trace).not.toBe(one.trace)
  })

  test('leaves nothing of its cryptography behind', async () => {
    await simulate({ seed: 12, steps: 1 })
    expect(await verifySlowly(await hashOfPublic('sandbox-secret'), 'sandbox-secret')).toBe(true)
  })

  test('has each route asked for, apart from those excluded', { tags: 'night' }, async () => {
    const coverage = newCoverage()
    const { routes, failure } = await simulate({ seed: 14, steps: 1_000, coverage, wanders: true })
    expect(failure).toBeUndefined()
    const unasked = routes.filter((route) => !coverage.routes.has(route))
    expect(unasked.filter((route) => !(route in excluded))).toEqual([])
    expect(Object.keys(excluded).filter((route) => !routes.includes(route))).toEqual([])
  })

  test.each(kept)('does not fail as it once did: %s', async (name) => {
    const { seed, nodes = 1, steps } = JSON.parse(readFileSync(posix.join(folder, name), 'utf8'))
    expect((await simulate({ seed, nodes, steps })).failure).toBeUndefined()
  })
})

test('each fault that can be planted still has its place in the sources', () => {
  const root = posix.join(import.meta.dirname, '../..')
  for (const { name, file, from } of mutants)
    expect([name, readFileSync(posix.join(root, file), 'utf8')]).toEqual([
      name,
      expect.stringContaining(from),
    ])
})
