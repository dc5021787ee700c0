import type { Rejection } from '../../application/import-statement.ts'
import { fail } from '../failures.ts'
import { readStatements, reasonOf, type Statements } from './camt.ts'
import { dayAt, type Element, elementsAt, readXml, textAt } from './read-xml.ts'

const isRejected = (status: string | null): boolean => status === 'RJCT' || status === 'CANC'

/**
 * Parses the rejections in a status report (pain.002) of any version. Acceptances are ignored: paid
 * payouts appear on statements. Undefined for another document.
 */
const readRejections = (document: Element): readonly Rejection[] | undefined => {
  const [report] = elementsAt(document, 'CstmrPmtStsRpt')
  if (!report) return undefined
  const day = dayAt(report, 'GrpHdr', 'CreDtTm') ?? fail('the report has no date')
  const [group] = elementsAt(report, 'OrgnlGrpInfAndSts')
  const messageId =
    (group && textAt(group, 'OrgnlMsgId')) ?? fail('the report names no original message')
  const about = { messageId, day }
  if (group && isRejected(textAt(group, 'GrpSts')))
    return [{ ...about, endToEndId: null, reason: reasonOf(group, 'StsRsnInf') }]
  return elementsAt(report, 'OrgnlPmtInfAndSts').flatMap((payment) => {
    const isWhole = isRejected(textAt(payment, 'PmtInfSts'))
    return elementsAt(payment, 'TxInfAndSts').flatMap((one) => {
      if (!isWhole && !isRejected(textAt(one, 'TxSts'))) return []
      const endToEndId = textAt(one, 'OrgnlEndToEndId') ?? fail('the report names no payment')
      const own = reasonOf(one, 'StsRsnInf')
      const reason = own.code === null ? reasonOf(payment, 'StsRsnInf') : own
      return [{ ...about, endToEndId, reason }]
    })
  })
}

export type BankFile =
  Statements | { readonly kind: 'pain.002'; readonly rejections: readonly Rejection[] }

/** Parses a statement, notification or status report. @throws OperatorError */
export const readBankFile = (bytes: Uint8Array, name: string): BankFile => {
  const [document] = elementsAt(readXml(bytes, name), 'Document')
  const statements = document && readStatements(document)
  if (statements) return statements
  const rejections = document && readRejections(document)
  if (!rejections) return fail(`${name} is not an ISO 20022 camt.053, camt.054 or pain.002 file`)
  return { kind: 'pain.002', rejections }
}
