import ipaddr from 'ipaddr.js'
import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** Whether an address is in a network such as `192.0.2.0/24` or `2001:db8::/32`; a plain address is a network of one. */
export const isWithin = (address: string | undefined, netmask: string): boolean => {
  if (address === undefined || !ipaddr.isValid(address)) return false
  const [network, bits] = ipaddr.parseCIDR(netmask.includes('/') ? netmask : oneHost(netmask))
  const given = ipaddr.process(address)
  return given.kind() === network.kind() && given.match(network, bits)
}

const oneHost = (address: string): string =>
  `${address}/${ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128}`

export const isNetmask = (text: string): boolean => ipaddr.isValidCIDR(text) || ipaddr.isValid(text)

/** Whether an address is on the open internet: not loopback, private, link-local, metadata or otherwise special. */
export const isPublic = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'

/** A callback address that the service does not talk to. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress'
  constructor(host: string) {
    super(`${host} is not on the open internet`)
  }
}

/** Resolves names to public addresses only: the check is of the very address that is then connected to. */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return done(error, '', 0)
    const [first] = found
    if (!first || !found.every(({ address }) => isPublic(address)))
      return done(new PrivateAddress(hostname), '', 0)
    if (options.all) return done(null, found)
    return done(null, first.address, first.family)
  })
}
