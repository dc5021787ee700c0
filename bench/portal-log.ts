import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { noStream, type EventStore } from '../application/event-store.ts'
import { sealName } from '../application/people.ts'
import { dayMs } from '../domain/time.ts'
import { openPlace, type Place } from '../harness/ledger-service.ts'
import { staffIn } from '../infrastructure/people/staff.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { currentReadModels, openStore } from '../infrastructure/stores.ts'
import {
  fateOf,
  numbersFrom,
  portalHistory,
  posCount,
  type Appending,
  type Fate,
} from './portal-histories.ts'
import { furnished, otherMerchant, posOf, registered, scanned, shop } from './portal-merchants.ts'

export type PortalLog = {
  readonly directory: string
  readonly payments: number
  readonly merchants: number
  /** A payment of each fate. */
  readonly tids: Readonly<Partial<Record<Fate, string>>>
  readonly customers: readonly string[]
}

export type Size = { readonly payments: number; readonly merchants: number }

export const usualFolder = join(tmpdir(), 'daybook-portal-log')
export const usualSize: Size = { payments: 1_000_000, merchants: 10_000 }

const program = fileURLToPath(new URL('../dist/infrastructure/main.js', import.meta.url))
const customerCount = 500
const callbackUri = 'https://shop.example/hook'
const appendsAtOnce = 2_000
const eventsAtOnce = 500
/** The first report and settlement take this share; the others are as of a day each. */
const firstShare = 0.9
const laterReports = 30
/** Of the newest payments so many still wait, and so many more are not captured. */
const [waiting, authorized] = [500, 2_000]

type Making = {
  readonly size: Size
  readonly now: number
  readonly tidOf: Place['core']['payments']['tidOf']
  readonly customers: readonly { readonly name: string; readonly stored: string }[]
  readonly say: (text: string) => void
}

/** Payments of the large merchant, one after the other through a year. */
const makePayments = ({ size: { payments: total }, now, tidOf, customers }: Making) => {
  const below = numbersFrom(3)
  const step = (359 * dayMs) / total
  const firstOpen = total - waiting - authorized
  let tids: PortalLog['tids'] = {}
  const fateAt = (count: number): Fate => {
    if (count === firstOpen - 1) return 'in many parts'
    if (count >= total - waiting) return 'waiting'
    return count >= firstOpen ? 'authorized' : fateOf(below(100))
  }
  const make = (count: number): Appending[] => {
    // The last ones are of a few hours, else they had ended.
    const isOpen = count >= firstOpen
    const ago = isOpen ? (total - count) * 5_000 : (total - count) * step + dayMs
    const posId = posOf(Math.min(below(posCount), below(posCount)))
    const fate = fateAt(count)
    const tid = tidOf(shop, posId, `order-${count}`)
    tids = { ...tids, [fate]: tid }
    const amount = 100 * (20 + below(below(10) === 0 ? 50_000 : 900))
    const customer = customers[below(customers.length)]?.stored ?? ''
    const isTold = below(20) === 0 && !isOpen
    const about = { merchant: shop, count, at: Math.floor(now - ago), fate, posId, amount }
    return portalHistory({ ...about, customer, callbackUri: isTold ? callbackUri : null }, tid)
  }
  return { make, tids: () => tids }
}

/** A stream of many events takes several appends. */
const appendOne = async (store: EventStore, { stream, events }: Appending): Promise<void> => {
  for (let from = 0; from < events.length; from += eventsAtOnce)
    await store.append(stream, events.slice(from, from + eventsAtOnce), from + noStream)
}

const append = async (store: EventStore, all: readonly Appending[]): Promise<number> => {
  await Promise.all(all.map((one) => appendOne(store, one)))
  return all.reduce((sum, { events }) => sum + events.length, 0)
}

/** Appends what is made, some at a time, before the last one as after it. */
const appendFrom = async (
  store: EventStore,
  [first, end]: readonly [number, number],
  make: (count: number) => readonly Appending[],
  say: (text: string) => void,
): Promise<void> => {
  let events = 0
  for (let count = first; count < end;) {
    const some: Appending[] = []
    for (; count < end && some.length < appendsAtOnce; count += 1) some.push(...make(count))
    events += await append(store, some)
    if (Math.floor(count / 25_000) !== Math.floor((count - 2_000) / 25_000))
      say(`${count} of ${end}, ${events} events`)
  }
}

/** Merchants, each with a payment. */
const makeMerchants = ({ now, tidOf, customers }: Making, total: number) => {
  const at = now - 361 * dayMs
  return (number: number): readonly Appending[] => {
    const merchant = otherMerchant(number)
    const posId = 'till-1'
    const about = { merchant, count: number, at: at + number * 1_000, posId, amount: 25_000 }
    const customer = customers[number % customers.length]?.stored ?? ''
    const tid = tidOf(merchant, posId, `order-${number}`)
    const history = portalHistory({ ...about, customer, fate: 'captured' }, tid)
    return number < total ? [...registered(merchant, number, at), ...history] : []
  }
}

/** The staff of the large merchant, and merchants that its owner also works for. */
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
  const { vault } = core.people
  const named = []
  for (let number = 0; number < customerCount; number += 1) {
    const name = `47${91_000_000 + number}`
    const person = await vault.nameFor(shop, name)
    named.push({ name, stored: sealName(vault, person, name) })
  }
  return named
}

/** Reports and settlements of what comes after the first ones. */
const goOn = async (
  place: Place,
  { say, size }: Making,
  make: (count: number) => readonly Appending[],
): Promise<void> => {
  const { payments } = size
  const first = Math.floor(payments * firstShare)
  const each = Math.ceil((payments - first) / laterReports)
  for (let report = 1, count = first; count < payments; report += 1, count += each) {
    await place.close(report)
    await place.sandbox('settlement/', { merchant: shop })
    say(`report ${report}`)
    await appendFrom(place.core.store, [count, Math.min(payments, count + each)], make, say)
  }
}

/** Asks what is refused, for the page that shows it. */
const beRefused = async ({ ask }: Place): Promise<void> => {
  for (let count = 0; count < 60; count += 1)
    await ask('GET', `/merchant/v1/payment_request/none-${count}/outcome/`)
}

/** With the operator's command: faster than the service folds a log that is there. */
const rebuild = async (directory: string, say: Making['say']): Promise<void> => {
  say('folding')
  const env = { ...process.env, DATA_DIR: directory }
  const command = ['--max-semi-space-size=64', program, 'rebuild']
  await promisify(execFile)(process.execPath, command, { env })
}

const makeLog = async (directory: string, size: Size, say: Making['say']): Promise<PortalLog> => {
  mkdirSync(directory, { recursive: true })
  const begun = await openPlace(directory)
  const customers = await nameCustomers(begun)
  const { tidOf } = begun.core.payments
  const making: Making = { size, now: begun.core.now(), tidOf, customers, say }
  await begun.stop()
  const store = await openStore(readSettings({ DATA_DIR: directory }))
  const { make, tids } = makePayments(making)
  await append(store, furnished(making.now))
  await append(store, scanned(making.now))
  await appendFrom(store, [0, size.merchants], makeMerchants(making, size.merchants), say)
  await appendFrom(store, [0, Math.floor(size.payments * firstShare)], make, say)
  await store.close()
  await rebuild(directory, say)
  const place = await openPlace(directory)
  await enlist(place)
  await goOn(place, making, make)
  await beRefused(place)
  await place.sandbox('clock/', { advance_seconds: 0 })
  await place.stop()
  return { directory, ...size, tids: tids(), customers: customers.map(({ name }) => name) }
}

/** A log of a large merchant among many; made once, and folded again by another version. */
export const portalLog = async (
  directory: string,
  size: Size,
  say: (text: string) => void,
): Promise<PortalLog> => {
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
