import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ratePattern } from '../../domain/money/money.ts'
import { isDay } from '../../domain/time.ts'
import { readAccount } from './payout-account.ts'

const code = z
  .string()
  .regex(/^[A-Z0-9]{1,4}$/, 'must be a code of ISO 20022, such as SEPA')
  .nullable()

const text = (longest: number) => z.string().min(1).max(longest)

/** What one kind of payment carries; null leaves the element out. */
const payment = (usual: Readonly<Record<string, string | null>>) =>
  z
    .strictObject({
      service_level: code.default(usual['service_level'] ?? null),
      local_instrument: code.default(null),
      category_purpose: code.default('SUPP'),
      purpose: code.default('SUPP'),
      charge_bearer: z
        .enum(['DEBT', 'CRED', 'SHAR', 'SLEV'])
        .nullable()
        .default(usual['charge_bearer'] as 'SLEV' | 'SHAR'),
    })
    .prefault({})

/** Which fields the operator's bank wants in payment files (docs/operations.md). */
const profile = z.strictObject({
  /** Credit transfers of SEPA: euro, from and to an IBAN of a SEPA country. */
  sepa: payment({ service_level: 'SEPA', charge_bearer: 'SLEV' }),
  other: payment({ service_level: 'NURG', charge_bearer: 'SHAR' }),
  /** Whether one debit stands for all payments of a day; null leaves it to the bank. */
  batch_booking: z.boolean().nullable().default(null),
  /** Addresses of merchants: lines beside town and country, a street of its own, or none. */
  addresses: z.enum(['hybrid', 'structured', 'none']).default('hybrid'),
  /** The operator's own. */
  debtor_address: z
    .strictObject({
      street: text(70).optional(),
      building: text(16).optional(),
      post_code: text(16).optional(),
      town: text(35),
      country: z.string().regex(/^[A-Z]{2}$/),
    })
    .nullable()
    .default(null),
  /** The operator's number at the bank, and its kind, such as CUST or BANK. */
  initiator: z
    .strictObject({ id: text(35), scheme: code.default('CUST') })
    .nullable()
    .default(null),
  /** Accounts where the money of payers arrives: what was captured is expected there. */
  funding: z
    .strictObject({
      since: z.string().refine(isDay, 'must be a day as YYYY-MM-DD'),
      due_days: z.int().min(0).max(60).default(3),
      accounts: z
        .array(
          z.strictObject({
            account: z.string().transform((written, context) => {
              const account = readAccount(written)
              if (account === undefined) context.addIssue('must be an account')
              return account ?? written
            }),
            batch_prefix: z.string().max(30).default(''),
            withholds: z
              .string()
              .regex(ratePattern, 'must be a share such as "0.0125"')
              .nullable()
              .default(null),
          }),
        )
        .min(1)
        .max(20),
    })
    .nullable()
    .default(null),
})

export type BankProfile = z.output<typeof profile>

export const usualProfile: BankProfile = profile.parse({})

/** @throws Error that says which field is wrong */
export const readBankProfile = (file: string): BankProfile => {
  const found = profile.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (found.success) return found.data
  const [{ path, message } = { path: [], message: '' }] = found.error.issues
  throw new Error(`${path.join('.') || 'the file'}: ${message}`)
}
