import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import {
  leasedWork,
  leases,
  surplusOf,
  workOfMerchant,
  type LeaseCommand,
  type Leases,
} from '../../domain/leases.ts'

const does = ({ nodes }: Leases): Record<string, string[]> =>
  Object.fromEntries(Object.entries(nodes).map(([name, { does }]) => [name, Object.keys(does)]))

const countsOf = (state: Leases): number[] => Object.values(does(state)).map(({ length }) => length)

/** Nodes that append in turn, as enforced by expected revisions. */
const stream = () => {
  let state = leases.initial
  let revision = -1
  const append = (command: LeaseCommand): void => {
    const events = leases.decide(command, state)
    state = fold(leases, events, state)
    revision += events.length
  }
  const renew = (
    node: string,
    given: { gone?: string[]; released?: readonly string[]; cannot?: string[] } = {},
  ): void => {
    const about = { gone: [], released: [], cannot: [], ...given }
    append({ type: 'Renew', node, revision: revision + 1, ...about })
  }
  return {
    renew,
    even: (node: string) => renew(node, { released: surplusOf(state.nodes, node) }),
    leave: (node: string) => append({ type: 'Leave', node, revision: revision + 1 }),
    state: () => state,
  }
}

describe('leases', () => {
  test('given one node, then it does everything', () => {
    const { renew, state } = stream()
    renew('a')
    expect(does(state())).toEqual({ a: leasedWork })
  })

  test('given a second node, then the first gives up what it has too much of, and no more', () => {
    const { renew, even, state } = stream()
    renew('a')
    renew('b')
    expect(countsOf(state())).toEqual([18, 0])
    even('a')
    expect(countsOf(state())).toEqual([9, 9])
    even('a')
    even('b')
    expect(countsOf(state())).toEqual([9, 9])
  })

  test('given a node that is gone or ends, then the others do its work', () => {
    const { renew, even, leave, state } = stream()
    for (const node of ['a', 'b', 'c']) renew(node)
    for (const node of ['a', 'b', 'c']) even(node)
    expect(countsOf(state())).toEqual([6, 6, 6])
    const before = state().nodes
    renew('a', { gone: ['b'] })
    expect(countsOf(state())).toEqual([9, 9])
    const moved = Object.keys(before['b']?.does ?? {}).map((work) => {
      const holder = Object.values(state().nodes).find(({ does }) => work in does)
      return (holder?.does[work] ?? 0) > (before['b']?.does[work] ?? 0)
    })
    expect(moved).toEqual(Array(6).fill(true))
    leave('c')
    expect(countsOf(state())).toEqual([18])
    leave('a')
    expect(state().nodes).toEqual({})
  })

  test('given a node that cannot do something, then another does it, or nobody', () => {
    const { renew, state } = stream()
    renew('a', { cannot: ['checkpoints'] })
    expect(does(state())['a']).not.toContain('checkpoints')
    renew('b')
    expect(does(state())['b']).toEqual(['checkpoints'])
  })

  test('given any course, then one node does each work, and keeps it while it renews', () => {
    const names = ['a', 'b', 'c', 'd']
    const step = fc.record({
      kind: fc.constantFrom('renew', 'even', 'leave', 'gone'),
      node: fc.constantFrom(...names),
      other: fc.constantFrom(...names),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { renew, even, leave, state } = stream()
        for (const { kind, node, other } of steps) {
          const before = state().nodes
          if (kind === 'renew') renew(node)
          if (kind === 'even') even(node)
          if (kind === 'leave') leave(node)
          if (kind === 'gone') renew(node, { gone: [other] })
          const held = Object.values(does(state())).flat()
          expect(held.toSorted()).toEqual(held.length === 0 ? [] : leasedWork.toSorted())
          for (const [name, { does: kept }] of Object.entries(before)) {
            if (name === node || (kind === 'gone' && name === other)) continue
            expect(state().nodes[name]?.does).toMatchObject(kept)
          }
        }
      }),
    )
  })

  test('given many merchants, then no lease has far more of them than another', () => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 16_000; n++) {
      const work = workOfMerchant(`merchant-${n}`)
      counts.set(work, (counts.get(work) ?? 0) + 1)
    }
    expect(counts.size).toBe(16)
    expect(Math.min(...counts.values())).toBeGreaterThan(700)
    expect(workOfMerchant(null)).toBe(workOfMerchant(''))
  })
})
