import ipaddr from 'ipaddr.js'
import { isWithin } from './networks.ts'

/** An address in X-Forwarded-For, without the brackets and port that some proxies add. */
const addressIn = (entry: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return ipaddr.isValid(address) ? address : undefined
}

type Header = (name: string) => string | undefined

/** Told of peers that name other senders and are not trusted. */
type Watch = {
  readonly isTold: () => boolean
  readonly seen: (peer: string | undefined) => void
}

const isForwarded = (header: Header): boolean =>
  header('x-forwarded-for') !== undefined || header('forwarded') !== undefined

/**
 * The client's address behind trusted proxies: the last address in `X-Forwarded-For` that is no
 * trusted proxy. Anybody may have written what is before it.
 */
export const makeClientAddress =
  (trusted: readonly string[], watch?: Watch) =>
  (peer: string | undefined, header: Header): string | undefined => {
    const isTrusted = (address: string): boolean =>
      trusted.some((network) => isWithin(address, network))
    let known = peer
    if (known === undefined || !isTrusted(known)) {
      if (watch && !watch.isTold() && isForwarded(header)) watch.seen(peer)
      return known
    }
    for (const entry of (header('x-forwarded-for') ?? '').split(',').reverse()) {
      const address = addressIn(entry.trim())
      if (address === undefined) break
      known = address
      if (!isTrusted(address)) break
    }
    return known
  }
