import { html } from 'hono/html'
import type { Auditors, SeenAuditor } from '../../application/auditors.ts'
import type { SecurityLog } from '../../application/security-log.ts'
import { Refusal } from '../../domain/refusal.ts'
import { targetOf, type Call } from '../call.ts'
import { Malformed, RequestError } from '../errors.ts'
import { preferred } from '../negotiation.ts'
import { ownCookie } from '../own-cookie.ts'
import { redirectReply } from '../payer/page.ts'
import { answerToRefusal } from '../refusal-answers.ts'
import type { RawReply, RawStatus } from '../route.ts'
import { routesOf } from '../routes-of.ts'
import { auditPage, signInPath, type AuditPage } from './page.ts'

export type VisitNeeds = {
  readonly isSecure: boolean
  readonly auditors: Pick<Auditors, 'bySession' | 'byToken'>
  readonly securityLog: SecurityLog
}

/** What a page tells, for people and for programs. */
export type Shown = Pick<AuditPage, 'title' | 'body'> & { readonly json: object }

type Visitor = SeenAuditor & { readonly session?: string; readonly cookie?: string }

export const auditChallenge = { 'WWW-Authenticate': 'Bearer realm="audit"' }

/** What every page answers those who are not signed in. */
export const notSignedIn = {
  303: 'Not signed in: on to the sign-in.',
  401: 'Not signed in, and JSON was asked for.',
} as const

/** What the routes of auditors' pages share. */
export const auditPages = routesOf({
  access: 'OPEN',
  group: 'Audit',
  success: 'raw',
  replyTypes: ['text/html', 'application/json'],
  errors: notSignedIn,
})

/** What somebody typed is told only where it can name no person. */
const toldTarget = (target: string): string =>
  target
    .replaceAll(/%2B|\+/gi, ' ')
    .replaceAll(/(?<![\w.-])\d{8,15}(?![\w.-])/g, '…')
    .slice(0, 200)

const wantsJson = ({ accept, request }: Call): boolean =>
  preferred(accept, ['text/html', 'application/json']) === 'application/json' ||
  (request.header('authorization') !== undefined && !(accept ?? '').includes('text/html'))

/** What a page says of an error; undefined for one of the service. */
const problemOf = (error: unknown): { status: RawStatus; text: string } | undefined => {
  if (error instanceof Malformed)
    return { status: 400, text: Object.values(error.details).flat().join(' ') }
  if (error instanceof RequestError && error.status < 500)
    return { status: error.status as RawStatus, text: error.message }
  if (!(error instanceof Refusal)) return undefined
  const { status, body } = answerToRefusal(error)
  return { status: status as RawStatus, text: body.error_description ?? '' }
}

const problemHtml = (text: string) =>
  html`<h1>Not found</h1>
    <p class="problem" role="alert">${text}</p>
    <p><a href="/audit/">Back to the overview</a></p>`

export const makeAuditVisits = ({ isSecure, auditors, securityLog }: VisitNeeds) => {
  const cookie = ownCookie({ isSecure, sameSite: 'Strict' }, 'audit', /^/)

  const visitorOf = async ({ request, at }: Call): Promise<Visitor | undefined> => {
    const [, token] = /^bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? []
    if (token !== undefined) return auditors.byToken(token)
    const session = cookie.find(request.header('cookie'))
    return session === undefined ? undefined : auditors.bySession(session, at)
  }

  const go = (location: string, cookies?: readonly string[]): RawReply =>
    redirectReply(location, isSecure, cookies)

  const show = (call: Call, page: Omit<AuditPage, 'path'>): Promise<RawReply> =>
    auditPage({ ...page, path: targetOf(call).replace(/\?.*/, '') }, isSecure)

  const record = (call: Call, id: string): void => {
    const { remoteAddress: address } = call.request
    const about = toldTarget(targetOf(call))
    const request = call.requestId
    securityLog.record({ type: 'auditor_read', actor: `auditor:${id}`, address, about, request })
  }

  /** Shows what an auditor has looked for, and records the look. */
  const look = async (call: Call, find: () => Promise<Shown | RawReply>): Promise<RawReply> => {
    const auditor = await visitorOf(call)
    const isJson = wantsJson(call)
    if (!auditor && isJson)
      throw new RequestError(401, 'Sign in at /audit/, or send the token.', null, auditChallenge)
    if (!auditor) return go(`${signInPath}?next=${encodeURIComponent(targetOf(call))}`)
    const cookies = auditor.cookie === undefined ? [] : [cookie.keep(auditor.cookie)]
    record(call, auditor.id)
    try {
      const shown = await find()
      if ('type' in shown) return { ...shown, cookies }
      if (!isJson) return await show(call, { ...shown, auditor: auditor.id, cookies })
      return { type: 'application/json', body: JSON.stringify(shown.json, null, 2), cookies }
    } catch (error) {
      const problem = problemOf(error)
      if (!problem || isJson) throw error
      const body = problemHtml(problem.text)
      const { status } = problem
      return show(call, { title: 'Problem', body, status, auditor: auditor.id, cookies })
    }
  }

  return { look, show, go, keep: cookie.keep, visitorOf, noCookie: cookie.none }
}

export type AuditVisits = ReturnType<typeof makeAuditVisits>
