import type { Rejection } from '../../application/import-statement.ts'
import { fail } from '../failures.ts'
import { readStatements, type Statements } from './camt.ts'
import { readRejections } from './pain-002.ts'
import { elementsAt, readXml } from './read-xml.ts'

export type BankFile =
  Statements | { readonly kind: 'pain.002'; readonly rejections: readonly Rejection[] }

/** Reads a statement, a notification or a status report. @throws OperatorError */
export const readBankFile = (bytes: Uint8Array, name: string): BankFile => {
  const [document] = elementsAt(readXml(bytes, name), 'Document')
  const statements = document && readStatements(document)
  if (statements) return statements
  const rejections = document && readRejections(document)
  if (!rejections) return fail(`${name} is no camt.053, camt.054 or pain.002 of ISO 20022`)
  return { kind: 'pain.002', rejections }
}
