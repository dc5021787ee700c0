import { randomUUID } from 'node:crypto'
import { newEvents } from '../application/new-events.ts'
import {
  applications,
  ledgers,
  merchants,
  pointsOfSale,
  scansOfShortlinks,
  settlementAccounts,
  shortlinks,
  users,
} from '../domain/aggregates.ts'
import { impliedAccount } from '../domain/accounting/settlement-account.ts'
import { newMerchant } from '../domain/merchant/merchant.ts'
import { streamOf, within } from '../domain/stream.ts'
import { dayMs } from '../domain/time.ts'
import { timedUuid } from '../infrastructure/event-store/event-ids.ts'
import { numbersFrom, posCount, type Appending } from './portal-histories.ts'

export const shop = 'sandbox'
export const posOf = (number: number): string => (number === 0 ? 'till-1' : `pos-${number}`)
export const otherMerchant = (number: number): string => `shop-${number}`
export const codeOf = (number: number): string => `code${String(number).padStart(4, '0')}`

const ledgerCount = 300
const codeCount = 500
const scansOfCode = 300
const userCount = 250
const applicationCount = 120

const account = 'NO9386011117947'

/** The first events of a stream. */
export const made = (
  stream: string,
  merchant: string,
  at: number,
  events: readonly { readonly type: string; readonly data: object }[],
): Appending => {
  const origin = { at, merchant, actor: 'operator', correlationId: randomUUID() }
  const eventId = (id: string, number: number) => timedUuid(`${id}/${number}`, at)
  return { stream, events: newEvents(eventId, stream, -1, events, '', origin) }
}

/** A merchant with a payout account. */
export const registered = (merchant: string, number: number, at: number): Appending[] => {
  const known = { id: merchant, businessName: `Shop ${number}`, currency: 'NOK', netmask: null }
  const data = newMerchant({ ...known, lookupIds: [], jurisdiction: 'NO' })
  const own = { ...impliedAccount(merchant, 'NOK'), payoutAccount: account }
  return [
    made(streamOf(merchants, merchant), merchant, at, [{ type: 'MerchantRegistered', data }]),
    made(streamOf(settlementAccounts, within(merchant, own.id)), merchant, at, [
      { type: 'SettlementAccountRegistered', data: own },
    ]),
  ]
}

/** More of every kind of entry than fits on a page, for the large merchant. */
export const furnished = (now: number): Appending[] => {
  const at = now - 360 * dayMs
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
  const of = (stream: string, type: string, data: object) =>
    made(stream, shop, at, [{ type, data }])
  return [
    ...numbers(posCount)
      .slice(1)
      .map((number) => {
        const data = { merchant: shop, id: posOf(number), name: `Till ${number}`, type: 'store' }
        const stream = streamOf(pointsOfSale, within(shop, data.id))
        return of(stream, 'PosRegistered', { ...data, location: null })
      }),
    ...numbers(ledgerCount).map((number) => {
      const data = { merchant: shop, id: `ledger-${number}`, currency: 'NOK', description: null }
      return of(streamOf(ledgers, within(shop, data.id)), 'LedgerRegistered', data)
    }),
    ...numbers(codeCount).map((number) => {
      const data = { merchant: shop, id: codeOf(number), callbackUri: null, serialNumber: null }
      const about = { ...data, description: `Table ${number}` }
      return of(streamOf(shortlinks, data.id), 'ShortlinkRegistered', about)
    }),
    ...numbers(userCount).map((number) => {
      const data = { merchant: shop, id: `user-${number}`, roles: ['user'], netmask: null }
      const keys = { secretHash: 'none', publicKey: null }
      return of(streamOf(users, within(shop, data.id)), 'UserRegistered', { ...data, ...keys })
    }),
    ...numbers(applicationCount).map((number) => {
      const data = { clientId: `client-${number}`, merchant: shop, name: `Client ${number}` }
      const about = { ...data, redirectUris: ['https://shop.example/'], secretHash: null }
      return of(streamOf(applications, data.clientId), 'ApplicationRegistered', about)
    }),
  ]
}

/** Scans of every code in the last two weeks. */
export const scanned = (now: number): Appending[] => {
  const below = numbersFrom(5)
  return Array.from({ length: codeCount }, (_, number) => {
    const id = codeOf(number)
    const times = Array.from({ length: scansOfCode }, () => now - below(14 * dayMs)).sort()
    const events = times.map((scannedAt, index) => {
      const scan = { scan: `${id}-${index}`, payer: 'alice', argstring: '', scannedAt }
      return { type: 'ShortlinkScanned', data: { ...scan, tokenDigest: `${id}-${index}` } }
    })
    return made(streamOf(scansOfShortlinks, id), shop, times[0] ?? now, events)
  })
}
