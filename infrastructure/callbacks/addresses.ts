import ipaddr from 'ipaddr.js'
import type { LookupAddress } from 'node:dns'
import { isWithin } from '../networks.ts'

/** Of the open internet by its number, but answered inside of a cloud, to its machines only. */
const ofClouds = new Set(['168.63.129.16'])

/** Whether an address is on the open internet: not loopback, private, link-local, metadata or otherwise special. */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const given = ipaddr.process(address)
  // What IPv6 has given out is 2000::/3 (RFC 4291, 2.4); outside of it are old ways to write IPv4, loopback among them.
  const isGivenOut = given.kind() === 'ipv4' || isWithin(address, '2000::/3')
  return isGivenOut && given.range() === 'unicast' && !ofClouds.has(given.toString())
}

/** A callback address that the service does not talk to. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress'
  constructor(host: string) {
    super(`${host} is not on the open internet`)
  }
}

/** The addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** Resolves names to public addresses only: the check is of the very address that is then connected to. */
export const resolvePublic =
  (resolve: Resolve): Resolve =>
  async (hostname) => {
    const found = await resolve(hostname)
    if (found.length === 0 || !found.every(({ address }) => isPublic(address)))
      throw new PrivateAddress(hostname)
    return found
  }
