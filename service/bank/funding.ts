import {
  fundingBook,
  settleDifferences,
  type FundingWatch,
  type FundingWork,
} from '../../application/funding-book.ts'
import { utc } from '../../domain/time-zone.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Core } from '../core.ts'
import { bankTimeZone } from '../payment-message.ts'

type Set = Pick<Settings, 'BANK_PROFILE' | 'BANK_ACCOUNT' | 'BANK_TIME_ZONE'>

const watchIn = ({
  BANK_PROFILE: profile,
}: Pick<Set, 'BANK_PROFILE'>): FundingWatch | undefined => {
  const { funding } = profile ?? { funding: null }
  if (!funding) return undefined
  const { since, due_days: dueDays, accounts } = funding
  return {
    since,
    dueDays,
    accounts: accounts.map(({ account, batch_prefix: batchPrefix, withholds: rate }) => ({
      account,
      batchPrefix,
      rate,
    })),
  }
}

export const fundingAccounts = (settings: Set): readonly string[] =>
  watchIn(settings)?.accounts.map(({ account }) => account) ?? []

/** Money that comes in: its days, and what people do about differences. */
export const fundingOf = async ({
  settings,
  accounting: { funding },
  handle,
  now,
  readModels: { caughtUp },
}: Pick<
  Core,
  'settings' | 'accounting' | 'handle' | 'now' | 'readModels'
>): Promise<FundingWork> => {
  const watch = watchIn(settings)
  const { BANK_TIME_ZONE, BANK_ACCOUNT = watch?.accounts[0]?.account } = settings
  // Bank holidays, which know the zone, are loaded only if they are needed.
  const zone = watch ? await bankTimeZone({ BANK_TIME_ZONE, BANK_ACCOUNT }) : utc
  const needs = { watch, zone, now, funding }
  const book = fundingBook(needs)
  return { watch, zone, book, ...settleDifferences({ ...needs, book, handle, caughtUp }) }
}
