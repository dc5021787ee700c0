import type { Core } from '../core.ts'
import type { Messages } from '../people/messages.ts'
import { oneTimeCodeOf } from '../people/payer-accounts.ts'
import type { AccountingSlice } from './accounting.ts'
import type { CallbackSlice } from './callbacks.ts'
import type { MerchantSlice } from './merchants.ts'
import type { PaymentSlice } from './payments.ts'
import type { PeopleSlice } from './people.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Context } from '../../application/handle.ts'
import type { Instant } from '../../domain/time.ts'
import { wallClock } from '../../application/machine.ts'

type Step = { readonly by: number } | { readonly to: Instant }

/** A clock that can be moved, with everything that is due by then. */
const sandboxControls = (
  core: Core,
  settle: () => Promise<void>,
  settleNow: AccountingSlice['settleNow'],
) => ({
  advanceClock: async (step: Step, context: Context): Promise<Instant> => {
    const requestedAt = wallClock()
    // Work in progress finishes at the time at which it started.
    await settle()
    // The requested time may have passed meanwhile.
    await core.advanceClock(step, context, requestedAt)
    await settle()
    return core.now()
  },
  settleNow: async (merchant: string, correlationId: string): Promise<void> => {
    const failing = await settleNow(core.now(), { actor: 'sandbox', correlationId }, merchant)
    if (failing.includes(merchant)) throw new StoreUnavailable(`settling ${merchant} fails`)
  },
})

type Parts = Pick<AccountingSlice, 'settleNow'> &
  Pick<CallbackSlice['views'], 'sendTestCallback'> &
  Pick<MerchantSlice, 'scanShortlink'> &
  Pick<PaymentSlice, 'acceptPayment'> &
  Pick<PeopleSlice, 'answers'> & {
    readonly messages: Messages
    readonly settleOwnerMessages: () => Promise<void>
    readonly settle: () => Promise<void>
  }

/** The sandbox's routes: answering as payers do, and a clock that can be moved. */
export const sandboxSlice = (core: Core, parts: Parts) => {
  const { messages, answers, settle, settleNow } = parts
  const controls = sandboxControls(core, settle, settleNow)
  return {
    handle: core.handle,
    find: core.find,
    findPayer: core.payerDirectory.byIdOrPhone,
    oneTimeCode: oneTimeCodeOf(core),
    sentTo: async (to: string | undefined) => {
      await parts.settleOwnerMessages()
      await messages.settled()
      return messages.sentTo(to)
    },
    acceptPayment: parts.acceptPayment,
    scanShortlink: parts.scanShortlink,
    grantPermission: answers.grantPermission,
    declinePermission: answers.declinePermission,
    sendTestCallback: parts.sendTestCallback,
    advanceClock: controls.advanceClock,
    settleNow: controls.settleNow,
  }
}

/** What the portal of a sandbox uses to answer as payers do. */
export type Simulator = Pick<
  ReturnType<typeof sandboxSlice>,
  'acceptPayment' | 'advanceClock' | 'findPayer' | 'oneTimeCode' | 'settleNow'
>
