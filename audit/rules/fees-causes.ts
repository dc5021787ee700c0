import type { Causes } from '../../domain/causes.ts'
import type { EventsOf } from '../../domain/decider.ts'
import type { feeEvents, FeeSchedule, FeeSchedules } from '../../domain/accounting/fees.ts'
import type { Taxcode, taxcodeEvents } from '../../domain/accounting/taxcodes.ts'

type ScheduleFees = { readonly type: 'ScheduleFees'; readonly schedule: FeeSchedule }

export const feeCauses: Causes<ScheduleFees, EventsOf<typeof feeEvents>, FeeSchedules> = {
  FeesScheduled: (schedule) => [{ type: 'ScheduleFees', schedule }],
}

type AddTaxcode = { readonly type: 'AddTaxcode'; readonly taxcode: Taxcode }
type TaxcodeEvent = EventsOf<typeof taxcodeEvents>

export const taxcodeCauses: Causes<AddTaxcode, TaxcodeEvent, readonly Taxcode[]> = {
  TaxcodeAdded: (taxcode) => [{ type: 'AddTaxcode', taxcode }],
}
