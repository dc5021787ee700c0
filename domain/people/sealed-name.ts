import { jsonEquals } from '../json-equality.ts'

const pattern = /^sealed:([^:]+):([\w-]+)$/

/** What somebody was called, as it stands in the log: only the key of the person opens it. */
export const sealedName = (person: string, sealed: string): string => `sealed:${person}:${sealed}`

/** Undefined for a name that is not sealed. */
export const readSealedName = (
  stored: string,
): { readonly person: string; readonly sealed: string } | undefined => {
  const [, person, sealed] = pattern.exec(stored) ?? []
  return person === undefined || sealed === undefined ? undefined : { person, sealed }
}

type Request = { readonly customer: string | null }

/** Whether two requests are equal; a person may be spelled differently in each. */
export const isSameRequest = (a: Request, b: Request): boolean => {
  const personIn = ({ customer }: Request) => readSealedName(customer ?? '')?.person
  const person = personIn(a)
  const isSamePerson = person !== undefined && person === personIn(b)
  return jsonEquals(a, isSamePerson ? { ...b, customer: a.customer } : b)
}
