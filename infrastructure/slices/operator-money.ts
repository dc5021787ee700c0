import { explain } from '../../application/audit/explain.ts'
import type { Context } from '../../application/handle.ts'
import type { Position } from '../../application/event-store.ts'
import { auditRowsOf } from '../audit/audit-rows.ts'
import { makeBankFileReader } from '../bank/bank-file-client.ts'
import { importBankFile } from '../bank/import-bank-file.ts'
import type { Core } from '../core.ts'
import { journalColumns, journalRows } from '../export/csv-files.ts'
import { OperatorError } from '../failures.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { debtorIn, newMessageId, orderDue, paymentMessage } from '../payment-message.ts'

/** More entries than this are for the command: each takes some milliseconds. */
const mostEntries = 1_000

/** Imports a file as `daybook bank import` does. */
const importing = (core: Core) => {
  const read = makeBankFileReader()
  return async (
    bytes: Uint8Array,
    name: string,
    contextOf: (merchant: string | null) => Context,
  ) => {
    try {
      const file = await read(bytes, name)
      const { length } = 'entries' in file ? file.entries : file.rejections
      if (length > mostEntries) return { tooMany: length, most: mostEntries }
      const done = await importBankFile(core, core.settings, contextOf)(file, name)
      return { kind: file.kind, passedOver: 'entries' in file ? file.passedOver : 0, done }
    } catch (error) {
      if (error instanceof OperatorError) return { problem: error.message }
      throw error
    }
  }
}

const eventAt = async ({ store }: Core, position: Position) => {
  for await (const [first] of store.readAll(position - 1))
    return first?.position === position ? first : undefined
  return undefined
}

/** What the operator sees and does of money. */
export const operatorMoney = (core: Core) => {
  const { store, people, now, moments, settings } = core
  const debtor = debtorIn(settings)
  const { openAddress } = sealAddresses(people.vault)
  const explaining = { store, rows: auditRowsOf(core), openAddress, now }
  return {
    newMessageId,
    canOrder: debtor !== undefined,
    orderDue: (messageId: string, contextOf: (merchant: string) => Context) =>
      orderDue(core, messageId, contextOf),
    paymentFile: async (messageId: string) =>
      debtor && (await paymentMessage(core, debtor, messageId)).text,
    importBankFile: importing(core),
    positionAt: moments.positionAt,
    journalCsv: { columns: journalColumns, rows: journalRows },
    explain: (subject: string) => explain(explaining, subject),
    eventAt: (position: Position) => eventAt(core, position),
  }
}
