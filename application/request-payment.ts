import { defaultLedger, isOpenLedger, type Ledger } from '../domain/accounting/ledger.ts'
import type { Customer } from '../domain/payment/payment-command.ts'
import type { PaymentRequest } from '../domain/payment/payment-events.ts'
import { within } from '../domain/stream.ts'
import { ledgers, payments, pointsOfSale } from '../domain/aggregates.ts'
import { dryRun, findRechecked, isPresent, type Find } from './find-state.ts'
import type { Context, Deciding } from './handle.ts'
import type { Identify } from './identify-customer.ts'
import type { ScanMatching } from './match-scans.ts'

type Needs = Deciding & {
  /** Derives the tid, which is the same on every node, permanently. */
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  readonly identify: Identify
  readonly awaitScan: ScanMatching['awaitScan']
}

/** The default ledger is always open. */
export const isLedgerOpen = async (
  { find }: { readonly find: Find },
  merchant: string,
  ledger: string,
): Promise<boolean> => {
  if (ledger === defaultLedger) return true
  const isOpen = (state: Ledger) => isOpenLedger(state, ledger)
  return isOpen(await findRechecked(find, ledgers, within(merchant, ledger), isOpen))
}

export const isPosKnown = async (
  { find }: { readonly find: Find },
  merchant: string,
  pos: string,
): Promise<boolean> =>
  isPresent(await findRechecked(find, pointsOfSale, within(merchant, pos), isPresent))

/**
 * Returns the tid, the same for a repeated request. A known payer need not be identified by the
 * customer.
 */
export const requestPayment =
  ({ handle, find, tidOf, identify, awaitScan }: Needs) =>
  async (payment: PaymentRequest, context: Context, known?: string): Promise<string> => {
    const { merchant, posId, posTid, customer, maxScanAge } = payment
    const { at } = context
    const tid = tidOf(merchant, posId, posTid)
    const posIsKnown = await isPosKnown({ find }, merchant, posId)
    const ledgerIsOpen = await isLedgerOpen({ find }, merchant, payment.ledger)
    const commandFor = (stored: string | null, payer: Customer) => {
      const request = { ...payment, customer: stored }
      return {
        type: 'RequestPayment',
        at,
        request,
        facts: { payer, posIsKnown, ledgerIsOpen },
      } as const
    }
    // A new person has no earlier request to repeat.
    const admit = () => dryRun(find, payments, tid, commandFor(customer, 'unknown'))
    const named = async () => {
      if (known !== undefined) return { stored: customer, names: { id: known } }
      if (customer === null) return { stored: null, names: 'anyone' } as const
      return identify(customer, merchant, at, admit)
    }
    const { stored, names } = await named()
    const command = commandFor(stored, names)
    const { events } = await handle(payments, tid, command, context)
    const [event] = events
    if (event?.type === 'PaymentRequested' && event.data.shortlink !== undefined) {
      const { shortlink, expiresAt } = event.data
      await awaitScan(shortlink, { tid, requestedAt: at, maxScanAge, expiresAt }, context)
    }
    return tid
  }
