import type { Imported } from '../application/import-statement.ts'
import { bankEntries } from '../domain/aggregates.ts'
import { formatAmount } from '../domain/money/money.ts'
import { importBankFile } from '../service/bank/import-uploaded.ts'
import { fail } from '../infrastructure/failures.ts'
import { contentOf } from './arguments.ts'
import { group, onData, required } from './command.ts'

const listed = 1000

const mostLeftOut = 20

const shown = ({ paid, returned, known, unmatched, alarms }: Imported) => ({
  ...{ payouts_paid: paid, payouts_returned: returned },
  ...{ known_already: known, not_matched: unmatched, alarms },
})

const importFile = onData({
  name: 'import <file>',
  about:
    'read statements, notifications (ISO 20022 camt.053, camt.054) or reports (pain.002) of ' +
    'BANK_ACCOUNT; name other accounts, and raise an alarm for money that left unexplained',
  run: async (core, file) => {
    // Loaded on demand: no other command reads XML.
    const { readBankFile } = await import('../infrastructure/bank/bank-file.ts')
    const content = await contentOf(file)
    const { BANK_ACCOUNT } = core.settings
    const { kind, passedOver, leftOut, ...says } = readBankFile(content, file, BANK_ACCOUNT)
    const contextOf = (merchant: string | null) => core.contextOf('operator', merchant)
    const done = shown(await importBankFile(core, contextOf)(says))
    return {
      ...{ file, kind, ...done, passed_over: passedOver },
      ...(leftOut.length > 0 && { left_out: leftOut.slice(0, mostLeftOut) }),
    }
  },
})

const listOpen = onData({
  name: 'list',
  about: 'list the entries that are those of no payout, oldest first',
  run: async (core) => {
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
  },
})

const dismiss = onData({
  name: 'dismiss <entry>',
  about: 'take an entry that has nothing to do with payouts off the list',
  options: { note: required('<text>', 'what it is') },
  run: async (core, id, { note }) => {
    if (note.trim() === '') fail('a note has at least one non-blank character')
    const command = { type: 'DismissEntry', note: note.trim() } as const
    await core.handle(bankEntries, id, command, core.contextOf('operator'))
    return { id, note: note.trim() }
  },
})

/** `daybook bank`: imports bank statements about payouts (interface 10). */
export const bankCommands = group('bank', 'what the bank says of payouts', [
  importFile,
  listOpen,
  dismiss,
])
