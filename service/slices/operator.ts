import type { Context } from '../../application/handle.ts'
import { explaining } from '../audit/explaining.ts'
import { importUploaded } from '../bank/import-uploaded.ts'
import type { Core } from '../core.ts'
import { journalColumns, journalRows } from '../../audit/export/csv-files.ts'
import { figuresOf } from '../portal/merchant-figures.ts'
import { debtorIn, newMessageId, orderDue, paymentMessage } from '../payment-message.ts'
import { operatorsIn, staffIn } from '../people/staff.ts'
import type { Vitals } from '../metrics/readiness.ts'
import { type RotatedKeys, rotateKeys } from '../rotate-keys.ts'
import { securityPage, type SecurityPlace, type SecurityWanted } from '../portal/security-pages.ts'
import { serviceHealth } from '../metrics/service-health.ts'
import { holderOfOrganization } from '../portal/shops.ts'
import { shownKeys } from '../portal/shown-keys.ts'
import { operatorVisits } from '../portal/visits.ts'

/** Pending work, and the progress of background work. */
const waitingIn = ({ accounting, callbacks, merchants }: Core) => {
  const { list } = merchants
  return {
    merchantCounts: () => ({
      all: list.count(),
      waiting: list.waitingCount(),
      disabled: list.disabledCount(),
    }),
    waitingPayouts: accounting.payouts.totals,
    unexplainedDebits: accounting.bankEntries.openDebits,
    restedAddresses: callbacks.destinations.rested,
    workInProgress: () => ({
      callbacks: callbacks.queue.unfinishedCount(),
      settlements: accounting.settlements.unfinishedCount(),
      reports: accounting.reports.closingCount(),
    }),
  }
}

const moneyIn = (core: Core) => {
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

/** The service, its security log, and its keys. */
const watchIn = (core: Core, vitals: () => Promise<Vitals>) => ({
  ready: async () => (await vitals()).ready,
  health: serviceHealth(core, vitals),
  securityPage: (wanted: SecurityWanted, from: SecurityPlace | undefined, limit: number) =>
    securityPage(core.settings.DATA_DIR, wanted, from, limit),
  keys: shownKeys(core),
  rotateKeys: async (kind: RotatedKeys, context: Context): Promise<void> => {
    await rotateKeys(core)(kind, context)
  },
})

/** The pages and actions of the operator's staff. */
export const operatorSlice = (core: Core, vitals: () => Promise<Vitals>) => {
  const operators = operatorsIn(core)
  return {
    ...{ ...operators, ...figuresOf(core), ...waitingIn(core) },
    ...{ ...moneyIn(core), ...watchIn(core, vitals) },
    findStaff: staffIn(core).findStaff,
    noteOperatorVisit: operatorVisits(core, operators),
    listMerchants: core.merchants.list.page,
    holderOfOrganization: holderOfOrganization(core),
  }
}
