import type { Position, RecordedEvent } from '../../application/event-store.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import type { EventType } from '../../domain/events.ts'
import { ledgerStream } from '../../projections/ledgers.ts'

const ledgersRemembered = 10_000

/** An open report; its lines have positions after `after`. */
type OpenReport = { readonly number: number; readonly after: Position }

type Needs = {
  readonly reports: {
    open(stream: string): OpenReport
    closedAfter(stream: string, position: Position): number | undefined
  }
  readonly reached: (position: Position) => Promise<void>
  readonly position: () => Position
  /** All events after this position are observed. */
  readonly from: Position
}

/**
 * Finds the report of a line: the one open in its ledger at that position. Open reports are cached
 * until their closing is observed, so most lines need no read model.
 */
export const makeReportBook = ({ reports, reached, position: folded, from }: Needs) => {
  const open = generationalCache<string, OpenReport>(ledgersRemembered)
  /** Per ledger, the last observed closing that may not be folded yet, oldest first. */
  const closings = new Map<string, Position>()
  let observed = from

  const lookUp = async (stream: string, position: Position): Promise<number> => {
    const target = Math.max(position, closings.get(stream) ?? from)
    await reached(target)
    const found = reports.open(stream)
    // A closing observed meanwhile may be missing from it.
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
    /** @throws StoreUnavailable if the read models do not reach the position */
    holding: (merchant: string, ledger: string, position: Position): number | Promise<number> => {
      const stream = ledgerStream(merchant, ledger)
      const known = open.get(stream)
      // Any closing up to the line would have removed the cached report.
      if (known && known.after < position && position <= observed) return known.number
      return lookUp(stream, position)
    },
    /** Call with all events, in order. */
    observe: (events: readonly RecordedEvent[]): void => {
      for (const { type, stream, position } of events) {
        if (type === ('ReportClosed' satisfies EventType)) {
          open.delete(stream)
          closings.delete(stream)
          closings.set(stream, position)
          forgetFolded()
        }
        observed = position
      }
    },
  }
}
