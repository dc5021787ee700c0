import type { Command } from 'commander'
import {
  importEntries,
  importRejections,
  type Imported,
} from '../../application/import-statement.ts'
import { bankEntries } from '../../domain/aggregates.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import type { Settings } from '../settings.ts'
import { contentOf } from './files.ts'
import type { WithCore } from './with-core.ts'

const listed = 1000

const needsOf = (core: Core) => ({
  handle: core.handle,
  settlements: core.accounting.settlements,
  entries: core.accounting.bankEntries,
  caughtUp: core.readModels.caughtUp,
  contextOf: (merchant: string | null) => core.contextOf('operator', merchant),
})

const shown = ({ paid, returned, known, unmatched }: Imported) => ({
  ...{ payouts_paid: paid, payouts_returned: returned },
  ...{ known_already: known, not_matched: unmatched },
})

const importFile = async (core: Core, { BANK_ACCOUNT }: Settings, file: string) => {
  // Loaded on demand: no other command reads XML.
  const [{ readXml, elementsAt }, { readStatements }, { readRejections }] = await Promise.all([
    import('../bank/read-xml.ts'),
    import('../bank/camt.ts'),
    import('../bank/pain-002.ts'),
  ])
  const [document] = elementsAt(readXml(await contentOf(file), file), 'Document')
  const statements = document && readStatements(document)
  if (statements) {
    const { kind, accounts, entries, passedOver } = statements
    const other = accounts.find((account) => account !== BANK_ACCOUNT)
    if (BANK_ACCOUNT !== undefined && other !== undefined)
      fail(`${file} is of account ${other}, and BANK_ACCOUNT is ${BANK_ACCOUNT}`)
    const done = await importEntries(needsOf(core))(entries)
    return { file, kind, ...shown(done), passed_over: passedOver }
  }
  const rejections = document && readRejections(document)
  if (!rejections) return fail(`${file} is no camt.053, camt.054 or pain.002 of ISO 20022`)
  return { file, kind: 'pain.002', ...shown(await importRejections(needsOf(core))(rejections)) }
}

const listOpen = async (core: Core) => {
  await core.readModels.caughtUp()
  return core.accounting.bankEntries.open(listed).map(({ id, entry }) => ({
    id,
    day: entry.day,
    side: entry.side,
    amount: formatAmount(entry.amount, entry.currency),
    currency: entry.currency,
    why: entry.problem?.replaceAll('_', ' ') ?? null,
    end_to_end_id: entry.endToEndId,
    message_id: entry.messageId,
    bank_reference: entry.reference,
    statement: `${entry.source.kind} ${entry.source.id}`,
  }))
}

const dismiss = async (core: Core, id: string, { note }: { readonly note: string }) => {
  if (note.trim() === '') fail('a note has at least one character that is no blank')
  const command = { type: 'DismissEntry', note: note.trim() } as const
  await core.handle(bankEntries, id, command, core.contextOf('operator'))
  return { id, note: note.trim() }
}

/** `daybook bank`: what the bank says of payouts (interface 10). */
export const addBankCommands = (program: Command, settings: Settings, withCore: WithCore): void => {
  const bank = program.command('bank').description('what the bank says of payouts')
  bank
    .command('import <file>')
    .description(
      'read a statement or notification (ISO 20022 camt.053, camt.054) or a report (pain.002)',
    )
    .action(withCore((core, file: string) => importFile(core, settings, file)))
  bank
    .command('list')
    .description('list the entries that are those of no payout, oldest first')
    .action(withCore(listOpen))
  bank
    .command('dismiss <entry>')
    .description('take an entry that has nothing to do with payouts off the list')
    .requiredOption('--note <text>', 'what it is')
    .action(withCore(dismiss))
}
