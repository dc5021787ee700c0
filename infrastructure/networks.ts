import ipaddr from 'ipaddr.js'

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

/** Whoever has an address of IPv6 has as many as a network of 64 bits holds. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const given = ipaddr.process(address)
  return given instanceof ipaddr.IPv6 ? given.parts.slice(0, 4).join(':') : String(given)
}
