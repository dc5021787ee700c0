import {
  DaybookError,
  NotFound,
  errorOf,
  NoAnswer,
  type Refusal,
  ServiceError,
  TooManyRequests,
  Unavailable,
} from './errors.ts'
import type { CallOptions, ClientOptions, Clock } from './options.ts'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

const machineClock: Clock = {
  now: Date.now,
  pause: (milliseconds, signal) =>
    delay(milliseconds, undefined, { ...(signal && { signal }) }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error
    }),
  random: Math.random,
}

/** Nothing was sent. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

const codesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return []
  const { code } = error as { code?: unknown }
  const inner = error instanceof AggregateError ? error.errors : []
  return [...(typeof code === 'string' ? [code] : []), ...[error.cause, ...inner].flatMap(codesOf)]
}

/** Whether the service may have done what it was asked for. */
const mayHaveHappened = (error: DaybookError): boolean =>
  error instanceof NoAnswer
    ? !codesOf(error).some((code) => unreached.has(code))
    : error instanceof Unavailable

/** Whether it may help to ask again. */
const isPassing = (error: DaybookError): boolean =>
  error instanceof NoAnswer || error instanceof TooManyRequests || error instanceof Unavailable

const firstPause = 250

const longestPause = 20_000

/** Milliseconds before the next attempt: longer each time, and another for each client. */
const pauseAfter = (attempt: number, error: DaybookError, { random }: Clock): number => {
  const full = Math.min(longestPause, firstPause * 2 ** (attempt - 1))
  const least = error instanceof ServiceError ? (error.retry_after ?? 0) : 0
  return Math.round(least + full * (0.5 + random() / 2))
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
const retryAfter = (text: string | null, now: number): number | null => {
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** What a good answer holds, or where it leads. */
type Answer = { readonly body: any; readonly leadsTo?: string | undefined }

type Attempt = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Payload | undefined
  /** Milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  readonly now: () => number
}

/** Runs with a signal that is aborted after a time, or with the other one. */
const within = async <T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController()
  const stop = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const tooLong = new Error(`none within ${milliseconds} ms`)
  const timer = setTimeout(() => controller.abort(tooLong), milliseconds)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** JSON as a value, text as text, the rest as bytes. */
const bodyOf = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? ''
  if (/[/+]json\b/.test(type)) return JSON.parse(await response.text())
  if (/^text\/|[/+]csv\b/.test(type)) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 ? undefined : bytes
}

/** As the service words errors; a proxy in between does not. */
const faultIn = (body: any): Partial<Refusal> | undefined => {
  if (typeof body?.error_type !== 'string') return undefined
  const { error_type, error_description, error_details } = body
  return { error_type, error_description, error_details }
}

/** Sends a request once. @throws the reason of the signal */
const attempt = async (sent: Attempt): Promise<Answer | DaybookError> => {
  const { method, url, headers, body, timeout, signal, now } = sent
  const request = `${method} ${new URL(url).pathname}`
  const ask = async (limit: AbortSignal): Promise<Answer | DaybookError> => {
    const init = { method, headers, redirect: 'manual', signal: limit } as const
    const response = await fetch(url, { ...init, ...(body !== undefined && { body }) })
    const { status, statusText: error_description, headers: responseHeaders, ok } = response
    const answered = await bodyOf(response)
    if (ok) return { body: answered }
    const leadsTo = responseHeaders.get('location') ?? undefined
    if (status === 302 && method === 'GET' && leadsTo) return { body: undefined, leadsTo }
    return errorOf({
      request,
      status,
      error_type: null,
      error_description,
      error_details: null,
      request_id: responseHeaders.get('x-request-id'),
      retry_after: retryAfter(responseHeaders.get('retry-after'), now()),
      ...faultIn(answered),
    })
  }
  try {
    return await within(timeout, signal, ask)
  } catch (cause) {
    signal?.throwIfAborted()
    return new NoAnswer(`${request}: no answer: ${String(cause)}`, { cause })
  }
}

type Headers = Readonly<Record<string, string>>

/** `METHOD|url|headers`: all headers with the prefix by name, as `NAME=value` joined with `&`. */
const stringToSign = (
  method: string,
  url: string,
  headers: Headers,
  prefix = 'X-Service',
): string => {
  const [, scheme = '', host = '', rest = ''] = /^(\w+):\/\/([^/]+)(.*)$/.exec(url) ?? []
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toUpperCase(), value] as const)
    .filter(([name]) => name.startsWith(`${prefix.toUpperCase()}-`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return `${method}|${scheme.toLowerCase()}://${host.toLowerCase()}${rest}|${signed.join('&')}`
}

const dateTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

type Payload = string | Uint8Array<ArrayBuffer>

type Signer = (method: string, url: string, body: Payload, at: number) => Headers

type Caller = Pick<
  ClientOptions,
  'merchant' | 'user' | 'integrator' | 'secret' | 'key' | 'headerPrefix'
>

/** The headers that tell who asks. @throws TypeError when it is not clear who that is */
const makeSigner = (caller: Caller): Signer => {
  const { merchant, user, integrator, secret, key, headerPrefix: prefix = 'X-Service' } = caller
  if ((user === undefined) === (integrator === undefined))
    throw new TypeError('Give the client a user or an integrator.')
  if ((secret === undefined) === (key === undefined))
    throw new TypeError('Give the client a secret or a key.')
  const who = {
    [`${prefix}-Merchant`]: merchant,
    ...(user !== undefined && { [`${prefix}-User`]: user }),
    ...(integrator !== undefined && { [`${prefix}-Integrator`]: integrator }),
  }
  if (key === undefined) {
    if (user === undefined) throw new TypeError('An integrator signs: give the client its key.')
    return () => ({ ...who, Authorization: `SECRET ${secret}` })
  }
  const privateKey = createPrivateKey(typeof key === 'string' ? key : Buffer.from(key))
  return (method, url, body, at) => {
    const headers = {
      ...who,
      [`${prefix}-Timestamp`]: dateTime(at),
      [`${prefix}-Content-Digest`]: `SHA256=${createHash('sha256').update(body).digest('base64')}`,
    }
    const text = Buffer.from(stringToSign(method, url, headers, prefix))
    const signature = sign('sha256', text, privateKey).toString('base64')
    return { ...headers, Authorization: `RSA-SHA256 ${signature}` }
  }
}

export type Request = {
  readonly method: string
  /** A path, or a full URL of the service. */
  readonly uri: string
  readonly body?: object | FormData | undefined
  /** A repeat would do it again. */
  readonly isMadeAnew?: boolean
  /** Sent without credentials. */
  readonly isOpen?: boolean
  readonly options?: CallOptions | undefined
}

/** A signature is sent again as it is while the service is sure to take it, and so counts once. */
const freshMs = 240_000

/** The bytes of a form are made once, so that its digest can be signed. */
const encode = async (
  body: Request['body'],
): Promise<{ readonly body: Payload | undefined; readonly type: string | undefined }> => {
  if (body === undefined) return { body, type: undefined }
  if (!(body instanceof FormData)) return { body: JSON.stringify(body), type: 'application/json' }
  const form = new Response(body)
  const type = form.headers.get('Content-Type') ?? undefined
  return { body: new Uint8Array(await form.arrayBuffer()), type }
}

const baseOf = (url: string): string => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(`${url} is not an http or https URL.`)
  const { origin, pathname, href } = new URL(url)
  if (href !== origin + pathname) throw new TypeError(`${url} has a query, a fragment or a user.`)
  return href.replace(/\/+$/, '')
}

/** Sends requests of one caller, again where that is safe. @throws TypeError for bad options */
export const makeSend = (about: ClientOptions) => {
  const base = baseOf(about.url)
  const { clock = machineClock } = about
  const signer = makeSigner(about)

  /** Credentials go nowhere else. */
  const urlOf = ({ method, uri, options }: Request): string => {
    const url = new URL(uri.startsWith('/') ? base + uri : uri)
    const { asOf } = options ?? {}
    const moment = asOf instanceof Date ? asOf.toISOString() : asOf
    if (moment !== undefined && method === 'GET') url.searchParams.set('as_of', String(moment))
    const { href } = url
    if (!href.startsWith(`${base}/`)) throw new TypeError(`${uri} is none of ${base}.`)
    return href
  }

  /** @throws ServiceError, NoAnswer; the reason of the signal */
  const send = async (request: Request): Promise<any> => {
    const { method, isOpen, options = {}, isMadeAnew } = request
    const { signal, timeout = about.timeout ?? 30_000 } = options
    const { attempts = about.attempts ?? 5, deadline = about.deadline ?? 120_000 } = options
    const { body, type } = await encode(request.body)
    const content = { ...(type !== undefined && { 'Content-Type': type }) }
    const sent = { method, url: urlOf(request), body, timeout, signal, now: clock.now }
    const until = clock.now() + deadline
    let signed = { at: -Infinity, headers: {} as Headers }
    let isDoubtful = false
    for (let count = 1; ; count++) {
      signal?.throwIfAborted()
      const at = clock.now()
      if (!isOpen && at - signed.at > freshMs)
        signed = { at, headers: signer(method, sent.url, body ?? '', at) }
      const answer = await attempt({ ...sent, headers: { ...signed.headers, ...content } })
      if (!(answer instanceof DaybookError)) {
        const { body: found, leadsTo: uri } = answer
        return uri === undefined ? found : send({ method, uri, options })
      }
      // An attempt before this one has deleted it.
      if (method === 'DELETE' && isDoubtful && answer instanceof NotFound) return undefined
      const pause = pauseAfter(count, answer, clock)
      const isSafe = !isMadeAnew || !mayHaveHappened(answer)
      const isInTime = count < attempts && clock.now() + pause <= until
      if (!isPassing(answer) || !isSafe || !isInTime) throw answer
      isDoubtful ||= mayHaveHappened(answer)
      await clock.pause(pause, signal)
    }
  }
  return send
}
