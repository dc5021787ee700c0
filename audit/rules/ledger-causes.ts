import type { Causes } from '../../domain/causes.ts'
import { merchantAndIdIn } from '../../domain/stream.ts'
import {
  defaultLedger,
  type Ledger,
  type LedgerCommand,
  type LedgerEvent,
} from '../../domain/accounting/ledger.ts'

type Given = Parameters<Causes<LedgerCommand, LedgerEvent, Ledger>['LedgerEnabled']>[1]

/** The default ledger of a merchant, which exists without registration. */
const impliedBy = ({ id, facts }: Given) => {
  const [merchant, ledger] = merchantAndIdIn(id)
  const currency = ledger === defaultLedger ? facts.currencyOf(merchant) : undefined
  return currency === undefined ? null : { merchant, id: ledger, currency, description: null }
}

type Changes = Partial<Omit<Extract<LedgerCommand, { type: 'ChangeLedger' }>, 'type' | 'implied'>>

const changesBy = (event: LedgerEvent): Changes | undefined => {
  switch (event.type) {
    case 'LedgerChanged':
      return { description: event.data.description }
    case 'LedgerScheduled':
      return { closes: event.data.closes }
    case 'LedgerEnabled':
      return { enabled: true }
    case 'LedgerDisabled':
      return { enabled: false }
    default:
      return undefined
  }
}

/** One command may have produced several events. The candidate that explains most comes first. */
const change = (given: Given, first: Changes): readonly LedgerCommand[] => {
  const implied = impliedBy(given)
  const commands: LedgerCommand[] = []
  let changes = first
  for (const next of [undefined, ...given.next]) {
    if (next) {
      const more = changesBy(next)
      if (!more || Object.keys(more).some((name) => name in changes)) break
      changes = { ...changes, ...more }
    }
    commands.unshift({ type: 'ChangeLedger', ...changes, implied })
  }
  return commands
}

export const ledgerCauses: Causes<LedgerCommand, LedgerEvent, Ledger> = {
  LedgerRegistered: (data, given) => [{ type: 'RegisterLedger', data, implied: impliedBy(given) }],
  LedgerChanged: ({ description }, given) => change(given, { description }),
  LedgerScheduled: ({ closes }, given) => change(given, { closes }),
  LedgerDisabled: (_, given) => change(given, { enabled: false }),
  LedgerEnabled: (_, given) => change(given, { enabled: true }),
  ReportClosed: ({ report, openedAt: recorded, callbackUri, due }, given) => {
    if (report < given.state.open)
      return `report ${report} is closed already: lines would stand in two reports`
    if (due && due.at > given.at) return 'it closed before it was due'
    const [merchant, ledger] = merchantAndIdIn(given.id)
    const openedAt = given.facts.reportOpenedAt(merchant, ledger) ?? recorded
    const closing = { type: 'CloseReport', report, openedAt, callbackUri, due } as const
    return [{ ...closing, implied: impliedBy(given) }]
  },
  /** Its sums are those of the lines between two closings. */
  ReportCompleted: ({ report, ...completion }, { id, facts }) => {
    const [merchant, ledger] = merchantAndIdIn(id)
    const { counters, totals } = facts.linesOfReport(merchant, ledger, report)
    const summed = { ...completion, counters, totals: [...totals] }
    return [{ type: 'CompleteReport', report, completion: summed }]
  },
}
