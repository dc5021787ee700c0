import type { HonoRequest } from 'hono'
import type { z } from 'zod'
import type { Names } from './brand.ts'
import { malformed, RequestError } from './errors.ts'

const largestBody = 1_048_576

/** In bytes: of larger bodies few are kept or worked on at the same time, wherever nobody has a right to more. */
export const smallBody = 65_536

/** What is too large is read on so far, so that its sender hears the answer and can go on with the connection. */
const unkeptTimes = 64

const refuseSize = (largest: number): never => {
  throw new RequestError(413, `The body is larger than ${largest} bytes.`)
}

/** What of a body has come is read at once; what is more than a small one is read when it is its turn. */
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

/** A request as the server receives it: what has come of its body, and whether that is all; nothing without a socket. */
export type Incoming = {
  readonly complete?: boolean
  readonly readableLength?: number
  read?(size: number): Uint8Array | null
}

/**
 * The body of a request, at most 1 MiB unless told otherwise; all of it at once, or more than a small one in its turn.
 * @throws RequestError 413, 415, or 400 when it breaks off
 */
export const readBody = async (
  request: HonoRequest,
  incoming: Incoming,
  largest: number = largestBody,
  inTurn?: InTurn,
): Promise<Uint8Array> => {
  const length = request.header('content-length')
  if (length !== undefined && Number(length) > largest) return refuseSize(largest)
  const coding = request.header('content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new RequestError(415, `The body must come as it is, not in the coding ${coding}.`)
  const transfer = request.header('transfer-encoding')
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new RequestError(400, `A body may come in chunks, not in the coding ${transfer}.`)
  // A small body comes along with its head: by the turn of its request it is there, and need not be listened for.
  const size = Number(length)
  const isHere = incoming.complete && incoming.readableLength === size
  // Asked for no size, Node 26 gives the first chunk only.
  const body = isHere ? incoming.read?.(size) : null
  if (body) return body
  try {
    if (length !== undefined && !inTurn) return new Uint8Array(await request.arrayBuffer())
    const stream = request.raw.body
    return stream ? await collect(stream, largest, inTurn ?? ((work) => work())) : new Uint8Array()
  } catch (error) {
    if (error instanceof RequestError) throw error
    throw new RequestError(400, 'The body broke off.')
  }
}

const formType = 'application/x-www-form-urlencoded'

const jsonType = 'application/json'

const mediaTypeOf = (header: string): string =>
  header === jsonType ? header : (header.split(';')[0] ?? '').trim().toLowerCase()

/** An escape; in the group, what is half of a surrogate pair, and so no text. */
const escapes = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)/gs

const hasHalfPair = (text: string): boolean => {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false
  for (const [, half] of text.matchAll(escapes)) if (half !== undefined) return true
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strings and numbers of JSON, of which only the numbers are in the group. */
const scalars = /"(?:[^"\\]+|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/** Without the zeros that end its decimals. An expression would look from every zero on, and of these there may be a million. */
const withoutEndingZeros = (number: string): string => {
  if (!number.includes('.')) return number
  let end = number.length
  while (number[end - 1] === '0') end -= 1
  return number.slice(0, number[end - 1] === '.' ? end - 1 : end)
}

/** Whether a number is read as it is written, zeros at the end apart. */
const isExact = (number: string): boolean => String(Number(number)) === withoutEndingZeros(number)

/** The member that holds an inexact number as it is written: half of a surrogate pair, so that nobody can send it. */
const inexact = '\ud800'

/** The text of a number that `readJson` could not read exactly; undefined for any other value. */
export const inexactNumber = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || !(inexact in value)) return undefined
  return String(value[inexact])
}

/** JSON whose inexact numbers stay as written, those with an exponent too: as amounts they are none (decisions 2). @throws SyntaxError */
const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d[eE]|\d[\d.]{15}/.test(text)) return value
  const exact = text.replace(scalars, (scalar, number?: string) =>
    number === undefined || isExact(number) ? scalar : `{"${inexact}":"${number}"}`,
  )
  return exact === text ? value : JSON.parse(exact)
}

/** JSON in UTF-8, of which `inexactNumber` knows the numbers that are not exact; undefined when it is none. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    const text = utf8.decode(bytes)
    return hasHalfPair(text) ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}

const parseObject = (body: Uint8Array): unknown => {
  const value = readJson(body)
  if (value === undefined) throw new RequestError(400, 'The body is no valid JSON.')
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && inexactNumber(value) === undefined) return value
  throw new RequestError(400, 'The body must be a JSON object.')
}

/** The body as JSON, which the schema then checks. @throws RequestError 415, 400; Malformed */
export const parseBody = (
  schema: z.ZodType,
  body: Uint8Array,
  contentType: string | undefined,
  names: Names,
): unknown => {
  const type = contentType === undefined ? undefined : mediaTypeOf(contentType)
  if (body.byteLength > 0 && type !== jsonType && type !== names.json.toLowerCase())
    throw new RequestError(415, `The body must be application/json or ${names.json}.`)
  return checked(schema, body.byteLength === 0 ? {} : parseObject(body))
}

const mostFields = 1_000

const countOf = (character: string, text: string): number => {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** The body as a form, whose repeated fields become arrays. @throws RequestError 415, 400; Malformed */
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

/** What is said of a value in words of our own, for the checker would speak of what only we know. */
const reworded = (issue: { readonly input?: unknown; readonly expected?: unknown }) => {
  if (issue.input === undefined) return 'Is required.'
  return inexactNumber(issue.input) !== undefined && typeof issue.expected === 'string'
    ? `Invalid input: expected ${issue.expected}, received number`
    : undefined
}

/** Whoever makes more mistakes than that is told in the words of the checker, which need no second look. */
const mostReworded = 1_000

/** @throws Malformed */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  if (result.error.issues.length > mostReworded) throw malformed(result.error)
  // Words of our own cost every request dearly, and only a refused one reads them.
  throw malformed(schema.safeParse(value, { error: reworded }).error ?? result.error)
}
