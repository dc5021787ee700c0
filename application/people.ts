import { readSealedName, sealedName } from '../domain/people/sealed-name.ts'
import { profile as profileSchema, type Profile } from '../domain/people/profile.ts'
import { payers } from '../domain/aggregates.ts'
import type { AsOf, Find } from './handle.ts'

/** The keys of the people whose data stand sealed in the log; kept outside of it, so that they can be thrown away. */
export type People = {
  findPerson(identifier: string): string | undefined
  /** The person with an identifier, made when there was none. */
  personFor(identifier: string, id?: string): Promise<string>
  hasPerson(person: string): boolean
  seal(person: string, text: string): string
  /** Undefined once the person is erased. */
  unseal(person: string, sealed: string): string | undefined
  shred(person: string): void
}

const separators = /[\s().\p{Pd}\p{Cf}]/gu

/** The digits of a phone number as people write it: `4799999901`, `+47 (999) 99-901`, `004799999901`, `MSISDN:4799999901`. */
export const phoneDigits = (text: string): string | undefined =>
  /^(?:msisdn:)?(?:\+|00)?([1-9]\d{7,14})$/i.exec(text.replace(separators, ''))?.[1]

/** Seals what somebody was called, so that whoever holds the log cannot read it: `sealed:<person>:<text>`. */
export const sealName = (people: People, person: string, name: string): string =>
  sealedName(person, people.seal(person, name))

/** What somebody was called, as it was written; undefined once that person is erased. */
export const readName = (people: People, stored: string): string | undefined => {
  const name = readSealedName(stored)
  return name ? people.unseal(name.person, name.sealed) : stored
}

/** What is known of a payer, or was; undefined for one who is not there, or no longer. */
export const findProfile =
  ({ find, people }: { readonly find: Find; readonly people: People }) =>
  async (id: string, asOf: AsOf = 'log'): Promise<Profile | undefined> => {
    // Whoever has been erased since is not brought back by what the log says of earlier.
    if ((await find(payers, id)).status !== 'present') return undefined
    const payer = await find(payers, id, asOf)
    const text = payer.status === 'present' ? people.unseal(id, payer.profile) : undefined
    return text === undefined ? undefined : profileSchema.parse(JSON.parse(text))
  }
