import { z } from 'zod'
import type { ReceiptEntry } from '../../application/proved-events.ts'
import type { Receipt } from '../../audit/transparency/receipts.ts'
import { lineActions } from '../../domain/accounting/transaction-line.ts'
import { nextTurn } from '../../application/next-turn.ts'
import { textStream } from '../text-stream.ts'
import { base64, consistencyReply } from '../transparency.ts'

const format = 'daybook receipt 1'
const withheld = 'names a payer'

const lineReply = z
  .object({
    action: z.enum(lineActions),
    currency: z.string(),
    amount: z.int(),
    additional_amount: z.int(),
    charge: z
      .object({ fee: z.int(), interchange: z.int(), vat: z.int(), taxcode: z.string() })
      .nullable(),
  })
  .meta({ id: 'ProvedLine', description: 'What it adds to the sums, in minor units.' })

const entryReply = z
  .object({
    index: z.int().meta({ description: 'Its number in the log, from 0.' }),
    type: z.string(),
    entry: z.string().optional(),
    data: z.string().optional().meta({ description: 'Where the entry holds its digest alone.' }),
    metadata: z.string().optional(),
    leaf: z.string().optional().meta({ description: 'The hash of an entry that is withheld.' }),
    withheld: z.literal(withheld).optional(),
    line: lineReply.optional(),
    proof: z.string().meta({ description: 'The content of a `.tlog-proof`.' }),
  })
  .meta({ id: 'ProvedEntry' })

export const receiptReply = z
  .object({
    format: z.literal(format),
    merchant: z.string(),
    about: z.record(z.string(), z.union([z.string(), z.int()])).meta({
      description: '`payment`, or `ledger` and `report`, or `settlement`.',
    }),
    checkpoint: z.string().meta({ description: 'The signed note that all proofs lead to.' }),
    not_covered_yet: z.int().meta({
      description: 'Events that are newer than the checkpoint: ask again in ten seconds.',
    }),
    consistency: z.array(consistencyReply).meta({
      description: 'That it continues the checkpoint of the document, and the one of `from`.',
    }),
    entries: z.array(entryReply),
  })
  .meta({ id: 'Proof' })

const entryView = ({ shown, line, leaf, ...entry }: ReceiptEntry): z.input<typeof entryReply> => ({
  index: entry.index,
  type: entry.type,
  ...(shown ?? { leaf, withheld }),
  ...(line && {
    line: {
      action: line.action,
      currency: line.currency,
      amount: line.amount,
      additional_amount: line.additionalAmount,
      charge: line.charge,
    },
  }),
  proof: entry.proof,
})

export type ReceiptHead = Pick<z.input<typeof receiptReply>, 'merchant' | 'about'>

/** Long enough to be worth a turn of its own. */
const charactersATurn = 16_384

/** A report may have a million events: it is sent as it is made. */
async function* textOf(head: ReceiptHead, receipt: Receipt): AsyncGenerator<string> {
  const { checkpoint, uncovered: not_covered_yet } = receipt
  const consistency = receipt.consistency.map(({ from: old_size, size, hashes }) => ({
    ...{ old_size, size },
    hashes: hashes.map(base64),
  }))
  const first = { format, ...head, checkpoint, not_covered_yet, consistency }
  let text = `${JSON.stringify(first).slice(0, -1)},"entries":[`
  let separator = ''
  for await (const entry of receipt.entries) {
    text += `${separator}\n${JSON.stringify(entryView(entry))}`
    separator = ','
    if (text.length < charactersATurn) continue
    yield text
    text = ''
    await nextTurn()
  }
  yield `${text}\n]}\n`
}

/** The JSON of a receipt. */
export const receiptStream = (head: ReceiptHead, receipt: Receipt): ReadableStream<Uint8Array> =>
  textStream(textOf(head, receipt))
