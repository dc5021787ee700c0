import type { Context } from '../../application/handle.ts'
import { makeSerialByKey } from '../../application/serial-by-key.ts'
import type { Core } from '../core.ts'
import { fundingAccounts, fundingOf } from './funding.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import type { Answer, BankFileRequest, begin } from '../../infrastructure/bank/bank-file-job.ts'
import {
  importBankFacts,
  type BankSays,
  type Imported,
} from '../../application/import-statement.ts'

/** Records what a bank file says about payouts and funding. */
export const importBankFile =
  (core: Core, contextOf: (merchant: string | null) => Context) =>
  async (says: BankSays): Promise<Imported> => {
    const { watch, zone, book, withhold } = await fundingOf(core)
    const { funding } = core.accounting
    const accounts = watch?.accounts ?? []
    const done = await importBankFacts({
      handle: core.handle,
      settlements: core.accounting.settlements,
      entries: core.accounting.bankEntries,
      funding: { accounts, zone, receipts: funding, linesOf: funding.linesOf },
      caughtUp: core.readModels.caughtUp,
      contextOf,
    })(says)
    if (watch) await withhold(contextOf(null))
    const differences = watch ? book.differences().length : 0
    if (differences > 0)
      core.log.warn({ differences }, 'money of payers is missing, or came in unexpected')
    return done
  }

/** Parses bank files in a worker thread, one at a time: a large one takes seconds. */
const makeBankFileReader = () => {
  const late = ({ name }: BankFileRequest): Answer => ({ problem: `${name} took too long to read` })
  return jobThread<typeof begin, Answer>('infrastructure/bank/bank-file-job', {
    limit: { ms: 30_000, late },
    idleMs: 0,
    maxWaiting: 20,
  }).ask
}

/** Larger files must use the command: each entry takes some milliseconds. */
const mostEntries = 1_000

/** Imports a file as `daybook bank import` does. */
export const importUploaded = (core: Core) => {
  const read = makeBankFileReader()
  const inOrder = makeSerialByKey()
  return async (
    bytes: Uint8Array,
    name: string,
    contextOf: (merchant: string | null) => Context,
  ) => {
    const most = mostEntries
    const ownAccount = core.settings.BANK_ACCOUNT
    const funding = fundingAccounts(core.settings)
    const answer = await read({ bytes, name, ownAccount, funding, most })
    if (!('file' in answer)) return 'tooMany' in answer ? { ...answer, most } : answer
    const { kind, passedOver, leftOut, ...says } = answer.file
    // If a file is sent twice at once, the second import finds the results of the first.
    const done = await inOrder('bank', () => importBankFile(core, contextOf)(says))
    return { kind, passedOver, leftOut, done }
  }
}
