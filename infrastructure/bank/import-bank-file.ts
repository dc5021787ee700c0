import type { Context } from '../../application/handle.ts'
import {
  importEntries,
  importRejections,
  type Imported,
} from '../../application/import-statement.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import type { Settings } from '../settings.ts'
import type { BankFile } from './bank-file.ts'

/** Records what a bank file says about payouts. @throws OperatorError for another account */
export const importBankFile = (
  core: Core,
  { BANK_ACCOUNT }: Pick<Settings, 'BANK_ACCOUNT'>,
  contextOf: (merchant: string | null) => Context,
) => {
  const needs = {
    handle: core.handle,
    settlements: core.accounting.settlements,
    entries: core.accounting.bankEntries,
    caughtUp: core.readModels.caughtUp,
    contextOf,
  }
  return async (file: BankFile, name: string): Promise<Imported> => {
    if ('rejections' in file) return importRejections(needs)(file.rejections)
    const { accounts, entries } = file
    const other = accounts.find((account) => account !== BANK_ACCOUNT)
    if (BANK_ACCOUNT !== undefined && other !== undefined)
      fail(`${name} is of account ${other}, and BANK_ACCOUNT is ${BANK_ACCOUNT}`)
    return importEntries(needs)(entries)
  }
}
