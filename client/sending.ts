import { attempt } from './attempt.ts'
import { DaybookError, NotFound } from './errors.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { isPassing, machineClock, mayHaveHappened, pauseAfter } from './retries.ts'
import { makeSigner, type Headers } from './signing.ts'

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

const baseOf = (url: string): string => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(`${url} is not an http or https URL.`)
  const { origin, pathname, href } = new URL(url)
  if (href !== origin + pathname) throw new TypeError(`${url} has a query, a fragment or a user.`)
  return href.replace(/\/+$/, '')
}

/** Sends requests of one caller, again where that is safe. @throws TypeError for bad options */
export const makeSend = (given: ClientOptions) => {
  const base = baseOf(given.url)
  const { clock = machineClock } = given
  const signer = makeSigner(given)

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
    const { signal, timeout = given.timeout ?? 30_000 } = options
    const { attempts = given.attempts ?? 5, deadline = given.deadline ?? 120_000 } = options
    const body = request.body instanceof FormData ? request.body : JSON.stringify(request.body)
    const text = typeof body === 'string' ? body : ''
    const content = { ...(text !== '' && { 'Content-Type': 'application/json' }) }
    const sent = { method, url: urlOf(request), body, timeout, signal, now: clock.now }
    const until = clock.now() + deadline
    let signed = { at: -Infinity, headers: {} as Headers }
    let isDoubtful = false
    for (let count = 1; ; count++) {
      signal?.throwIfAborted()
      const at = clock.now()
      if (!isOpen && at - signed.at > freshMs)
        signed = { at, headers: signer(method, sent.url, text, at) }
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
