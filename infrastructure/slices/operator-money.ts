import { explain } from '../../application/audit/explain.ts'
import type { Context } from '../../application/handle.ts'
import { auditRowsOf } from '../audit/audit-rows.ts'
import { importUploaded } from '../bank/import-uploaded.ts'
import type { Core } from '../core.ts'
import { journalColumns, journalRows } from '../export/csv-files.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { debtorIn, newMessageId, orderDue, paymentMessage } from '../payment-message.ts'

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
    importBankFile: importUploaded(core),
    positionAt: moments.positionAt,
    journalCsv: { columns: journalColumns, rows: journalRows },
    explain: (subject: string) => explain(explaining, subject),
    eventAt: store.readAt,
  }
}
