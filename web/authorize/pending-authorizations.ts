import { authorizations } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import {
  type Authorization,
  type RequestedAuthorization,
  isSignedInFor,
  type AuthorizationRequest,
} from '../../domain/people/authorization.ts'
import { isPartOf, type Scope } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { contextBy, type Call } from '../../http/call.ts'
import type { Throttle } from '../ui/fields.tsx'
import type { SessionNeeds, SignedIn, Visitor } from '../payer/session.tsx'
import type { ValidRequest } from './request.tsx'

/** An authorization request of a browser in which nobody has signed in yet. */
type WaitingPass = {
  readonly request: AuthorizationRequest
  readonly browserHash: string
  readonly qrHash: string
  readonly startedAt: Instant
  readonly expiresAt: Instant
}

/** Characters in all: the oldest make room, so that strangers fill no log and no memory. */
const largest = 32 * 1_048_576

/** As long as a recorded one. */
const lifetimeMs = 600_000

const sizeOf = ({ request }: WaitingPass): number => JSON.stringify(request).length + 500

/** Passes in memory until somebody has signed in; only then they are recorded. */
const makeWaitingPasses = () => {
  const passes = new Map<string, WaitingPass>()
  let size = 0

  const remove = (id: string): void => {
    const pass = passes.get(id)
    if (pass && passes.delete(id)) size -= sizeOf(pass)
  }

  const makeRoom = (at: Instant): void => {
    for (const [id, { expiresAt }] of passes) {
      if (size <= largest && at < expiresAt) return
      remove(id)
    }
  }

  return {
    find: (id: string): WaitingPass | undefined => passes.get(id),
    remove,
    /** Keeps the first of one id. */
    add: (
      id: string,
      pass: Pick<WaitingPass, 'request' | 'browserHash' | 'qrHash'>,
      at: Instant,
    ): WaitingPass => {
      const known = passes.get(id)
      if (known) return known
      const added = { ...pass, startedAt: at, expiresAt: at + lifetimeMs }
      passes.set(id, added)
      size += sizeOf(added)
      makeRoom(at)
      return added
    },
  }
}

export type AuthorizationPassNeeds = Pick<
  SessionNeeds,
  'derive' | 'newToken' | 'digestOf' | 'isSameText'
> & {
  readonly handle: Handle
  readonly find: Find
  readonly subjectOf: (payer: string, merchant: string) => string
  readonly findConsent: (
    payer: string,
    client: string,
  ) => { readonly scope: readonly Scope[] } | undefined
  /** Counts passes by payer, whose each is stored for good, or by address. */
  readonly passThrottle: Throttle
}

const asRequested = ({ request, browserHash, qrHash, expiresAt }: WaitingPass) => ({
  ...({ status: 'requested', request, browserHash, qrHash, expiresAt } as const),
  payer: null,
  scope: [],
  signedInAt: null,
  code: null,
  permissions: null,
})

/** The last part says where the code was shown. */
const codePattern = /^([0-9a-f]{32})([\w-]{43})(?:\.[\w-]+)?$/

/** Records of passes through the authorization endpoint. */
export const authorizationPasses = (needs: AuthorizationPassNeeds) => {
  const { handle, find, derive, newToken, digestOf, isSameText, passThrottle } = needs

  /**
   * A pass's id derives from browser, request and a number: the same page always finds the same
   * record, and ids cannot be guessed.
   */
  const nameOf = ({ browser }: Visitor, query: URLSearchParams) => {
    const id = Buffer.from(derive('authorization', browser, query.toString()), 'base64url')
      .toString('hex')
      .slice(0, 32)
    // Derived with a salt, so the displayed code does not reveal the login cookie.
    return { id, qr: id + derive('qr', browser, id) }
  }

  const numbered = (query: URLSearchParams): URLSearchParams => {
    const pass = new URLSearchParams(query)
    if (!pass.has('attempt')) pass.set('attempt', newToken().token)
    return pass
  }

  const waiting = makeWaitingPasses()

  const recorded = (found: Authorization): RequestedAuthorization =>
    found.status === 'unrequested' ? refuse('resource_is_unknown') : found

  /** Recorded, or waiting for somebody to sign in. */
  const lookUp = async (id: string): Promise<Authorization> => {
    const found = await find(authorizations, id)
    const pass = found.status === 'unrequested' ? waiting.find(id) : undefined
    return pass ? asRequested(pass) : found
  }

  /** The request as a new pass: the last one was answered or has expired. */
  const renewed = (query: URLSearchParams): URLSearchParams => {
    const pass = new URLSearchParams(query)
    pass.delete('attempt')
    return numbered(pass)
  }

  /** This pass, or a new one when it has expired. */
  const current = async (
    visitor: Visitor,
    query: URLSearchParams,
    at: Instant,
  ): Promise<URLSearchParams> => {
    if (!query.has('attempt')) return numbered(query)
    const found = await lookUp(nameOf(visitor, query).id)
    return found.status === 'requested' && at >= found.expiresAt ? renewed(query) : query
  }

  /** Records a pass, once somebody has signed in. */
  const store = async (
    id: string,
    { startedAt, expiresAt: _, ...asked }: WaitingPass,
    call: Call,
  ) => {
    const { client, merchant } = asked.request
    const command = { type: 'RequestAuthorization', at: startedAt, ...asked } as const
    const context = contextBy(call, `client:${client}`, merchant)
    const { state } = await handle(authorizations, id, command, context)
    waiting.remove(id)
    return recorded(state)
  }

  /** Remembers the pass: in the log for a payer who is signed in, else in memory. */
  const record = async (
    visitor: Visitor,
    query: URLSearchParams,
    { request }: ValidRequest,
    call: Call,
  ): Promise<{ readonly id: string; readonly known: RequestedAuthorization }> => {
    const { id, qr } = nameOf(visitor, query)
    const { at } = call
    const { session } = visitor
    const found = await find(authorizations, id)
    if (found.status !== 'unrequested') return { id, known: found }
    if (session || !waiting.find(id)) {
      const counted = session ? `payer:${session.payer}` : (call.request.remoteAddress ?? '')
      passThrottle.check(counted, at)
      passThrottle.count(counted, at)
    }
    const browserHash = digestOf(visitor.browser)
    const qrHash = digestOf(qr.slice(32))
    const pass = waiting.add(id, { request, browserHash, qrHash }, at)
    return { id, known: session ? await store(id, pass, call) : asRequested(pass) }
  }

  /** Before a payer answers it. */
  const settle = async (id: string, call: Call): Promise<void> => {
    const pass = waiting.find(id)
    if (pass) await store(id, pass, call)
  }

  /** Whether the payer is the one whom the application asked for, if any. */
  const isMeant = (payer: string, { subject, merchant }: AuthorizationRequest): boolean =>
    subject === undefined || subject === needs.subjectOf(payer, merchant)

  /** Whether the session satisfies the request without a new sign-in. */
  const canBeAnsweredBy = (
    { payer, startedAt }: SignedIn['session'],
    request: AuthorizationRequest,
  ): boolean => isSignedInFor(request, startedAt) && isMeant(payer, request)

  /** Whether a standing consent covers the whole request (interface 11). */
  const isCovered = (payer: string, { client, scope }: AuthorizationRequest): boolean => {
    const consent = needs.findConsent(payer, client)
    return consent !== undefined && isPartOf(scope, consent.scope)
  }

  /** @throws Refusal when there is none */
  const findRecorded = async (id: string) => recorded(await lookUp(id))

  /** The pass of a scanned code. @throws Refusal */
  const ofCode = async (code: string) => {
    const [, id = '', secret = ''] = codePattern.exec(code) ?? refuse('resource_is_unknown')
    const known = await findRecorded(id)
    return isSameText(digestOf(secret), known.qrHash)
      ? { id, known }
      : refuse('resource_is_unknown')
  }

  return {
    nameOf,
    numbered,
    renewed,
    current,
    record,
    isMeant,
    canBeAnsweredBy,
    isCovered,
    settle,
    find: findRecorded,
    ofCode,
  }
}

export type AuthorizationPasses = ReturnType<typeof authorizationPasses>
