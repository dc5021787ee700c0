import { z } from 'zod'
import { formatDateTime } from '../../application/date-time.ts'
import { transactionKinds } from '../../domain/accounting/transaction-line.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import type { Queries } from '../../projections/read-models.ts'
import { anywhere, type Between, type Transaction } from '../../projections/transaction-row.ts'
import { dateTime, money, moneyIn } from '../wire.ts'

const text = z.string().nullable()

/** A line of a ledger that moves money, or a settlement fee. */
export const transactionReply = z
  .object({
    id: z.string().meta({ description: 'Never changes.' }),
    kind: z.enum(transactionKinds),
    date: dateTime,
    ledger: text.meta({ description: 'Null for settlement fees, which no ledger has.' }),
    report: text,
    currency: z.string(),
    gross: money.meta({ description: 'Negative for refunds.' }),
    fee: money,
    interchange: money,
    vat: money,
    taxcode: z.string(),
    net: money.meta({ description: 'Gross less fee, interchange and VAT.' }),
    balance_before: money.meta({ description: 'Of the ledger in this currency, by net.' }),
    balance_after: money,
    tid: text,
    rid: text,
    pos_id: text,
    pos_tid: text,
    capture_id: text,
    refund_id: text,
    settlement_id: text.meta({ description: 'As logs and bank statements name it.' }),
    paid_out: text.meta({ description: 'YYYY-MM-DD: when the bank paid the settlement.' }),
  })
  .meta({ id: 'Transaction' })

type TransactionReply = z.input<typeof transactionReply>

export type BookNeeds = Pick<Queries['accounting'], 'reports' | 'settlements'> & {
  /** Of the line at a position; it may still be in the making. */
  readonly settlementTaking: Queries['audit']['rows']['settlementTaking']
}

type Report = Between & { readonly number: number }

/** Where a report of a ledger lies; undefined if there is none of the number. */
export const reportFinder = ({ reports }: Pick<BookNeeds, 'reports'>, merchant: string) => {
  const closing = (ledger: string, number: number) =>
    reports.find(merchant, ledger, number)?.closedPosition
  const find = (ledger: string, number: number): Report | undefined => {
    const open = reports.open(ledgerStream(merchant, ledger))
    if (number === open.number) return { ...anywhere, number, after: open.after }
    const before = closing(ledger, number)
    const after = number === 1 ? anywhere.after : (closing(ledger, number - 1) ?? 0)
    return before === undefined ? undefined : { number, after, before }
  }
  const holding = (ledger: string, position: number): Report | undefined => {
    const stream = ledgerStream(merchant, ledger)
    const open = reports.open(stream)
    const isOpen = position > open.after
    return find(ledger, isOpen ? open.number : (reports.closedAfter(stream, position) ?? 0))
  }
  return { find, holding }
}

/** Looks up by position, once for all positions of what it finds. */
const remembering = <Found extends Between>(look: (position: number) => Found | undefined) => {
  let known: Found | undefined
  return (position: number): Found | undefined => {
    const isKnown = known && position > known.after && position < known.before
    return isKnown ? known : (known = look(position))
  }
}

/** Reports and settlements of lines that are read in order. */
const makeBook = (needs: BookNeeds, merchant: string) => {
  const { settlements } = needs
  const { holding } = reportFinder(needs, merchant)
  const byLedger = new Map<string, (position: number) => Report | undefined>()
  // No later line is settled.
  const [newest] = settlements.list(merchant, Number.MAX_SAFE_INTEGER, 1)
  const settlementAt = remembering((position) => {
    if (position > (newest?.startedPosition ?? 0)) return undefined
    const taking = needs.settlementTaking(merchant, position)
    const row = taking && settlements.find(merchant, taking.serial)
    const earlier = row && settlements.find(merchant, row.serial - 1)
    return row && { row, after: earlier?.startedPosition ?? 0, before: row.startedPosition }
  })
  const settlementOf = ({ position, settlementId }: Transaction) =>
    settlementId === null ? settlementAt(position)?.row : settlements.findById(settlementId)
  return {
    report: ({ ledger, position }: Transaction): string | null => {
      if (ledger === null) return null
      const find = byLedger.get(ledger) ?? remembering((one) => holding(ledger, one))
      byLedger.set(ledger, find)
      return String(find(position)?.number)
    },
    settled: (row: Transaction) => {
      const settlement = settlementOf(row)
      if (!settlement?.made) return { settlement_id: null, paid_out: null }
      const payout = settlement.payouts.find(({ currency }) => currency === row.currency)
      return { settlement_id: settlement.settlementId, paid_out: payout?.paid?.on ?? null }
    },
  }
}

const netOf = ({ gross, fee, interchange, vat }: Transaction): Sum =>
  addUp(gross, -fee, -interchange, -vat)

export const transactionViews = (
  needs: BookNeeds,
  merchant: string,
  rows: readonly Transaction[],
): readonly TransactionReply[] => {
  const book = makeBook(needs, merchant)
  return rows.map((row): TransactionReply => {
    const { kind, currency, position, part, tid } = row
    const amount = moneyIn(currency)
    const net = netOf(row)
    const isOfPermission = kind === 'permission_fee'
    return {
      id: part === '' ? String(position) : `${position}-${part}`,
      kind,
      date: row.at,
      ledger: row.ledger,
      report: book.report(row),
      currency,
      gross: amount(row.gross),
      fee: amount(row.fee),
      interchange: amount(row.interchange),
      vat: amount(row.vat),
      taxcode: row.taxcode,
      net: amount(net),
      balance_before: amount(addUp(row.balance, negated(net))),
      balance_after: amount(row.balance),
      tid: isOfPermission || kind === 'correction' ? null : tid,
      rid: isOfPermission ? tid : null,
      pos_id: row.posId,
      pos_tid: row.posTid,
      capture_id: kind === 'capture' ? row.subId : null,
      refund_id: kind === 'refund' ? row.subId : null,
      ...book.settled(row),
    }
  })
}

const names = Object.keys(transactionReply.shape) as (keyof TransactionReply)[]

/** RFC 4180, with the names of the JSON as columns. */
export const transactionCsv = (
  rows: readonly TransactionReply[],
  textCell: (text: string | null) => string,
): string => {
  const cell = (value: TransactionReply[keyof TransactionReply]): string => {
    if (typeof value === 'number') return formatDateTime(value)
    if (value === null || typeof value === 'string') return textCell(value)
    return formatAmount(value.minor, value.currency)
  }
  const lines = rows.map((one) => names.map((name) => cell(one[name])).join(','))
  return [names.join(','), ...lines, ''].join('\r\n')
}
