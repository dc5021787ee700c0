import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callbackObjects } from '../application/callback-object.ts'
import { makeAccess } from '../http/access.ts'
import { linksOf } from '../http/addresses.ts'
import { makeApp } from '../http/app.ts'
import { makeErrorPage } from '../http/payer/error-page.ts'
import { namesOf } from '../http/brand.ts'
import { makeAttachmentLink } from '../http/merchant/attachment.ts'
import { callbackMessages } from '../http/merchant/callback-message.ts'
import { openApi } from '../http/openapi.ts'
import { answerToNoRequest } from '../http/replies.ts'
import type { Route } from '../http/route.ts'
import { allRoutes, type RouteNeeds } from '../http/routes.ts'
import { stringToSign } from '../http/signature.ts'
import { makeClientAddress } from './client-address.ts'
import { callbackKeysIn } from './callbacks/own-signer.ts'
import { openCore } from './core.ts'
import { isFileTrouble, logShown } from './failures.ts'
import { documentation } from './documentation.ts'
import { fundingOf } from './funding.ts'
import { makeHttpServer } from './http-server.ts'
import { countInFlight } from './in-flight.ts'
import { addressOf, listening } from './listening.ts'
import { makeLog, type Log } from './log.ts'
import { startMetricsServer } from './metrics-server.ts'
import { beginProduction, refuseLogOfOtherMode } from './mode-of-log.ts'
import { watchProxies } from './proxy-watch.ts'
import { retryWhileHeld } from './retry-while-held.ts'
import { footerOf } from './people/payer-side.ts'
import { makeAuthorizationServer } from './people/authorization-server.ts'
import { makeSandboxData } from './sandbox-data.ts'
import { startService, type CallbackWire } from './service.ts'
import type { Settings } from './settings.ts'
import { blobsIn, vaultIn } from './stores.ts'
import type { Where } from './worker.ts'
import { version } from './version.ts'

export { isRedirectUri } from '../http/oauth/application.ts'

const brandOf = ({ HEADER_PREFIX: headerPrefix, MEDIA_VENDOR: mediaVendor }: Settings) =>
  namesOf({ headerPrefix, mediaVendor })

const aboutOf = (settings: Settings) => ({
  names: brandOf(settings),
  version,
  publicUrl: settings.PUBLIC_URL,
  ...documentation,
})

/** The service, and the app that answers its routes; `address` is where it listens, asked once that is known. */
export const openService = async (
  settings: Settings,
  log: Log,
  address: () => string,
  beside: Where = 'inline',
  funding = fundingOf(settings),
) => {
  const { PUBLIC_URL } = settings
  const inFlight = countInFlight()
  const core = await openCore(settings, log, beside, inFlight.isAlone)
  const publicUrl = () => PUBLIC_URL ?? address()
  const links = linksOf(() => ({ publicUrl: publicUrl(), absoluteUris: settings.ABSOLUTE_URIS }))
  const { scanToken, sign } = core.people.tokens
  const attachmentLink = makeAttachmentLink({ links, sign })
  const names = brandOf(settings)
  const isSandbox = settings.MODE === 'sandbox'
  const proxies = watchProxies(log)
  // On the first start each makes an RSA key, which takes a fifth of a second on the thread pool.
  const callbackKeys = callbackKeysIn(settings.DATA_DIR)
  const [sandboxShown, authorizationServer] = await Promise.all([
    isSandbox ? makeSandboxData(core, settings.DATA_DIR) : beginProduction(core),
    makeAuthorizationServer(core, publicUrl),
    callbackKeys,
  ])
  const greeting = sandboxShown ? `${sandboxShown}\n` : ''
  const { views } = authorizationServer
  const wordCallback = callbackMessages({
    tellEvent: callbackObjects({ store: core.store, find: core.find, views }),
    links,
    sign,
    attachmentLink,
    scanToken,
    reportHolding: core.accounting.reportHolding,
  })
  const wire: CallbackWire = { names, stringToSign, message: wordCallback }
  const parts = [authorizationServer, funding, callbackKeys] as const
  const service = await startService(core, settings, log, wire, ...parts)
  const authenticate = makeAccess({ ...service.access, names })
  const app = makeApp({
    routes: allRoutes({
      ...service.routes,
      readyDetails: proxies.details,
      authenticate,
      links,
      attachmentLink,
      ...aboutOf(settings),
    }),
    names,
    authenticate,
    publicUrl: PUBLIC_URL,
    clientAddress: makeClientAddress(settings.TRUSTED_PROXIES, isSandbox ? undefined : proxies),
    now: core.now,
    newId: randomUUID,
    observe: ({ requestId, method, path, status, milliseconds, refused }) => {
      service.observe(method, path, status, milliseconds)
      const answered = { requestId, method, path, status, milliseconds, ...refused }
      if (status >= 400) log.info(answered, 'refused')
      else log.debug(answered, 'answered')
    },
    retryWhileHeld,
    errorPage: makeErrorPage({ isSecure: !isSandbox, footer: footerOf(settings) }),
    isOutage: isFileTrouble,
    onBug: (error, requestId) => {
      core.noteDamage(error)
      log.error({ error, requestId }, isFileTrouble(error) ? 'a file cannot be used' : 'a bug')
    },
  })
  return { app, core, service, names, wordCallback, greeting, inFlight }
}

/** Starts the service on its socket; `stop` finishes the requests that are under way. */
export const startServer = async (settings: Settings, log: Log, beside: Where = 'inline') => {
  const { HOST: hostname, PORT: port } = settings
  let address = `http://${hostname}:${port}`
  const { service, names, ...opened } = await openService(settings, log, () => address, beside)
  const http = makeHttpServer({
    fetch: opened.inFlight.counted(opened.app.fetch),
    hostname,
    refusal: (status, description) => answerToNoRequest(names, randomUUID(), status, description),
    pause,
  })
  await listening(http.server, hostname, port)
  const isProduction = settings.MODE === 'production'
  const metrics = isProduction
    ? await startMetricsServer(settings, service.routes.metrics)
    : undefined
  address = addressOf(http.server)
  // Not before the address is known that callbacks name.
  service.begin()
  const stop = async (): Promise<void> => {
    service.endStreams()
    metrics?.stop()
    const closed = http.stop()
    // What works beside the requests begins nothing new meanwhile.
    await service.stop()
    await closed
    await opened.core.close()
  }
  return { ...opened, address, metricsAddress: metrics?.address, stop }
}

const startedAs = (settings: Settings, address: string, metrics: string | undefined) => ({
  version,
  node: process.version,
  mode: settings.MODE,
  log: logShown(settings),
  vault: vaultIn(settings),
  blobs: blobsIn(settings),
  address,
  metrics,
  publicUrl: settings.PUBLIC_URL,
})

/** Runs the service until what it tells, once it listens, is answered. */
export const serve = async (
  settings: Settings,
  untilStopped: (started: string) => Promise<void>,
): Promise<void> => {
  const log = makeLog(settings.LOG_LEVEL)
  // It is waited for, and nothing else is said meanwhile.
  if (settings.EVENT_STORE !== 'sqlite') log.info({ log: logShown(settings) }, 'asking for the log')
  await refuseLogOfOtherMode(settings)
  const { greeting, address, metricsAddress, stop } = await startServer(settings, log, 'worker')
  const stopped = untilStopped(`${greeting}listening on ${address}\n`)
  const seenAs = settings.PUBLIC_URL ?? address
  log.info(startedAs(settings, address, metricsAddress), 'started')
  if (settings.MODE === 'production' && !seenAs.startsWith('https:'))
    log.warn(
      { address: seenAs },
      'payers sign in over https only: set PUBLIC_URL to an https address',
    )
  await stopped
  log.info('stopping')
  await stop()
  log.info('stopped')
  log.flush()
}

/** The routes without a service behind them: values to describe, not to ask. */
export const describedRoutes = (settings: Settings): readonly Route[] => {
  const sandbox = settings.MODE === 'sandbox' ? {} : undefined
  return allRoutes({ ...aboutOf(settings), sandbox } as Partial<RouteNeeds> as RouteNeeds)
}

/** The OpenAPI document, without a service. */
export const described = (settings: Settings): object =>
  openApi(describedRoutes(settings), aboutOf(settings))
