import { randomUUID } from 'node:crypto'
import { makeAccess } from '../http/access.ts'
import { linksOf, type Links } from '../http/addresses.ts'
import { makeApp, type AppNeeds } from '../http/app.ts'
import { makeErrorPage } from '../http/payer/error-page.ts'
import { namesOf } from '../http/brand.ts'
import { makeAttachmentLink } from '../http/merchant/attachment.ts'
import { wordsOfCallbacks } from '../http/merchant/callback-words.ts'
import { openApi } from '../http/openapi.ts'
import { makePusherHub } from '../http/pusher/hub.ts'
import { answerToNoRequest } from '../http/replies.ts'
import { answersAsOf } from '../http/past.ts'
import { allRoutes, type RouteNeeds } from '../http/routes.ts'
import { stringToSign } from '../http/signature.ts'
import { aboutOf } from './about.ts'
import { readsAsOf } from './as-of/reads-as-of.ts'
import { makeClientAddress } from './client-address.ts'
import { callbackKeysIn, signerIn } from './callbacks/own-signer.ts'
import { openCore, type Core } from './core.ts'
import { describedBy } from './described.ts'
import { fundingOf } from './funding.ts'
import type { Wrong } from './http-server.ts'
import { countInFlight } from './in-flight.ts'
import type { Log } from './log.ts'
import { beginProduction } from './mode-of-log.ts'
import { watchProxies } from './proxy-watch.ts'
import { isSafeChannel, makePusher } from './pusher/pusher.ts'
import { requestLog } from './request-log.ts'
import { retryWhileHeld } from './retry-while-held.ts'
import { makeSandboxData } from './sandbox-data.ts'
import { composeService, type Service } from './service.ts'
import type { Settings } from './settings.ts'
import { openGranted, type Granted } from './people/granted.ts'
import type { Where } from './worker.ts'

export { isRedirectUri } from '../http/oauth/application.ts'
export { textOfRefusal } from '../http/refusal-answers.ts'

const namedOf = (settings: Settings) => ({
  ...aboutOf(settings),
  names: namesOf({ headerPrefix: settings.HEADER_PREFIX, mediaVendor: settings.MEDIA_VENDOR }),
})

type OfHttp = ReturnType<typeof namedOf> &
  Pick<RouteNeeds['payments'], 'links' | 'attachmentLink'> &
  Pick<RouteNeeds['callbacks'], 'pusher'> &
  Pick<RouteNeeds['service'], 'readyDetails'>

/** One and the same for the routes of every slice. */
const forMerchants = (needs: any) => ({
  ...{ payments: needs, accounting: needs, merchants: needs },
  ...{ people: needs, callbacks: needs, transparency: needs },
})

/** The routes of the slices. */
const routesOf = (
  { needs, shared }: Service,
  ofHttp: OfHttp,
  asOf: RouteNeeds['asOf'],
  authenticate: AppNeeds['authenticate'],
) => {
  const all = { ...ofHttp, ...shared, authenticate }
  return allRoutes({
    payments: { ...all, ...needs.payments },
    accounting: { ...all, ...needs.accounting },
    merchants: { ...all, ...needs.merchants },
    people: { ...all, ...needs.people },
    callbacks: { ...all, ...needs.callbacks },
    asOf,
    transparency: { ...all, ...needs.transparency },
    portal: { ...all, ...needs.portal },
    operator: { ...all, ...needs.operator },
    audit: { ...all, ...needs.audit },
    service: { ...all, ...needs.service },
    sandbox: ofHttp.isSandbox ? { ...all, ...needs.sandbox } : undefined,
  })
}

const linksWith = ({ ABSOLUTE_URIS: absoluteUris }: Settings, publicUrl: () => string): Links =>
  linksOf(() => ({ publicUrl: publicUrl(), absoluteUris }))

const wordsWith = (core: Core, settings: Settings, { views }: Granted, links: Links) => {
  const { tokens } = core.people
  const { reportHolding } = core.accounting
  const safe = { isSafeChannel: isSafeChannel(settings) }
  return wordsOfCallbacks({ ...core, ...safe, views, links, reportHolding, tokens })
}

/** The wire of callbacks for the operator's commands, beside a running service. */
export const callbackWire = (settings: Settings) => async (core: Core) => {
  const { PUBLIC_URL, HOST, PORT } = settings
  const publicUrl = () => PUBLIC_URL ?? `http://${HOST}:${PORT}`
  const granted = await openGranted(core, publicUrl)
  const { names } = namedOf(settings)
  const message = wordsWith(core, settings, granted, linksWith(settings, publicUrl))
  return { names, stringToSign, message }
}

/**
 * The service, and its app; `address` is where it listens, asked once that is known.
 * Long because it is the list of what a service is made of.
 */
export const openService = async (
  settings: Settings,
  log: Log,
  address: () => string,
  beside: Where = 'inline',
  funding = fundingOf(settings),
) => {
  const inFlight = countInFlight()
  const core = await openCore(settings, log, beside, inFlight.isAlone)
  const publicUrl = () => settings.PUBLIC_URL ?? address()
  const links = linksWith(settings, publicUrl)
  const attachmentLink = makeAttachmentLink({ links, sign: core.people.tokens.sign })
  const proxies = watchProxies(log)
  const known = namedOf(settings)
  const watched = known.isSandbox ? undefined : proxies
  const clientAddress = makeClientAddress(settings.TRUSTED_PROXIES, watched)
  const pusher = makePusher(core, settings, log, makePusherHub, clientAddress)
  const readyDetails = proxies.details
  const ofHttp = { ...known, links, attachmentLink, readyDetails, pusher: pusher.routes }
  // On the first start these make RSA keys, a fifth of a second each on the thread pool.
  const keys = callbackKeysIn(settings.DATA_DIR)
  const [shown, granted] = await Promise.all([
    ofHttp.isSandbox ? makeSandboxData(core, settings.DATA_DIR) : beginProduction(core),
    openGranted(core, publicUrl),
    keys,
  ])
  const wordCallback = wordsWith(core, settings, granted, links)
  pusher.follow(wordCallback)
  const { names } = ofHttp
  const wire = { names, stringToSign, message: wordCallback }
  const signer = await signerIn(core, settings.DATA_DIR, Date.now, keys)
  const parts = { settings, log, wire, signer, funding, granted, publicUrl, beside }
  const service = await composeService(core, { ...parts, listenerCount: pusher.count })
  const authenticate = makeAccess({ ...service.access, names })
  const asOf = answersAsOf(service.past, (moment) => {
    const reads = readsAsOf(core, granted, moment)
    return forMerchants(describedBy({ ...ofHttp, ...reads, wordCallback }))
  })
  const routes = routesOf(service, ofHttp, asOf, authenticate)
  const app = makeApp({
    ...{ ...ofHttp, authenticate, routes, retryWhileHeld },
    ...requestLog(log, service.observe, core),
    clientAddress,
    now: core.now,
    freshness: core.freshness,
    newId: randomUUID,
    errorPage: makeErrorPage(ofHttp),
  })
  const greeting = shown ? `${shown}\n` : ''
  const refusal = (wrong: Wrong, description: string) => {
    const answer = answerToNoRequest(names, ofHttp.isSecure, randomUUID(), wrong, description)
    const position = { [names.position]: String(core.freshness.known()) }
    return { ...answer, headers: { ...answer.headers, ...position } }
  }
  return { app, routes, core, service, refusal, wordCallback, pusher, greeting, inFlight }
}

/** The OpenAPI document, without a service. */
export const described = (settings: Settings): object => {
  const about = namedOf(settings)
  const [needs, sandbox] = [describedBy(about), about.isSandbox ? describedBy(about) : undefined]
  const ofAll = {
    asOf: needs,
    portal: needs,
    operator: needs,
    audit: needs,
    service: needs,
    sandbox,
  }
  return openApi(allRoutes({ ...forMerchants(needs), ...ofAll }), about)
}
