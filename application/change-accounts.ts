import type { AskedChange } from '../domain/accounting/account-change.ts'
import { accountChanges } from '../domain/aggregates.ts'
import type { StaffMember } from '../domain/merchant/staff.ts'
import type { Instant } from '../domain/time.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'
import type { SendMessage } from './number-proofs.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { setSettlementAccount } from './set-settlement-account.ts'

type Waiting = { readonly merchant: string; readonly asked: AskedChange }

type AskNeeds = {
  readonly handle: Handle
  readonly findStaff: (merchant: string) => Promise<{ readonly members: readonly StaffMember[] }>
  /** Undefined once the person is erased. */
  readonly invitedNumber: (phone: string) => string | undefined
  /** Undefined where the operator has set up no way to send any. */
  readonly sendMessage: SendMessage | undefined
}

type Asking = Omit<AskedChange, 'takesEffectAt'>

/**
 * Asks for payouts to another account, and tells every owner. @throws Refusal
 * account_change_is_waiting
 */
export const askAccountChange =
  ({ handle, findStaff, invitedNumber, sendMessage }: AskNeeds) =>
  async (merchant: string, asking: Asking, text: string, context: Context): Promise<void> => {
    const command = { type: 'AskAccountChange', at: context.at, ...asking } as const
    const { events } = await handle(accountChanges, merchant, command, context)
    if (events.length === 0) return
    const { members } = await findStaff(merchant)
    const owners = members.filter(
      ({ status, terms }) => status === 'joined' && terms.role === 'owner',
    )
    const { change } = asking
    const told = owners.flatMap(({ member, phone }) => {
      const number = invitedNumber(phone)
      if (number === undefined || !sendMessage) return []
      sendMessage(number, text)
      return [member]
    })
    const announce = { type: 'AnnounceAccountChange', change, members: told } as const
    await handle(accountChanges, merchant, announce, context)
  }

type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly rows: {
    due(now: Instant, limit: number): readonly Waiting[]
    nextDue(now: Instant): Instant | null
  }
  readonly caughtUp: () => Promise<void>
  readonly outageOf: OutageOf
}

const batchSize = 100

const finish = async (
  { handle, find }: Needs,
  { merchant, asked }: Waiting,
  at: Instant,
): Promise<void> => {
  const { change, payoutAccount } = asked
  // The row may be older than a withdrawal.
  const { waiting } = await find(accountChanges, merchant, 'log')
  if (waiting?.change !== change) return
  const context = { at, merchant, actor: 'daybook', correlationId: change }
  await setSettlementAccount({ handle, find })(merchant, { payoutAccount }, context)
  await handle(accountChanges, merchant, { type: 'FinishAccountChange', change, at }, context)
}

/** Gives merchants the accounts that they asked for, once owners had time to see it. */
export const changeAccounts = (needs: Needs) => {
  const { rows, caughtUp, outageOf } = needs
  const keyOf = ({ merchant }: Waiting): string => merchant
  const backOff = perKeyBackOff<Waiting>({ keyOf, outageOf })
  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const batch = backOff.due(now, batchSize, (limit) => rows.due(now, limit))
      if (batch.length === 0) break
      for (const one of batch) await backOff.attempt(one, now, () => finish(needs, one, now))
      await caughtUp()
    }
    return backOff.nextLook(rows.nextDue(now))
  }
}
