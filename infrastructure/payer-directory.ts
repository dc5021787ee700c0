import { payers } from '../application/aggregates.ts'
import type { Find } from '../application/handle.ts'
import { phoneDigits, readName, sealName, type People } from '../application/people.ts'

/** How a merchant's word for a customer is stored, and which payer it names. */
export type Customer = { readonly stored: string; readonly payer: string | undefined }

/** What names a code or a scan, and nobody. */
const impersonal = /^(shortlink_id|shortlink_sn|token):/

type Needs = { readonly find: Find; readonly vault: People }

/** Who is meant by what merchants call them. What could tell who somebody is is sealed before anything is stored. */
export const payerDirectory = ({ find, vault: people }: Needs) => {
  const payerOf = async (person: string | undefined): Promise<string | undefined> =>
    person !== undefined && (await find(payers, person)).status === 'present' ? person : undefined
  const byPhone = (text: string): Promise<string | undefined> => {
    const digits = phoneDigits(text)
    return payerOf(digits === undefined ? undefined : people.findPerson(digits))
  }
  return {
    identify: async (customer: string): Promise<Customer> => {
      if (impersonal.test(customer)) return { stored: customer, payer: undefined }
      const person = people.personFor(phoneDigits(customer) ?? customer)
      return { stored: sealName(people, person, customer), payer: await byPhone(customer) }
    },
    /** What the merchant called them; null once they are erased. */
    show: (stored: string | null): string | null =>
      stored === null ? null : (readName(people, stored) ?? null),
    byIdOrPhone: async (text: string): Promise<string | undefined> =>
      (await payerOf(text)) ?? byPhone(text),
  }
}

export type PayerDirectory = ReturnType<typeof payerDirectory>
