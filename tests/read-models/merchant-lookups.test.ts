import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { merchantLookupQuery } from '../../projections/merchant-list.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const anyId = fc.constantFrom('1', '2', 'A 1')

const anyChange = fc.record({
  merchant: fc.constantFrom('a', 'b', 'c'),
  isRemoved: fc.constantFrom(false, false, false, true),
  organizationId: fc.option(anyId),
  lookupIds: fc.array(anyId, { maxLength: 2 }),
})

test('given merchants that come, change and go, an id finds the first that has it', () => {
  const find = merchantLookupQuery(file.db)
  let runs = 0
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 12 }), (changes) => {
      const run = `run${(runs += 1)}`
      const ofRun = (id: string): string => `${run}-${id}`
      const present = new Map<string, readonly string[]>()
      for (const { merchant, isRemoved, ...given } of changes) {
        const id = ofRun(merchant)
        const stream = `merchant-${id}`
        const isThere = present.has(id)
        if (isThere && isRemoved) {
          present.delete(id)
          happened(stream, { type: 'MerchantRemoved', data: {} })
        } else {
          const organizationId = given.organizationId && ofRun(given.organizationId)
          const lookupIds = given.lookupIds.map(ofRun)
          present.set(id, [organizationId ?? [], lookupIds].flat())
          const known = { id, businessName: id, currency: 'NOK', netmask: null }
          const data = newMerchant({ ...known, organizationId, lookupIds })
          happened(stream, { type: isThere ? 'MerchantChanged' : 'MerchantRegistered', data })
        }
        for (const wanted of ['1', '2', 'A 1', 'B'].map(ofRun)) {
          const first = [...present].find(([, ids]) => ids.includes(wanted))
          expect(find(wanted)?.data.id).toBe(first?.[0])
        }
      }
    }),
    { numRuns: 50 },
  )
})
