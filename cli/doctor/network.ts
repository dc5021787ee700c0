// What must answer: the service behind its proxy, monitoring, receivers and the gateway.
import { destinationOf } from '../../domain/callback-destination.ts'
import { keyOfAddress } from '../../domain/merchant/event-destination.ts'
import { dayMs } from '../../domain/time.ts'
import { trustingAlso } from '../../infrastructure/callbacks/certificate-problem.ts'
import {
  lookupWith,
  makeResolve,
  resolvePublic,
} from '../../infrastructure/callbacks/name-resolution.ts'
import { checkLiteral } from '../../infrastructure/callbacks/signed-post.ts'
import { isMailServer, mailServer } from '../../infrastructure/people/mail-server.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Core } from '../../service/core.ts'
import { ask, Unreachable, type Answer, fault, ok, warning, worst, type Finding } from './ask.ts'

const [soonDays, lateDays] = [21, 7]

export const judgeCertificate = (validTo: number, now: number): Finding => {
  const days = Math.floor((validTo - now) / dayMs)
  const found = `the certificate ends in ${days} days`
  const advice = 'renew it, and see why that did not happen by itself'
  if (days < lateDays) return fault(found, advice)
  return days < soonDays ? warning(found, advice) : ok(found)
}

/** TLS and the proxy before the service, as clients meet them. */
export const addressFinding = async (settings: Settings, now: number): Promise<Finding> => {
  const { PUBLIC_URL, NODE_EXTRA_CA_CERTS, TRUSTED_PROXIES } = settings
  if (!PUBLIC_URL?.startsWith('https:'))
    return fault('no PUBLIC_URL with https', 'set PUBLIC_URL, and let a proxy end TLS')
  const url = `${PUBLIC_URL}/health/ready`
  const trust = { secureContext: trustingAlso(NODE_EXTRA_CA_CERTS) }
  let answer: Answer
  try {
    // The service notes a proxy that is not trusted at the first request.
    await ask(url, 'GET', trust)
    answer = await ask(url, 'GET', trust)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const advice = 'let the proxy listen there with a certificate and all of its chain'
    return fault(error.message, advice)
  }
  const certificate = judgeCertificate(answer.validTo ?? now, now)
  const isReady = answer.status === 200 && answer.body.includes('"status":"ready"')
  const problems = [
    !isReady &&
      fault(
        `${url} answers ${answer.status}, and not that the service is ready`,
        'see that the service runs, and that the proxy passes all paths on to it',
      ),
    answer.body.includes('"TRUSTED_PROXIES"') &&
      fault(
        'a proxy is not trusted, or passes on two headers',
        'name it in TRUSTED_PROXIES, and let it write one header',
      ),
    TRUSTED_PROXIES.length === 0 &&
      warning('no proxy is trusted', 'name the proxy in TRUSTED_PROXIES'),
    certificate,
  ]
  return worst(problems, `${PUBLIC_URL} answers with a valid chain; ${certificate.found}`)
}

const hostIn = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** How long ago monitoring may have asked last, in ms. */
const lastScrapeMs = 300_000

/** Whether the service runs here, and whether somebody asks for its metrics. */
export const serviceFinding = async (settings: Settings, now: number): Promise<Finding> => {
  const { METRICS_HOST, METRICS_PORT, MODE } = settings
  if (MODE === 'sandbox')
    return fault('the sandbox has no address of metrics', 'set MODE=production')
  const url = `http://${hostIn(METRICS_HOST)}:${METRICS_PORT}`
  const { body } = await ask(`${url}/health/ready`)
  const { isReady, failing } = JSON.parse(body) as { isReady: boolean; failing: { why: string }[] }
  if (!isReady)
    return fault(
      ['the service is not ready', ...failing.map(({ why }) => why)].join(': '),
      'see its log',
    )
  const metrics = await ask(`${url}/metrics`)
  const [, seconds] = /^daybook_scraped_timestamp_seconds (\S+)$/m.exec(metrics.body) ?? []
  const scrapedAt = seconds === undefined ? undefined : Number(seconds) * 1_000
  if (scrapedAt !== undefined && now - scrapedAt <= lastScrapeMs)
    return ok('the service is ready, and its metrics are read')
  const since =
    scrapedAt === undefined ? 'since its start' : `since ${new Date(scrapedAt).toISOString()}`
  const advice = `let Prometheus scrape ${url}/metrics, with alerts, or nothing wakes anybody`
  return warning(`the service is ready, but nobody has read its metrics ${since}`, advice)
}

/** What callbacks and messages trust. */
export const trustOf = ({ CALLBACK_CA_FILE, NODE_EXTRA_CA_CERTS }: Settings) => ({
  secureContext: trustingAlso(CALLBACK_CA_FILE ?? NODE_EXTRA_CA_CERTS, NODE_EXTRA_CA_CERTS),
})

const mostReceivers = 50

/** Scheme and host of each address that a merchant has named, or that messages go to in vain. */
const receiversOf = ({ merchants, callbacks }: Core): readonly string[] => {
  const uris = [
    ...merchants.merchants.all().map(({ data }) => data.callbackUri),
    ...callbacks.eventDestinations.all().map(({ data }) => data.uri),
    ...callbacks.destinations.rested().map(({ destination }) => destination),
  ]
  const found = uris.flatMap((uri) => destinationOf(uri) ?? [])
  return [...new Set(found.filter((uri) => keyOfAddress(uri) === undefined))]
}

const problemOfReceiver = async (address: string, settings: Settings): Promise<string[]> => {
  const { PRIVATE_CALLBACKS, MODE } = settings
  const arePrivateAllowed =
    (PRIVATE_CALLBACKS ?? (MODE === 'sandbox' ? 'allow' : 'refuse')) === 'allow'
  const resolve = makeResolve()
  try {
    if (!arePrivateAllowed) checkLiteral(address)
    await ask(address, 'HEAD', {
      lookup: lookupWith(arePrivateAllowed ? resolve : resolvePublic(resolve)),
      ...trustOf(settings),
    })
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Receivers of callbacks: any answer counts. */
export const callbackFinding = async (core: Core, settings: Settings): Promise<Finding> => {
  const all = receiversOf(core).slice(0, mostReceivers)
  if (all.length === 0)
    return warning('no merchant has named an address yet', 'let one do so, and ask again')
  const problems = (await Promise.all(all.map((one) => problemOfReceiver(one, settings)))).flat()
  const [failed, count] = [problems.length, all.length]
  if (failed === 0) return ok(`all ${count} receivers answer`)
  const found = `${failed} of ${count} receivers cannot be reached: ${problems.join('; ')}`
  return failed === count
    ? fault(found, 'see that this machine reaches the internet: a firewall or name servers')
    : warning(found, 'tell these merchants')
}

const gatewayOf = async (url: string, settings: Settings): Promise<Finding> => {
  const { status, validTo } = await ask(url, 'HEAD', trustOf(settings))
  // The rest of the address may hold a password.
  const { origin } = new URL(url)
  if (status >= 500) return fault(`${origin} answers ${status}`, 'repair the gateway')
  return validTo === undefined
    ? warning(`${origin} answers without TLS`, 'use https: messages hold codes')
    : ok(`${origin} answers`)
}

/** The gateway of text messages: any answer counts but a failure of its own. */
export const gatewayFinding = async (settings: Settings): Promise<Finding> =>
  settings.MESSAGE_URL === undefined
    ? fault('nobody can prove a phone number', 'set MESSAGE_URL to your gateway')
    : gatewayOf(settings.MESSAGE_URL, settings)

/** The daybook that the switch of the portal leads to, as browsers reach it. */
export const twinFinding = async ({
  TWIN_URL,
  PUBLIC_URL,
  NODE_EXTRA_CA_CERTS,
}: Settings): Promise<Finding> => {
  if (TWIN_URL === undefined) return ok('TWIN_URL is not set: the portal has no switch')
  const advice = 'set it to the PUBLIC_URL of your other daybook, with https'
  if (!TWIN_URL.startsWith('https:')) return fault(`${TWIN_URL} is without TLS`, advice)
  if (TWIN_URL === PUBLIC_URL) return fault('TWIN_URL leads to this daybook itself', advice)
  const url = `${TWIN_URL}/health/ready`
  let found: string
  try {
    const trust = { secureContext: trustingAlso(NODE_EXTRA_CA_CERTS) }
    const { status, body } = await ask(url, 'GET', trust)
    if (status === 200 && body.includes('"status":"ready"')) return ok(`${TWIN_URL} is ready`)
    found = `${url} answers ${status}, and not that it is ready`
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    found = error.message
  }
  return fault(found, 'start your other daybook, or set TWIN_URL to its PUBLIC_URL')
}

/** The mail server lets the service sign in, or the gateway of mails answers. */
export const mailFinding = async (settings: Settings): Promise<Finding> => {
  const { MAIL_URL } = settings
  if (MAIL_URL === undefined) return ok('MAIL_URL is not set: messages are text messages')
  if (!isMailServer(MAIL_URL)) return gatewayOf(MAIL_URL, settings)
  const server = mailServer(settings)
  const problem = await server.check()
  server.close()
  const { host } = new URL(MAIL_URL)
  if (!problem) return ok(`${host} lets the service in`)
  const status = problem.status === null ? '' : ` ${problem.status}`
  return fault(`${host} does not: ${problem.problem}${status}`, 'see MAIL_URL and the mail server')
}
