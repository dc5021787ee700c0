import { z } from 'zod'
import { withoutBlanks } from '../domain/blanks.ts'
import { RequestError } from './errors.ts'

export type Part = {
  readonly contentType: string
  /** Of its field, in a form of a page. */
  readonly name: string | null
  /** Of a file, as it was called where it comes from. */
  readonly fileName: string | null
  readonly content: Uint8Array
}

export const mostParts = 20

export const largestHeader = 4096

export const broken = (why: string) =>
  new RequestError(400, `The body is no valid multipart/form-data: ${why}.`)

/** @throws RequestError 415, 400 */
export const boundaryOf = (contentType: string | undefined): string => {
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw new RequestError(415, 'The body must be multipart/form-data.')
  for (const parameter of parameters) {
    const [, quoted, plain] = /^\s*boundary=(?:"([^"]+)"|([^\s"]+))\s*$/i.exec(parameter) ?? []
    const boundary = quoted ?? plain
    // RFC 2046, 5.1.1: at most 70 characters.
    if (boundary !== undefined && boundary.length <= 70) return boundary
  }
  throw broken('the Content-Type names no boundary')
}

export const headersOf = (text: string): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n').filter((line) => line !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw broken('a part has a malformed header')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

export const parameterIn = (header: string | undefined, name: string): string | null =>
  new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(header ?? '')?.[1] ?? null

export const partOf = (bytes: Buffer): Part => {
  // A part without headers starts with the empty line.
  const end = bytes.indexOf('\r\n') === 0 ? -2 : bytes.indexOf('\r\n\r\n')
  if (end === -1 || end > largestHeader) throw broken('a part has no end of its headers')
  const headers = headersOf(bytes.subarray(0, Math.max(0, end)).toString('utf8'))
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(encoding))
    throw broken(`a part is sent as ${encoding}, not as it is`)
  // RFC 7578, 4.4: the default.
  const contentType = headers.get('content-type') ?? 'text/plain'
  const disposition = headers.get('content-disposition')
  const [name, fileName] = ['name', 'filename'].map((one) => parameterIn(disposition, one))
  const content = bytes.subarray(end + 4)
  return { contentType, name: name ?? null, fileName: fileName ?? null, content }
}

/**
 * The parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1), at most 20.
 * @throws RequestError 400, 415
 */
export const partsOf = (body: Uint8Array, contentType: string | undefined): readonly Part[] => {
  const text = `\r\n--${boundaryOf(contentType)}`
  const delimiter = Buffer.from(text)
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: Part[] = []
  // The first delimiter may stand at the very start, without its line break.
  const isAtStart = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  let at = isAtStart ? -2 : bytes.indexOf(delimiter)
  if (at < 0 && !isAtStart) throw broken('the boundary does not occur')
  for (;;) {
    const after = at + delimiter.length
    if (bytes.toString('latin1', after, after + 2) === '--') return parts
    const lineEnd = bytes.indexOf('\r\n', after)
    const next = bytes.indexOf(delimiter, after)
    if (lineEnd < 0 || next < 0) throw broken('the last boundary is missing')
    if (!/^[ \t]*$/.test(bytes.toString('latin1', after, lineEnd)))
      throw broken('a boundary is followed by other text')
    if (parts.length === mostParts) throw broken(`it has more than ${mostParts} parts`)
    parts.push(partOf(bytes.subarray(lineEnd + 2, next)))
    at = next
  }
}

/** Any form; the route checks it and words its own errors. */
export const anyForm = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export type Form = z.output<typeof anyForm>

type NamesIn<Value> = Value extends unknown ? keyof Value & string : never

/** Unchecked form fields, limited to known names. */
export type Fields<Name extends string> = { readonly [Each in Name]?: string | readonly string[] }

export type FormOf<Schema extends z.ZodType> = Fields<NamesIn<z.output<Schema>>>

export const fieldOf = <Name extends string>(form: Fields<Name>, name: NoInfer<Name>): string => {
  const value = form[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** A number or a code, however it was typed or pasted. */
export const compactFieldOf = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string => withoutBlanks(fieldOf(form, name))

export const fieldsOf = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): readonly string[] => [form[name] ?? []].flat()

/** A form as the query that says the same. */
export const queryOf = (form: Form): URLSearchParams => {
  const query = new URLSearchParams()
  for (const name of Object.keys(form))
    for (const value of fieldsOf(form, name)) query.append(name, value)
  return query
}
