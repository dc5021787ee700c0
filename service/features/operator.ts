import type { Context } from '../../application/handle.ts'
import { journalColumns, journalRows } from '../../audit/export/csv-files.ts'
import type { LastAudit } from '../../audit/verify/last-audit.ts'
import type { Links } from '../../http/addresses.ts'
import { sealedBlobs } from '../../infrastructure/people/sealing.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/id-tokens.ts'
import type { About } from '../about.ts'
import { explaining } from '../audit/explain.ts'
import { fundingOf } from '../bank/funding.ts'
import { importUploaded } from '../bank/import-uploaded.ts'
import type { Core } from '../core.ts'
import { type Vitals, serviceHealth } from '../metrics/readiness.ts'
import { debtorIn, newMessageId, orderDue, paymentMessage, returnedIn } from '../payment-message.ts'
import type { Messages } from '../people/messages.ts'
import { pageSeals, type PayerAccounts } from '../people/payer-accounts.ts'
import { operatorsIn, staffIn } from '../people/staff.ts'
import { figuresOf } from '../portal/merchant-figures.ts'
import {
  securityPage,
  type SecurityPlace,
  type SecurityFilter,
  keyViews,
} from '../portal/security-pages.ts'
import { holderOfOrganization, shopsOf, operatorVisits } from '../portal/shops.ts'
import { type RotatedKeys, rotateKeys } from '../rotate-keys.ts'

type Parts = Pick<PayerAccounts, 'confirmPayer' | 'findSession'> & {
  readonly links: Links
  readonly vitals: () => Promise<Vitals>
  readonly readyDetails: () => Readonly<Record<string, string[]>>
  readonly lastAudit: () => LastAudit | undefined
  readonly sendMessage: Messages['send']
}

/**
 * The pages and actions of the operator's staff.
 * Long because it is the list of what they need.
 */
export const operatorSlice = (core: Core, about: About, parts: Parts) => {
  const { settings, accounting, callbacks, merchants } = core
  const { list } = merchants
  const { DATA_DIR } = settings
  const { vitals } = parts
  const operators = operatorsIn(core)
  const figures = figuresOf(core)
  const debtor = debtorIn(settings)
  const rotate = rotateKeys(core)
  return {
    isSecure: about.isSecure,
    readPhone: about.readPhone,
    isSandbox: about.isSandbox,
    twinUrl: about.twinUrl,
    footer: about.footer,
    readAsset: about.readAsset,
    links: parts.links,
    handle: core.handle,
    find: core.find,
    now: core.now,
    caughtUp: core.caughtUp,
    derive: core.derive,
    // Who visits.
    findSession: parts.findSession,
    sealPage: pageSeals(core.vault).seal,
    confirmPayer: parts.confirmPayer,
    noteOperatorVisit: operatorVisits(core, operators),
    isSameText,
    newToken,
    digestOf: sha256,
    // The operator's staff.
    findOperators: operators.findOperators,
    addOperator: operators.addOperator,
    changeOperators: operators.changeOperators,
    invitationOf: operators.invitationOf,
    acceptOperator: operators.acceptOperator,
    invitedNumber: operators.invitedNumber,
    nameOf: operators.nameOf,
    sendMessage: parts.sendMessage,
    // Merchants.
    listMerchants: list.page,
    merchantCounts: () => ({
      all: list.count(),
      waiting: list.waitingCount(),
      disabled: list.disabledCount(),
    }),
    holderOfOrganization: holderOfOrganization(core),
    shopName: shopsOf(core).shopName,
    findStaff: staffIn(core).findStaff,
    turnoverBetween: figures.turnoverBetween,
    dayStarts: figures.dayStarts,
    failingCallbacks: figures.failingCallbacks,
    moneyOf: figures.moneyOf,
    accountChanges: accounting.accountChanges,
    settlementAccounts: accounting.settlementAccounts,
    settlements: accounting.settlements,
    // Money.
    payouts: accounting.payouts,
    payoutOrders: accounting.payoutOrders,
    waitingPayouts: accounting.payouts.totals,
    canOrder: debtor !== undefined,
    newMessageId,
    orderDue: (
      messageId: string,
      contextOf: (merchant: string) => Context,
      settlementId?: string,
    ) => {
      const only = settlementId === undefined ? undefined : returnedIn(core, settlementId)
      return orderDue(core, messageId, contextOf, only)
    },
    paymentFile: async (messageId: string) =>
      debtor && (await paymentMessage(core, debtor, messageId)).text,
    bankEntries: accounting.bankEntries,
    unexplainedDebits: accounting.bankEntries.openDebits,
    importBankFile: importUploaded(core),
    fundingWork: () => fundingOf(core),
    // Disputes.
    names: about.names,
    disputes: core.payments.disputes,
    findTerms: core.findTerms,
    attachedContents: sealedBlobs(core.blobs, core.vault),
    // Corrections.
    newId: core.newId,
    corrections: accounting.corrections,
    invoices: accounting.invoices,
    journal: accounting.journal,
    // The journal.
    journalDays: accounting.journalDays,
    journalEntries: accounting.journalEntries,
    journalCsv: { columns: journalColumns, rows: journalRows },
    positionAt: core.moments.positionAt,
    eventAt: core.store.readAt,
    explain: explaining(core).explain,
    // The service, its security log, and its keys.
    ready: async () => (await vitals()).ready,
    readyDetails: parts.readyDetails,
    health: serviceHealth(core, vitals),
    lastAudit: parts.lastAudit,
    workInProgress: () => ({
      callbacks: callbacks.queue.unfinishedCount(),
      settlements: accounting.settlements.unfinishedCount(),
      reports: accounting.reports.closingCount(),
    }),
    restedAddresses: callbacks.destinations.rested,
    securityPage: (filter: SecurityFilter, from: SecurityPlace | undefined, limit: number) =>
      securityPage(DATA_DIR, filter, from, limit),
    keys: keyViews(core),
    rotateKeys: async (kind: RotatedKeys, context: Context): Promise<void> => {
      await rotate(kind, context)
    },
  }
}
