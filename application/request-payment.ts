import type { PaymentRequest } from '../domain/payment-events.ts'
import type { Instant } from '../domain/time.ts'
import { payments, poses, within } from './aggregates.ts'
import type { Context, Find, Handle } from './handle.ts'

type Needs = {
  readonly handle: Handle
  readonly find: Find
  /** The service's id of the request that a POS knows under an id of its own: the same on every node, for ever. */
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  /** Whom a customer identifier names, and how it is stored: the log must not tell who somebody is. */
  readonly identify: (
    customer: string,
    merchant: string,
    at: Instant,
  ) => Promise<{
    readonly stored: string
    readonly payer: string | undefined
  }>
}

/** A merchant requests a payment; answers its tid, the same one for the same request. */
export const requestPayment =
  ({ handle, find, tidOf, identify }: Needs) =>
  async (asked: PaymentRequest, context: Context): Promise<string> => {
    const { merchant, posId, posTid, customer } = asked
    const tid = tidOf(merchant, posId, posTid)
    const pos = await find(poses, within(merchant, posId))
    const named = customer === null ? null : await identify(customer, merchant, context.at)
    const request = { ...asked, customer: named && named.stored }
    const facts = {
      payer: !named ? 'anyone' : named.payer === undefined ? 'unknown' : { id: named.payer },
      posIsKnown: pos.status === 'present',
      ledgerIsOpen: request.ledger === 'default',
    } as const
    await handle(payments, tid, { type: 'RequestPayment', at: context.at, request, facts }, context)
    return tid
  }
