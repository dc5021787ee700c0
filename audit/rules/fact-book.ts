import { termsInForce, type FeeSchedule } from '../../domain/accounting/fees.ts'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import { impliedAccount } from '../../domain/accounting/settlement-account.ts'
import type { Facts } from './causes.ts'
import type { Recorded } from '../../domain/events.ts'
import { idIn, within } from '../../domain/stream.ts'
import { clockToleranceMs, type Instant } from '../../domain/time.ts'
import { utc, type TimeZone } from '../../domain/time-zone.ts'

/** Values and when each was set, latest last. Earlier ones are kept while they may still apply. */
type History<Value> = readonly { readonly value: Value; readonly since: Instant }[]

const valuesKept = 8

const withValue = <Value>(history: History<Value> | undefined, value: Value, since: Instant) =>
  [...(history ?? []), { value, since }].slice(-valuesKept)

/**
 * The values that a decision at an instant may have seen, latest first: a process may observe a
 * change later than the log.
 */
const possible = <Value>(history: History<Value> | undefined, at: Instant): readonly Value[] => {
  const values: Value[] = []
  for (const { value, since } of (history ?? []).toReversed()) {
    values.push(value)
    if (since + clockToleranceMs < at) break
  }
  return values
}

type Scheduled = { readonly schedule: FeeSchedule; readonly since: Instant }
type Started = { readonly serial: number; readonly at: Instant }

type FactsOfLog = Pick<
  Facts,
  | 'posIsKnown'
  | 'ledgerIsOpen'
  | 'currencyOf'
  | 'termsOf'
  | 'settlementTermsOf'
  | 'payoutDelaysOf'
  | 'timeZonesOf'
  | 'seriesOf'
  | 'settlementStartedAt'
  | 'reportOpenedAt'
  | 'codesWorkOnce'
>

/**
 * Collects what decisions look up in other streams. Feed it every event in log order, after judging
 * that event.
 * Long because the events fill what the facts read.
 */
export const factBook = () => {
  const currencies = new Map<string, string>()
  const tills = new Map<string, History<boolean>>()
  const ledgers = new Map<string, History<boolean>>()
  const opened = new Map<string, Instant>()
  const schedules = new Map<string, readonly Scheduled[]>()
  const delays = new Map<string, History<number>>()
  const zones = new Map<string, History<TimeZone>>()
  const series = new Map<string, string>()
  const started = new Map<string, readonly Started[]>()
  let isProduction = false
  let now: Instant = 0

  const open = (ledger: string, isOpen: boolean, at: Instant): void =>
    void ledgers.set(ledger, withValue(ledgers.get(ledger), isOpen, at))

  const readLedger = (event: Recorded, ledger: string, at: Instant): void => {
    switch (event.type) {
      case 'LedgerRegistered':
        open(ledger, true, at)
        if (!opened.has(ledger)) opened.set(ledger, at)
        return
      case 'LedgerEnabled':
        return open(ledger, true, at)
      case 'LedgerDisabled':
        return open(ledger, false, at)
      case 'ReportClosed':
        return void opened.set(ledger, at)
      default:
        return
    }
  }

  const setDelay = (
    merchant: string | null,
    { payoutDelay }: { payoutDelay: number },
    at: Instant,
  ) => void delays.set(merchant ?? '', withValue(delays.get(merchant ?? ''), payoutDelay, at))

  const setMerchant = (
    id: string,
    { currency, timeZone }: { readonly currency: string; readonly timeZone: TimeZone },
    at: Instant,
  ): void => {
    currencies.set(id, currency)
    if (zones.get(id)?.at(-1)?.value !== timeZone)
      zones.set(id, withValue(zones.get(id), timeZone, at))
  }

  const read = (event: Recorded): void => {
    const { stream, metadata } = event
    const { at, merchant } = metadata
    const id = idIn(stream)
    switch (event.type) {
      case 'MerchantRegistered':
        setMerchant(id, event.data, at)
        if (!opened.has(within(id, defaultLedger))) opened.set(within(id, defaultLedger), at)
        if (!delays.has(id)) setDelay(id, impliedAccount(id, event.data.currency), at)
        return
      case 'MerchantChanged':
        return setMerchant(id, event.data, at)
      case 'PosRegistered':
        return void tills.set(id, withValue(tills.get(id), true, at))
      case 'PosRemoved':
        return void tills.set(id, withValue(tills.get(id), false, at))
      case 'SettlementAccountRegistered':
      case 'SettlementAccountChanged':
        return setDelay(merchant, event.data, at)
      case 'FeesScheduled':
        return void schedules.set(id, [
          ...(schedules.get(id) ?? []),
          { schedule: event.data, since: at },
        ])
      case 'SeriesTaken':
        return void series.set(event.data.merchant, id)
      case 'SettlementStarted':
        return void started.set(id, [...(started.get(id) ?? []), { serial: event.data.serial, at }])
      case 'SettlementMade': {
        const { serial } = event.data
        return void started.set(
          id,
          (started.get(id) ?? []).filter((one) => one.serial > serial),
        )
      }
      case 'ProductionBegun':
        isProduction = true
        return
      default:
        readLedger(event, id, at)
    }
  }

  /** The fee schedules that may have been known; the complete list is first. */
  const knownSchedules = (merchant: string): readonly (readonly FeeSchedule[])[] => {
    const all = schedules.get(merchant) ?? []
    const known = [all]
    for (
      let count = all.length;
      count > 0 && (all[count - 1]?.since ?? 0) + clockToleranceMs >= now;
    )
      known.push(all.slice(0, --count))
    return known.map((some) => some.map(({ schedule }) => schedule))
  }

  const facts: FactsOfLog = {
    posIsKnown: (merchant, posId) =>
      possible(tills.get(within(merchant, posId)), now).includes(true),
    ledgerIsOpen: (merchant, ledger) =>
      ledger === defaultLedger ||
      possible(ledgers.get(within(merchant, ledger)), now).includes(true),
    currencyOf: (merchant) => currencies.get(merchant),
    termsOf: (merchant, currency) =>
      knownSchedules(merchant).map((some) =>
        termsInForce(some, currency, currencies.get(merchant) ?? '', now),
      ),
    settlementTermsOf: (merchant, startedAt) =>
      knownSchedules(merchant).map((some) =>
        Object.fromEntries(
          [...new Set(some.map(({ currency }) => currency))].map((currency) => [
            currency,
            termsInForce(some, currency, currencies.get(merchant) ?? '', startedAt),
          ]),
        ),
      ),
    payoutDelaysOf: (merchant) => possible(delays.get(merchant), now),
    timeZonesOf: (merchant) => {
      const known = possible(zones.get(merchant), now)
      return known.length > 0 ? known : [utc]
    },
    seriesOf: (merchant) => series.get(merchant),
    settlementStartedAt: (merchant, serial) =>
      started.get(merchant)?.find((one) => one.serial === serial)?.at,
    reportOpenedAt: (merchant, ledger) => opened.get(within(merchant, ledger)),
    codesWorkOnce: () => isProduction,
  }

  return {
    read,
    /** What a decision at that moment may have looked up; valid until the next call. */
    factsAt: (at: Instant): FactsOfLog => {
      now = at
      return facts
    },
  }
}
