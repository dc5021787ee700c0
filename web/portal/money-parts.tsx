import { Crumbs, Facts, type Fact, type Html, type Row } from '../ui/components.tsx'
import { isDay } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { formatAmount, type Sum } from '../../domain/money/money.ts'
import { countryName } from '../ui/countries.ts'
import { dateFormat, moneyText, type TimeReader } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export const moneyPath = (visitor: PortalVisitor, path = ''): string =>
  portalPath(visitor.shop.merchant, path === '' ? 'money' : `money/${path}`)

export const settlementHref = (visitor: PortalVisitor, serial: number): string =>
  moneyPath(visitor, `settlements/${serial}`)

export const ledgerHref = (visitor: PortalVisitor, ledger: string): string =>
  moneyPath(visitor, `ledgers/${encodeURIComponent(ledger)}`)

export const reportHref = (visitor: PortalVisitor, ledger: string, report: number): string =>
  `${ledgerHref(visitor, ledger)}/reports/${report}`

/** Whoever reads it. */
type Reader = Pick<PortalVisitor, 'language' | 'locale'>

export const sumText = (sum: Sum, currency: string, { locale }: Reader): string =>
  moneyText(formatAmount(sum, currency), currency, locale)

/**
 * `YYYY-MM-DD` as people write it, without the year that it is for the shop; banks' files once
 * brought days that do not exist.
 */
export const dayText = (day: string, { locale, shop, at }: TimeReader): string => {
  if (!isDay(day)) return day
  const year = shop && at !== undefined ? dateIn(shop.timeZone, at).slice(0, 4) : ''
  const isThisYear = year !== '' && day.startsWith(year)
  const format = isThisYear
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ dateStyle: 'medium' } as const)
  return dateFormat(locale, { timeZone: 'UTC', ...format }).format(Date.parse(`${day}T00:00:00Z`))
}

const clock = { timeZone: 'UTC', timeStyle: 'short' } as const

/** A time of day, `hh:mm`, as the reader's other times are written. */
export const clockText = (time: string, { locale }: Reader): string =>
  dateFormat(locale, clock).format(Date.parse(`1970-01-01T${time}Z`))

/** Whether the reader's times have AM and PM. */
export const hasHalfDays = ({ locale }: Reader): boolean =>
  dateFormat(locale, clock).resolvedOptions().hour12 === true

/** When the days of a merchant begin. */
export const startText = (
  account: { readonly startOfDay: string } | undefined,
  reader: Reader,
): string => clockText(account?.startOfDay ?? '00:00', reader)

/** The country whose rules a tax code such as `NO:2013` stands for. */
export const taxcodeCountry = (taxcode: string, locale: string): string =>
  countryName(taxcode.slice(0, 2), locale)

/** The way back to where a page is reached from. */
export const crumbsHtml = (
  visitor: PortalVisitor,
  ...more: readonly (readonly [href: string, name: string])[]
): Html => <Crumbs links={[[moneyPath(visitor), textsIn[visitor.language].money.money], ...more]} />

/** A name and its sum; totals stand out. */
export const sumRow = (name: Html, sum: string, isTotal = false): Row => {
  const cells = [{ head: name }, { number: sum }]
  return isTotal ? { kind: 'sum-row', cells } : cells
}

export const factsHtml = (facts: readonly Fact[]): Html => <Facts kind="money-facts" of={facts} />
