import ipaddr from 'ipaddr.js'
import type { LookupAddress } from 'node:dns'

/** Whether an address is in a network such as `192.0.2.0/24` or `2001:db8::/32`; a plain address is a network of one. */
export const isWithin = (address: string | undefined, netmask: string): boolean => {
  if (address === undefined || !ipaddr.isValid(address)) return false
  const [network, bits] = ipaddr.parseCIDR(netmask.includes('/') ? netmask : oneHost(netmask))
  const given = ipaddr.process(address)
  return given.kind() === network.kind() && given.match(network, bits)
}

const oneHost = (address: string): string =>
  `${address}/${ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128}`

/**
 * IPv4 in four decimal parts only: what `10/8` or `010.0.0.1` mean depends on whom one asks. IPv6 without a zone, which
 * means something on one machine only, and not as another way to write IPv4: no address would ever be in it.
 */
export const isNetmask = (text: string): boolean => {
  const { IPv4, IPv6 } = ipaddr
  if (/%|\/0\d/.test(text)) return false
  if (IPv4.isValidCIDRFourPartDecimal(text) || IPv4.isValidFourPartDecimal(text)) return true
  const [address = ''] = text.split('/')
  return (
    (IPv6.isValidCIDR(text) || IPv6.isValid(text)) && !IPv6.parse(address).isIPv4MappedAddress()
  )
}

/** Whether an address is on the open internet: not loopback, private, link-local, metadata or otherwise special. */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const given = ipaddr.process(address)
  // What IPv6 has given out is 2000::/3 (RFC 4291, 2.4); outside of it are old ways to write IPv4, loopback among them.
  const isGivenOut = given.kind() === 'ipv4' || isWithin(address, '2000::/3')
  return isGivenOut && given.range() === 'unicast'
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
