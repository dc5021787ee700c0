import { StoreUnavailable } from '../application/event-store.ts'
import type { Freshness } from '../application/freshness.ts'
import { compiled } from '../domain/compiled.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Names } from './assets.ts'
import {
  answerTo,
  answerToMalformed,
  Malformed,
  RequestError,
  type ErrorAnswer,
  type ErrorStatus,
} from './errors.ts'
import { answerToRefusal } from './refusal-answers.ts'
import type { Created, Found, OwnErrors, RawReply, Route } from './route.ts'

type Headers = Readonly<Record<string, string>>

export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream | null
  /** `Set-Cookie` values, the only header that repeats. */
  readonly cookies?: readonly string[]
  readonly refused?: RawReply['refused']
}

/** Of every answer in production: they come over TLS, as what they say they are. */
export const headersOfAll = (isSecure: boolean): Headers =>
  isSecure
    ? {
        'Strict-Transport-Security': 'max-age=31536000',
        'X-Content-Type-Options': 'nosniff',
        // Of what is no page; pages have their own.
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      }
    : {}

type NoRequestNeeds = {
  readonly names: Names
  readonly isSecure: boolean
  readonly newId: () => string
  readonly freshness: Pick<Freshness, 'known'>
}

/** The answers to bytes that are not valid HTTP. */
export const answersToNoRequest =
  ({ names, isSecure, newId, freshness }: NoRequestNeeds) =>
  (wrong: ErrorStatus, description: string) => {
    const { status, body } = answerTo(wrong, description)
    const headers = {
      ...headersOfAll(isSecure),
      'X-Request-Id': newId(),
      'Content-Type': names.json,
      [names.position]: String(freshness.known()),
    }
    return { status, headers, body: JSON.stringify(body) }
  }

type Needs = {
  readonly names: Names
  /** Whether a dependency failed. */
  readonly isOutage: (error: unknown) => boolean
  /** Called with unexpected errors and outages. */
  readonly onBug: (error: unknown, requestId: string) => void
}

/** Answers may hold personal data or tokens, so no cache keeps them (RFC 6749, 5.1). */
const notKept = { 'Cache-Control': 'no-store' }

const isOpen = ({ access, guard }: Route): boolean => access === 'OPEN' && guard === undefined

/** Turns results and errors into replies. */
export const makeReplies = ({ names, isOutage, onBug }: Needs) => {
  const json = (status: number, value: unknown, headers?: Headers): Reply => ({
    status,
    headers: { 'Content-Type': names.json, ...headers },
    body: JSON.stringify(value),
  })

  const succeed = (route: Route, answer: unknown): Reply => {
    const { success, reply } = route
    const encode = (value: unknown): unknown => (reply ? compiled(reply).parse(value) : value)
    const kept = isOpen(route) ? {} : notKept
    switch (success) {
      case 'value or nothing':
        if (answer === undefined) return { status: 204, headers: {}, body: null }
        return json(200, encode(answer), kept)
      case 'value':
        return json(200, encode(answer), kept)
      case 'created': {
        const { location: Location, value } = answer as Created
        return json(201, encode(value), { Location, ...kept })
      }
      case 'found':
        return { status: 302, headers: { Location: (answer as Found).location }, body: null }
      case 'nothing':
        return { status: 204, headers: {}, body: null }
      case 'raw':
      case 'raw otherwise': {
        const { status = 200, type, body, headers, cookies, refused } = answer as RawReply
        const all = { ...route.headers, ...headers, 'Content-Type': type }
        return {
          status,
          headers: all,
          body,
          ...(cookies && { cookies }),
          ...(refused && { refused }),
        }
      }
    }
  }

  const failWith = (error: unknown, requestId: string, own?: OwnErrors): Reply => {
    const fail = ({ status, body, headers }: ErrorAnswer): Reply => {
      if (!own?.tell) return json(status, body, headers)
      const ownBody = own.tell(status, body.error_description ?? '')
      const all = { ...headers, 'Content-Type': own.type, ...own.headers }
      return { status, headers: all, body: JSON.stringify(ownBody) }
    }
    if (error instanceof Refusal) return fail(answerToRefusal(error))
    if (error instanceof Malformed) return fail(answerToMalformed(error))
    if (error instanceof RequestError) {
      const { status, body } = answerTo(error.status, error.message)
      const { details, headers } = error
      return fail({ status, body: { ...body, error_details: details }, headers })
    }
    const isAway = error instanceof StoreUnavailable
    if (!isAway) onBug(error, requestId)
    if (isAway || isOutage(error)) {
      const description = isAway
        ? 'The store cannot be reached just now. Please try again.'
        : `A file of the service cannot be used. Please tell whoever runs it this id: ${requestId}.`
      return fail({ ...answerTo(503, description), headers: { 'Retry-After': '1' } })
    }
    return fail(answerTo(500, `An error of ours. Please tell us this id: ${requestId}.`))
  }

  return { succeed, failWith }
}
