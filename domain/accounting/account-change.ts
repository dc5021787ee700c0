import { z } from 'zod'
import { waitingChange, type AskedOf } from '../waiting-change.ts'

const wanted = {
  payoutAccount: z.string(),
  /** Null if there was none. */
  before: z.string().nullable(),
}

/** A merchant's staff requests another payout account. Changes by the operator apply at once. */
export const accountChange = waitingChange('AccountChange', wanted, 'account_change_is_waiting')

export type AskedChange = AskedOf<z.output<z.ZodObject<typeof wanted>>>
