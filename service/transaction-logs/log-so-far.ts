import { nextTurn } from '../../application/time-budget.ts'
import { permissionActions, type LineAction } from '../../domain/accounting/transaction-line.ts'
import type { LineRange } from '../../projections/log-lines.ts'
import { textStream } from '../../http/text-stream.ts'
import type { Core } from '../core.ts'
import { settlementAt, takenAfter } from '../../infrastructure/transaction-logs/log-job.ts'
import { withNames } from '../../infrastructure/transaction-logs/logs.ts'
import { textsOf, type LogName } from '../../infrastructure/transaction-logs/transaction-log.ts'

const linesAtOnce = 500

const permissions: ReadonlySet<LineAction> = new Set(permissionActions)

/**
 * A log of a report that is open, in the order of the log of events. Lines are read page by page as
 * fast as they are taken; no file is written.
 */
export const logSoFar =
  ({ accounting, payerDirectory }: Pick<Core, 'accounting' | 'payerDirectory'>) =>
  (from: Omit<LineRange, 'before'>, name: LogName): ReadableStream<Uint8Array> => {
    // The report may be closed meanwhile.
    const range = { ...from, before: accounting.transactionLines.lastOf(from) + 1 }
    const { merchant, before } = range
    const cuts = accounting.settlements.cuts(merchant, range.after, Number.MAX_SAFE_INTEGER)
    const settlements = takenAfter(range.after, cuts)
    const { columns, lineText } = textsOf(name)
    const pages = async function* () {
      yield `${columns}\n`
      for (let { after } = range; ; await nextTurn()) {
        const page = accounting.transactionLines.logPage({ ...range, after }, linesAtOnce)
        if (page.length === 0) return
        after = page.at(-1)?.position ?? before
        // A page may have lines of the other log alone.
        yield page
          .filter(({ action }) => permissions.has(action) === (name === 'scopes'))
          .map((line) => `${lineText(line, settlementAt(settlements, line.position))}\n`)
          .join('')
      }
    }
    return textStream(pages()).pipeThrough(withNames(payerDirectory.show))
  }
