import { expect, test } from 'vitest'
import { readTraceparent } from '../../application/tracing.ts'

const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test.each([
  ['as it is', `00-${trace}-${parent}-01`, `00-${trace}-${parent}-01`],
  ['with other flags', `00-${trace}-${parent}-02`, `00-${trace}-${parent}-02`],
  ['of a later version', `cc-${trace}-${parent}-01`, `00-${trace}-${parent}-01`],
  ['of a later version, with more', `cc-${trace}-${parent}-01-x`, `00-${trace}-${parent}-01`],
])('a traceparent is read %s', (_, given, read) => {
  expect(readTraceparent(given)).toBe(read)
})

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one of version ff', `ff-${trace}-${parent}-01`],
  ['one of version 00 with more', `00-${trace}-${parent}-01-x`],
  ['one of a later version with more that is not set off', `cc-${trace}-${parent}-01x`],
  ['one of no trace', `00-${'0'.repeat(32)}-${parent}-01`],
  ['one of no parent', `00-${trace}-${'0'.repeat(16)}-01`],
  ['one in capital letters', `00-${trace.toUpperCase()}-${parent}-01`],
  ['a short one', `00-${trace.slice(1)}-${parent}-01`],
  ['one without flags', `00-${trace}-${parent}`],
  ['two', `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`],
])('%s is no traceparent', (_, given) => {
  expect(readTraceparent(given)).toBeUndefined()
})
