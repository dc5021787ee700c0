import { jsonEquals } from '../json-equality.ts'

const pattern = /^sealed:([^:]+):([\w-]+)$/

/** A name as stored in the log, readable with the person's key only. */
export const sealedName = (person: string, sealed: string): string => `sealed:${person}:${sealed}`

/** Undefined if the name is not sealed. */
export const readSealedName = (
  stored: string,
): { readonly person: string; readonly sealed: string } | undefined => {
  const [, person, sealed] = pattern.exec(stored) ?? []
  return person === undefined || sealed === undefined ? undefined : { person, sealed }
}

/** The same for every name of a customer. Reveals nothing without the vault. */
export const customerKeyOf = (stored: string): string => readSealedName(stored)?.person ?? stored

type Request = { readonly customer: string | null }

/** Equal apart from the spelling of the same person. */
export const isSameRequest = (a: Request, b: Request): boolean => {
  const personIn = ({ customer }: Request) => readSealedName(customer ?? '')?.person
  const person = personIn(a)
  const isSamePerson = person !== undefined && person === personIn(b)
  return jsonEquals(a, isSamePerson ? { ...b, customer: a.customer } : b)
}
