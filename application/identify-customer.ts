import type { Customer } from '../domain/payment/payment-command.ts'
import { isAhead, type Instant } from '../domain/time.ts'
import { payers, shortlinks, stickers } from '../domain/aggregates.ts'
import { findRechecked, isPresent, type Find } from './find-state.ts'

/** Who a customer identifier names, and how it is stored: the log must not identify people. */
export type Identified = { readonly stored: string; readonly names: Customer }

/**
 * Called before a new person is stored, so that a refused request stores nobody.
 * @throws Refusal
 */
export type Admit = () => Promise<unknown>

export type Identify = (
  customer: string,
  merchant: string,
  at: Instant,
  admit: Admit,
) => Promise<Identified>

/** Undefined for identifiers of another kind. */
export type IdentifyOneKind = (
  customer: string,
  merchant: string,
  at: Instant,
) => Promise<Identified | undefined>

/** Lifetime of scan tokens (interface 2). */
const tokenLifetimeMs = 86_400_000

/** Tries each kind, then `rest`. */
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
 * Shortlink ids, serial numbers and scan tokens are stored in the clear. Anything else with these
 * prefixes may identify somebody and is sealed.
 */
const shortlinkName = /^shortlink_(id|sn):([a-zA-Z0-9-]{1,64})$/

const scanTokenName = /^token:\d{1,64}$/

export const isScanToken = (customer: string): boolean => scanTokenName.test(customer)

export const isStoredClear = (customer: string): boolean =>
  shortlinkName.test(customer) || isScanToken(customer)

const shortlinkOn = async (find: Find, serial: string): Promise<string | undefined> => {
  const sticker = await findRechecked(find, stickers, serial, ({ status }) => status === 'claimed')
  return sticker.status === 'claimed' ? sticker.shortlink : undefined
}

/** `shortlink_id:<id>` or `shortlink_sn:<serial number>`: whoever scans the code. */
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

/** `token:<digits>`: whoever scanned a code of the merchant within a day. */
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
    // Erased payers are unknown.
    const isThere = isValid && (await find(payers, scan.payer)).status === 'present'
    return { stored: customer, names: isThere ? { id: scan.payer } : 'unknown' }
  }
