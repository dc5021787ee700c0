import { errorOf, NoAnswer, type DaybookError, type Refusal } from './errors.ts'
import { retryAfter } from './retries.ts'

/** What a good answer holds, or where it leads. */
export type Answer = { readonly body: any; readonly leadsTo?: string | undefined }

type Attempt = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData | undefined
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
export const attempt = async (given: Attempt): Promise<Answer | DaybookError> => {
  const { method, url, headers, body, timeout, signal, now } = given
  const request = `${method} ${new URL(url).pathname}`
  const ask = async (limit: AbortSignal): Promise<Answer | DaybookError> => {
    const init = { method, headers, redirect: 'manual', signal: limit } as const
    const response = await fetch(url, { ...init, ...(body !== undefined && { body }) })
    const { status, statusText: error_description, headers: told, ok } = response
    const answered = await bodyOf(response)
    if (ok) return { body: answered }
    const leadsTo = told.get('location') ?? undefined
    if (status === 302 && method === 'GET' && leadsTo) return { body: undefined, leadsTo }
    return errorOf({
      ...{ request, status, error_type: null, error_description, error_details: null },
      request_id: told.get('x-request-id'),
      retry_after: retryAfter(told.get('retry-after'), now()),
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
