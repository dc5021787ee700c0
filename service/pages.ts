import { makeSecretGuesses } from '../application/secret-guesses.ts'
import { lastAuditIn } from '../audit/verify/last-audit.ts'
import { makeApp } from '../http/app.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/signed-post.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { networkOf, networksOf } from '../infrastructure/networks.ts'
import { makeSecretCheck } from '../infrastructure/people/secrets.ts'
import { makeQrCodes } from '../infrastructure/pictures/qr-codes.ts'
import type { Folded } from '../infrastructure/read-models/folding.ts'
import { retryWhileHeld } from '../infrastructure/retry-while-held.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { auditRoutes } from '../web/auditor/routes.tsx'
import { operatorRoutes } from '../web/operator/routes.tsx'
import { portalRoutes } from '../web/portal/routes.ts'
import { makeErrorPage } from '../web/ui/problem.tsx'
import { aboutOf } from './about.ts'
import { reportLogs } from './reports-and-settlements.ts'
import { linksWith, wireWith } from './callback-wire.ts'
import { makeCallbackViews } from './callbacks/callback-views.ts'
import { openCore } from './core.ts'
import { auditSlice } from './features/audit.ts'
import { operatorSlice } from './features/operator.ts'
import { portalSlice } from './features/portal.ts'
import type { Vitals } from './metrics/readiness.ts'
import type { Measured } from './pages/page-exchange.ts'
import { openGranted } from './people/grants.ts'
import { oneTimeCodeOf, payerSessions, signOut } from './people/payer-accounts.ts'
import { makeLive, merchantChanges } from './portal/live.ts'
import { makeClientAddress, watchProxies } from './server/client-address.ts'
import { requestLog } from './server/request-log.ts'
import { receiptsOf } from './transparency/receipts.ts'
import { pause, wallClock } from '../application/machine.ts'

/** How long a page waits to learn what the log holds, in ms. */
const longestLookMs = 500

/** For forms, which the thread that answers payments handles. */
const unavailable = (): never => {
  throw new Error('not available to the thread that shows pages')
}

type Surroundings = {
  readonly address: () => string
  readonly folded: Folded
  readonly measure: (...measured: Measured) => void
  readonly vitals: () => Promise<Vitals>
}

/**
 * Shows the pages of merchants' staff, operators and auditors, beside a running service. There is
 * no background work, and no payer signs in here.
 * Long because it is the list of what pages are made of.
 */
export const openPages = async (
  settings: Settings,
  log: Log,
  { address, folded, measure, vitals }: Surroundings,
) => {
  const core = await openCore(settings, log, { address, folded })
  const { store, find, derive, tree, accounting, securityLog, payerDirectory } = core
  const about = aboutOf(settings)
  const { names, isSandbox, isSecure, publicUrl, footer } = about
  const links = linksWith(core)
  const proxies = watchProxies(log)
  const granted = await openGranted(core)
  const { findSession, devicesOf } = payerSessions(core)
  const verifySecret = makeSecretCheck(wallClock)
  const guardGuesses = makeSecretGuesses({ machineNow: wallClock, networkOf, securityLog })
  const lastAudit = lastAuditIn(settings.DATA_DIR).read
  const views = makeCallbackViews(core)
  const { checkpoints } = core.transparency
  const live = makeLive()
  core.onFolded(live.onFolded)
  const changes = merchantChanges(core)
  const simulator = {
    findPayer: payerDirectory.byIdOrPhone,
    oneTimeCode: oneTimeCodeOf(core),
    acceptPayment: unavailable,
    advanceClock: unavailable,
    settleNow: unavailable,
  }

  const portal = portalSlice(core, about, {
    links,
    qrImage: makeQrCodes(core.beside),
    watch: live.watch,
    granted,
    changes,
    views,
    wordCallback: wireWith(core, granted, links).message,
    findCallbackSecrets: secretsOfMerchants({ find, derive }),
    destinations: {
      newDestinationKey: unavailable,
      limitDestinations: unavailable,
      replayEvents: unavailable,
    },
    readLog: reportLogs(core).logs.read,
    receipts: receiptsOf({ store, tree, checkpoints, accounting }),
    sendMessage: unavailable,
    changeProfile: unavailable,
    mailProofs: { ask: unavailable, check: unavailable, use: unavailable },
    takePayment: unavailable,
    simulator: isSandbox ? simulator : undefined,
    verifySecret,
    confirmPayer: unavailable,
    findSession,
    devicesOf,
    signOut: signOut(core),
  })
  const operator = operatorSlice(core, about, {
    links,
    vitals,
    readyDetails: proxies.details,
    lastAudit,
    sendMessage: unavailable,
    confirmPayer: unavailable,
    findSession,
  })
  const auditor = auditSlice(core, about, { verifySecret, guardGuesses }, lastAudit)
  const { observe, isOutage, onBug } = requestLog(core, measure)
  const routes = [...portalRoutes(portal), ...operatorRoutes(operator), ...auditRoutes(auditor)]
  const app = makeApp({
    routes,
    names,
    isSecure,
    publicUrl,
    authenticate: unavailable,
    clientAddress: makeClientAddress(settings.TRUSTED_PROXIES, isSandbox ? undefined : proxies),
    networksOf,
    retryWhileHeld,
    now: core.now,
    newId: core.newId,
    freshness: core.freshness,
    observe,
    isOutage,
    onBug,
    errorPage: makeErrorPage({ isSecure, footer }),
  })
  return {
    routes,
    /** First learns what was acknowledged before the request, in a time that a reader can wait. */
    fetch: async (...request: Parameters<typeof app.fetch>) => {
      const late = new AbortController()
      const { signal } = late
      const known = core.observedAll().finally(() => late.abort())
      await Promise.race([known, pause(longestLookMs, { signal })]).catch(() => {})
      return app.fetch(...request)
    },
    endStreams: (): void => {
      live.end()
      changes.end()
      views.end()
    },
    close: async (): Promise<void> => {
      core.used.close()
      await core.close()
    },
  }
}
