import type { EntriesWanted } from '../../../projections/journal-entries.ts'
import type { Call } from '../../../http/call.ts'
import { csvDownload } from '../../../http/csv-download.ts'
import { textStream } from '../../../http/text-stream.ts'
import { pageHeaders } from '../../ui/page.ts'
import type { RawReply } from '../../../http/route.ts'
import { askedIn, wantedOf, type JournalNeeds } from './query.ts'

export const csvEntries = 10_000
const csvAtOnce = 500

async function* linesOf(
  { journalEntries, journalCsv, shopName }: JournalNeeds,
  first: EntriesWanted,
) {
  yield `${journalCsv.columns}\n`
  let wanted: EntriesWanted | undefined = first
  for (let left = csvEntries; wanted !== undefined && left > 0;) {
    const { entries, next } = journalEntries.find(wanted, Math.min(csvAtOnce, left))
    yield entries.map((one) => journalCsv.rows({ ...one, payee: shopName(one.merchant) })).join('')
    left -= entries.length
    wanted = next === undefined ? undefined : { ...wanted, before: next }
  }
}

/** What the filters find as CSV. */
export const entriesFile = (needs: JournalNeeds, call: Call): RawReply => {
  const lines = linesOf(needs, wantedOf(needs, askedIn(call)))
  return csvDownload('journal.csv', textStream(lines), pageHeaders(needs.isSecure))
}
