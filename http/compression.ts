import { aside } from '../application/machine.ts'
import type { Reply } from './replies.ts'

type RequestFacts = {
  readonly method: string
  readonly header: (name: string) => string | undefined
  readonly hasQuery: boolean
}

/** In bytes or characters; less is not worth it. */
const leastSize = 1024

/** The JSON of the interface is not among them: programs are near, processor time is not. */
const texts =
  /^(?:text\/(?:html|css|javascript|csv|plain)|application\/(?:json|jsonl)|image\/svg\+xml)(?:;|$)/

const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/

const isPublic = ({ headers }: Reply): boolean =>
  (headers['Cache-Control'] ?? '').startsWith('public')

/**
 * Whether the size of an answer could tell what is secret in it (BREACH): that takes another site
 * that has a browser ask with its cookies, again and again, for an answer with text of that site.
 * So pages are compressed when no other site asks; one with a query, which may stand in the page,
 * only when it is opened and not when a script fetches it again. Tokens of forms differ each time.
 */
const tellsNothing = ({ header, hasQuery }: RequestFacts, reply: Reply): boolean => {
  if (isPublic(reply) || header('cookie') === undefined) return true
  const site = header('sec-fetch-site')
  if (site !== 'same-origin' && site !== 'none') return false
  return !hasQuery || header('sec-fetch-dest') === 'document'
}

const zip = (stream: ReadableStream): ReadableStream =>
  stream.pipeThrough(new CompressionStream('gzip'))

const zipped = (body: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  aside(async () => {
    const stream = zip(new Blob([body]).stream())
    return new Uint8Array(await new Response(stream).arrayBuffer())
  })

/** Files are the same bytes for all; each is compressed once. */
const files = new WeakMap<Uint8Array, Promise<Uint8Array<ArrayBuffer>>>()

const fileZipped = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const known = files.get(bytes) ?? zipped(bytes)
  files.set(bytes, known)
  return known
}

const bodyZipped = async (
  body: NonNullable<Reply['body']>,
): Promise<NonNullable<Reply['body']>> => {
  if (body instanceof ReadableStream) return zip(body)
  return typeof body === 'string' ? zipped(body) : fileZipped(body)
}

const isSmall = (body: NonNullable<Reply['body']>): boolean =>
  !(body instanceof ReadableStream) && body.length < leastSize

/** The same answer, compressed where that is worth it and tells nothing. */
export const compressed = async (request: RequestFacts, reply: Reply): Promise<Reply> => {
  const { headers, body } = reply
  if (request.method !== 'GET' || body === null || isSmall(body)) return reply
  const vary = [headers['Vary'], 'Accept-Encoding'].filter(Boolean).join(', ')
  const varied = { ...reply, headers: { ...headers, Vary: vary } }
  if (!takesGzip.test(request.header('accept-encoding') ?? '')) return varied
  if (!tellsNothing(request, reply)) return varied
  return {
    ...varied,
    headers: { ...varied.headers, 'Content-Encoding': 'gzip' },
    body: await bodyZipped(body),
  }
}

/** Whether an answer is a text that may be compressed. */
export const isText = ({ headers }: Reply): boolean => texts.test(headers['Content-Type'] ?? '')
