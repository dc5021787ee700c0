// Long because it is the table of all alterations.
import { createHash } from 'node:crypto'
import type { Entry, Name, Receipt } from './story.ts'

const leafHash = (entry: string): string =>
  createHash('sha256').update(`\0${entry}`).digest('base64')

const entryAt = ({ entries }: Receipt, is: (entry: Entry) => boolean): Entry => {
  const found = entries.find(is)
  if (!found) throw new Error('the receipt has no such entry')
  return found
}
const ofType = (wanted: string) => (entry: Entry) => entry.type === wanted
const isWithheldFee = ({ withheld, line }: Entry) => withheld !== undefined && !!line?.charge
const without = (receipt: Receipt, is: (entry: Entry) => boolean): void => {
  const gone = entryAt(receipt, is)
  receipt.entries = receipt.entries.filter((entry) => entry !== gone)
}
type Alter = (receipt: Receipt, all: Readonly<Record<Name, Receipt>>) => unknown

export type Alteration = [what: string, name: Name, alter: Alter, reason: string]

/** Alterations of a receipt, and the verifier's response. */
export const alterations: readonly Alteration[] = [
  [
    'a digit of an entry',
    'report1',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.entry = entry.entry?.replace('"amount":4000', '"amount":5000') ?? ''
    },
    'does not stand in the log',
  ],
  [
    'a hash of a proof',
    'coffee',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.proof = entry.proof.replace(/\n[A-Za-z0-9+/]{4}/, '\nAAAA')
    },
    'does not stand in the log',
  ],
  [
    'a hash that is dropped',
    'coffee',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.proof = entry.proof.replace(/\n[A-Za-z0-9+/=]{44}/, '')
    },
    'does not stand in the log',
  ],
  [
    'the number of an entry',
    'coffee',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.proof = entry.proof.replace(`index ${entry.index}`, `index ${entry.index - 0.5}`)
      entry.index -= 0.5
    },
    'does not stand in the log',
  ],
  [
    'the hash of an entry that is withheld',
    'coffee',
    (receipt) => {
      entryAt(receipt, ({ withheld }) => !!withheld).leaf = Buffer.alloc(32).toString('base64')
    },
    'does not stand in the log',
  ],
  [
    'the root of the checkpoint',
    'coffee',
    (receipt) => {
      const [, , root = ''] = receipt.checkpoint.split('\n')
      receipt.checkpoint = receipt.checkpoint.replace(root, root.replace(/^..../, 'AAAA'))
    },
    'the checkpoint is not signed',
  ],
  [
    'a checkpoint of its own for a proof',
    'coffee',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.proof = entry.proof.replace(receipt.checkpoint, receipt.checkpoint.trim())
    },
    'does not stand in the log',
  ],
  [
    'a capture that is left out',
    'report1',
    (receipt) => without(receipt, ofType('PaymentCaptured')),
    'NOK NO:2013 amount is 3000, and its events make -1000',
  ],
  [
    'a refund that is left out',
    'settlement1',
    (receipt) => without(receipt, ofType('PaymentRefunded')),
    'NOK NO:2013 amount is',
  ],
  [
    'a capture that is withheld',
    'report1',
    (receipt) => {
      const entry = entryAt(receipt, ofType('PaymentCaptured'))
      entry.leaf = leafHash(entry.entry ?? '')
      delete entry.entry
    },
    'amount is 3000, and its events make -1000',
  ],
  [
    'an entry that stands there twice',
    'report1',
    (receipt) => receipt.entries.push(entryAt(receipt, ofType('PaymentRefunded'))),
    'an entry stands in it twice',
  ],
  [
    'the currency of a line',
    'settlement1',
    (receipt) => {
      entryAt(receipt, ({ line }) => line?.currency === 'EUR').line!.currency = 'NOK'
    },
    'EUR NO:2013 amount is 2000, and its events make 0',
  ],
  [
    'a fee of an entry that is withheld',
    'report1',
    (receipt) => {
      entryAt(receipt, isWithheldFee).line!.charge!.fee += 1
    },
    'scope_fee is 200, and its events make 201',
  ],
  [
    'a line of another report',
    'report1',
    ({ entries }, { report2 }) => {
      entries.push(entryAt(report2, ofType('PaymentCaptured')))
    },
    'it holds an entry that is not its own',
  ],
  [
    'the data beside a digest',
    'basket',
    (receipt) => {
      const entry = entryAt(receipt, ({ data }) => data !== undefined)
      entry.data = entry.data?.replace('Coffee', 'Coffer') ?? ''
    },
    'is something else',
  ],
  [
    'the merchant',
    'report1',
    (receipt) => {
      receipt.merchant = 'other'
    },
    'is something else',
  ],
  [
    'the closing of the report before',
    'report2',
    (receipt) => without(receipt, ofType('ReportClosed')),
    'what begins or ends it is missing',
  ],
  [
    'a hash of the proof that the log continues the named checkpoint',
    'report2',
    (receipt) => {
      for (const { hashes } of receipt.consistency) hashes[0] = Buffer.alloc(32).toString('base64')
    },
    'it does not continue ledger-sandbox/default 2',
  ],
]
