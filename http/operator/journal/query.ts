import { z } from 'zod'
import { accounts } from '../../../domain/accounting/journal.ts'
import type { JournalEntry } from '../../../domain/accounting/journal-entry.ts'
import { dayMs, type Instant } from '../../../domain/time.ts'
import type { EntriesWanted } from '../../../projections/journal-entries.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../call.ts'
import { asked } from '../../payer/form-parts.ts'

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
  account: asked('That move this account.'),
  merchant: asked('Of this merchant.'),
  day: asked('Of this day in UTC.'),
  until: asked('Up to the end of this day in UTC.'),
  before: asked('Before this position.'),
})

const fields = ['account', 'merchant', 'day', 'until'] as const
export type Asked = Readonly<Record<(typeof fields)[number], string>>

export const askedIn = (call: Call): Asked & { readonly before: number } => {
  const search = searchOf(call)
  const [account = '', merchant = '', day = '', until = ''] = fields.map((name) =>
    (search.get(name) ?? '').trim(),
  )
  const before = Number(search.get('before')) || Number.MAX_SAFE_INTEGER
  return { account, merchant, day, until, before }
}

const startOf = (day: string): Instant | undefined => {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN
  return Number.isNaN(at) ? undefined : at
}

export const wantedOf = (
  { positionAt }: JournalNeeds,
  { account, merchant, day, until, before }: ReturnType<typeof askedIn>,
): EntriesWanted => {
  const [from, last] = [startOf(day), startOf(day) ?? startOf(until)]
  const end = last === undefined ? before : Math.min(before, positionAt(last + dayMs - 1) + 1)
  return {
    account: accounts.find((one) => one === account) ?? null,
    merchant: merchant === '' ? null : merchant,
    after: from === undefined ? 0 : positionAt(from - 1),
    before: end,
  }
}

export const searchWith = (of: Asked, before?: number): string => {
  const given = fields.flatMap((name) => (of[name] === '' ? [] : [[name, of[name]]]))
  return String(
    new URLSearchParams([...given, ...(before ? [['before', String(before)]] : [])] as string[][]),
  )
}
