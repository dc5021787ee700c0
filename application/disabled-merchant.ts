import { merchants } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import { isDisabled } from '../domain/register.ts'
import type { Find } from './find-state.ts'

/** Refuses what payers give to a disabled merchant. @throws Refusal merchant_is_disabled */
export const refuseDisabled = async (find: Find, merchant: string): Promise<void> => {
  if (isDisabled(await find(merchants, merchant))) refuse('merchant_is_disabled')
}
