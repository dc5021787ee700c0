import { z } from 'zod'
import type { Find } from '../../application/find-state.ts'
import { provables, type Provable } from '../../audit/transparency/provable.ts'
import type { makeReceipts, Receipt } from '../../audit/transparency/receipts.ts'
import { payments } from '../../domain/aggregates.ts'
import { refuse } from '../../domain/refusal.ts'
import { tidParams } from '../addresses.ts'
import type { Names } from '../assets.ts'
import { callerOf, type Call } from '../call.ts'
import { route, type RawReply, type Route } from '../route.ts'
import { leaves, outOfRange, base64, consistencyReply } from '../transparency.ts'
import { ledgerGroup, ledgersOfCaller, type LedgerNeeds } from './ledger.ts'
import { detailPath } from './payment.ts'
import { ledgerListPath, proofPath } from './report-reply.ts'
import { reportParams, type ReportNeeds } from './report.ts'
import {
  settlementPath,
  settlementGroup,
  settlementParams,
  type SettlementNeeds,
} from './settlement.ts'
import type { ReceiptEntry } from '../../application/proved-events.ts'
import { lineActions } from '../../domain/accounting/transaction-line.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { textStream } from '../text-stream.ts'

export const format = 'daybook receipt 1'

export const withheld = 'names a payer'

export const lineReply = z
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

export const entryReply = z
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

export const entryView = ({
  disclosed,
  line,
  leaf,
  ...entry
}: ReceiptEntry): z.input<typeof entryReply> => ({
  index: entry.index,
  type: entry.type,
  ...(disclosed ?? { leaf, withheld }),
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
export const charactersATurn = 16_384

/** A report may have a million events: it is sent as it is made. */
export async function* textOf(head: ReceiptHead, receipt: Receipt): AsyncGenerator<string> {
  const { checkpoint, uncovered: not_covered_yet } = receipt
  const consistency = receipt.consistency.map(({ from: old_size, size, hashes }) => ({
    old_size,
    size,
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

export const receiptQuery = z.object({
  from: leaves.optional().meta({
    description: 'The size of a checkpoint that you have kept, for the proof that it is continued.',
  }),
})

type ReceiptNeeds = LedgerNeeds &
  Pick<ReportNeeds, 'reports'> &
  Pick<SettlementNeeds, 'settlements'> & {
    readonly names: Names
    readonly find: Find
    readonly receipts: ReturnType<typeof makeReceipts>
    readonly checkpoints: { readonly newest: () => { readonly size: number } | undefined }
  }

const replying =
  ({ names, caughtUp, checkpoints }: ReceiptNeeds) =>
  async (
    call: Call<unknown, z.output<typeof receiptQuery>>,
    { about, make }: Provable,
  ): Promise<RawReply> => {
    await caughtUp()
    const { from: kept } = call.query
    const size = checkpoints.newest()?.size ?? 0
    if (kept !== undefined && kept > size) return outOfRange(size)
    const receipt = await make(kept)
    const body = receiptStream({ merchant: callerOf(call).merchant, about }, receipt)
    return { type: names.json, body, headers: { 'Cache-Control': 'no-store' } }
  }

const described = {
  method: 'GET',
  access: 'SECRET',
  description:
    'Each event with the proof that it stands in the log (c2sp.org/tlog-proof), for ' +
    '`/transparency/verify.mjs`. An entry that names a payer is withheld: its hash and its proof ' +
    'are given.',
  query: receiptQuery,
  success: 'raw',
  reply: receiptReply,
} as const

/** Receipts that a merchant can check alone (interface 14.3). */
export const receiptRoutes = (needs: ReceiptNeeds): Route[] => {
  const provable = provables(needs)
  const reply = replying(needs)
  const { find: findLedger } = ledgersOfCaller(needs)
  return [
    route({
      ...described,
      path: proofPath(detailPath(':tid')),
      group: 'Payment request',
      summary: 'Prove a payment',
      params: tidParams,
      handle: async (call) => {
        const { tid } = call.params
        const payment = await needs.find(payments, tid)
        const isKnown = payment.status !== 'unrequested'
        if (!isKnown || payment.request.merchant !== callerOf(call).merchant)
          return refuse('resource_is_unknown')
        return reply(call, provable.payment(tid))
      },
    }),
    route({
      ...described,
      path: proofPath(`${ledgerListPath}:ledger_id/report/:report_id/`),
      group: ledgerGroup,
      summary: 'Prove a closed report',
      params: reportParams,
      handle: async (call) => {
        const { merchant, id: ledger } = await findLedger(call, call.params.ledger_id)
        const number = Number(call.params.report_id)
        const report = provable.report(merchant, ledger, number)
        return reply(call, report ?? refuse('resource_is_unknown'))
      },
    }),
    route({
      ...described,
      path: proofPath(settlementPath(':settlement_id')),
      group: settlementGroup,
      summary: 'Prove a settlement',
      params: settlementParams,
      handle: async (call) => {
        await needs.caughtUp()
        const { merchant } = callerOf(call)
        const serial = Number(call.params.settlement_id)
        const settlement = provable.settlement(merchant, serial)
        return reply(call, settlement ?? refuse('resource_is_unknown'))
      },
    }),
  ]
}
