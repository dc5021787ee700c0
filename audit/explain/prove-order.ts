import { integrators, payers, staffs, users } from '../../domain/aggregates.ts'
import type { SignedOrder } from '../../domain/cause.ts'
import type { Recorded } from '../../domain/events.ts'
import { isStaffActor, staffActor } from '../../domain/merchant/staff.ts'
import { streamOf, within } from '../../domain/stream.ts'
import { formatDateTime } from '../../application/date-time.ts'
import type { EventStore } from '../../application/event-store.ts'
import { historyOf } from '../../application/find-state.ts'
import type { Check } from './needs.ts'
import { checkBody, readSignedText, type SignedText } from './ordered-body.ts'

export type OrderProof = {
  readonly holds: boolean
  readonly verdict: string
  readonly checks: readonly Check[]
  readonly order?: SignedOrder & Partial<SignedText> & { readonly public_key?: string }
}

type Needs = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly verifySignature: (publicKey: string, text: string, signature: string) => boolean
  readonly fingerprint: (publicKey: string) => string
  readonly contentDigest: (body: Uint8Array) => string
}

type RegisteredKey = { readonly pem: string; readonly position: number; readonly at: number }

const ownerOf = ({ metadata: { actor, merchant } }: Recorded): string | undefined => {
  const [, kind, id = ''] = /^(user|integrator):(.*)$/s.exec(actor) ?? []
  if (kind === 'integrator') return streamOf(integrators, encodeURIComponent(id))
  return kind === 'user' && merchant !== null ? streamOf(users, within(merchant, id)) : undefined
}

/** The owner's key when the event was recorded, and since when. */
const keyAt = async (
  { store }: Needs,
  owner: string,
  end: number,
): Promise<RegisteredKey | undefined> => {
  let key: RegisteredKey | undefined
  for await (const events of historyOf(store, owner))
    for (const { type, data, position, metadata } of events) {
      if (position >= end) return key
      const pem = 'publicKey' in data ? data.publicKey : undefined
      if (pem === null || type.endsWith('Removed')) key = undefined
      else if (typeof pem === 'string' && pem !== key?.pem) key = { pem, position, at: metadata.at }
    }
  return key
}

const checkKey = (
  { fingerprint, verifySignature }: Needs,
  { metadata: { actor } }: Recorded,
  { key, text, signature }: SignedOrder,
  registered: RegisteredKey | undefined,
): readonly Check[] => {
  if (!registered) return [{ holds: false, says: `${actor} had no key when this was recorded` }]
  const { pem, position, at } = registered
  const isKey = fingerprint(pem) === key
  const since = `registered on ${formatDateTime(at)} by event ${position}`
  const isRight = verifySignature(pem, text, signature)
  const itsKey = `the one of ${actor} at that time`
  return [
    {
      holds: isKey,
      says: isKey
        ? `the key ${key} is ${itsKey}, ${since}`
        : `the key ${key} is not ${itsKey}, which was ${fingerprint(pem)}, ${since}`,
    },
    {
      holds: isRight,
      says: isRight
        ? 'the signature is right: whoever holds the private key has signed this text'
        : 'the signature is not one of that key over this text',
    },
  ]
}

const checkText = (
  { metadata: { actor, merchant } }: Recorded,
  { method, url, ...signed }: SignedText,
): Check => {
  const holds = signed.actor === actor && (signed.merchant ?? '') === (merchant ?? '')
  const who = `${signed.actor} of merchant ${signed.merchant ?? '(none)'}`
  const when = `with the timestamp ${signed.timestamp} (UTC)`
  const says = `what was signed is ${method} ${url} by ${who}, ${when}`
  const other = `${says}; the event says ${actor} of ${merchant ?? 'no merchant'}`
  return { holds, says: holds ? says : other }
}

const verdictOf = ({ type, metadata }: Recorded, checks: readonly Check[]): string => {
  const who = `${metadata.actor} of ${metadata.merchant ?? 'no merchant'}`
  if (checks.some(({ holds }) => holds === false))
    return `not proved: it cannot be shown from this event that ${who} ordered ${type}`
  if (checks.some(({ holds }) => holds === null))
    return `proved in part: ${who} has signed this request; its body is not kept`
  return `proved: ${who} ordered ${type}; only the holder of that private key can have signed it`
}

const unsigned = ({ metadata: { from, operator, actor } }: Recorded): string => {
  if (from !== undefined) return `${actor} gave a secret, which proves nothing to others`
  if (operator) return `${operator.account} ran a command on ${operator.machine}`
  return `${actor} signed nothing, or the event is older than such proofs`
}

const eventIn = async (
  { store }: Needs,
  stream: string,
  is: (event: Recorded) => boolean,
): Promise<Recorded | undefined> => {
  for await (const events of historyOf(store, stream)) {
    const found = events.find(is)
    if (found) return found
  }
  return undefined
}

/** Of the portal, where nobody signs; a one-time code that was given with it is in the log. */
const orderedInPortal = async (
  needs: Needs,
  { metadata: { actor, merchant, correlationId }, position }: Recorded,
): Promise<OrderProof> => {
  const verdict = `not signed: ordered in the portal by ${actor}`
  const member = await eventIn(
    needs,
    streamOf(staffs, merchant ?? ''),
    ({ data }) => 'person' in data && 'member' in data && staffActor(data.member) === actor,
  )
  const person = member && 'person' in member.data ? member.data.person : undefined
  const code =
    typeof person === 'string'
      ? await eventIn(
          needs,
          streamOf(payers, person),
          ({ type, metadata, ...event }) =>
            type === 'PayerCodeConfirmed' &&
            metadata.correlationId === correlationId &&
            event.position < position,
        )
      : undefined
  if (!code)
    return {
      holds: false,
      verdict,
      checks: [{ holds: null, says: 'no one-time code was given with the same request' }],
    }
  const when = formatDateTime(code.metadata.at)
  const says = `${actor} gave a right one-time code with the same request: event ${code.position}`
  return {
    holds: false,
    verdict: `${verdict}, with a one-time code at ${when}`,
    checks: [{ holds: true, says }],
  }
}

/** Shows, from the log alone, that the caller named by an event signed the request for it. */
export const proveOrder = async (
  needs: Needs,
  event: Recorded,
  /** The request body, for an event that does not keep it. */
  body?: string,
): Promise<OrderProof> => {
  const { signed } = event.metadata
  const owner = ownerOf(event)
  if (!signed && isStaffActor(event.metadata.actor)) return orderedInPortal(needs, event)
  if (!signed || owner === undefined) {
    const says = unsigned(event)
    return { holds: false, verdict: `no proof: ${says}`, checks: [{ holds: false, says }] }
  }
  const registered = await keyAt(needs, owner, event.position)
  const text = readSignedText(signed.text)
  const checks = [
    ...checkKey(needs, event, signed, registered),
    ...(text
      ? [checkText(event, text), ...(await checkBody(needs, event, text, signed.body ?? body))]
      : [{ holds: false, says: 'what was signed is not the text of a request' }]),
  ]
  return {
    holds: checks.every(({ holds }) => holds === true),
    verdict: verdictOf(event, checks),
    checks,
    order: { ...signed, ...text, ...(registered && { public_key: registered.pem }) },
  }
}
