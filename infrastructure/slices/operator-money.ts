import type { Context } from '../../application/handle.ts'
import { explaining } from '../audit/explaining.ts'
import { importUploaded } from '../bank/import-uploaded.ts'
import type { Core } from '../core.ts'
import { journalColumns, journalRows } from '../export/csv-files.ts'
import { debtorIn, newMessageId, orderDue, paymentMessage } from '../payment-message.ts'

/** What the operator sees and does of money. */
export const operatorMoney = (core: Core) => {
  const { store, moments, settings } = core
  const debtor = debtorIn(settings)
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
    explain: explaining(core).explain,
    eventAt: store.readAt,
  }
}
