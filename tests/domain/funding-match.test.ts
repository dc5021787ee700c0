import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  placingsOf,
  type FundingFact,
  type FundingLine,
} from '../../domain/accounting/funding-match.ts'

const account = { account: 'NO9386011117947', batchPrefix: 'DAY-', rate: null }

const line = (position: number): FundingLine => ({
  ...{ position, day: '2027-01-04', action: 'capture', currency: 'NOK', gross: 20_001 },
})

const fact = (id: string, amount: string, withheld?: string): FundingFact => ({
  ...{ id, account: account.account, currency: 'NOK', side: 'credit', amount, day: '2027-01-04' },
  ...{ endToEndId: 'tid', messageId: null, reference: `ref-${id}` },
  ...{ source: { kind: 'camt.053', id: 'file' } },
  ...(withheld !== undefined && { withheld }),
})

test('given more movements than captures, then the smallest of a day is left over', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 3, maxLength: 3 }),
      (ids) => {
        const [first = '', second = '', less = ''] = ids
        const facts = [fact(less, '19902', '99'), fact(first, '20001'), fact(second, '20001')]
        const placings = placingsOf(facts, [line(1), line(2)], () => account)
        const left = ids.filter((id) => placings.get(id)?.place === null)
        expect(left).toEqual([less])
      },
    ),
  )
})
