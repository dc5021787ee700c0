import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { noStream, type EventStore } from '../application/event-store.ts'
import { sealName } from '../application/people.ts'
import { openPlace, type Place } from '../harness/ledger-service.ts'
import { merchantClient } from '../harness/merchant-client.ts'
import { staffIn } from '../service/people/staff.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { currentReadModels, openStore } from '../infrastructure/stores.ts'
import {
  type Appending,
  type Fate,
  fateOf,
  numbersFrom,
  portalHistory,
  posCount,
} from './portal-histories.ts'
import { furnished, otherMerchant, scanned, shop, posOf, registered } from './portal-merchants.ts'
import { startServer } from './processes.ts'
import { dayMs } from '../domain/time.ts'

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
const [waiting, authorized] = [500, 2_000]

/** Payments of the large merchant, spread over a year. */
const makePayments = ({ payments: total, now, tidOf, customers }: Making) => {
  const below = numbersFrom(3)
  const step = (359 * dayMs) / total
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
    return portalHistory({ ...about, customer, callbackUri: isTold ? callbackUri : null }, tid)
  }
  return { make, tids }
}

/** Other merchants, each with one payment. */
const makeMerchants = ({ now, tidOf, customers }: Making) => {
  const at = now - 361 * dayMs
  return (number: number): readonly Appending[] => {
    const merchant = otherMerchant(number)
    const posId = 'till-1'
    const about = { merchant, count: number, at: at + number * 1_000, posId, amount: 25_000 }
    const customer = customers[number % customers.length]?.stored ?? ''
    const tid = tidOf(merchant, posId, `order-${number}`)
    const history = portalHistory({ ...about, customer, fate: 'captured' }, tid)
    return [...registered(merchant, number, at), ...history]
  }
}

type Size = { readonly payments: number; readonly merchants: number }

export type PortalLog = Size & {
  readonly directory: string
  /** One payment per outcome. */
  readonly tids: Readonly<Partial<Record<Fate, string>>>
  readonly customers: readonly string[]
}

export const usualFolder = join(tmpdir(), 'daybook-portal-log')
export const usualSize: Size = { payments: 1_000_000, merchants: 10_000 }

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url))
const customerCount = 500
const appendsAtOnce = 2_000
const eventsAtOnce = 500
/** The first report and settlement cover this share. */
const firstShare = 0.9
const laterReports = 30

type Say = (text: string) => void

/** A long stream takes several appends. */
const appendOne = async (store: EventStore, { stream, events }: Appending): Promise<void> => {
  for (let from = 0; from < events.length; from += eventsAtOnce)
    await store.append(stream, events.slice(from, from + eventsAtOnce), from + noStream)
}

const append = async (store: EventStore, all: readonly Appending[]): Promise<void> =>
  void (await Promise.all(all.map((one) => appendOne(store, one))))

/** Appends the generated histories in batches, for a range of payments. */
const appendFrom = async (
  store: EventStore,
  [first, end]: readonly [number, number],
  make: (count: number) => readonly Appending[],
  say: Say,
): Promise<void> => {
  for (let count = first; count < end;) {
    const some: Appending[] = []
    for (; count < end && some.length < appendsAtOnce; count += 1) some.push(...make(count))
    await append(store, some)
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

/** With the operator's command, which is faster than the service's own folding. */
const rebuild = async (directory: string, say: Say): Promise<void> => {
  say('folding')
  const env = { ...process.env, DATA_DIR: directory }
  const command = ['--max-semi-space-size=64', program, 'rebuild']
  await promisify(execFile)(process.execPath, command, { env })
}

/** Closes reports and settles in a running service during other work. */
const closeMeanwhile = async (
  { directory, payments }: Size & { readonly directory: string },
  store: EventStore,
  make: (count: number) => readonly Appending[],
  say: Say,
): Promise<void> => {
  const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer('../dist/service/main.js', ['serve'], environment)
  const base = `http://${service.address.host}:${service.address.port}`
  const user = { merchant: shop, user: 'pos1', secret: 'sandbox-secret' }
  const [till, anyone] = [merchantClient(base, user), merchantClient(base)]
  const first = Math.floor(payments * firstShare)
  const each = Math.ceil((payments - first) / laterReports)
  try {
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
  } finally {
    await service.stop()
  }
}

const makeLog = async (directory: string, size: Size, say: Say): Promise<PortalLog> => {
  mkdirSync(directory, { recursive: true })
  const place = await openPlace(directory)
  const customers = await nameCustomers(place)
  await enlist(place)
  const { tidOf } = place.core
  const making: Making = { ...size, now: place.core.now(), tidOf, customers }
  await place.stop()
  const store = await openStore(readSettings({ DATA_DIR: directory }))
  const { make, tids } = makePayments(making)
  await append(store, [...furnished(making.now), ...scanned(making.now)])
  await appendFrom(store, [0, size.merchants], makeMerchants(making), say)
  await appendFrom(store, [0, Math.floor(size.payments * firstShare)], make, say)
  await rebuild(directory, say)
  await closeMeanwhile({ directory, ...size }, store, make, say)
  await store.close()
  return { directory, ...size, tids, customers: customers.map(({ name }) => name) }
}

/** A log with one large merchant among many; made once, and folded again by other versions. */
export const portalLog = async (directory: string, size: Size, say: Say): Promise<PortalLog> => {
  const note = join(directory, 'portal-log.json')
  if (existsSync(note)) {
    if (currentReadModels({ DATA_DIR: directory }) === undefined) await rebuild(directory, say)
    return { ...(JSON.parse(readFileSync(note, 'utf8')) as PortalLog), directory }
  }
  if (existsSync(directory)) throw new Error(`${directory} holds half a log: remove it`)
  const log = await makeLog(directory, size, say)
  writeFileSync(note, JSON.stringify(log))
  return log
}
