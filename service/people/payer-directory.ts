import { payers } from '../../domain/aggregates.ts'
import { findLiveToken, type GrantRows } from '../../application/grants.ts'
import type { Tokens } from '../../application/tokens.ts'
import type { Find } from '../../application/find-state.ts'
import {
  isScanToken,
  isStoredClear,
  type Admit,
  type Identify,
  type IdentifyOneKind,
} from '../../application/identify-customer.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { phoneDigits, readName, sealName, type People } from '../../application/people.ts'
import { retryWhileHeld } from '../../infrastructure/retry-while-held.ts'

/** Access tokens are not stored: this names the grant from which the token is derived. */
const grantedName = /^granted:(\d+):(.+)$/
type Granted = { readonly generation: number; readonly grant: string }
const grantedNameOf = ({ generation, grant }: Granted): string => `granted:${generation}:${grant}`

/** Look-ups per turn of the event loop: about two milliseconds. */
const numbersInTurn = 250

const mostNumbered = 50

type Needs = {
  readonly find: Find
  readonly vault: People
  readonly tokens: Tokens
  readonly rows: GrantRows
  readonly findScan: (token: string) => { readonly payer: string } | undefined
  readonly caughtUp: () => Promise<void>
}

/**
 * Finds customers by the identifiers that merchants use. Personal identifiers are sealed before
 * they are stored.
 */
export const payerDirectory = (needs: Needs) => {
  const { find, vault: people, tokens, rows, findScan, caughtUp } = needs
  const payerOf = async (person: string): Promise<string | undefined> =>
    (await find(payers, person)).status === 'present' ? person : undefined
  /** The account that last proved the number. */
  const holderOf = async (person: string | undefined): Promise<string | undefined> => {
    const payer = person === undefined ? undefined : await find(payers, person)
    return payer?.status === 'present' && payer.hasNumber ? person : undefined
  }
  const payerWithPhone = async (text: string): Promise<string | undefined> => {
    const digits = phoneDigits(text)
    await people.caughtUp()
    return holderOf(digits === undefined ? undefined : people.findPerson(digits))
  }
  const liveToken = findLiveToken({ find, tokens, rows, caughtUp })

  /** By a live access token of this merchant; another merchant's token identifies nobody. */
  const byAccessToken: IdentifyOneKind = async (customer, merchant, at) => {
    if (phoneDigits(customer) !== undefined) return undefined
    await caughtUp()
    const row = rows.findAccess(tokens.digest(customer))
    if (!row) return undefined
    const live = await liveToken(customer, at)
    const names = live?.merchant === merchant ? { id: live.payer } : 'unknown'
    return { stored: grantedNameOf(row), names }
  }

  const newPerson = async (name: string, merchant: string, admit: Admit): Promise<string> => {
    try {
      await admit()
    } catch (error) {
      // Another process may have added them meanwhile; then this is a repeat.
      const known = people.findPerson(name)
      if (known === undefined) throw error
      return known
    }
    return people.nameFor(merchant, name)
  }

  const byNameNow: Identify = async (customer, merchant, at, admit) => {
    const digits = phoneDigits(customer)
    const name = digits ?? customer
    await people.caughtUp()
    // Takes the same time whether or not others have named them before.
    const person = people.findNamed(merchant, name) ?? (await newPerson(name, merchant, admit))
    const id = digits === undefined ? undefined : await holderOf(person)
    // If they were erased meanwhile, start over as a new person.
    if (!people.hasPerson(person)) return byNameNow(customer, merchant, at, admit)
    const names = id === undefined ? 'unknown' : { id }
    return { stored: sealName(people, person, customer), names }
  }
  /** By phone number, or by any other name, which identifies no payer. */
  const byName: Identify = (...args) => retryWhileHeld(() => byNameNow(...args))

  /** The key of a customer's payments, if the merchant has used this name before. */
  const keyNamed = async (merchant: string, text: string): Promise<string | undefined> => {
    if (isStoredClear(text)) return text
    const digits = phoneDigits(text)
    await people.caughtUp()
    const person = people.findNamed(merchant, digits ?? text)
    if (person !== undefined || digits !== undefined) return person
    await caughtUp()
    const row = rows.findAccess(tokens.digest(text))
    return row && grantedNameOf(row)
  }

  /** Customers that a merchant has named by one of these numbers, at most some tens. */
  const keysNumbered = async (merchant: string, numbers: readonly string[]): Promise<string[]> => {
    await people.caughtUp()
    const found = new Set<string>()
    for (let at = 0; at < numbers.length && found.size < mostNumbered; at += numbersInTurn) {
      const some = numbers.slice(at, at + numbersInTurn)
      for (const person of people.findNamedAmong(merchant, some)) found.add(person)
      await nextTurn()
    }
    return [...found].slice(0, mostNumbered)
  }

  /** Whether the token's holder is erased, because tokens are not sealed. */
  const isErased = (holder: { readonly payer: string } | undefined): boolean =>
    holder !== undefined && !people.hasPerson(holder.payer)

  return {
    byAccessToken,
    byName,
    keyNamed,
    keysNumbered,
    /** The merchant's name for them; null for an erased person. */
    show: (stored: string | null): string | null => {
      const [, generation, grant] = grantedName.exec(stored ?? '') ?? []
      if (grant !== undefined)
        return isErased(rows.find(grant)) ? null : tokens.access(grant, Number(generation))
      if (stored !== null && isScanToken(stored) && isErased(findScan(stored))) return null
      return stored === null ? null : (readName(people, stored) ?? null)
    },
    byIdOrPhone: async (text: string): Promise<string | undefined> =>
      (await payerOf(text)) ?? payerWithPhone(text),
  }
}
