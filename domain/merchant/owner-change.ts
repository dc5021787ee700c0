import { z } from 'zod'
import { waitingChange, type AskedOf } from '../waiting-change.ts'
import { staffTerms } from './staff-roles.ts'

const wanted = {
  /** The owner. */
  member: z.string(),
  /** The other role; null to remove them from the staff. */
  terms: staffTerms.nullable(),
}

/** An owner requests that one is no longer an owner. Changes by the operator apply at once. */
export const ownerChange = waitingChange('OwnerChange', wanted, 'owner_change_is_waiting')

export type AskedOwnerChange = AskedOf<z.output<z.ZodObject<typeof wanted>>>
