import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import { merchant, newMerchant, type MerchantData } from '../../domain/merchant/merchant.ts'

describe('for any changes of a merchant and its profile', () => {
  const text = fc.constantFrom('a', 'b', null)
  const texts = fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })
  const place = fc.constantFrom(null, { latitude: 59.9, longitude: 10.7, accuracy: null })
  const details = { netmask: text, mcc: text, lookupIds: texts, location: place }
  const named = fc.record(
    { ...details, email: text, url: text, addressLines: texts },
    { requiredKeys: [] },
  )
  type Named = typeof named extends fc.Arbitrary<infer Value> ? Value : never

  const commandOf = ({ email, url, addressLines, ...details }: Named) => {
    const changes = { ...details, profile: { email, url, addressLines } }
    return { type: 'Change', changes } as const
  }
  const known = { id: 'm', businessName: 'Soup', currency: 'NOK', lookupIds: ['1'], netmask: null }
  const data = newMerchant(known)
  type Event = ReturnType<typeof merchant.decider.decide>[number]
  const play = (...all: readonly Named[]) => {
    const events: Event[] = [{ type: 'MerchantRegistered', data }]
    for (const named of all)
      events.push(...merchant.decider.decide(commandOf(named), fold(merchant.decider, events)))
    return events
  }
  const fieldsAfter = (...all: readonly Named[]): object => {
    const { profile, ...others } = play(...all).at(-1)?.data as MerchantData
    return { ...others, ...profile }
  }

  test('each field is what was named last, or what it was', () => {
    fc.assert(
      fc.property(fc.array(named, { maxLength: 5 }), (all) => {
        expect(fieldsAfter(...all)).toEqual(Object.assign(fieldsAfter(), ...all))
      }),
    )
  })

  test('those of different fields lead to the same in any order, and when they come as one', () => {
    const fields = Object.keys({ ...details, email: text, url: text, addressLines: texts })
    fc.assert(
      fc.property(named, named, fc.subarray(fields), (earlier, both, first) => {
        const some = (isWanted: boolean): Named =>
          Object.fromEntries(
            Object.entries(both).filter(([field]) => first.includes(field) === isWanted),
          )
        const [one, other] = [some(true), some(false)]
        const whole = fieldsAfter(earlier, both)
        expect(fieldsAfter(earlier, one, other)).toEqual(whole)
        expect(fieldsAfter(earlier, other, one)).toEqual(whole)
      }),
    )
  })

  test('a repeated or empty change records no event', () => {
    fc.assert(
      fc.property(named, named, (earlier, later) => {
        expect(play(earlier, later, later, {})).toEqual(play(earlier, later))
      }),
    )
  })
})
