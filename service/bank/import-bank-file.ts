import type { Context } from '../../application/handle.ts'
import {
  importBankFacts,
  type BankSays,
  type Imported,
} from '../../application/import-statement.ts'
import type { Core } from '../core.ts'

/** Records what a bank file says about payouts. */
export const importBankFile = (
  core: Core,
  contextOf: (merchant: string | null) => Context,
): ((says: BankSays) => Promise<Imported>) =>
  importBankFacts({
    handle: core.handle,
    settlements: core.accounting.settlements,
    entries: core.accounting.bankEntries,
    caughtUp: core.readModels.caughtUp,
    contextOf,
  })
