import { defaultLedger, isOpenLedger } from '../domain/ledger.ts'
import type { PaymentRequest } from '../domain/payment-events.ts'
import { ledgers, payments, poses, within } from './aggregates.ts'
import type { Context, Find, Handle } from './handle.ts'

type Needs = {
  readonly handle: Handle
  readonly find: Find
  /** The service's id of the request that a POS knows under an id of its own: the same on every node, for ever. */
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  /** Whom a customer identifier names. */
  readonly findPayer: (customer: string) => Promise<string | undefined>
}

/** Whether requests may name a ledger; the default one is always there. */
export const isLedgerOpen = async (
  { find }: { readonly find: Find },
  merchant: string,
  ledger: string,
): Promise<boolean> =>
  ledger === defaultLedger || isOpenLedger(await find(ledgers, within(merchant, ledger)), ledger)

/** A merchant requests a payment; answers its tid, the same one for the same request. */
export const requestPayment =
  ({ handle, find, tidOf, findPayer }: Needs) =>
  async (request: PaymentRequest, context: Context): Promise<string> => {
    const { merchant, posId, posTid, customer } = request
    const tid = tidOf(merchant, posId, posTid)
    const pos = await find(poses, within(merchant, posId))
    const payer = customer === null ? 'anyone' : await findPayer(customer)
    const facts = {
      payer: payer === 'anyone' ? payer : payer === undefined ? 'unknown' : { id: payer },
      posIsKnown: pos.status === 'present',
      ledgerIsOpen: await isLedgerOpen({ find }, merchant, request.ledger),
    } as const
    await handle(payments, tid, { type: 'RequestPayment', at: context.at, request, facts }, context)
    return tid
  }
