import { openStoreToRead, type Place } from '../infrastructure/stores.ts'
import type { Entry, LogEvent } from './payment-entry.ts'
import { settled, written } from './payment-book.ts'

/** Keeps books of the payments and of the callback attempts out of the raw event log. */
export const readBooks = async (place: Place) => {
  const entries = new Map<string, Entry>()
  /** Attempts by the id of the message, with what came of each. */
  const attempts = new Map<string, string[]>()
  /** Ids of the messages about scans that the merchant is owed, in order. */
  const scans: string[] = []
  const gaps: string[] = []
  const revisions = new Map<string, number>()
  let count = 0
  /** The shop has one ledger: a report is open until it is closed, the next one from there on. */
  let report = 1
  const store = await openStoreToRead(place)
  for await (const batch of store.readAll(0))
    for (const event of batch as readonly LogEvent[]) {
      const { type, stream, revision, data } = event
      count += 1
      if (revision !== (revisions.get(stream) ?? -1) + 1) gaps.push(`${stream} at ${revision}`)
      revisions.set(stream, revision)
      if (type === 'ReportClosed') report += 1
      if (type === 'SettlementStarted')
        for (const [payment, entry] of entries) entries.set(payment, settled(entry))
      if (stream.startsWith('payment-'))
        entries.set(stream, written(entries.get(stream), event, report))
      if (type === 'ShortlinkScanned') scans.push(event.id)
      if (type !== 'CallbackAttempted') continue
      const told = stream.slice('callback-'.length)
      attempts.set(told, [...(attempts.get(told) ?? []), data.result])
    }
  await store.close()
  return { entries: [...entries.values()], attempts, scans, gaps, count }
}

export type Books = Awaited<ReturnType<typeof readBooks>>
