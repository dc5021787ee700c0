import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import {
  isPublic,
  PrivateAddress,
  resolvePublic,
} from '../../infrastructure/callbacks/name-resolution.ts'

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
  '%s is on the open internet',
  (address) => expect(isPublic(address)).toBe(true),
)

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['loopback in an IPv6 address', '::ffff:127.0.0.1'],
  ['loopback, as IPv6 once wrote it', '::7f00:1'],
  ['loopback behind NAT64', '64:ff9b::7f00:1'],
  ['loopback behind 6to4', '2002:7f00:1::'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '192.168.1.1'],
  ['unique local', 'fd00::1'],
  ['link-local', 'fe80::1'],
  ['link-local, where clouds keep their metadata', '169.254.169.254'],
  ['public by its number, and of a cloud for its machines only', '168.63.129.16'],
  ['the same in an IPv6 address', '::ffff:168.63.129.16'],
  ['shared by a carrier', '100.64.0.1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '::'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['for documentation', '192.0.2.1'],
  ['no address', 'shop.example'],
])('an address that is %s is not on the open internet: %s', (_, address) =>
  expect(isPublic(address)).toBe(false),
)

describe('a name of the open internet', () => {
  const found = (...addresses: string[]): LookupAddress[] =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

  const resolve = (addresses: LookupAddress[]) =>
    resolvePublic(async () => addresses)('shop.example')

  test('leads to all of its addresses', async () => {
    const all = found('8.8.8.8', '2606:4700:4700::1111')
    expect(await resolve(all)).toEqual(all)
  })

  test.each([
    ['a private address', ['10.0.0.1']],
    ['a private address beside a public one', ['8.8.8.8', '169.254.169.254']],
    ['loopback in an IPv6 address', ['::ffff:127.0.0.1']],
    ['nothing', []],
  ])('that resolves to %s is refused', async (_, addresses) => {
    await expect(resolve(found(...addresses))).rejects.toThrow(PrivateAddress)
  })

  test('that cannot be resolved fails as the resolver says', async () => {
    const failure = new Error('no such name')
    await expect(resolvePublic(() => Promise.reject(failure))('shop.example')).rejects.toBe(failure)
  })
})
