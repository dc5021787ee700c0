import type { EntriesWanted } from '../../../projections/journal-entries.ts'
import type { Call } from '../../../http/call.ts'
import { csvDownload } from '../../../http/csv-download.ts'
import { pageHeaders } from '../../ui/page.ts'
import type { RawReply } from '../../../http/route.ts'
import { askedIn, wantedOf, type JournalNeeds } from './query.ts'

export const csvEntries = 10_000
const csvAtOnce = 500

/** What the filters find as CSV, read on as fast as it is taken. */
export const entriesFile = (needs: JournalNeeds, call: Call): RawReply => {
  const { journalEntries, journalCsv, shopName } = needs
  const encoder = new TextEncoder()
  let wanted: EntriesWanted | undefined = wantedOf(needs, askedIn(call))
  let count = 0
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`${journalCsv.columns}\n`)),
    pull: (controller) => {
      if (wanted === undefined) return controller.close()
      const limit = Math.min(csvAtOnce, csvEntries - count)
      const { entries, next } = journalEntries.find(wanted, limit)
      count += entries.length
      const isOver = next === undefined || count >= csvEntries
      wanted = isOver ? undefined : { ...wanted, before: next }
      const rows = entries.map((one) => journalCsv.rows({ ...one, payee: shopName(one.merchant) }))
      // A stream that is given nothing is asked no more.
      controller.enqueue(encoder.encode(rows.join('')))
    },
  })
  return csvDownload('journal.csv', body, pageHeaders(needs.isSecure))
}
