import ipaddr from 'ipaddr.js'
import { isWithin } from './networks.ts'

/** An address out of X-Forwarded-For, without the brackets and the port that some proxies write. */
const addressIn = (entry: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return ipaddr.isValid(address) ? address : undefined
}

/**
 * The address of a client behind proxies that are trusted to say it: what each of them adds to `X-Forwarded-For` is read
 * from the last to the first, and the first address that is no trusted proxy counts. What stands before it anybody may
 * have written.
 */
export const makeClientAddress =
  (trusted: readonly string[]) =>
  (peer: string | undefined, forwardedFor: () => string | undefined): string | undefined => {
    const isTrusted = (address: string): boolean =>
      trusted.some((network) => isWithin(address, network))
    let known = peer
    if (known === undefined || !isTrusted(known)) return known
    for (const entry of (forwardedFor() ?? '').split(',').reverse()) {
      const address = addressIn(entry.trim())
      if (address === undefined) break
      known = address
      if (!isTrusted(address)) break
    }
    return known
  }
