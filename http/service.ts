import { dayMs } from '../domain/time.ts'
import { z } from 'zod'
import type { Links } from './addresses.ts'
import { RequestError } from './errors.ts'
import { auditRoute, type AuditNeeds } from './health-audit.ts'
import { type Route, routesOf } from './route.ts'
import { answersToNoRequest, headersOfAll } from './replies.ts'

const dependencies = {
  log: 'the log of events',
  vault: 'the vault',
  blobs: 'the folder of blobs',
} as const

type Dependency = keyof typeof dependencies

const list = new Intl.ListFormat('en')

/** What everybody may know about an outage; the reason may name hosts and users. */
export const outageText = (failing: readonly Dependency[]): string => {
  const text = list.format(failing.map((of) => dependencies[of]))
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} cannot be used just now.`
}

export type ServiceNeeds = AuditNeeds & {
  readonly links: Links
  readonly ready: () => Promise<{
    readonly isReady: boolean
    readonly position: number
    readonly head: number
    readonly isStoreUp: boolean
    /** The reason is for the operator. */
    readonly failing: readonly { readonly of: Dependency; readonly why: string }[]
    /** Events that the read models lack. */
    readonly behind: number
    /** Whether read models must be rebuilt, as the next start does. */
    readonly isDamaged: boolean
    readonly isStopping: boolean
    /** Why the next event of the log cannot be folded: a newer version has written it. */
    readonly unreadable: string | undefined
    /** The event of the log that cannot be folded, and none behind it. */
    readonly damagedAt?: number | undefined
  }>
  /** What the operator should look at, by setting. */
  readonly readyDetails: () => Readonly<Record<string, string[]>>
  readonly metrics: (accept?: string) => Promise<{ readonly type: string; readonly text: string }>
}

const { get } = routesOf({ access: 'OPEN', group: 'Service' })

const readyReply = z
  .object({
    status: z.literal('ready'),
    position: z.int().meta({ description: 'Position of the read models in the log.' }),
    head: z.int().meta({ description: 'Where the log ends.' }),
    behind: z.int().meta({ description: 'Events that the read models lack.' }),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: 'Settings that seem wrong, and why.' }),
  })
  .meta({ id: 'Ready' })

/** On the public port only in the sandbox. */
export const metricsRoute = ({ metrics }: Pick<ServiceNeeds, 'metrics'>): Route =>
  get('/metrics', {
    summary: 'Metrics for Prometheus',
    isPrompt: true,
    success: 'raw',
    replyTypes: ['text/plain', 'application/openmetrics-text'],
    handle: async ({ accept }) => {
      const { type, text } = await metrics(accept)
      return { type, body: text }
    },
  })

/** Where the documentation is, and health. */
export const serviceRoutes = (needs: ServiceNeeds): Route[] => [
  get('/', {
    summary: 'Leads to the page that describes this interface',
    success: 'found',
    handle: () => ({ location: needs.links.full('/docs') }),
  }),
  get('/health/live', {
    summary: 'Whether the process answers',
    isPrompt: true,
    reply: z.object({ status: z.literal('live') }).meta({ id: 'Live' }),
    handle: () => ({ status: 'live' as const }),
  }),
  auditRoute(needs),
  get('/health/ready', {
    summary:
      'Whether the read models have caught up; 503 with the progress while they have not, and ' +
      'while the store is away',
    reply: readyReply,
    handle: async () => {
      const { isReady, position, head, behind: lag, ...found } = await needs.ready()
      const { isStoreUp, failing, isDamaged, damagedAt, isStopping, unreadable } = found
      const warnings = needs.readyDetails()
      const hasWarnings = Object.keys(warnings).length > 0
      if (isReady)
        return {
          status: 'ready' as const,
          position,
          head,
          behind: lag,
          ...(hasWarnings && { details: warnings }),
        }
      const percent = Math.floor((100 * position) / Math.max(head, 1))
      const progress = { position: [String(position)], head: [String(head)], behind: [String(lag)] }
      const details = { ...progress, ...warnings }
      const catchingUp = `The read models are catching up with the log: ${percent} % done.`
      const damaged = 'The read models are damaged: the service must be started again.'
      const stopped =
        `Event ${damagedAt} of the log is damaged: the read models end before it, ` +
        'until a sound copy of the log is put back.'
      const behind = damagedAt === undefined ? catchingUp : stopped
      const newer = `A newer version has written to the log: ${unreadable}.`
      const isThere = isDamaged ? damaged : unreadable === undefined ? behind : newer
      const outage = isStoreUp ? isThere : outageText(failing.map(({ of }) => of))
      const description = isStopping ? 'The service is stopping.' : outage
      throw new RequestError(503, description, details, { 'Retry-After': '1' })
    },
  }),
]

export type Needs = Omit<Parameters<typeof answersToNoRequest>[0], 'freshness'>

/** The answers of a service that listens, but has not reached its store yet. */
export const answersBeforeStore = (needs: Needs) => {
  const refusal = answersToNoRequest({ ...needs, freshness: { known: () => 0 } })
  const live = (): Response => {
    const headers = { ...headersOfAll(needs.isSecure), 'Content-Type': needs.names.json }
    return new Response(JSON.stringify({ status: 'live' }), { headers })
  }
  const fetch = (request: Request): Response => {
    if (new URL(request.url).pathname === '/health/live') return live()
    const { status, headers, body } = refusal(503, outageText(['log']))
    return new Response(body, { status, headers: { ...headers, 'Retry-After': '1' } })
  }
  return { fetch, refusal }
}

type SecurityTextNeeds = {
  readonly links: Links
  /** Where weaknesses are told, an address with its scheme; undefined when not set. */
  readonly securityContact: string | undefined
  readonly machineNow: () => number
}

const path = '/.well-known/security.txt'

/** RFC 9116, 2.5.5, recommends less than a year. */
const goodForMs = 180 * dayMs

/** The same all day, so that caches and readers see no change. */
const endOfDayIn = (ms: number, now: number): string =>
  new Date(Math.floor((now + ms) / dayMs) * dayMs).toISOString().replace('.000Z', 'Z')

/** Whom to tell of a weakness (RFC 9116). */
export const securityTextRoute = (needs: SecurityTextNeeds): Route =>
  get(path, {
    summary: 'Whom to tell of a weakness (RFC 9116)',
    success: 'raw',
    replyTypes: ['text/plain'],
    errors: { 404: 'The operator has not set `SECURITY_CONTACT`.' },
    handle: () => {
      const { securityContact, links, machineNow } = needs
      if (securityContact === undefined)
        throw new RequestError(404, 'The operator has named nobody for this: SECURITY_CONTACT.')
      const lines = [
        `Contact: ${securityContact}`,
        `Expires: ${endOfDayIn(goodForMs, machineNow())}`,
        'Preferred-Languages: en, no',
        `Canonical: ${links.full(path)}`,
      ]
      return { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` }
    },
  })
