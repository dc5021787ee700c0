import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { posRegister } from '../../projections/registers.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

describe('a register', () => {
  const registered = (id: string, merchant = 'sandbox') => {
    const data = { merchant, id, name: id, type: 'store', location: null } as const
    happened(`pos-${merchant}/${id}`, { type: 'PosRegistered', data }, { merchant })
  }
  const removed = (id: string) => happened(`pos-sandbox/${id}`, { type: 'PosRemoved', data: {} })

  test('lists the entries of one merchant, newest first, a page at a time', () => {
    const { list, find, all } = posRegister.queries(file.db)
    for (const id of ['a', 'b', 'c']) registered(id)
    registered('d', 'other')
    const page = list('sandbox', Number.MAX_SAFE_INTEGER, 2)
    expect(page.map(({ data }) => data.id)).toEqual(['c', 'b'])
    expect(list('sandbox', page[1]?.position ?? 0, 2).map(({ data }) => data.id)).toEqual(['a'])
    expect(find('pos-other/d')?.data.merchant).toBe('other')
    expect(find('pos-other/a')).toBeUndefined()
    expect(all().map(({ data }) => data.id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('shows what stays exactly once in a walk over pages, while others come and go', () => {
    const { list } = posRegister.queries(file.db)
    const staying = Array.from({ length: 12 }, (_, index) => `staying-${index}`)
    const going = Array.from({ length: 12 }, (_, index) => `going-${index}`)
    for (const [index, id] of staying.entries()) {
      registered(id)
      registered(going[index] ?? '')
    }
    let walks = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.array(fc.nat(11)), (size, changes) => {
        walks += 1
        const seen: string[] = []
        let before = Number.MAX_SAFE_INTEGER
        for (let pages = 0; ; pages++) {
          const page = list('sandbox', before, size)
          seen.push(...page.map(({ data }) => data.id))
          const last = page.at(-1)
          if (!last) break
          before = last.position
          const id = going[changes[pages] ?? 0] ?? ''
          removed(id)
          if (pages % 2 === 0) registered(id)
          registered(`new-${walks}-${pages}`)
        }
        expect(seen.filter((id) => id.startsWith('staying'))).toEqual([...staying].reverse())
        expect(new Set(seen).size).toBe(seen.length)
      }),
      { numRuns: 10 },
    )
  })
})
