import { z } from 'zod'
import { accounts, type JournalEntry } from '../../../domain/accounting/journal.ts'
import { clockToleranceMs, dayMs, isDay, type Instant } from '../../../domain/time.ts'
import type { EntryFilter, EntryDays } from '../../../projections/journal-entries.ts'
import { earliestDay } from '../../../projections/payouts.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import { csvDownload, textStream } from '../../../http/text-stream.ts'
import { pageHeaders } from '../../ui/page.tsx'
import type { RawReply } from '../../../http/route.ts'

export type JournalNeeds = Pick<Queries['accounting'], 'journalEntries'> & {
  readonly isSecure: boolean
  readonly shopName: (merchant: string) => string
  /** The last position whose time in the log is not later. */
  readonly positionAt: (at: Instant) => number
  /** As the export of a period writes its journal. */
  readonly journalCsv: {
    readonly columns: string
    readonly rows: (entry: JournalEntry) => string
  }
}

export const entriesQuery = z.object({
  account: anyText('That move this account.'),
  merchant: anyText('Of this merchant.'),
  day: anyText('Of this booking day.'),
  until: anyText('Up to the end of this booking day.'),
  before: anyText('Before this position.'),
})

const fields = ['account', 'merchant', 'day', 'until'] as const

export type JournalQuery = Readonly<Record<(typeof fields)[number], string>>

export const queryIn = (call: Call): JournalQuery & { readonly before: number } => {
  const search = searchOf(call)
  const [account = '', merchant = '', day = '', until = ''] = fields.map((name) =>
    (search.get(name) ?? '').trim(),
  )
  const before = Number(search.get('before')) || Number.MAX_SAFE_INTEGER
  return { account, merchant, day, until, before }
}

const entryDays = (
  { positionAt }: JournalNeeds,
  { since, until }: Pick<EntryDays, 'since' | 'until'>,
): EntryDays => {
  const startOf = (day: string): Instant => Date.parse(`${day}T00:00:00Z`)
  return {
    since,
    until,
    linesAfter: since === earliestDay ? 0 : positionAt(startOf(since) - 1),
    linesBefore: positionAt(startOf(until) + dayMs + clockToleranceMs) + 1,
  }
}

export const filterOf = (
  needs: JournalNeeds,
  { account, merchant, day, until, before }: ReturnType<typeof queryIn>,
): EntryFilter => {
  const ranges = [
    ...(isDay(day) ? [{ since: day, until: day }] : []),
    ...(isDay(until) ? [{ since: earliestDay, until }] : []),
  ]
  return {
    account: accounts.find((one) => one === account) ?? null,
    merchant: merchant === '' ? null : merchant,
    before,
    days: ranges[0] && entryDays(needs, ranges[0]),
  }
}

export const searchWith = (of: JournalQuery, before?: number): string => {
  const filled = fields.flatMap((name) => (of[name] === '' ? [] : [[name, of[name]]]))
  return String(
    new URLSearchParams([...filled, ...(before ? [['before', String(before)]] : [])] as string[][]),
  )
}

export const csvEntries = 10_000

export const csvAtOnce = 500

export async function* linesOf(
  { journalEntries, journalCsv, shopName }: JournalNeeds,
  first: EntryFilter,
) {
  yield `${journalCsv.columns}\n`
  let filter: EntryFilter | undefined = first
  for (let left = csvEntries; filter !== undefined && left > 0;) {
    const { entries, next } = journalEntries.find(filter, Math.min(csvAtOnce, left))
    yield entries.map((one) => journalCsv.rows({ ...one, payee: shopName(one.merchant) })).join('')
    left -= entries.length
    filter = next === undefined ? undefined : { ...filter, before: next }
  }
}

/** What the filters find as CSV. */
export const entriesFile = (needs: JournalNeeds, call: Call): RawReply => {
  const lines = linesOf(needs, filterOf(needs, queryIn(call)))
  return csvDownload('journal.csv', textStream(lines), pageHeaders(needs.isSecure))
}
