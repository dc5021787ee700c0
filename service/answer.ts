import type { FundingSource } from '../application/funding.ts'
import type { SignedPost } from '../infrastructure/callbacks/signed-post.ts'
import { makeAccess } from '../http/access.ts'
import { makeApp } from '../http/app.ts'
import { makePusherHub } from '../http/pusher/hub.ts'
import { answersToNoRequest } from '../http/replies.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { networksOf } from '../infrastructure/networks.ts'
import { makeQrCodes } from '../infrastructure/pictures/qr-codes.ts'
import { retryWhileHeld } from '../infrastructure/retry-while-held.ts'
import type { Settings } from '../infrastructure/settings.ts'
import type { Where } from '../infrastructure/worker.ts'
import { ownerWords } from '../web/portal/owner-words.ts'
import { makeErrorPage } from '../web/ui/problem.tsx'
import { aboutOf } from './about.ts'
import { keepDays, makePast } from './as-of/moments.ts'
import { answersAsOf } from './as-of/moments.ts'
import { needsAsOf } from './as-of/reads-as-of.ts'
import { ownAudit } from './audit/own-audit.ts'
import { runBackgroundWork } from './background-work.ts'
import { linksWith, wireWith } from './callback-wire.ts'
import { accessOf } from './callers.ts'
import { callbackKeysIn, signerIn } from './callbacks/own-signer.ts'
import { openCore } from './core.ts'
import { accountingSlice } from './features/accounting.ts'
import { auditSlice } from './features/audit.ts'
import { callbackSlice } from './features/callbacks.ts'
import { merchantSlice } from './features/merchants.ts'
import { operatorSlice } from './features/operator.ts'
import { payerSlice } from './features/payers.ts'
import { paymentSlice } from './features/payments.ts'
import { peopleSlice } from './features/people.ts'
import { portalSlice, portalWork } from './features/portal.ts'
import { sandboxSlice } from './features/sandbox.ts'
import { transparencySlice } from './features/transparency.ts'
import { fundingOf } from './funding.ts'
import { checkKeys, dailyKeyCheck } from './transparency/start-checks.ts'
import { makeMetrics } from './metrics/metrics.ts'
import { makeReadiness } from './metrics/readiness.ts'
import { beginProduction } from './mode-of-log.ts'
import { openGranted } from './people/grants.ts'
import { openMessages } from './people/messages.ts'
import { makeLive, merchantChanges } from './portal/live.ts'
import { ownerMessages } from './portal/owner-messages.ts'
import { withSiblings } from './processes/siblings.ts'
import { makePusher } from './pusher/pusher.ts'
import { allRoutes } from './routes.ts'
import { makeSandboxData } from './sandbox/sandbox-data.ts'
import { makeClientAddress, watchProxies } from './server/client-address.ts'
import { countInFlight } from './server/http-exchanges.ts'
import { requestLog } from './server/request-log.ts'
import { checkWitnessed } from './transparency/start-checks.ts'
import { wallClock } from '../application/machine.ts'

type Surroundings = {
  readonly address: () => string
  readonly beside?: Where
  readonly olderReads?: (() => number) | undefined
  readonly funding?: FundingSource | undefined
  readonly signedPost?: SignedPost | undefined
}

/**
 * The service: it answers every request and runs the work in the background. Of one process, other
 * threads fold (`folding-worker`), deliver (`deliver.ts`) and show pages (`pages.ts`).
 * Long because it is the list of what a service is made of.
 */
export const openService = async (
  settings: Settings,
  log: Log,
  {
    address,
    beside = 'inline',
    olderReads,
    funding = fundingOf(settings),
    signedPost,
  }: Surroundings,
) => {
  const { DATA_DIR } = settings
  const inFlight = countInFlight()
  const core = await openCore(settings, log, {
    beside,
    address,
    isAlone: inFlight.isAlone,
    olderReads,
  })
  const about = aboutOf(settings)
  const { names, isSandbox, isSecure, publicUrl, footer } = about
  const links = linksWith(core)
  const proxies = watchProxies(log)
  const clientAddress = makeClientAddress(settings.TRUSTED_PROXIES, isSandbox ? undefined : proxies)
  const pusher = makePusher(core, makePusherHub, clientAddress)
  // On the first start these create RSA keys, which takes a fifth of a second each on the thread
  // pool.
  const keys = callbackKeysIn(core, DATA_DIR, wallClock)
  const [sandboxData, granted] = await Promise.all([
    isSandbox ? makeSandboxData(core, DATA_DIR) : beginProduction(core),
    openGranted(core),
    keys,
  ])
  const wire = wireWith(core, granted, links)
  const wordCallback = wire.message
  pusher.follow(wordCallback)
  const signer = await signerIn(core, DATA_DIR, wallClock, keys)
  await checkKeys(core)
  await checkWitnessed(core, settings.WITNESSES)
  const access = accessOf(core, signer, names)
  const { verifySecret, guardGuesses } = access
  const authenticate = makeAccess(access)
  const audits = ownAudit(core)
  const lastAudit = audits.last
  const messages = openMessages(core, { wire, signer })
  const messageAlarms = () => messages.limits.alarms(core.now())
  const keyCheck = dailyKeyCheck(core)
  const metrics = makeMetrics(core, {
    listenerCount: pusher.count,
    lastAudit,
    messageAlarms,
    keysHold: keyCheck.hold,
    mayDo: (kind) => mayDo(kind),
  })
  const sending = { wire, signer, countAttempt: metrics.countAttempt, signedPost }
  const toOwners = ownerMessages(core, messages, ownerWords)
  const qrImage = makeQrCodes(beside)
  const live = makeLive()
  const { watch } = live
  const changes = merchantChanges(core)
  const past = makePast(core)

  const merchants = merchantSlice(core, { links, qrImage, verifySecret })
  const { scanShortlink } = merchants
  const payments = await paymentSlice(core, about, { links, funding, merchants, granted })
  const { acceptPayment, takePayment } = payments
  const people = peopleSlice(core, about, { links, messages, merchants, granted })
  const { answers } = people
  const { confirmPayer, findSession, devicesOf, signOut } = people.accounts
  const { changeProfile, mailProofs } = people.accounts
  const accounting = accountingSlice(core, about, links)
  const { readLog, settleNow } = accounting
  const callbacks = callbackSlice(core, { links, authenticate, pusher, sending })
  const { views, findCallbackSecrets } = callbacks
  const { sendTestCallback } = views
  const transparency = transparencySlice(core, about, links)
  const { receipts } = transparency.needs
  const sendMessage = messages.send

  // Ordered so that work comes before other work that it may make due.
  const { begin, stop, settle, hasBegun, mayDo } = runBackgroundWork(
    core,
    [
      ...payments.work,
      ...people.work,
      ...accounting.work,
      ...merchants.work,
      ...callbacks.work,
      ...transparency.work,
      // One process per directory keeps them. Work in progress is aborted at a stop.
      { name: 'keep_days', due: keepDays(core, past), sendsMessages: true, giveUp: past.close },
      ...audits.work,
      ...portalWork(core),
      keyCheck.work,
      ...toOwners.work,
    ],
    metrics.observeWork,
  )
  core.onFolded(live.onFolded)
  let isStopping = false
  const ready = makeReadiness(core, { hasBegun, isStopping: () => isStopping })
  const vitals = async () => ({
    ready: await ready(),
    listeners: pusher.count(),
    messageAlarms: messageAlarms(),
  })
  const allMetrics = withSiblings(metrics.own)

  const sandbox = sandboxSlice(core, {
    messages,
    settleOwnerMessages: toOwners.settle,
    answers,
    settle,
    settleNow,
    acceptPayment,
    scanShortlink,
    sendTestCallback,
  })

  const known = { about, links, authenticate, pusher: pusher.routes, wordCallback, granted }
  const asOf = answersAsOf(past, (moment) => needsAsOf(core, known, moment))
  const routes = allRoutes({
    asOf,
    accounting: accounting.needs,
    merchants: merchants.needs,
    payments: payments.needs,
    people: people.needs,
    transparency: transparency.needs,
    callbacks: callbacks.needs,
    payers: payerSlice(core, about, {
      links,
      authenticate,
      guardGuesses,
      qrImage,
      watch,
      granted,
      people,
      payments,
      merchants,
    }),
    portal: portalSlice(core, about, {
      links,
      qrImage,
      watch,
      granted,
      changes,
      views,
      wordCallback,
      findCallbackSecrets,
      destinations: callbacks.destinations,
      readLog,
      receipts,
      sendMessage,
      changeProfile,
      mailProofs,
      takePayment,
      simulator: isSandbox ? sandbox : undefined,
      verifySecret,
      confirmPayer,
      findSession,
      devicesOf,
      signOut,
    }),
    operator: operatorSlice(core, about, {
      links,
      vitals,
      readyDetails: proxies.details,
      lastAudit,
      sendMessage,
      confirmPayer,
      findSession,
    }),
    audit: auditSlice(core, about, { verifySecret, guardGuesses }, lastAudit),
    service: {
      version: about.version,
      names,
      publicUrl,
      isSandbox,
      renderMarkdown: about.renderMarkdown,
      signExample: about.signExample,
      readAsset: about.readAsset,
      links,
      ready,
      readyDetails: proxies.details,
      lastAudit,
      metrics: allMetrics,
      securityContact: settings.SECURITY_CONTACT,
      machineNow: wallClock,
    },
    sandbox,
  })
  const { observe, isOutage, onBug } = requestLog(core, metrics.observeRequest)
  const app = makeApp({
    routes,
    names,
    isSecure,
    publicUrl,
    authenticate,
    clientAddress,
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
    app,
    routes,
    core,
    pusher,
    inFlight,
    wordCallback,
    greeting: sandboxData ? `${sandboxData}\n` : '',
    refusal: answersToNoRequest({
      names,
      isSecure,
      newId: core.newId,
      freshness: core.freshness,
    }),
    service: {
      begin,
      /** From now on it is not ready, so that proxies send requests to others. */
      beginStopping: (): void => void (isStopping = true),
      stop,
      vitals,
      metrics: allMetrics,
      noteScrape: metrics.noteScrape,
      observe: metrics.observeRequest,
      endStreams: (): void => {
        live.end()
        changes.end()
        callbacks.end()
      },
    },
  }
}

export type Service = Awaited<ReturnType<typeof openService>>['service']
