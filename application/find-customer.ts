import type { Customer } from '../domain/payment.ts'
import type { Instant } from '../domain/time.ts'
import { shortlinks, stickers } from './aggregates.ts'
import type { Find } from './handle.ts'

/** Whom an identifier names for a merchant at an instant; undefined when it is none that this finder knows. */
export type FindCustomer = (
  customer: string,
  merchant: string,
  at: Instant,
) => Promise<Customer | undefined>

/** A scan token names its payer for so long (decisions 2). */
const tokenLifetimeMs = 86_400_000

/** Asks one finder after the other; an identifier that none knows names nobody. */
export const firstOf =
  (...finders: readonly FindCustomer[]) =>
  async (customer: string, merchant: string, at: Instant): Promise<Customer> => {
    for (const find of finders) {
      const found = await find(customer, merchant, at)
      if (found !== undefined) return found
    }
    return 'unknown'
  }

/** Ids of shortlinks and serial numbers; not everything that somebody may write can be the name of a stream. */
const plainId = /^[a-zA-Z0-9-]{1,64}$/

const kindsOfShortlink = /^shortlink_(id|sn):([^]*)$/

/** `shortlink_id:<id>` and `shortlink_sn:<serial number>`: a code of the merchant that somebody scans. */
export const byShortlink =
  ({ find }: { readonly find: Find }): FindCustomer =>
  async (customer, merchant) => {
    const [, kind, name = ''] = kindsOfShortlink.exec(customer) ?? []
    if (kind === undefined) return undefined
    if (!plainId.test(name)) return 'unknown'
    const sticker = kind === 'sn' ? await find(stickers, name) : undefined
    if (sticker && sticker.status !== 'claimed') return 'unknown'
    const id = sticker?.shortlink ?? name
    const shortlink = await find(shortlinks, id)
    const isKnown = shortlink.status === 'present' && shortlink.data.merchant === merchant
    return isKnown ? { shortlink: id } : 'unknown'
  }

type TokenNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly findScan: (
    token: string,
  ) =>
    | { readonly merchant: string | null; readonly payer: string; readonly scannedAt: Instant }
    | undefined
}

/** `token:<digits>`: whoever made a scan of a code of the merchant, within a day. */
export const byScanToken =
  ({ caughtUp, findScan }: TokenNeeds): FindCustomer =>
  async (customer, merchant, at) => {
    if (!customer.startsWith('token:')) return undefined
    await caughtUp()
    const scan = findScan(customer)
    const isValid = scan?.merchant === merchant && at < scan.scannedAt + tokenLifetimeMs
    return isValid ? { id: scan.payer } : 'unknown'
  }

/** A phone number, as its digits say. */
export const byPhone =
  (findPayer: (phone: string) => string | undefined): FindCustomer =>
  async (customer) => {
    const id = findPayer(customer)
    return id === undefined ? undefined : { id }
  }
