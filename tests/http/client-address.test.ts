import { expect, test } from 'vitest'
import { makeClientAddress } from '../../service/server/client-address.ts'

const clientAddress = makeClientAddress(['10.0.0.0/8', '::1'])
const from = (peer: string | undefined, forwardedFor?: string) =>
  clientAddress(peer, (name) => (name === 'x-forwarded-for' ? forwardedFor : undefined))

test('given a peer that is not a trusted proxy, then the header is ignored', () => {
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

const asking = (headers: Readonly<Record<string, string>>, peer = '10.0.0.1') => {
  const told: string[] = []
  const watch = { isTold: () => false, seen: () => {}, differs: (by: string) => told.push(by) }
  const find = makeClientAddress(['10.0.0.0/8'], watch)
  return { client: find(peer, (name) => headers[name]), told }
}

test.each([
  ['for=192.0.2.7', '192.0.2.7'],
  ['For="192.0.2.7:4711";proto=https;by=203.0.113.43', '192.0.2.7'],
  ['proto=https; for = "[2001:db8::1]:_port" ', '2001:db8::1'],
  ['for="[2001:db8::1]"', '2001:db8::1'],
  ['for=203.0.113.5, for=192.0.2.7, for=10.0.0.2', '192.0.2.7'],
  ['for="a, for=203.0.113.5", for=192.0.2.7', '192.0.2.7'],
  ['secret="for=203.0.113.5;\\"";for=192.0.2.7', '192.0.2.7'],
])(
  'given a proxy that sends `Forwarded: %s` alone, then the client is the last that is not trusted',
  (forwarded, client) => {
    expect(asking({ forwarded })).toEqual({ client, told: [] })
    expect(asking({ forwarded }, '198.51.100.9').client).toBe('198.51.100.9')
  },
)

test.each([
  ['unknown', 'for=unknown'],
  ['hidden', 'for=_gazonk'],
  ['not named', 'proto=https'],
  ['in a quote that has no end', 'for="192.0.2.7'],
  ['not named last', 'for=192.0.2.7, for=unknown'],
  ['no address', 'for=192.0.2.7.1'],
])('given a proxy and a sender that is %s, then it is the proxy that asks', (_, forwarded) => {
  expect(asking({ forwarded }).client).toBe('10.0.0.1')
})

test.each([
  ['192.0.2.7', 'for=192.0.2.7'],
  ['192.0.2.7, 10.0.0.2', 'for=192.0.2.7,for=10.0.0.2'],
  ['::ffff:192.0.2.7', 'for=192.0.2.7'],
])('given both headers that agree, %s and %s, then they are believed', (list, forwarded) => {
  const { client, told } = asking({ 'x-forwarded-for': list, forwarded })
  expect([client?.replace('::ffff:', ''), told]).toEqual(['192.0.2.7', []])
})

test.each([
  ['192.0.2.7', 'for=203.0.113.5', '10.0.0.1'],
  ['192.0.2.7', 'for=unknown', '10.0.0.1'],
  ['', 'for=203.0.113.5', '10.0.0.1'],
  ['192.0.2.7, 10.0.0.2', 'for=203.0.113.5, for=10.0.0.2', '10.0.0.2'],
  ['192.0.2.7, 10.0.0.2', 'for=10.0.0.2', '10.0.0.2'],
])(
  'given %j and %j, which differ, then the last proxy counts, and it is told',
  (list, forwarded, client) => {
    expect(asking({ 'x-forwarded-for': list, forwarded })).toEqual({ client, told: ['10.0.0.1'] })
  },
)

test('given no socket, then nobody is known', () => {
  expect(from(undefined, '192.0.2.7')).toBeUndefined()
})
