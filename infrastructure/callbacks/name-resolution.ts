import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Resolve } from './addresses.ts'

/** Well below what a connection may take: 2 s, and then twice as long. */
const patience = { timeout: 2000, tries: 2 }

const found = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** What the hosts file of this machine says of a name, which goes before what name servers say. */
const inHostsFile = async (hostname: string): Promise<LookupAddress[]> => {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const isMeant = isIP(address) !== 0 && names.some((name) => name.toLowerCase() === hostname)
    return isMeant ? found(address) : []
  })
}

const atNameServers = async (hostname: string, servers?: readonly string[]) => {
  // Made for each look-up, so that it reads where to ask as that is now.
  const resolver = new Resolver(patience)
  if (servers) resolver.setServers(servers)
  const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
  const answers = await Promise.allSettled(asked)
  const addresses = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (addresses.length > 0) return addresses.map(found)
  const [code] = answers.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []))
  throw new Error(`no address of ${hostname} is found (${code})`)
}

/**
 * Finds the addresses of names, each by itself: the look-ups of the system share a few threads, so that one silent name
 * server would hold up all of them. Whoever asks for a name that is being looked up gets the same answer.
 * @param servers the name servers to ask, those of the system by default
 */
export const makeResolve = (servers?: readonly string[]): Resolve => {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()

  const find = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const known = await inHostsFile(hostname)
    if (known.length > 0) return known
    // A name without a dot is one of the operator's network: the system knows which domain it is in.
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

/** The look-up of a connection. */
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
