import type { Position, RecordedEvent } from '../../application/event-store.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import type { EventType } from '../../domain/events.ts'
import { ledgerStream } from '../../projections/ledgers.ts'

const ledgersRemembered = 10_000

/** The report of a ledger that is open, whose lines lie after a position. */
type OpenReport = { readonly number: number; readonly after: Position }

type Needs = {
  readonly reports: {
    open(stream: string): OpenReport
    closedAfter(stream: string, position: Position): number | undefined
  }
  /** Resolves when the read models hold everything up to a position. */
  readonly reached: (position: Position) => Promise<void>
  /** Up to where they hold everything. */
  readonly position: () => Position
  /** After which position everything is noticed. */
  readonly from: Position
}

/**
 * Which report holds a line: the one that was open in its ledger at its position. Few reports are closed and many lines
 * are read, so the open report of a ledger is remembered until its closing is heard of: a line need not wait until the
 * read models hold it.
 */
export const makeReportBook = ({ reports, reached, position: folded, from }: Needs) => {
  const open = generationalCache<string, OpenReport>(ledgersRemembered)
  /** Of each ledger, the last closing that has come by and may not be in the read models yet; the oldest first. */
  const closings = new Map<string, Position>()
  let heard = from

  const lookUp = async (stream: string, position: Position): Promise<number> => {
    const target = Math.max(position, closings.get(stream) ?? from)
    await reached(target)
    const found = reports.open(stream)
    // A closing that has come by meanwhile may be missing from it.
    if ((closings.get(stream) ?? from) <= target) open.set(stream, found)
    return position > found.after
      ? found.number
      : (reports.closedAfter(stream, position) ?? found.number)
  }

  const forgetFolded = (): void => {
    for (const [stream, position] of closings) {
      if (position > folded()) return
      closings.delete(stream)
    }
  }

  return {
    /**
     * Number of the report that holds the line at a position.
     * @throws StoreUnavailable when the read models stay behind it
     */
    holding: (merchant: string, ledger: string, position: Position): number | Promise<number> => {
      const stream = ledgerStream(merchant, ledger)
      const known = open.get(stream)
      // Each closing up to the line has been heard of, and would have removed what is known.
      if (known && known.after < position && position <= heard) return known.number
      return lookUp(stream, position)
    },
    /** Called with all events as they come by. */
    observe: (events: readonly RecordedEvent[]): void => {
      for (const { type, stream, position } of events) {
        if (type === ('ReportClosed' satisfies EventType)) {
          open.delete(stream)
          closings.delete(stream)
          closings.set(stream, position)
          forgetFolded()
        }
        heard = position
      }
    },
  }
}
