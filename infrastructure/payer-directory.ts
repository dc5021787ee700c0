import { payers } from '../application/aggregates.ts'
import { findLiveToken, type GrantRows, type Tokens } from '../application/grants.ts'
import type { Find } from '../application/handle.ts'
import { phoneDigits, readName, sealName, type People } from '../application/people.ts'

/** How a merchant's word for a customer is stored, and which payer it names. */
export type Customer = { readonly stored: string; readonly payer: string | undefined }

/** What names a code or a scan, and nobody. */
const impersonal = /^(shortlink_id|shortlink_sn|token):/

/** An access token is never stored: what is, names its grant, from which it can be derived again. */
const grantedName = /^granted:(\d+):(.+)$/

type Needs = {
  readonly find: Find
  readonly vault: People
  readonly tokens: Tokens
  readonly rows: GrantRows
  readonly caughtUp: () => Promise<void>
}

/** Who is meant by what merchants call them. What could tell who somebody is is sealed before anything is stored. */
export const payerDirectory = ({ find, vault: people, tokens, rows, caughtUp }: Needs) => {
  const payerOf = async (person: string | undefined): Promise<string | undefined> =>
    person !== undefined && (await find(payers, person)).status === 'present' ? person : undefined
  const byPhone = (text: string): Promise<string | undefined> => {
    const digits = phoneDigits(text)
    return payerOf(digits === undefined ? undefined : people.findPerson(digits))
  }
  const liveToken = findLiveToken({ find, tokens, rows, caughtUp })

  /** Whoever holds another merchant's token names nobody with it. */
  const byToken = async (
    token: string,
    merchant: string,
    at: number,
  ): Promise<Customer | undefined> => {
    await caughtUp()
    const row = rows.findAccess(tokens.digest(token))
    if (!row) return undefined
    const live = await liveToken(token, at)
    const payer = live?.merchant === merchant ? live.payer : undefined
    return { stored: `granted:${row.generation}:${row.grant}`, payer }
  }

  return {
    identify: async (customer: string, merchant: string, at: number): Promise<Customer> => {
      if (impersonal.test(customer)) return { stored: customer, payer: undefined }
      const digits = phoneDigits(customer)
      const token = digits === undefined ? await byToken(customer, merchant, at) : undefined
      if (token) return token
      const person = people.personFor(digits ?? customer)
      return { stored: sealName(people, person, customer), payer: await byPhone(customer) }
    },
    /** What the merchant called them; null once they are erased. */
    show: (stored: string | null): string | null => {
      const [, generation, grant] = grantedName.exec(stored ?? '') ?? []
      if (grant !== undefined) return tokens.access(grant, Number(generation))
      return stored === null ? null : (readName(people, stored) ?? null)
    },
    byIdOrPhone: async (text: string): Promise<string | undefined> =>
      (await payerOf(text)) ?? byPhone(text),
  }
}

export type PayerDirectory = ReturnType<typeof payerDirectory>
