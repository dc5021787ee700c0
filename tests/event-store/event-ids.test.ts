import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeOfEventId } from '../../domain/event-times.ts'
import { bytesOf, numberedFrom, timedUuid } from '../../infrastructure/event-store/event-entry.ts'

test('every id is a UUID of version 8, the same one for the same name and time only', () => {
  const name = fc.tuple(fc.string(), fc.nat({ max: 2 ** 48 - 1 }))
  fc.assert(
    fc.property(name, name, ([one, at], [other, then]) => {
      const id = timedUuid(one, at)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      expect(timedUuid(one, at)).toBe(id)
      expect(timeOfEventId(id)).toBe(at)
      expect(timedUuid(other, then) === id).toBe(one === other && at === then)
    }),
  )
})

test('later ids sort behind earlier ones, so that they are neighbours in an index', () => {
  const times = [0, 1, 255, 1_767_225_600_000, 1_767_225_600_001, 2 ** 48 - 1]
  const ids = times.map((at) => timedUuid(`payment-å/${at}`, at))
  expect(ids.toSorted()).toEqual(ids)
})

test('ids of earlier versions tell no time', () => {
  expect(timeOfEventId('2ed6657d-e927-568b-95e1-2665a8aea6a2')).toBeUndefined()
  expect(timeOfEventId('no id')).toBeUndefined()
})

test('the bytes of a UUID are its hexadecimal digits, in capitals or not', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, isUpper) => {
      const bytes = bytesOf(isUpper ? uuid.toUpperCase() : uuid)
      expect(bytes?.toString('hex')).toBe(uuid.replaceAll('-', ''))
    }),
  )
})

test('text that differs from a UUID in one place is none, nor is longer or shorter text', () => {
  const place = fc.oneof(fc.nat({ max: 35 }), fc.constantFrom(8, 13, 18, 23))
  const other = fc.oneof(fc.constantFrom('', '-', '0', 'g', 'é', '00'), fc.string({ maxLength: 1 }))
  fc.assert(
    fc.property(fc.uuid(), place, other, (uuid, place, other) => {
      const text = uuid.slice(0, place) + other + uuid.slice(place + 1)
      const isOne = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
      expect(bytesOf(text) !== undefined).toBe(isOne)
    }),
  )
})

test('numbered names differ, those of one process and those of two', () => {
  const [one, other] = [numberedFrom('a'), numberedFrom('b')]
  const names = Array.from({ length: 20 }, () => [one(), other()]).flat()
  expect(new Set(names).size).toBe(40)
})
