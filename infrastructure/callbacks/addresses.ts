import ipaddr from 'ipaddr.js'
import type { LookupAddress } from 'node:dns'
import { isWithin } from '../networks.ts'

/** Public addresses by number, but internal to a cloud. */
const ofClouds = new Set(['168.63.129.16'])

/**
 * Whether an address is on the public internet: not loopback, private, link-local, metadata or
 * otherwise special.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const given = ipaddr.process(address)
  // IPv6 has allocated 2000::/3 (RFC 4291, 2.4); outside are IPv4-compatible forms and loopback.
  const isGivenOut = given.kind() === 'ipv4' || isWithin(address, '2000::/3')
  return isGivenOut && given.range() === 'unicast' && !ofClouds.has(given.toString())
}

/** The service does not send to private addresses. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress'
  constructor(host: string) {
    super(`${host} is not on the open internet`)
  }
}

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** Accepts public addresses only. Checks the very address that is connected to. */
export const resolvePublic =
  (resolve: Resolve): Resolve =>
  async (hostname) => {
    const found = await resolve(hostname)
    if (found.length === 0 || !found.every(({ address }) => isPublic(address)))
      throw new PrivateAddress(hostname)
    return found
  }
