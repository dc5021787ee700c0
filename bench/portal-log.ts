import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { noStream, type EventStore } from '../application/event-store.ts'
import { sealName } from '../application/people.ts'
import { impliedAccount } from '../domain/accounting/settlement-account.ts'
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
import { newMerchant } from '../domain/merchant/merchant.ts'
import { streamOf, within } from '../domain/stream.ts'
import { dayMs } from '../domain/time.ts'
import { openPlace, type Place } from '../harness/ledger-service.ts'
import { merchantClient } from '../harness/merchant-client.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { currentReadModels, openStore } from '../infrastructure/stores.ts'
import { staffIn } from '../service/people/staff.ts'
import { appendHistory, appending, historyOf, type Appending, type Fate } from './histories.ts'
import type { Scope } from './scope.ts'

/** Pseudo-random numbers with a fixed seed. */
export const numbersFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const posCount = 300

/** Of a hundred payments, most are captured at once. */
const fateOf = (number: number): Fate => {
  if (number < 62) return 'captured'
  if (number < 82) return 'in parts'
  if (number < 86) return 'refunded'
  if (number < 89) return 'refunded in part'
  if (number < 94) return 'released'
  return number < 98 ? 'declined' : 'expired'
}

export const shop = 'sandbox'

export const posOf = (number: number): string => (number === 0 ? 'till-1' : `pos-${number}`)

const otherMerchant = (number: number): string => `shop-${number}`

export const codeOf = (number: number): string => `code${String(number).padStart(4, '0')}`

const ledgerCount = 300

const codeCount = 500

const scansOfCode = 300

const userCount = 250

const applicationCount = 120

const account = 'NO9386011117947'

const made = (
  stream: string,
  merchant: string,
  at: number,
  events: Parameters<typeof appending>[2],
): Appending => appending(stream, noStream, events, { at, merchant, actor: 'operator' })

const registered = (merchant: string, number: number, at: number): Appending[] => {
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
const furnished = (now: number): Appending[] => {
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

const scanned = (now: number): Appending[] => {
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

type Making = {
  readonly payments: number
  readonly merchants: number
  readonly now: number
  readonly tidOf: Place['core']['tidOf']
  /** Their names, and how the log stores these. */
  readonly customers: readonly { readonly name: string; readonly stored: string }[]
}

const callbackUri = 'https://shop.example/hook'

/** How many of the newest payments still wait for the payer, and how many are not captured. */
const openOf = (total: number): readonly [waiting: number, authorized: number] => {
  return [Math.min(500, Math.ceil(total / 6)), Math.min(2_000, Math.ceil(total / 3))]
}

const makePayments = ({ payments: total, now, tidOf, customers }: Making) => {
  const below = numbersFrom(3)
  const step = (359 * dayMs) / total
  const [waiting, authorized] = openOf(total)
  const firstOpen = total - waiting - authorized
  const tids: Partial<Record<Fate, string>> = {}
  const fateAt = (count: number): Fate => {
    if (count === firstOpen - 1) return 'in many parts'
    if (count >= total - waiting) return 'waiting'
    return count >= firstOpen ? 'authorized' : fateOf(below(100))
  }
  const make = (count: number): readonly Appending[] => {
    // The last ones are a few hours old; otherwise they would have expired.
    const isOpen = count >= firstOpen
    const ago = isOpen ? (total - count) * 5_000 : (total - count) * step + dayMs
    const posId = posOf(Math.min(below(posCount), below(posCount)))
    const fate = fateAt(count)
    const tid = tidOf(shop, posId, `order-${count}`)
    tids[fate] = tid
    const amount = 100 * (20 + below(below(10) === 0 ? 50_000 : 900))
    const customer = customers[below(customers.length)]?.stored ?? ''
    const isTold = below(20) === 0 && !isOpen
    const about = { merchant: shop, count, at: Math.floor(now - ago), fate, posId, amount }
    return historyOf(
      { ...about, customer, callbackUri: isTold ? callbackUri : null },
      () => tid,
    ).flat()
  }
  return { make, tids }
}

const makeMerchants = ({ now, tidOf, customers }: Making) => {
  const at = now - 361 * dayMs
  return (number: number): readonly Appending[] => {
    const merchant = otherMerchant(number)
    const posId = 'till-1'
    const about = { merchant, count: number, at: at + number * 1_000, posId, amount: 25_000 }
    const customer = customers[number % customers.length]?.stored ?? ''
    const history = historyOf({ ...about, customer, fate: 'captured' }, tidOf)
    return [...registered(merchant, number, at), ...history.flat()]
  }
}

type Size = { readonly payments: number; readonly merchants: number }

export type PortalLog = Size & {
  readonly directory: string
  readonly tids: Readonly<Partial<Record<Fate, string>>>
  readonly customers: readonly string[]
}

const customerCount = 500

const appendsAtOnce = 2_000

/** The first report and settlement cover this share. */
const firstShare = 0.9

const laterReports = (payments: number): number => (payments < 10_000 ? 3 : 30)

type Say = (text: string) => void

const appendAll = async (store: EventStore, all: readonly Appending[]): Promise<void> => {
  await Promise.all(all.map((one) => appendHistory(store, [one])))
}

/** Appends the generated histories in batches, for a range of payments. */
const appendFrom = async (
  store: EventStore,
  [first, end]: readonly [number, number],
  make: (count: number) => readonly Appending[],
  say: Say,
): Promise<void> => {
  for (let count = first; count < end;) {
    const some: Promise<void>[] = []
    for (; count < end && some.length < appendsAtOnce; count += 1)
      some.push(appendHistory(store, make(count)))
    await Promise.all(some)
    if (count % 25_000 < appendsAtOnce) say(`${count} of ${end}`)
  }
}

/** The staff of the large merchant, and other merchants of its owner. */
const enlist = async ({ core }: Place): Promise<void> => {
  const staff = staffIn(core)
  const context = (merchant: string) => core.contextOf('operator', merchant)
  const terms = { role: 'owner' } as const
  await staff.addStaff(shop, { phone: '4799999901', terms }, context(shop))
  for (let number = 0; number < 100; number += 1) {
    const phone = `47${90_000_000 + number}`
    await staff.inviteStaff(shop, { phone, terms: { role: 'accountant' } }, context(shop))
    const other = otherMerchant(number)
    await staff.addStaff(other, { phone: '4799999901', terms }, context(other))
  }
}

const nameCustomers = async ({ core }: Place): Promise<Making['customers']> => {
  const { vault } = core
  const named = []
  for (let number = 0; number < customerCount; number += 1) {
    const name = `47${91_000_000 + number}`
    const person = await vault.nameFor(shop, name)
    named.push({ name, stored: sealName(vault, person, name) })
  }
  return named
}

/** Closes reports and settles in a running service during other work. */
const closeMeanwhile = async (
  { service, say }: Scope,
  DATA_DIR: string,
  payments: number,
  store: EventStore,
  make: (count: number) => readonly Appending[],
): Promise<void> => {
  const { base, stop } = await service({ settings: { DATA_DIR } })
  const user = { merchant: shop, user: 'pos1', secret: 'sandbox-secret' }
  const [till, anyone] = [merchantClient(base, user), merchantClient(base)]
  const first = Math.floor(payments * firstShare)
  const each = Math.ceil((payments - first) / laterReports(payments))
  for (let report = 1, count = first; count < payments; report += 1, count += each) {
    const path = `/merchant/v1/ledger/default/report/${report}/`
    await till('PUT', path, {})
    while ((await till('GET', path)).body.status !== 'closed') await pause(500)
    await anyone('POST', '/sandbox/v1/settlement/', { merchant: shop }).catch(() => {})
    say(`report ${report}`)
    await appendFrom(store, [count, Math.min(payments, count + each)], make, say)
  }
  // Refused requests are listed on a page.
  for (let count = 0; count < 60; count += 1)
    await till('GET', `/merchant/v1/payment_request/none-${count}/outcome/`)
  await stop()
}

const makeLog = async (scope: Scope, directory: string, size: Size): Promise<PortalLog> => {
  mkdirSync(directory, { recursive: true })
  const place = await openPlace(directory)
  const customers = await nameCustomers(place)
  await enlist(place)
  const { tidOf } = place.core
  const making: Making = { ...size, now: place.core.now(), tidOf, customers }
  await place.stop()
  const store = await openStore(readSettings({ DATA_DIR: directory }))
  const { make, tids } = makePayments(making)
  await appendAll(store, [...furnished(making.now), ...scanned(making.now)])
  await appendFrom(store, [0, size.merchants], makeMerchants(making), scope.say)
  await appendFrom(store, [0, Math.floor(size.payments * firstShare)], make, scope.say)
  // With the operator's command, which is faster than the service's own folding.
  await scope.command(directory, 'rebuild')
  await closeMeanwhile(scope, directory, size.payments, store, make)
  await store.close()
  return { directory, ...size, tids, customers: customers.map(({ name }) => name) }
}

/** A log with one large merchant among many; made once, and folded again by other versions. */
export const portalLog = async (scope: Scope): Promise<PortalLog> => {
  const { size: payments, place } = scope
  const size = { payments, merchants: Math.min(10_000, Math.ceil(payments / 10)) }
  const directory = place ?? join(tmpdir(), `daybook-portal-log-${payments}`)
  const note = join(directory, 'portal-log.json')
  if (existsSync(note)) {
    if (currentReadModels({ DATA_DIR: directory }) === undefined)
      await scope.command(directory, 'rebuild')
    return { ...(JSON.parse(readFileSync(note, 'utf8')) as PortalLog), directory }
  }
  if (existsSync(directory)) throw new Error(`${directory} holds half a log: remove it`)
  const log = await makeLog(scope, directory, size)
  writeFileSync(note, JSON.stringify(log))
  return log
}
