import { attemptsOf } from '../../application/callback-history.ts'
import type { Position } from '../../application/event-store.ts'
import { logUpTo } from '../../audit/as-of/log-up-to.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import { secretsOfMerchants } from '../../infrastructure/callbacks/merchant-secrets.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/granted.ts'
import { payerDirectory } from '../people/payer-directory.ts'
import { sealedBlobs } from '../../infrastructure/people/sealed-blobs.ts'
import { readLogTree } from '../../infrastructure/read-models/log-tree.ts'
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
const customersAsOf = ({ people }: Core, { queries }: Moment, log: Pick<Core, 'find'>) => {
  const { vault, tokens } = people
  const { scans } = queries.merchants
  const findScan = (token: string) => scans.byToken(tokens.scanTokenDigest(token))
  const rows = queries.people.grants
  const caughtUp = nothingToWaitFor
  return payerDirectory({ ...log, vault, tokens, rows, findScan, caughtUp })
}

/**
 * What merchants' routes read, as of a moment. Vault, blobs and keys are the current ones, to which
 * the log refers.
 */
export const readsAsOf = (core: Core, granted: Granted, moment: Moment) => {
  const { queries, file, position } = moment
  const log = logUpTo(core, position)
  const { tokens, vault, derive } = core.people
  const views = granted.viewsAsOf(log, position, customersAsOf(core, moment, log).show)
  const { callbacks } = queries
  const tree = readLogTree(file)
  return {
    ...tokens,
    ...{ find: log.find, caughtUp: nothingToWaitFor, securityLog: core.securityLog },
    ...views,
    shopName: shopsOf(queries).shopName,
    reportHolding: reportHoldingIn(moment),
    hasPerson: vault.hasPerson,
    ...queries.payments,
    ...queries.accounting,
    ...queries.merchants,
    ...queries.transparency,
    ...{ tree, receipts: receiptsOf({ ...log, ...queries, ...queries.transparency, tree }) },
    blobs: core.merchants.blobs,
    attachedContents: sealedBlobs(core.merchants.blobs, vault),
    applications: queries.people.applications,
    callbackMessages: callbacks.messages,
    findQueue: callbacks.queue.find,
    attemptsOf: attemptsOf(log.store),
    untilMessage: nothingToWaitFor,
    findCallbackSecrets: secretsOfMerchants({ find: log.find, derive }),
  }
}
