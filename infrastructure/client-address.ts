import ipaddr from 'ipaddr.js'
import { isWithin } from './networks.ts'

/** An address in X-Forwarded-For, without the brackets and port that some proxies add. */
const addressIn = (entry: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return ipaddr.isValid(address) ? address : undefined
}

/**
 * The client's address behind trusted proxies: the last address in `X-Forwarded-For` that is no
 * trusted proxy. Anybody may have written what is before it.
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
