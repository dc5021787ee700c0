import ipaddr from 'ipaddr.js'
import type { Log } from '../../infrastructure/logs/log.ts'
import { isWithin } from '../../infrastructure/networks.ts'

const advice =
  'requests name their sender in X-Forwarded-For or Forwarded, and come from an address that is ' +
  'not in TRUSTED_PROXIES: if that is your proxy, all clients count as one, and one that guesses ' +
  'secrets is held against all. Set TRUSTED_PROXIES to its address'

const adviceIfDifferent =
  'a trusted proxy passes on X-Forwarded-For and Forwarded that name different senders: one of ' +
  'them may come from whoever asks, so such requests count as the proxy. Let it remove the one ' +
  'that it does not write'

/**
 * Warns once about a possible proxy that is not configured, and once about a proxy that sends
 * conflicting headers.
 */
export const watchProxies = (log: Log) => {
  let [isTold, differ] = [false, false]
  const problems = (): readonly string[] => [
    ...(isTold ? ['Requests come through a proxy that is not trusted.'] : []),
    ...(differ ? ['A proxy passes on X-Forwarded-For and Forwarded that differ.'] : []),
  ]
  return {
    isTold: (): boolean => isTold,
    seen: (peer: string | undefined): void => {
      if (isTold) return
      isTold = true
      log.error({ peer }, advice)
    },
    differs: (peer: string): void => {
      if (differ) return
      differ = true
      log.error({ peer }, adviceIfDifferent)
    },
    /** For the operator only; addresses are not shown to strangers. */
    details: (): Readonly<Record<string, string[]>> => {
      const found = [...problems()]
      return found.length > 0 ? { TRUSTED_PROXIES: found } : {}
    },
  }
}

/** An address without the brackets and port that some proxies add. */
const addressIn = (entry: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\w+)?|([\d.]+):\w+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return ipaddr.isValid(address) ? address : undefined
}

/** Splits at a separator, except in quoted text; undefined if a quote is not closed. */
const partsOf = (text: string, separator: string): readonly string[] | undefined => {
  const parts: string[] = []
  let [begin, isQuoted] = [0, false]
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(begin, index))
      begin = index + 1
    }
  }
  return isQuoted ? undefined : [...parts, text.slice(begin)]
}

const senderOf = (element: string): string => {
  for (const parameter of partsOf(element, ';') ?? []) {
    const [name = '', ...value] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'for') continue
    return value
      .join('=')
      .trim()
      .replace(/^"(.*)"$/s, '$1')
  }
  return ''
}

/** The `for` of each element of `Forwarded` (RFC 7239); empty if quotes are unbalanced. */
const forwardedIn = (header: string): readonly string[] =>
  (partsOf(header, ',') ?? []).map(senderOf)

type Header = (name: string) => string | undefined

/** Notified of sender information in a request that is not trusted. */
type Watch = {
  readonly isTold: () => boolean
  /** Sent by an untrusted peer. */
  readonly seen: (peer: string | undefined) => void
  /** Sent by a trusted proxy, in two headers that differ. */
  readonly differs: (peer: string) => void
}

const isForwarded = (header: Header): boolean =>
  header('x-forwarded-for') !== undefined || header('forwarded') !== undefined

/** Nearest first, up to the first entry that is not an address. */
const addressesIn = (entries: readonly string[]): readonly string[] => {
  const addresses = entries.map((entry) => addressIn(entry.trim())).reverse()
  const end = addresses.indexOf(undefined)
  return (end < 0 ? addresses : addresses.slice(0, end)) as readonly string[]
}

const isSame = (one: string, other: string | undefined): boolean =>
  other !== undefined && ipaddr.process(one).toString() === ipaddr.process(other).toString()

/**
 * The sender in the headers. If two headers differ, the client may have forged one, so both must
 * agree.
 */
const named = (header: Header) => {
  const [listed, elements] = [header('x-forwarded-for'), header('forwarded')]
  const first = listed === undefined ? undefined : addressesIn(listed.split(','))
  const second = elements === undefined ? undefined : addressesIn(forwardedIn(elements))
  if (!first || !second) return { senders: first ?? second ?? [], differ: false }
  const apart = first.findIndex((address, index) => !isSame(address, second[index]))
  const differ = apart >= 0 || first.length !== second.length
  return { senders: apart < 0 ? first : first.slice(0, apart), differ }
}

/**
 * The client's address behind trusted proxies: the last address in `X-Forwarded-For` or `Forwarded`
 * that is not a trusted proxy. Earlier entries may be forged.
 */
export const makeClientAddress =
  (trusted: readonly string[], watch?: Watch) =>
  (peer: string | undefined, header: Header): string | undefined => {
    const isTrusted = (address: string): boolean =>
      trusted.some((network) => isWithin(address, network))
    if (peer === undefined || !isTrusted(peer)) {
      if (watch && !watch.isTold() && isForwarded(header)) watch.seen(peer)
      return peer
    }
    const { senders, differ } = named(header)
    if (differ) watch?.differs(peer)
    return senders.find((address) => !isTrusted(address)) ?? senders.at(-1) ?? peer
  }
