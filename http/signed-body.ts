import type { Context } from '../application/handle.ts'
import { contextOf, type Call } from './call.ts'

/** In bytes. */
const longestKept = 1_000

/** Whether the text is an object of these members and no others. */
const holdsOnly = (text: string, members: readonly string[]): boolean => {
  try {
    return Object.keys(JSON.parse(text) as object).every((name) => members.includes(name))
  } catch {
    return false
  }
}

/**
 * The context of a request that changes what these members of its body say. The body of a signed
 * one is kept with its signature, so that the event can be proved to be what was ordered; not one
 * with other members, which may hold anything.
 */
export const contextOfOrder = (call: Call, members: readonly string[]): Context => {
  const context = contextOf(call)
  const { signed } = context
  const { body: bytes } = call.request
  if (!signed || bytes.length > longestKept) return context
  const body = Buffer.from(bytes).toString()
  return bytes.length === 0 || holdsOnly(body, members)
    ? { ...context, signed: { ...signed, body } }
    : context
}
