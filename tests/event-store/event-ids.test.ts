import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, numberedFrom, uuidsOf } from '../../infrastructure/event-store/event-ids.ts'

const namespaceOfDns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

test('a name in the namespace of DNS gets the UUID that RFC 9562 gives it (A.4)', () => {
  expect(uuidsOf(namespaceOfDns)('www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})

test('every id is a UUID of version 5, the same one for the same name only', () => {
  const names = Array.from({ length: 1000 }, (_, count) => `payment-å/${count}`)
  const ids = names.map(uuidsOf(namespaceOfDns))
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(names.length)
  expect(names.map(uuidsOf(namespaceOfDns))).toEqual(ids)
})

test('the bytes of a UUID are its hexadecimal digits, in capitals or not', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, isUpper) => {
      const bytes = bytesOf(isUpper ? uuid.toUpperCase() : uuid)
      expect(bytes?.toString('hex')).toBe(uuid.replaceAll('-', ''))
    }),
  )
})

test('text that differs from a UUID in a single place is none, nor is longer or shorter text', () => {
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
