import type { OwnerWordsIn } from '../application/notify-owners.ts'
import type { FundingSource } from '../application/funding.ts'
import { keepDays } from './as-of/keep-days.ts'
import { makePast } from './as-of/moments.ts'
import { ownAudit } from './audit/own-audit.ts'
import { runBackgroundWork, type Work } from './background-work.ts'
import type { SendingNeeds } from './callbacks/logged-sending.ts'
import type { Access } from './callers.ts'
import type { Core } from './core.ts'
import { dailyKeyCheck } from './key-checks.ts'
import { makeLive } from './portal/live.ts'
import { makeMetrics } from './metrics/metrics.ts'
import type { Granted } from './people/granted.ts'
import { openMessages } from './people/messages.ts'
import { withSiblings } from './processes/siblings.ts'
import { makeQrCodes } from '../infrastructure/pictures/qr-codes.ts'
import { makeReadiness, type Vitals } from './metrics/readiness.ts'
import { sandboxControls } from './sandbox/sandbox-controls.ts'
import { ownerMessages } from './portal/owner-messages.ts'
import { shopsOf } from './portal/shops.ts'
import { accountingSlice } from './slices/accounting.ts'
import { auditSlice } from './slices/audit.ts'
import { callbackSlice } from './slices/callbacks.ts'
import { merchantSlice } from './slices/merchants.ts'
import { operatorSlice } from './slices/operator.ts'
import { paymentSlice } from './slices/payments.ts'
import { peopleSlice } from './slices/people.ts'
import { portalSlice } from './slices/portal.ts'
import { transparencySlice } from './slices/transparency.ts'

type Parts = Omit<SendingNeeds, 'countAttempt'> & {
  readonly access: Access
  readonly funding: FundingSource
  readonly granted: Granted
  readonly ownerWords: OwnerWordsIn
  readonly listenerCount: () => number
  /** From the main thread, if another thread answers payments. */
  readonly vitals?: (() => Promise<Vitals>) | undefined
}

/** Dependencies of routes in several slices. */
const sharedOf = (core: Core, { verifySecret, guardGuesses }: Access) => {
  const { handle, find, now, caughtUp, newId, securityLog, people, accounting } = core
  const qrImage = makeQrCodes(core.beside)
  const shared = { ...people.tokens, handle, find, now, caughtUp, newId, securityLog, qrImage }
  const { reportHolding } = accounting
  return { ...shared, verifySecret, guardGuesses, reportHolding, shopName: shopsOf(core).shopName }
}

/**
 * The running service: its routes' dependencies besides `ofHttp`, and its background work.
 * Long because it is the list of the slices and of what each gives.
 */
export const composeService = async <OfHttp extends object>(
  core: Core,
  { access, funding, granted, ownerWords, ...parts }: Parts,
  ofHttp: OfHttp,
) => {
  const { last: lastAudit, ...audit } = ownAudit(core)
  const messages = openMessages(core, parts)
  const messageAlarms = () => messages.limits.alarms(core.now())
  const metrics = makeMetrics({ ...core, ...parts, lastAudit, messageAlarms })
  const allMetrics = withSiblings(metrics.own)
  const merchants = merchantSlice(core)
  const payments = await paymentSlice(core, funding, merchants, granted.views)
  const toOwners = ownerMessages(core, messages, ownerWords)
  const people = peopleSlice(core, messages, merchants, payments, granted, toOwners.settle)
  const accounting = accountingSlice(core)
  const callbacks = callbackSlice(core, { ...parts, countAttempt: metrics.countAttempt })
  const transparency = transparencySlice(core)
  const past = makePast(core)
  // One process per directory keeps them. Work in progress is aborted at a stop.
  const asOf = { work: [{ due: keepDays(core, past), sendsMessages: true, giveUp: past.close }] }
  const portal = portalSlice(core, { payments, callbacks, transparency })
  // Ordered so that work comes before other work that it may make due.
  const ofMerchants = [payments, people, accounting, merchants, callbacks]
  const keys = { work: [dailyKeyCheck(core)] }
  const slices = [...ofMerchants, transparency, asOf, audit, portal, keys, toOwners]
  const work = slices.flatMap((slice): readonly Work[] => slice.work)
  const { begin, stop, settle, hasBegun } = runBackgroundWork(core, work)
  const live = makeLive()
  core.onFolded(live.onFolded)
  const ofAll = { ...accounting.needs, ...people.needs, ...callbacks.needs }
  const sandbox = { ...ofAll, ...sandboxControls(core, settle, accounting) }
  const simulator = core.settings.MODE === 'sandbox' ? sandbox : undefined
  const all = { ...ofHttp, ...sharedOf(core, access), watch: live.watch, lastAudit }
  const ready = makeReadiness(core, hasBegun)
  const ownVitals = async () => ({
    ready: await ready(),
    listeners: parts.listenerCount(),
    messageAlarms: messageAlarms(),
  })
  const vitals = parts.vitals ?? ownVitals
  const securityContact = core.settings.SECURITY_CONTACT
  return {
    past,
    needs: {
      payments: { ...all, ...payments.needs },
      accounting: { ...all, ...accounting.needs },
      merchants: { ...all, ...merchants.needs },
      people: { ...all, ...people.needs },
      callbacks: { ...all, ...callbacks.needs },
      transparency: { ...all, ...transparency.needs },
      portal: { ...all, ...ofAll, ...portal.needs, simulator },
      operator: { ...all, ...ofAll, ...operatorSlice(core, vitals) },
      audit: { ...all, ...auditSlice(core, access) },
      service: { ...all, ready, securityContact, metrics: allMetrics, machineNow: Date.now },
      sandbox: { ...all, ...sandbox },
    },
    metrics: allMetrics,
    observe: metrics.observeRequest,
    vitals,
    /** Ends everything that would keep connections open. */
    endStreams: (): void => [live, portal, callbacks].forEach(({ end }) => end()),
    ...{ begin, stop },
  }
}

export type Service = Awaited<ReturnType<typeof composeService>>
