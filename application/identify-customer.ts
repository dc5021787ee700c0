import type { Customer } from '../domain/payment/payment-command.ts'
import { isAhead, type Instant } from '../domain/time.ts'
import { payers, shortlinks, stickers } from '../domain/aggregates.ts'
import { findRechecked, isPresent } from './find-rechecked.ts'
import type { Find } from './handle.ts'

/** Whom a merchant's word for a customer names, and how it is stored: the log must not tell who somebody is. */
export type Identified = { readonly stored: string; readonly names: Customer }

/**
 * Asked before anything is kept of somebody new: what is refused whoever they are must leave nobody behind.
 * @throws Refusal
 */
export type Admit = () => Promise<unknown>

export type Identify = (
  customer: string,
  merchant: string,
  at: Instant,
  admit: Admit,
) => Promise<Identified>

/** Knows one kind of identifier; undefined for one of another kind. */
export type IdentifyOneKind = (
  customer: string,
  merchant: string,
  at: Instant,
) => Promise<Identified | undefined>

/** A scan token names its payer for so long (interface 2). */
const tokenLifetimeMs = 86_400_000

/** Asks one kind after the other, and what is left of those that none knows. */
export const firstOf =
  (kinds: readonly IdentifyOneKind[], rest: Identify): Identify =>
  async (customer, merchant, at, admit) => {
    for (const identify of kinds) {
      const identified = await identify(customer, merchant, at)
      if (identified !== undefined) return identified
    }
    return rest(customer, merchant, at, admit)
  }

/**
 * Ids of shortlinks and serial numbers, and tokens of scans. They are stored as they stand; whatever else begins so may
 * tell who somebody is, or look in a log like what it is not, and is stored sealed as all other names are.
 */
const shortlinkName = /^shortlink_(id|sn):([a-zA-Z0-9-]{1,64})$/
const scanTokenName = /^token:\d{1,64}$/
export const isScanToken = (customer: string): boolean => scanTokenName.test(customer)

/** The shortlink of a sticker. */
const shortlinkOn = async (find: Find, serial: string): Promise<string | undefined> => {
  const sticker = await findRechecked(find, stickers, serial, ({ status }) => status === 'claimed')
  return sticker.status === 'claimed' ? sticker.shortlink : undefined
}

/** `shortlink_id:<id>` and `shortlink_sn:<serial number>`: a code of the merchant that somebody scans. */
export const byShortlink =
  ({ find }: { readonly find: Find }): IdentifyOneKind =>
  async (customer, merchant) => {
    const [, kind, name = ''] = shortlinkName.exec(customer) ?? []
    if (kind === undefined) return undefined
    const unknown = { stored: customer, names: 'unknown' } as const
    const id = kind === 'sn' ? await shortlinkOn(find, name) : name
    if (id === undefined) return unknown
    const shortlink = await findRechecked(find, shortlinks, id, isPresent)
    const isKnown = shortlink.status === 'present' && shortlink.data.merchant === merchant
    return isKnown ? { stored: customer, names: { shortlink: id } } : unknown
  }

type TokenNeeds = {
  readonly find: Find
  readonly caughtUp: () => Promise<void>
  readonly findScan: (
    token: string,
  ) =>
    | { readonly merchant: string | null; readonly payer: string; readonly scannedAt: Instant }
    | undefined
}

/** `token:<digits>`: whoever made a scan of a code of the merchant, within a day. */
export const byScanToken =
  ({ find, caughtUp, findScan }: TokenNeeds): IdentifyOneKind =>
  async (customer, merchant, at) => {
    if (!isScanToken(customer)) return undefined
    await caughtUp()
    const scan = findScan(customer)
    const isValid =
      scan?.merchant === merchant &&
      !isAhead(scan.scannedAt, at) &&
      at < scan.scannedAt + tokenLifetimeMs
    // Whoever was erased since is nobody.
    const isThere = isValid && (await find(payers, scan.payer)).status === 'present'
    return { stored: customer, names: isThere ? { id: scan.payer } : 'unknown' }
  }
