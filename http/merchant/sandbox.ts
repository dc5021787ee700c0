import { z } from 'zod'
import { merchants, payments } from '../../domain/aggregates.ts'
import { findRechecked, type Find } from '../../application/find-state.ts'
import type { acceptPayment } from '../../application/answer-payment.ts'
import type { Context, Handle } from '../../application/handle.ts'
import { awaitsScan, type Payment } from '../../domain/payment/payment-state.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { generatedId, tidParams, callbackUriText } from '../addresses.ts'
import { contextBy, contextOfPayer, type Call } from '../call.ts'
import type { Route } from '../route.ts'
import type { Fitting } from '../validation.ts'
import { dateTime, dateTimeText, plainNumber } from '../wire.ts'
import {
  additionalAmountIn,
  acceptInput,
  inSandbox,
  payerInput,
  sandboxFaults,
} from './sandbox-faults.ts'
import { argstring } from './shortlink-code.ts'

export type SandboxNeeds = {
  readonly handle: Handle
  readonly find: Find
  /** By id or phone number. */
  readonly findPayer: (name: string) => Promise<string | undefined>
  readonly acceptPayment: ReturnType<typeof acceptPayment>
  /** Moves the clock and runs everything due; returns the new time. */
  readonly advanceClock: (
    step: { readonly by: number } | { readonly to: Instant },
    context: Context,
  ) => Promise<Instant>
  /** Settles a merchant's open balance. */
  readonly settleNow: (merchant: string, requestId: string) => Promise<void>
  /** Scans as a payer; returns the merchant's token for the scan. */
  readonly scanShortlink: (
    shortlink: string,
    scan: { readonly payer: string; readonly argstring: string },
    context: Context,
  ) => Promise<{ readonly token: string }>
  readonly sendTestCallback: (uri: string, context: Context) => Promise<void>
}

const prefix = '/sandbox/v1'

const clockInput = z
  .object({ advance_seconds: plainNumber(z.int().min(0).max(3_153_600_000)), now: dateTimeText })
  .partial()
  .refine(({ advance_seconds, now }) => (advance_seconds === undefined) !== (now === undefined), {
    message: 'Give either advance_seconds or now.',
    path: ['advance_seconds'],
  })
  .meta({ id: 'SandboxClock' })

/** Whether memory already knows who may answer. */
const isDecidedWhoAnswers = (payment: Payment): boolean =>
  payment.status !== 'unrequested' && !awaitsScan(payment)

/** Simulates payers and time (interface 15); sandbox only. */
export const sandboxRoutes = (needs: SandboxNeeds): Route[] => {
  const { handle, find } = needs
  const faults = sandboxFaults(needs)

  const requestOf = async (tid: string) => {
    // Another process may have recorded the scan it was waiting for.
    const payment = await findRechecked(find, payments, tid, isDecidedWhoAnswers)
    return payment.status === 'unrequested' ? refuse('resource_is_unknown') : payment
  }

  const payerOf = async (named: string | undefined, expected: string | null): Promise<string> =>
    (await needs.findPayer(named ?? expected ?? 'alice')) ?? refuse('payer_is_unknown')

  return [
    inSandbox.post(`${prefix}/payment_request/:tid/accept/`, {
      summary: 'The payer accepts',
      params: tidParams,
      body: acceptInput,
      furtherFaults: async (
        call: Call<{ tid: string }, unknown, Fitting<z.output<typeof acceptInput>>>,
      ) => faults.ofAcceptance(call, await requestOf(call.params.tid)),
      handle: async (call) => {
        const { tid } = call.params
        const { request, payer: expected } = await requestOf(tid)
        const { payer: named, additional_amount: text, credit } = call.body
        const additionalAmount = additionalAmountIn(text, request.currency)
        const payer = await payerOf(named, expected)
        const context = contextOfPayer(call, payer, request.merchant)
        const wish = { additionalAmount, isConfirmed: true, credit }
        await needs.acceptPayment(tid, payer, wish, context)
      },
    }),
    inSandbox.post(`${prefix}/payment_request/:tid/decline/`, {
      summary: 'The payer declines',
      params: tidParams,
      body: z.object({ payer: payerInput }).meta({ id: 'SandboxDecline' }),
      handle: async (call) => {
        const { tid } = call.params
        const { request, payer: expected } = await requestOf(tid)
        const payer = await payerOf(call.body.payer, expected)
        const command = { type: 'DeclinePayment', at: call.at, payer } as const
        const context = contextOfPayer(call, payer, request.merchant)
        await handle(payments, tid, command, context)
      },
    }),
    inSandbox.post(`${prefix}/shortlink/:shortlink_id/scan/`, {
      summary: 'A payer scans a shortlink',
      params: z.object({ shortlink_id: generatedId }),
      body: z
        .object({ payer: payerInput, argstring: argstring.default('') })
        .meta({ id: 'SandboxScan' }),
      furtherFaults: faults.ofPayer,
      reply: z.object({ id: z.string().meta({ description: 'token:<digits>' }) }),
      handle: async (call) => {
        const { payer: named, argstring } = call.body
        const payer = await payerOf(named, null)
        const context = contextOfPayer(call, payer)
        const { shortlink_id } = call.params
        const { token } = await needs.scanShortlink(shortlink_id, { payer, argstring }, context)
        return { id: token }
      },
    }),
    inSandbox.post(`${prefix}/clock/`, {
      summary: 'Move the clock of the service forward',
      description:
        'Answers once all that has become due is done. The clock survives restarts. Signatures ' +
        'of requests and callbacks, and one-time codes, go by the real time.',
      body: clockInput,
      reply: z.object({ now: dateTime }).meta({ id: 'SandboxTime' }),
      handle: async (call) => {
        const { advance_seconds: seconds = 0, now } = call.body
        const step = now === undefined ? { by: seconds * 1000 } : { to: now }
        return { now: await needs.advanceClock(step, contextBy(call, 'sandbox')) }
      },
    }),
    inSandbox.post(`${prefix}/settlement/`, {
      summary: 'Settle a merchant now',
      description: 'Answers once the settlement is made; when nothing is unsettled there is none.',
      body: z.object({ merchant: z.string().max(64) }).meta({ id: 'SandboxSettlement' }),
      handle: async ({ body: { merchant }, requestId }) => {
        if ((await find(merchants, merchant)).status !== 'present')
          return refuse('merchant_is_unknown')
        await needs.settleNow(merchant, requestId)
      },
    }),
    inSandbox.post(`${prefix}/callback/`, {
      summary: 'Send a test_event to an address',
      body: z
        .object({
          callback_uri: callbackUriText,
          merchant: z.string().max(64).default('sandbox').meta({
            description: 'Whose callback it is: its secret signs it.',
          }),
        })
        .meta({ id: 'SandboxCallback' }),
      furtherFaults: faults.ofMerchant,
      handle: async (call) => {
        const { callback_uri: uri, merchant } = call.body
        if ((await find(merchants, merchant)).status !== 'present')
          return refuse('merchant_is_unknown')
        await needs.sendTestCallback(uri, contextBy(call, 'sandbox', merchant))
      },
    }),
  ]
}
