import type { FundingSource } from '../application/funding.ts'
import { ownAudit } from './audit/own-audit.ts'
import { runBackgroundWork, type Work } from './background-work.ts'
import type { SendingNeeds } from './callbacks/logged-sending.ts'
import { accessOf } from './callers.ts'
import type { Core } from './core.ts'
import { makeLive } from './live.ts'
import { makeMetrics } from './metrics.ts'
import { merchantChanges } from './merchant-changes.ts'
import type { Granted } from './people/granted.ts'
import { openMessages } from './people/messages.ts'
import { makeSecretCheck } from './people/secrets.ts'
import { withSiblings } from './processes/siblings.ts'
import { qrImage } from './qr-image.ts'
import { makeReadiness } from './readiness.ts'
import { shopsOf } from './shops.ts'
import { accountingSlice } from './slices/accounting.ts'
import { asOfSlice } from './slices/as-of.ts'
import { auditSlice } from './slices/audit.ts'
import { callbackSlice } from './slices/callbacks.ts'
import { merchantSlice } from './slices/merchants.ts'
import { operatorSlice } from './slices/operator.ts'
import { paymentSlice } from './slices/payments.ts'
import { peopleSlice } from './slices/people.ts'
import { portalDevelopers } from './slices/portal-developers.ts'
import { portalPayments } from './slices/portal-payments.ts'
import { portalPoints } from './slices/portal-points.ts'
import { portalSlice } from './slices/portal.ts'
import { sandboxSlice } from './slices/sandbox.ts'
import { transparencySlice } from './slices/transparency.ts'
import type { Where } from './worker.ts'

type Parts = Omit<SendingNeeds, 'countAttempt'> & {
  readonly funding: FundingSource
  readonly granted: Granted
  readonly listenerCount: () => number
  readonly publicUrl: () => string
  readonly beside: Where
}

/** What routes of several slices need. */
const sharedOf = (core: Core) => {
  const { handle, find, now, caughtUp, newId, people, accounting } = core
  const shared = { ...people.tokens, handle, find, now, caughtUp, newId, qrImage }
  return { ...shared, reportHolding: accounting.reportHolding, shopName: shopsOf(core).shopName }
}

/**
 * The running service: what its routes need, and its work beside the requests.
 * Long because it is the list of the slices and of what each gives.
 */
export const composeService = async (core: Core, { granted, ...parts }: Parts) => {
  const { settings, log } = parts
  const { head } = core.store
  const { beside } = parts
  const audit = ownAudit({ settings, log, head, machineNow: Date.now, beside })
  const metrics = makeMetrics({ ...core, ...parts, lastAudit: audit.last })
  const allMetrics = withSiblings(metrics.text)
  const merchants = merchantSlice(core)
  const payments = await paymentSlice(core, parts.funding, merchants, granted.views)
  const messages = openMessages(core, parts)
  const people = peopleSlice(core, { settings, log, messages }, merchants, payments, granted)
  const accounting = accountingSlice(core, settings)
  const callbacks = callbackSlice(core, { ...parts, countAttempt: metrics.countAttempt })
  const transparency = transparencySlice(core, settings, log, parts.publicUrl)
  const asOf = asOfSlice(core, settings, log, parts.beside)
  const portal = portalSlice(core, settings, { log, messages, publicUrl: parts.publicUrl })
  // In the order in which the work of one may make that of another due.
  const slices = [
    payments,
    people,
    accounting,
    merchants,
    callbacks,
    transparency,
    asOf,
    audit,
    portal,
  ]
  const work = slices.flatMap((slice): readonly Work[] => slice.work)
  const background = runBackgroundWork({ core, settings, log, work })
  const live = makeLive()
  core.onFolded(live.onFolded)
  const changes = merchantChanges(core)
  const verifySecret = makeSecretCheck(Date.now)
  const access = { ...accessOf(core, settings, parts.signer), verifySecret }
  const { guardGuesses, securityLog } = access
  const sandbox = {
    ...sandboxSlice(core, background.settle),
    ...people.answers,
    sentTo: people.sentTo,
    oneTimeCode: people.needs.oneTimeCode,
    acceptPayment: payments.acceptPayment,
    settleNow: accounting.settleNow,
    scanShortlink: merchants.scanShortlink,
    sendTestCallback: callbacks.sendTest,
  }
  return {
    access,
    past: asOf.past,
    shared: { ...sharedOf(core), verifySecret, guardGuesses, securityLog, watch: live.watch },
    needs: {
      payments: payments.needs,
      accounting: accounting.needs,
      merchants: merchants.needs,
      people: people.needs,
      callbacks: callbacks.needs,
      transparency: transparency.needs,
      portal: {
        ...accounting.needs,
        ...people.needs,
        ...portal.needs,
        ...portalPayments(core, settings, payments, transparency),
        ...portalPoints(core),
        ...portalDevelopers(core, settings, callbacks),
        simulator: settings.MODE === 'sandbox' ? sandbox : undefined,
        ...changes,
      },
      operator: { ...accounting.needs, ...people.needs, ...operatorSlice(core, log) },
      audit: { ...auditSlice(core, settings, access), lastAudit: audit.last },
      service: {
        ready: makeReadiness(core, background),
        lastAudit: audit.last,
        metrics: allMetrics,
        securityContact: settings.SECURITY_CONTACT,
        machineNow: Date.now,
      },
      sandbox,
    },
    metrics: allMetrics,
    observe: metrics.observeRequest,
    /** Ends what would keep connections open. */
    endStreams: (): void => {
      live.end()
      changes.end()
      callbacks.endStreams()
    },
    begin: background.begin,
    stop: background.stop,
  }
}

export type Service = Awaited<ReturnType<typeof composeService>>
