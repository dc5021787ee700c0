import {
  type RequestedAccountChange,
  defaultAccount,
  impliedAccount,
  type SettlementAccount,
} from '../domain/accounting/settlement-account.ts'
import {
  accountChanges,
  merchants,
  payers,
  staffs,
  settlementAccounts,
} from '../domain/aggregates.ts'
import { mayDo } from '../domain/merchant/staff-roles.ts'
import { refuse } from '../domain/refusal.ts'
import { isEnabled, changed, type Changes } from '../domain/register.ts'
import { memberOf } from '../domain/staff-members.ts'
import { secondsUntil, type Instant } from '../domain/time.ts'
import { waitMs, type WhyWithdrawn } from '../domain/waiting-change.ts'
import { refuseDisabled } from './merchants.ts'
import type { Context, Deciding } from './handle.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { within } from '../domain/stream.ts'

/** Changes a merchant's settlement account, which exists even before it is set. */
export const setSettlementAccount =
  ({ handle, find }: Deciding) =>
  async (
    merchant: string,
    changes: Changes<SettlementAccount>,
    context: Context,
  ): Promise<SettlementAccount> => {
    const shop = await find(merchants, merchant)
    if (shop.status !== 'present') return refuse('resource_is_unknown')
    const account = within(merchant, defaultAccount)
    const entry = await find(settlementAccounts, account)
    const implied = impliedAccount(merchant, shop.data.currency)
    const command =
      entry.status === 'present'
        ? ({ type: 'Change', changes } as const)
        : ({ type: 'Register', data: changed(implied, changes) } as const)
    const { state } = await handle(settlementAccounts, account, command, context)
    return state.status === 'present' ? state.data : refuse('resource_is_unknown')
  }

type Waiting<Change = RequestedAccountChange> = {
  readonly merchant: string
  readonly asked: Change
}

type Asking = Omit<RequestedAccountChange, 'takesEffectAt'>

/**
 * Whoever has just taken over a member's phone or PIN changes no owners or accounts: the member has
 * a day to notice. @throws Refusal factors_changed_lately
 */
export const checkFactors =
  ({ find }: Pick<Deciding, 'find'>) =>
  async (merchant: string, id: string, at: Instant): Promise<void> => {
    const member = memberOf(await find(staffs, merchant, 'log'), id)
    const payer = member && (await find(payers, member.person, 'log'))
    const changedAt = payer?.status === 'present' ? payer.factorsChangedAt : undefined
    const until = changedAt === undefined ? at : changedAt + waitMs
    if (at < until) refuse('factors_changed_lately', secondsUntil(until, at))
  }

/**
 * Requests payouts to another account. @throws Refusal merchant_is_disabled,
 * account_change_is_waiting, factors_changed_lately
 */
export const askAccountChange =
  (needs: Deciding) =>
  async (merchant: string, asking: Asking, context: Context): Promise<void> => {
    await refuseDisabled(needs.find, merchant)
    await checkFactors(needs)(merchant, asking.by, context.at)
    const command = { type: 'AskAccountChange', at: context.at, ...asking } as const
    await needs.handle(accountChanges, merchant, command, context)
  }

type DueNeeds<Change> = {
  readonly rows: {
    due(now: Instant, limit: number): readonly Waiting<Change>[]
    nextDue(now: Instant): Instant | null
  }
  readonly caughtUp: () => Promise<void>
  readonly outageOf: OutageOf
}

type Needs = DueNeeds<RequestedAccountChange> & Deciding

const batchSize = 100

/** Why the change cannot be applied; undefined if it can. */
const whyNot = async (
  { find }: Pick<Needs, 'find'>,
  { merchant, asked }: Waiting,
): Promise<WhyWithdrawn | undefined> => {
  if (!isEnabled(await find(merchants, merchant, 'log'))) return 'merchant_is_disabled'
  const asker = memberOf(await find(staffs, merchant, 'log'), asked.by)
  const mayChange = asker !== undefined && mayDo(asker.terms, 'change_settlement_account')
  return mayChange ? undefined : 'asker_is_no_owner'
}

const finish = async ({ handle, find }: Needs, one: Waiting, at: Instant): Promise<void> => {
  const { merchant, asked } = one
  const { change, payoutAccount } = asked
  // It may have been withdrawn since the row was read.
  const { waiting } = await find(accountChanges, merchant, 'log')
  if (waiting?.change !== change) return
  const context = { at, merchant, actor: 'daybook', correlationId: change }
  const why = await whyNot({ find }, one)
  if (why !== undefined) {
    const withdraw = { type: 'WithdrawAccountChange', change, by: context.actor, why } as const
    await handle(accountChanges, merchant, withdraw, context)
    return
  }
  await setSettlementAccount({ handle, find })(merchant, { payoutAccount }, context)
  await handle(accountChanges, merchant, { type: 'FinishAccountChange', change, at }, context)
}

/** Finishes the requested changes whose wait is over. */
export const finishWhenDue = <Change>(
  { rows, caughtUp, outageOf }: DueNeeds<Change>,
  finish: (one: Waiting<Change>, now: Instant) => Promise<void>,
) => {
  const keyOf = ({ merchant }: Waiting<Change>): string => merchant
  const backOff = perKeyBackOff<Waiting<Change>>({ keyOf, outageOf })
  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const batch = backOff.due(now, batchSize, (limit) => rows.due(now, limit))
      if (batch.length === 0) break
      for (const one of batch) await backOff.attempt(one, now, () => finish(one, now))
      await caughtUp()
    }
    return backOff.nextLook(rows.nextDue(now))
  }
}

/**
 * Applies requested account changes after owners have had time to see them. Withdraws a change if
 * by then the merchant is disabled, or the requester is no longer an owner.
 */
export const changeAccounts = (needs: Needs) =>
  finishWhenDue(needs, (one, now) => finish(needs, one, now))
