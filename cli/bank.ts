import type { Command } from 'commander'
import type { Imported } from '../application/import-statement.ts'
import { bankEntries } from '../domain/aggregates.ts'
import { formatAmount } from '../domain/money/money.ts'
import { importBankFile } from '../service/bank/import-uploaded.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { contentOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

const listed = 1000

const mostLeftOut = 20

const shown = ({ paid, returned, known, unmatched, alarms }: Imported) => ({
  ...{ payouts_paid: paid, payouts_returned: returned },
  ...{ known_already: known, not_matched: unmatched, alarms },
})

const importFile = async (core: Core, settings: Settings, file: string) => {
  // Loaded on demand: no other command reads XML.
  const { readBankFile } = await import('../infrastructure/bank/bank-file.ts')
  const { kind, passedOver, leftOut, ...says } = readBankFile(
    await contentOf(file),
    file,
    settings.BANK_ACCOUNT,
  )
  const contextOf = (merchant: string | null) => core.contextOf('operator', merchant)
  const done = shown(await importBankFile(core, contextOf)(says))
  return {
    ...{ file, kind, ...done, passed_over: passedOver },
    ...(leftOut.length > 0 && { left_out: leftOut.slice(0, mostLeftOut) }),
  }
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
  if (note.trim() === '') fail('a note has at least one non-blank character')
  const command = { type: 'DismissEntry', note: note.trim() } as const
  await core.handle(bankEntries, id, command, core.contextOf('operator'))
  return { id, note: note.trim() }
}

/** `daybook bank`: imports bank statements about payouts (interface 10). */
export const addBankCommands = (program: Command, settings: Settings, withCore: WithCore): void => {
  const bank = program.command('bank').description('what the bank says of payouts')
  bank
    .command('import <file>')
    .description(
      'read statements, notifications (ISO 20022 camt.053, camt.054) or reports (pain.002) of ' +
        'BANK_ACCOUNT; name other accounts, and raise an alarm for money that left unexplained',
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
