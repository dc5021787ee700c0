import type { z } from 'zod'
import type { MaybePromise } from '../application/maybe-promise.ts'
import type { Names } from './assets.ts'
import { checked, valueOf } from './validation.ts'
import { RequestError } from './errors.ts'
import { inexactNumber, readJson } from './exact-json.ts'
import { checkInTurns } from './turns.ts'
import { nextTurn } from '../application/time-budget.ts'
import { withoutNothing } from './empty-values.ts'
import { smallBody } from './body-reader.ts'
import type { Route } from './route.ts'

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

/** A body of this size holds the thread for no time worth mentioning, whatever is in it. */
export const tinyBody = 1_024

/** What bodies hold, for as long as they are there: further faults are looked for in the same. */
const parsedBodies = new WeakMap<Uint8Array, unknown>()

/** A JSON body before it is checked, read once. @throws RequestError 415, 400 */
export const bodyIn = (
  schema: z.ZodType,
  body: Uint8Array,
  contentType: string | undefined,
  names: Names,
): unknown => {
  if (parsedBodies.has(body)) return parsedBodies.get(body)
  const type = contentType === undefined ? undefined : mediaTypeOf(contentType)
  if (body.byteLength > 0 && type !== jsonType && type !== names.json.toLowerCase())
    throw new RequestError(415, `The body must be application/json or ${names.json}.`)
  const parsed = body.byteLength === 0 ? {} : withoutNothing(schema, parseObject(body))
  if (body.byteLength > tinyBody) parsedBodies.set(body, parsed)
  return parsed
}

/**
 * Parses and checks JSON, all but tiny bodies in several turns. @throws RequestError 415, 400;
 * Malformed
 */
export const parseBody = (
  schema: z.ZodType,
  body: Uint8Array,
  contentType: string | undefined,
  names: Names,
  turn = nextTurn,
): MaybePromise<unknown> => {
  const parse = () => bodyIn(schema, body, contentType, names)
  if (body.byteLength <= tinyBody) return checked(schema, parse())
  const inTurns = async (): Promise<unknown> => {
    if (body.byteLength > smallBody) await turn()
    const parsed = parse()
    const value = valueOf(await checkInTurns(schema, parsed, turn))
    if (body.byteLength > smallBody) await turn()
    return value
  }
  return inTurns()
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
