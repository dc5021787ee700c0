import type { HonoRequest } from 'hono'
import type { z } from 'zod'
import type { MaybePromise } from '../application/maybe-promise.ts'
import type { Names } from './brand.ts'
import { checked } from './checking.ts'
import { RequestError } from './errors.ts'
import { inexactNumber, readJson } from './exact-json.ts'
import { withoutNothing } from './nothing.ts'
import type { Route } from './route.ts'

/** Bytes. */
const largestBody = 1_048_576
/** Before anybody has shown who it is. */
const largestOpenBody = 16_384

export const largestBodyOf = ({ access, upload }: Pick<Route, 'access' | 'upload'>): number =>
  upload?.largest ?? (access === 'OPEN' ? largestOpenBody : largestBody)

/** Bytes. Larger bodies are limited in number. */
export const smallBody = 65_536

/**
 * Read and discard so many times the limit, so that the sender gets the answer and keeps its
 * connection.
 */
const unkeptTimes = 64

const refuseSize = (largest: number): never => {
  throw new RequestError(413, `The body is larger than ${largest} bytes.`)
}

/** Runs the reading of a large body when a slot is free. */
export type InTurn = (work: () => Promise<void>) => Promise<void>

const collect = async (
  stream: ReadableStream<Uint8Array>,
  largest: number,
  inTurn: InTurn,
): Promise<Uint8Array> => {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let isAll = false
  const readUntil = async (enough: number): Promise<void> => {
    while (!isAll && size <= enough) {
      const { done, value } = await reader.read()
      isAll = done
      size += value?.byteLength ?? 0
      if (value && size <= largest) chunks.push(value)
    }
  }
  try {
    await readUntil(smallBody)
    if (!isAll) await inTurn(() => readUntil(unkeptTimes * largest))
  } finally {
    if (!isAll) await reader.cancel()
  }
  return size <= largest ? Buffer.concat(chunks) : refuseSize(largest)
}

/** Node's request; empty when the app is called without a socket. */
export type Incoming = {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly complete?: boolean
  readonly readableLength?: number
  read?(size: number): Uint8Array | null
}

/** Reads Node's parsed headers when there; a look-up in `Headers` is slower. */
export const headerOf = (
  request: HonoRequest,
  { headers }: Incoming,
  name: string,
): string | undefined => {
  if (!headers) return request.header(name)
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/** Waits for the rest of a body. @throws RequestError 413, or 400 when it breaks off */
const receive = async (
  request: HonoRequest,
  hasLength: boolean,
  largest: number,
  inTurn: InTurn | undefined,
): Promise<Uint8Array> => {
  try {
    if (hasLength && !inTurn) return new Uint8Array(await request.arrayBuffer())
    const stream = request.raw.body
    return stream ? await collect(stream, largest, inTurn ?? ((work) => work())) : new Uint8Array()
  } catch (error) {
    if (error instanceof RequestError) throw error
    throw new RequestError(400, 'The body broke off.')
  }
}

/**
 * The body of a request; one larger than `smallBody` waits for its turn.
 * @throws RequestError 413, 415, or 400 when it breaks off
 */
export const readBody = (
  request: HonoRequest,
  incoming: Incoming,
  largest: number,
  inTurn?: InTurn,
): MaybePromise<Uint8Array> => {
  const length = headerOf(request, incoming, 'content-length')
  if (length !== undefined && Number(length) > largest) return refuseSize(largest)
  const coding = headerOf(request, incoming, 'content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new RequestError(415, `The body must come as it is, not in the coding ${coding}.`)
  // With a length there are no chunks: Node refuses both together.
  const transfer =
    length === undefined ? headerOf(request, incoming, 'transfer-encoding') : undefined
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new RequestError(400, `A body may come in chunks, not in the coding ${transfer}.`)
  // A small body usually arrives with its headers.
  const size = Number(length)
  const isHere = incoming.complete && incoming.readableLength === size
  // Without a size Node 26 returns the first chunk only.
  const body = isHere ? incoming.read?.(size) : null
  return body ?? receive(request, length !== undefined, largest, inTurn)
}

const formType = 'application/x-www-form-urlencoded'

const jsonType = 'application/json'

const mediaTypeOf = (header: string): string =>
  header === jsonType ? header : (header.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a route takes this body as a form. */
export const isForm = (
  { takesForm }: Pick<Route, 'takesForm'>,
  contentType: string | undefined,
): boolean => (takesForm === 'or JSON' ? mediaTypeOf(contentType ?? '') === formType : takesForm)

const parseObject = (body: Uint8Array): unknown => {
  const read = readJson(body)
  if ('problem' in read) throw new RequestError(400, `The body ${read.problem}.`)
  const { value } = read
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && inexactNumber(value) === undefined) return value
  throw new RequestError(400, 'The body must be a JSON object.')
}

/** Parses JSON; the schema checks it later. @throws RequestError 415, 400; Malformed */
export const parseBody = (
  schema: z.ZodType,
  body: Uint8Array,
  contentType: string | undefined,
  names: Names,
): unknown => {
  const type = contentType === undefined ? undefined : mediaTypeOf(contentType)
  if (body.byteLength > 0 && type !== jsonType && type !== names.json.toLowerCase())
    throw new RequestError(415, `The body must be application/json or ${names.json}.`)
  return checked(schema, body.byteLength === 0 ? {} : withoutNothing(schema, parseObject(body)))
}

const mostFields = 1_000

const countOf = (character: string, text: string): number => {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** Parses a form; repeated fields become arrays. @throws RequestError 415, 400; Malformed */
export const parseForm = (
  schema: z.ZodType,
  body: Uint8Array,
  contentType: string | undefined,
): unknown => {
  const type = contentType === undefined ? undefined : mediaTypeOf(contentType)
  if (body.byteLength > 0 && type !== formType)
    throw new RequestError(415, `The body must be ${formType}.`)
  const text = new TextDecoder().decode(body)
  if (countOf('&', text) >= mostFields)
    throw new RequestError(400, `A form has at most ${mostFields} fields.`)
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    if (before) before.push(value)
    else values.set(name, [value])
  }
  const fields = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all])
  return checked(schema, Object.fromEntries(fields))
}
