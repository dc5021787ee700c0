import { Wrong, type Html } from '../ui/components.tsx'
import type { Auditors, SeenAuditor } from '../../application/auditors.ts'
import type { SecurityLog } from '../../application/security-log.ts'
import { Refusal } from '../../domain/refusal.ts'
import { targetOf, type Call } from '../../http/call.ts'
import { Malformed, RequestError } from '../../http/errors.ts'
import { preferred } from '../../http/negotiation.ts'
import { ownCookie } from '../../http/own-cookie.ts'
import { redirectReply } from '../ui/page.tsx'
import { readersLanguage } from '../ui/texts.ts'
import { answerToRefusal } from '../../http/refusal-answers.ts'
import { type RawReply, type RawStatus, routesOf } from '../../http/route.ts'
import { auditPage, inEnglish, ruleHtml, signInPath, type AuditPage } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'

export type VisitNeeds = {
  readonly isSecure: boolean
  readonly auditors: Pick<Auditors, 'bySession' | 'byToken'>
  readonly securityLog: SecurityLog
}

/** What a page tells, for people and for programs. */
export type AuditView = Pick<AuditPage, 'title' | 'body'> & { readonly json: object }

/** What stands below a problem. */
type Below = (texts: Catalogue['auditor']) => Html

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
const safeTarget = (target: string): string =>
  target
    .replaceAll(/%2B|\+/gi, ' ')
    .replaceAll(/(?<![\w.-])\d{8,15}(?![\w.-])/g, '…')
    .slice(0, 200)

const wantsJson = ({ accept, request }: Call): boolean =>
  preferred(accept, ['text/html', 'application/json']) === 'application/json' ||
  (request.header('authorization') !== undefined && !(accept ?? '').includes('text/html'))

/** What a page says of an error; undefined for one of the service. */
const problemOf = (
  error: unknown,
  language: Language,
): { status: RawStatus; text: Html } | undefined => {
  if (error instanceof Malformed)
    return { status: 400, text: inEnglish(Object.values(error.details).flat().join(' ')) }
  if (error instanceof RequestError && error.status < 500)
    return { status: error.status as RawStatus, text: inEnglish(error.message) }
  if (!(error instanceof Refusal)) return undefined
  const { status } = answerToRefusal(error)
  return { status: status as RawStatus, text: ruleHtml(error.code, language) }
}

const problemHtml = (status: RawStatus, text: Html, texts: Catalogue['auditor']) => [
  <h1>{status === 404 ? texts.notFound : texts.problem}</h1>,
  <Wrong text={text} />,
  <p>
    <a href="/audit/">{texts.toOverview}</a>
  </p>,
]

/** The language of a page; JSON is in English. */
const languageFor = (call: Call): Language =>
  wantsJson(call) ? 'en' : readersLanguage(call.request).language

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

  const show = (call: Call, page: Omit<AuditPage, 'path' | 'language'>): Promise<RawReply> => {
    const path = targetOf(call).replace(/\?.*/, '')
    return auditPage({ ...page, path, language: languageFor(call) }, isSecure)
  }

  const record = (call: Call, id: string): void => {
    const { remoteAddress: address } = call.request
    const about = safeTarget(targetOf(call))
    const request = call.requestId
    securityLog.record({ type: 'auditor_read', actor: `auditor:${id}`, address, about, request })
  }

  const textsFor = (call: Call): Catalogue['auditor'] => textsIn[languageFor(call)].auditor

  /** Shows what an auditor has looked for, and records the look. JSON has no locale. */
  const look = async (
    call: Call,
    find: (language: Language, locale: string | undefined) => Promise<AuditView | RawReply>,
    below: Below = () => null,
  ): Promise<RawReply> => {
    const auditor = await visitorOf(call)
    const isJson = wantsJson(call)
    const language = languageFor(call)
    if (!auditor && isJson)
      throw new RequestError(401, 'Sign in at /audit/, or send the token.', null, auditChallenge)
    if (!auditor) return go(`${signInPath}?next=${encodeURIComponent(targetOf(call))}`)
    const cookies = auditor.cookie === undefined ? [] : [cookie.keep(auditor.cookie)]
    record(call, auditor.id)
    try {
      const locale = isJson ? undefined : readersLanguage(call.request).locale
      const view = await find(language, locale)
      if ('type' in view) return { ...view, cookies }
      if (!isJson) return await show(call, { ...view, auditor: auditor.id, cookies })
      return { type: 'application/json', body: JSON.stringify(view.json, null, 2), cookies }
    } catch (error) {
      const problem = problemOf(error, language)
      if (!problem || isJson) throw error
      const texts = textsIn[language].auditor
      const { status } = problem
      const body = [problemHtml(status, problem.text, texts), below(texts)]
      return show(call, { title: texts.problem, body, status, auditor: auditor.id, cookies })
    }
  }

  return { look, show, textsFor, go, keep: cookie.keep, visitorOf, noCookie: cookie.none }
}

export type AuditVisits = ReturnType<typeof makeAuditVisits>
