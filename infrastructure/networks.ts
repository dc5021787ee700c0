import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The network is `192.0.2.0/24`, `2001:db8::/32`, or a single address. */
export const isWithin = (address: string | undefined, netmask: string): boolean => {
  if (address === undefined || isIP(address) === 0) return false
  const [network, bits] = ipaddr.parseCIDR(netmask.includes('/') ? netmask : oneHost(netmask))
  const parsed = ipaddr.process(address)
  return parsed.kind() === network.kind() && parsed.match(network, bits)
}

const oneHost = (address: string): string =>
  `${address}/${ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128}`

/**
 * Only unambiguous networks: IPv4 in four decimal parts (not `10/8` or `010.0.0.1`), IPv6 without a
 * zone and not mapped from IPv4, which no address would match.
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

const groupsOf48 = 3

/**
 * The networks of a client, the widest first: /48, /56 and /64 for IPv6, because one client may
 * have all of any of them; /24 and the address for IPv4.
 */
export const networksOf = (address: string): readonly string[] => {
  if (isIP(address) === 0) return [address]
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) {
    const own = String(parsed)
    return [`${own.slice(0, own.lastIndexOf('.'))}.0/24`, own]
  }
  const wide = parsed.parts.slice(0, groupsOf48).join(':')
  const last = parsed.parts[groupsOf48] ?? 0
  return [`${wide}::/48`, `${wide}:${last & 0xff00}::/56`, `${wide}:${last}`]
}

/** The narrowest: a /64 for IPv6, the address for IPv4. */
export const networkOf = (address: string): string => networksOf(address).at(-1) ?? address

/** The network of an address, too wide to identify a person: /24 for IPv4, /48 for IPv6. */
export const shortened = (address: string): string | undefined => {
  if (isIP(address) === 0) return undefined
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/48`)}/48`
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/24`)}/24`
}
