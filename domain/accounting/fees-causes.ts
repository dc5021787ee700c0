import type { Causes } from '../causes.ts'
import type { EventsOf } from '../decider.ts'
import type { feeEvents, FeeSchedule, FeeSchedules } from './fees.ts'
import type { Taxcode, taxcodeEvents } from './taxcodes.ts'

type ScheduleFees = { readonly type: 'ScheduleFees'; readonly schedule: FeeSchedule }

export const feeCauses: Causes<ScheduleFees, EventsOf<typeof feeEvents>, FeeSchedules> = {
  FeesScheduled: (schedule) => [{ type: 'ScheduleFees', schedule }],
}

type AddTaxcode = { readonly type: 'AddTaxcode'; readonly taxcode: Taxcode }
type TaxcodeEvent = EventsOf<typeof taxcodeEvents>

export const taxcodeCauses: Causes<AddTaxcode, TaxcodeEvent, readonly Taxcode[]> = {
  TaxcodeAdded: (taxcode) => [{ type: 'AddTaxcode', taxcode }],
}
