import { attemptsOf } from '../../application/callback-history.ts'
import type { Position } from '../../application/event-store.ts'
import { logUpTo } from '../../audit/as-of/log-up-to.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import { secretsOfMerchants } from '../../infrastructure/callbacks/signed-post.ts'
import type { Authenticate } from '../../http/access.ts'
import type { Links } from '../../http/addresses.ts'
import { makeAttachmentLink } from '../../http/merchant/attachment.ts'
import type { About } from '../about.ts'
import type { CallbackWire } from '../callbacks/logged-sending.ts'
import type { Core } from '../core.ts'
import type { Pusher } from '../pusher/pusher.ts'
import type { MerchantRouteNeeds } from '../routes.ts'
import type { Granted } from '../people/grants.ts'
import { payerDirectory } from '../people/payer-directory.ts'
import { sealedBlobs } from '../../infrastructure/people/sealing.ts'
import { readLogTree } from '../../infrastructure/read-models/tree-fold.ts'
import { idsNamedIn, timeZoneIn } from '../reports-and-settlements.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'
import { shopsOf } from '../portal/shops.ts'
import { receiptsOf } from '../transparency/receipts.ts'
import type { Moment } from '../../audit/as-of/open-moments.ts'

const nothingToWaitFor = async (): Promise<void> => {}

/** The report that contains a line. Caches closed reports, which no longer change. */
const reportHoldingIn =
  ({ queries }: Moment) =>
  (merchant: string, ledger: string, position: Position): number => {
    const { reports } = queries.accounting
    const stream = ledgerStream(merchant, ledger)
    const open = reports.open(stream)
    const closed = position > open.after ? undefined : reports.closedAfter(stream, position)
    return closed ?? open.number
  }

/** Customers as named at the time; a payer erased since has no name. */
const customersAsOf = (
  { vault, tokens }: Pick<Core, 'vault' | 'tokens'>,
  { queries }: Moment,
  find: Core['find'],
) => {
  const { scans } = queries.merchants
  const findScan = (token: string) => scans.byToken(tokens.scanTokenDigest(token))
  const rows = queries.people.grants
  return payerDirectory({ find, vault, tokens, rows, findScan, caughtUp: nothingToWaitFor })
}

/** For what changes anything: routes that read do not call it. */
const unavailable = (): never => {
  throw new Error('not available to a route that reads as of a moment')
}

type Known = {
  readonly about: Pick<About, 'names' | 'isSandbox'>
  readonly links: Links
  readonly authenticate: Authenticate
  readonly pusher: Pusher['routes']
  readonly wordCallback: CallbackWire['message']
  readonly granted: Granted
}

/**
 * What merchants' routes read, as of a moment. Vault, blobs and keys are the current ones, to which
 * the log refers.
 * Long because it is the list of what they read.
 */
export const needsAsOf = (
  core: Core,
  { about: { names, isSandbox }, links, authenticate, pusher, wordCallback, granted }: Known,
  moment: Moment,
): MerchantRouteNeeds => {
  const { queries, file, position } = moment
  const { accounting, callbacks, merchants, payments, people, transparency } = queries
  const { tokens, vault, derive, securityLog, blobs } = core
  const { find, store } = logUpTo(core, position)
  const customers = customersAsOf(core, moment, find)
  const views = granted.viewsAsOf({ find }, position, customers.show)
  const { checkpoints } = transparency
  const { messages } = callbacks
  const { ledgers, reports, settlements, settlementAccounts } = accounting
  const reportHolding = reportHoldingIn(moment)
  const { sign, isSigned } = tokens
  const caughtUp = nothingToWaitFor
  const handle = unavailable
  return {
    accounting: {
      names,
      links,
      handle,
      find,
      newId: unavailable,
      caughtUp,
      sign,
      isSigned,
      readLog: unavailable,
      ledgers,
      reports,
      settlements,
      settlementAccounts,
      settlementTaking: queries.audit.rows.settlementTaking,
      transactions: accounting.transactions,
      transactionSums: accounting.transactionSums,
      idsNamed: idsNamedIn(queries, core),
      timeZoneOf: timeZoneIn(queries),
      textCell,
    },
    payments: {
      names,
      links,
      attachmentLink: makeAttachmentLink({ links, sign }),
      handle,
      find,
      caughtUp,
      securityLog,
      sign,
      isSigned,
      attachments: payments.attachments,
      disputes: payments.disputes,
      attachedContents: sealedBlobs(blobs, vault),
      problemOfPng: unavailable,
      hasPerson: vault.hasPerson,
      findOutcome: views.findOutcome,
      findRequested: views.findRequested,
      findTerms: unavailable,
      reportHolding,
      requestPayment: unavailable,
      lists: payments.lists,
      tidOf: core.tidOf,
      keyOfCustomer: customers.keyNamed,
      showCustomer: customers.show,
    },
    merchants: {
      links,
      handle,
      find,
      caughtUp,
      blobs,
      merchants: merchants.merchants,
      lookUpMerchant: merchants.lookUpMerchant,
      offers: merchants.offers,
      users: merchants.users,
      pointsOfSale: merchants.pointsOfSale,
      shortlinks: merchants.shortlinks,
      scans: merchants.scans,
      scanToken: tokens.scanToken,
      shopName: shopsOf(queries).shopName,
      newShortlinkId: unavailable,
      hashSecret: unavailable,
      verifySecret: unavailable,
      digestSecret: unavailable,
      readPublicKey: unavailable,
      isNetmask: unavailable,
      qrImage: { image: unavailable },
    },
    people: {
      links,
      isSandbox,
      handle,
      find,
      caughtUp,
      securityLog,
      reportHolding,
      findPermission: views.findPermission,
      requestPermission: unavailable,
      applications: people.applications,
      newClient: unavailable,
    },
    transparency: {
      names,
      links,
      handle,
      find,
      newId: unavailable,
      caughtUp,
      checkpoints,
      receipts: receiptsOf({ store, tree: readLogTree(file), checkpoints, accounting }),
      ledgers,
      reports,
      settlements,
    },
    callbacks: {
      links,
      authenticate,
      pusher,
      handle,
      find,
      caughtUp,
      securityLog,
      wordCallback,
      findCallbackSecrets: secretsOfMerchants({ find, derive }),
      callbackMessages: {
        find: messages.find,
        list: messages.list,
        listAbout: async (...about) => messages.listAbout(...about),
        after: messages.after,
        lastPlace: messages.lastPlace,
      },
      findQueue: callbacks.queue.find,
      attemptsOf: attemptsOf(store),
      retryCallback: unavailable,
      untilMessage: nothingToWaitFor,
      eventDestinations: callbacks.eventDestinations,
      newDestinationKey: unavailable,
      limitDestinations: unavailable,
      replayEvents: unavailable,
    },
  }
}
