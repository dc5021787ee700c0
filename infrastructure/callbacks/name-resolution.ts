import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isWithin } from '../networks.ts'

/** In ms: 2 s, then twice as long; well below the limit of a connection. */
const patience = { timeout: 2000, tries: 2 }

const found = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** The hosts file takes precedence over name servers. */
const inHostsFile = async (hostname: string): Promise<LookupAddress[]> => {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const isMeant = isIP(address) !== 0 && names.some((name) => name.toLowerCase() === hostname)
    return isMeant ? found(address) : []
  })
}

const atNameServers = async (hostname: string, servers?: readonly string[]) => {
  // A new resolver each time, to use the current name servers.
  const resolver = new Resolver(patience)
  if (servers) resolver.setServers(servers)
  const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
  const answers = await Promise.allSettled(queries)
  const addresses = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (addresses.length > 0) return addresses.map(found)
  const [code] = answers.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []))
  throw new Error(`no address of ${hostname} is found (${code})`)
}

/**
 * Resolves each name separately: the system's look-ups share a few threads, which one unresponsive
 * name server would block. Concurrent look-ups of a name are shared. @param servers default: those
 * of the system
 */
export const makeResolve = (servers?: readonly string[]): Resolve => {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()

  const find = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const known = await inHostsFile(hostname)
    if (known.length > 0) return known
    // A name without a dot is local: the system knows its domain.
    if (!hostname.includes('.')) return lookup(hostname, { all: true })
    return atNameServers(hostname, servers)
  }

  return (hostname) => {
    const running = underWay.get(hostname)
    if (running) return running
    const finding = find(hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, finding)
    return finding
  }
}

export const lookupWith =
  (resolve: Resolve): LookupFunction =>
  (hostname, { all }, done) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (all || !first) done(null, [...addresses])
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, '', 0),
    )
  }

/** Public addresses by number, but internal to a cloud. */
const ofClouds = new Set(['168.63.129.16'])

/**
 * Whether an address is on the public internet: not loopback, private, link-local, metadata or
 * otherwise special.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  // IPv6 has allocated 2000::/3 (RFC 4291, 2.4); outside are IPv4-compatible forms and loopback.
  const isGivenOut = parsed.kind() === 'ipv4' || isWithin(address, '2000::/3')
  return isGivenOut && parsed.range() === 'unicast' && !ofClouds.has(parsed.toString())
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
