import ipaddr from 'ipaddr.js'
import { isWithin } from '../../infrastructure/networks.ts'

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
