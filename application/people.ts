import { withoutBlanks } from '../domain/blanks.ts'
import { readSealedName, sealedName } from '../domain/people/sealed-name.ts'
import { profile as profileSchema, type Profile } from '../domain/people/profile.ts'
import { payers } from '../domain/aggregates.ts'
import type { AsOf, Find } from './find-state.ts'
import type { Deciding } from './handle.ts'

/** Keys that seal personal data in the log; kept outside it, so that they can be destroyed. */
export type People = {
  /** Resolves once this node knows everything that any node wrote before the call. */
  caughtUp(): Promise<void>
  findPerson(identifier: string): string | undefined
  /** Creates the person if there is none. */
  personFor(identifier: string, id?: string): Promise<string>
  /** The person, if the merchant has used this identifier before. */
  findNamed(merchant: string, identifier: string): string | undefined
  /** All whom the merchant has called by one of some hundred identifiers. */
  findNamedAmong(merchant: string, identifiers: readonly string[]): readonly string[]
  /** Finds or creates the person, in the same time for known and new people. */
  nameFor(merchant: string, identifier: string): Promise<string>
  hasPerson(person: string): boolean
  /** From now on the person's identifier refers to somebody new. */
  release(person: string): Promise<void>
  /** Gives the person another identifier, which nobody has. */
  rename(person: string, identifier: string): Promise<void>
  seal(person: string, text: string): string
  /** Undefined once the person is erased. */
  unseal(person: string, sealed: string): string | undefined
  shred(person: string): Promise<void>
}

/** What a use case about a person decides with. */
export type PeopleWork = Deciding & { readonly people: People }

const separators = /[().\p{Pd}]/gu

/** Without what people write between digits. */
export const phoneText = (typed: string): string => withoutBlanks(typed).replace(separators, '')

/**
 * Digits of a phone number as people write it: `4799999901`, `+47 (999) 99-901`, `004799999901`,
 * `MSISDN:4799999901`.
 */
export const phoneDigits = (text: string): string | undefined =>
  /^(?:msisdn:)?(?:\+|00)?([1-9]\d{7,14})$/i.exec(phoneText(text))?.[1]

/**
 * The same where somebody types the number of another: it begins with `+`, `00` or `msisdn:`, so
 * that a number without its country code is not taken for one of another country.
 */
export const internationalDigits = (text: string): string | undefined =>
  /^(?:msisdn:|\+|00)/i.test(phoneText(text)) ? phoneDigits(text) : undefined

/** `sealed:<person>:<text>`. */
export const sealName = (people: People, person: string, name: string): string =>
  sealedName(person, people.seal(person, name))

/** The name as written; undefined once the person is erased. */
export const readName = (people: People, stored: string): string | undefined => {
  const name = readSealedName(stored)
  return name ? people.unseal(name.person, name.sealed) : stored
}

/** Undefined for unknown and erased payers. */
export const findProfile =
  ({ find, people }: { readonly find: Find; readonly people: People }) =>
  async (id: string, asOf: AsOf = 'log'): Promise<Profile | undefined> => {
    // Reading as of an earlier position must not bring back erased payers.
    if ((await find(payers, id)).status !== 'present') return undefined
    const payer = await find(payers, id, asOf)
    const text = payer.status === 'present' ? people.unseal(id, payer.profile) : undefined
    if (payer.status !== 'present' || text === undefined) return undefined
    const profile = profileSchema.parse(JSON.parse(text))
    return payer.hasNumber ? profile : { ...profile, isPhoneVerified: false }
  }
