import type { Causes } from '../causes.ts'
import { merchantAndIdIn } from '../stream.ts'
import {
  defaultLedger,
  type Ledger,
  type ledgerEvents,
  type LedgerCommand,
  type LedgerEvent,
} from './ledger.ts'
import type { EventsOf } from '../decider.ts'

type Given = Parameters<Causes<LedgerCommand, LedgerEvent, Ledger>['LedgerEnabled']>[1]
type Change = Extract<EventsOf<typeof ledgerEvents>, { type: 'LedgerChanged' }>['data']

/** The default ledger of a merchant, which is there without registration. */
const impliedBy = ({ id, facts }: Given) => {
  const [merchant, ledger] = merchantAndIdIn(id)
  const currency = ledger === defaultLedger ? facts.currencyOf(merchant) : undefined
  return currency === undefined ? null : { merchant, id: ledger, currency, description: null }
}

const change = (given: Given, changes: Partial<Change> & { readonly enabled?: boolean }) =>
  ({ type: 'ChangeLedger', ...changes, implied: impliedBy(given) }) as const

export const ledgerCauses: Causes<LedgerCommand, LedgerEvent, Ledger> = {
  LedgerRegistered: (data, given) => [{ type: 'RegisterLedger', data, implied: impliedBy(given) }],
  LedgerChanged: ({ description }, given) => {
    const [after] = given.next
    const enabled = after?.type === 'LedgerEnabled'
    const both = enabled || after?.type === 'LedgerDisabled'
    const alone = change(given, { description })
    return both ? [change(given, { description, enabled }), alone] : [alone]
  },
  LedgerDisabled: (_, given) => [change(given, { enabled: false })],
  LedgerEnabled: (_, given) => [change(given, { enabled: true })],
  ReportClosed: ({ report, openedAt: recorded, callbackUri }, given) => {
    if (report < given.state.open)
      return `report ${report} is closed already: lines would stand in two reports`
    const [merchant, ledger] = merchantAndIdIn(given.id)
    const openedAt = given.facts.reportOpenedAt(merchant, ledger) ?? recorded
    const closing = { type: 'CloseReport', report, openedAt, callbackUri } as const
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
