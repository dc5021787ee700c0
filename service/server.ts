import { randomUUID } from 'node:crypto'
import { makeAccess } from '../http/access.ts'
import type { FundingSource } from '../application/funding.ts'
import { makeApp } from '../http/app.ts'
import { answersBeforeStore } from '../http/before-store.ts'
import { addedMessage } from '../web/operator/people-changes.ts'
import { makeErrorPage } from '../web/ui/error-page.ts'
import { makeAttachmentLink } from '../http/merchant/attachment.ts'
import { openApi } from '../http/openapi.ts'
import { ownerWords } from '../web/portal/owner-words.ts'
import { makePusherHub } from '../http/pusher/hub.ts'
import { answersToNoRequest } from '../http/replies.ts'
import { answersAsOf } from './as-of/past.ts'
import { allRoutes } from './routes.ts'
import { aboutOf } from './about.ts'
import { readsAsOf } from './as-of/reads-as-of.ts'
import { makeClientAddress } from './server/client-address.ts'
import { callbackWire, linksWith, namesIn, wireWith } from './callback-wire.ts'
import { accessOf } from './callers.ts'
import { callbackKeysIn, signerIn } from './callbacks/own-signer.ts'
import { openCore, type Core, type Surroundings } from './core.ts'
import { knownNeeds } from './known-needs.ts'
import { fundingOf } from './funding.ts'
import { countInFlight } from './server/in-flight.ts'
import { checkKeys } from './key-checks.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { beginProduction } from './mode-of-log.ts'
import { watchProxies } from './server/proxy-watch.ts'
import { makePusher } from './pusher/pusher.ts'
import { requestLog } from './server/request-log.ts'
import { retryWhileHeld } from '../infrastructure/retry-while-held.ts'
import { makeSandboxData } from './sandbox/sandbox-data.ts'
import type { Vitals } from './metrics/readiness.ts'
import { composeService, type Service } from './service.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { openGranted } from './people/granted.ts'
import { networksOf } from '../infrastructure/networks.ts'
import { openMessages } from './people/messages.ts'
import { checkWitnessed } from './transparency/witnessed-before.ts'

export { callbackWire } from './callback-wire.ts'
export { isRedirectUri } from '../http/oauth/application.ts'
export { textOfRefusal } from '../http/refusal-answers.ts'

const namedOf = (settings: Settings) => ({
  ...aboutOf(settings),
  names: namesIn(settings),
})

/** For the time before `openService` can reach the store. */
export const answersWhileWaiting = (settings: Settings) =>
  answersBeforeStore({ ...namedOf(settings), newId: randomUUID })

/** Sends messages for the operator's commands, beside a running service. */
export const messagesBeside = async (core: Core) => {
  const { MESSAGE_URL, DATA_DIR } = core.settings
  // Only a gateway needs signatures.
  const sending = MESSAGE_URL !== undefined && {
    wire: await callbackWire(core),
    signer: await signerIn(core, DATA_DIR, Date.now),
  }
  const messages = openMessages(core, sending || undefined)
  return { ...messages, addedMessage: addedMessage('en', linksWith(core)) }
}

type ServiceSurroundings = Omit<Surroundings, 'isAlone'> & {
  readonly address: () => string
  readonly funding?: FundingSource | undefined
  /** Measures requests; by default in the metrics of this service. */
  readonly measure?: Service['observe'] | undefined
  /** By default those of this thread. */
  readonly vitals?: (() => Promise<Vitals>) | undefined
}

/**
 * The service and its app.
 * Long because it is the list of what a service is made of.
 */
export const openService = async (
  settings: Settings,
  log: Log,
  { address, beside = 'inline', folding, measure, ...given }: ServiceSurroundings,
) => {
  const inFlight = countInFlight()
  const { isAlone } = inFlight
  const core = await openCore(settings, log, { beside, address, isAlone, folding })
  const links = linksWith(core)
  const attachmentLink = makeAttachmentLink({ links, sign: core.people.tokens.sign })
  const proxies = watchProxies(log)
  const about = namedOf(settings)
  const { names, isSandbox, isSecure } = about
  const watched = isSandbox ? undefined : proxies
  const clientAddress = makeClientAddress(settings.TRUSTED_PROXIES, watched)
  const pusher = makePusher(core, makePusherHub, clientAddress)
  const { details: readyDetails } = proxies
  const known = { ...about, links, attachmentLink, readyDetails, pusher: pusher.routes }
  // On the first start these create RSA keys, which takes a fifth of a second each on the thread
  // pool.
  const keys = callbackKeysIn(core, settings.DATA_DIR, Date.now)
  const [shown, granted] = await Promise.all([
    isSandbox ? makeSandboxData(core, settings.DATA_DIR) : beginProduction(core),
    openGranted(core),
    keys,
  ])
  const wire = wireWith(core, granted, links)
  const { message: wordCallback } = wire
  pusher.follow(wordCallback)
  const signer = await signerIn(core, settings.DATA_DIR, Date.now, keys)
  await checkKeys(core)
  // The thread of pages, which gets its vitals, starts beside a service that has asked.
  if (!given.vitals) await checkWitnessed(core, settings.WITNESSES)
  const access = accessOf(core, signer)
  const authenticate = makeAccess({ ...access, names })
  const { funding = fundingOf(settings), vitals } = given
  const ofPeople = { granted, ownerWords }
  const parts = { access, wire, signer, funding, ...ofPeople, listenerCount: pusher.count, vitals }
  const service = await composeService(core, parts, { ...known, authenticate })
  const asOf = answersAsOf(service.past, (moment) => {
    const reads = readsAsOf(core, granted, moment)
    return knownNeeds({ ...known, authenticate, ...reads, wordCallback })
  })
  const routes = allRoutes({ ...service.needs, asOf })
  const app = makeApp({
    ...{ ...known, authenticate, routes, retryWhileHeld, clientAddress, networksOf },
    ...requestLog(core, measure ?? service.observe),
    ...{ now: core.now, newId: core.newId, freshness: core.freshness },
    errorPage: makeErrorPage(known),
  })
  const greeting = shown ? `${shown}\n` : ''
  const refusal = answersToNoRequest({ ...core, names, isSecure })
  return { app, routes, core, service, refusal, wordCallback, pusher, greeting, inFlight }
}

/** The OpenAPI document, without a running service. */
export const described = (settings: Settings): object => {
  const about = namedOf(settings)
  return openApi(allRoutes(knownNeeds(about)), about)
}
