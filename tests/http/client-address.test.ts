import { expect, test } from 'vitest'
import { makeClientAddress } from '../../infrastructure/client-address.ts'

const clientAddress = makeClientAddress(['10.0.0.0/8', '::1'])
const from = (peer: string | undefined, forwardedFor?: string) =>
  clientAddress(peer, (name) => (name === 'x-forwarded-for' ? forwardedFor : undefined))

test('given somebody who is no trusted proxy, then the header is not believed', () => {
  expect(from('198.51.100.9', '192.0.2.7')).toBe('198.51.100.9')
  expect(makeClientAddress([])('10.0.0.1', () => '192.0.2.7')).toBe('10.0.0.1')
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7, 10.0.0.2', '192.0.2.7'],
  ['203.0.113.5, 192.0.2.7 ,10.0.0.2', '192.0.2.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['192.0.2.7:4711', '192.0.2.7'],
])(
  'given the proxies of %j, then the last one that is not trusted counts: %s',
  (header, client) => {
    expect(from('10.0.0.1', header)).toBe(client)
    expect(from('::1', header)).toBe(client)
    expect(from('::ffff:10.0.0.1', header)).toBe(client)
  },
)

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['one that names no address', 'unknown'],
  ['one that names none last', '192.0.2.7, unknown'],
])('given a proxy and %s, then it is the proxy that asks', (_, header) => {
  expect(from('10.0.0.1', header)).toBe('10.0.0.1')
})

test('given trusted proxies only, then the first of them asks', () => {
  expect(from('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3')
})

test('given no socket, then nobody is known', () => {
  expect(from(undefined, '192.0.2.7')).toBeUndefined()
})
