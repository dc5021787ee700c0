import type { BankSays } from '../../application/import-statement.ts'
import type { Rejection } from '../../domain/accounting/bank-facts.ts'
import type { ReturnReason } from '../../domain/accounting/payout-events.ts'
import { fail, OperatorError } from '../failures.ts'
import {
  idOrNull,
  orderNamedIn,
  readStatements,
  reasonOf,
  statementRoots,
  type LeftOut,
} from './camt.ts'
import { dayAt, type Element, elementsAt, elementsWith, readXml, textAt } from './read-xml.ts'

const isRejected = (status: string | null): boolean => status === 'RJCT' || status === 'CANC'

const ids = { endToEnd: 'OrgnlEndToEndId', instruction: 'OrgnlInstrId' }

/** A group, a payment information or a transaction of a report; below it others may be named. */
type Level = { readonly status: string | null; readonly reason: ReturnReason }

const levelOf = (element: Element, statusName: string, above: Level | undefined): Level => {
  const own = reasonOf(element, 'StsRsnInf')
  const isSilent = own.code === null && own.text === null
  return {
    status: textAt(element, statusName) ?? above?.status ?? null,
    reason: isSilent && above ? above.reason : own,
  }
}

/**
 * Parses the rejections in a status report (pain.002) of any version: of the group, of payment
 * informations and of transactions. The most particular status decides. Acceptances only limit
 * wider rejections: paid payouts appear on statements.
 */
const readRejections = (document: Element): readonly Rejection[] =>
  elementsAt(document, 'CstmrPmtStsRpt').flatMap((report) => {
    const day = dayAt(report, 'GrpHdr', 'CreDtTm') ?? fail('the report has no date')
    const [original] = elementsAt(report, 'OrgnlGrpInfAndSts')
    const messageId =
      (original && idOrNull(textAt(original, 'OrgnlMsgId'))) ??
      fail('the report names no original message')
    const group = levelOf(original ?? {}, 'GrpSts', undefined)
    const payments = elementsAt(report, 'OrgnlPmtInfAndSts')
    const rejected = (
      { status, reason }: Level,
      names: Pick<Rejection, 'paymentId' | 'endToEndId' | 'except'>,
    ): readonly Rejection[] => (isRejected(status) ? [{ messageId, day, reason, ...names }] : [])
    const orderIn = (one: Element) => orderNamedIn(one, [], ids)
    const named = (all: readonly Element[]) => all.flatMap((one) => orderIn(one) ?? [])
    const paymentIdOf = (one: Element) => idOrNull(textAt(one, 'OrgnlPmtInfId'))
    const ofPayment = (payment: Element): readonly Rejection[] => {
      const level = levelOf(payment, 'PmtInfSts', group)
      const details = elementsAt(payment, 'TxInfAndSts')
      const paymentId = paymentIdOf(payment)
      const hasOwn = textAt(payment, 'PmtInfSts') !== null
      const ofDetail = (detail: Element): readonly Rejection[] => {
        const own = levelOf(detail, 'TxSts', level)
        if (!isRejected(own.status)) return []
        const endToEndId = orderIn(detail) ?? fail('the report names no payment')
        return rejected(own, { paymentId, endToEndId, except: [] })
      }
      return [
        ...details.flatMap(ofDetail),
        ...(hasOwn && paymentId !== null
          ? rejected(level, { paymentId, endToEndId: null, except: named(details) })
          : []),
      ]
    }
    const withStatus = payments.filter((one) => textAt(one, 'PmtInfSts') !== null)
    const except = [
      ...withStatus.flatMap((one) => paymentIdOf(one) ?? []),
      ...payments.flatMap((one) => named(elementsAt(one, 'TxInfAndSts'))),
    ]
    return [
      ...payments.flatMap(ofPayment),
      ...rejected(group, { paymentId: null, endToEndId: null, except }),
    ]
  })

export type BankFile = BankSays & {
  /** The kinds of its documents, such as camt.053. */
  readonly kind: string
  /** Number of entries not booked yet, or in an unknown currency. */
  readonly passedOver: number
  /** Statements of accounts that are not ours. */
  readonly leftOut: readonly LeftOut[]
}

const read = (
  bytes: Uint8Array,
  name: string,
  ownAccount: string | undefined,
  funding: readonly string[],
): BankFile => {
  const documents = elementsWith(readXml(bytes, name), [...statementRoots, 'CstmrPmtStsRpt'])
  if (documents.length === 0)
    return fail(`${name} is not an ISO 20022 camt.052, camt.053, camt.054 or pain.002 file`)
  const statements = documents.flatMap((one) => readStatements(one, ownAccount, funding) ?? [])
  const rejections = documents.flatMap(readRejections)
  const leftOut = statements.flatMap((one) => one.leftOut)
  const isOurs = statements.some((one) => one.entries.length + one.passedOver > 0)
  const [other] = leftOut
  if (other && !isOurs && rejections.length === 0)
    fail(`${name} is of account ${other.account}, and BANK_ACCOUNT is ${ownAccount}`)
  const isReport = documents.some((one) => elementsAt(one, 'CstmrPmtStsRpt').length > 0)
  const kinds = [...statements.map((one) => one.kind), ...(isReport ? ['pain.002'] : [])]
  return {
    kind: [...new Set(kinds)].join(', '),
    entries: statements.flatMap((one) => one.entries),
    rejections,
    passedOver: statements.reduce((sum, one) => sum + one.passedOver, 0),
    leftOut,
  }
}

/** Files may hold anything, so that problems are told short and on one line. */
const longestProblem = 300

/**
 * Parses statements, notifications and status reports, also in an envelope.
 * @throws OperatorError
 */
export const readBankFile = (
  bytes: Uint8Array,
  name: string,
  ownAccount: string | undefined,
  /** Accounts where funding arrives. */
  funding: readonly string[] = [],
): BankFile => {
  try {
    return read(bytes, name, ownAccount, funding)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const text = error.message.slice(0, 4 * longestProblem).replaceAll(/[\p{Cc}\s]+/gu, ' ')
    return fail(text.length > longestProblem ? `${text.slice(0, longestProblem)} …` : text)
  }
}
