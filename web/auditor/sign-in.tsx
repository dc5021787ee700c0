import { Actions, Wrong } from '../ui/components.tsx'
import { z } from 'zod'
import type { Auditors } from '../../application/auditors.ts'
import { Refusal } from '../../domain/refusal.ts'
import { contextBy, searchOf, type Call } from '../../http/call.ts'
import { anyForm, fieldOf, type Form } from '../../http/forms.ts'
import { type RawReply, type RawStatus, type Route, routesOf } from '../../http/route.ts'
import { isForeign } from '../ui/anti-forgery.ts'
import { signInPath } from './page.tsx'
import { auditChallenge, type AuditVisits } from './visits.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'
import type { PlainKey } from '../../texts/message.ts'

export type AuditSignInNeeds = { readonly auditors: Auditors }

const { get, post } = routesOf({ access: 'OPEN', group: 'Audit', replyTypes: ['text/html'] })

const signInForm = z.object({
  id: z.string().meta({ description: 'The id of the auditor.' }),
  password: z.string().meta({ description: 'The password.' }),
  code: z.string().meta({ description: 'A one-time code of the authenticator.' }),
})

const nextQuery = z.object({
  next: z.string().optional().meta({ description: 'The page to go on to.' }),
})

/** Only to pages of auditors. */
const nextOf = (call: Call): string => {
  const next = searchOf(call).get('next')
  return next && /^\/audit\/[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/audit/'
}

const formHtml = (call: Call, problem: string | undefined, texts: Catalogue['auditor']) => {
  const next = nextOf(call)
  const action = next === '/audit/' ? signInPath : `${signInPath}?next=${encodeURIComponent(next)}`
  return (
    <form class="card" method="post" action={action}>
      <h1>{texts.signInTitle}</h1>
      {problem !== undefined && <Wrong text={problem} />}
      <label for="id">{texts.auditor}</label>
      <input id="id" name="id" autocomplete="username" autocapitalize="none" required />
      <label for="password">{texts.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <label for="code">{texts.code}</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required />
      <Actions button={texts.signIn} />
    </form>
  )
}

const password = (form: Form): string => {
  const typed = form['password']
  return typeof typed === 'string' ? typed : ''
}

const makeSignInPages = ({ auditors }: AuditSignInNeeds, visits: AuditVisits) => {
  const showForm = (
    call: Call,
    problem?: PlainKey<Catalogue['auditor']>,
    status: RawStatus = 200,
    wait?: number | null,
  ) => {
    const texts = visits.textsFor(call)
    return visits.show(call, {
      title: texts.signIn,
      body: formHtml(call, problem && texts[problem], texts),
      status,
      headers: {
        ...(status === 401 && auditChallenge),
        ...(wait && { 'Retry-After': String(wait) }),
      },
    })
  }

  const signIn = async (call: Call<unknown, unknown, Form>): Promise<RawReply> => {
    // Cookies are not sent by forms of other sites, and a sign-in may not come from there either.
    if (isForeign(call)) return showForm(call, 'elsewhere', 403)
    const { body, request } = call
    const credentials = {
      id: fieldOf(body, 'id'),
      password: password(body),
      code: fieldOf(body, 'code'),
    }
    if (Object.values(credentials).includes('')) return showForm(call, 'fieldsMissing', 400)
    const { remoteAddress: address } = request
    try {
      const cookie = await auditors.signIn(credentials, contextBy(call, 'auditor'), { address })
      return visits.go(nextOf(call), [visits.keep(cookie)])
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const isLocked = error.code === 'secrets_are_wrong_too_often'
      return showForm(call, isLocked ? 'tooMany' : 'wrong', isLocked ? 429 : 401, error.retryAfter)
    }
  }

  const signOut = async (call: Call): Promise<RawReply> => {
    if (isForeign(call)) return showForm(call, 'elsewhere', 403)
    const visitor = await visits.visitorOf(call)
    if (visitor?.session !== undefined)
      await auditors.signOut(visitor.id, visitor.session, contextBy(call, 'auditor'))
    return visits.go(signInPath, [visits.noCookie])
  }

  return { shown: showForm, signIn, signOut }
}

/** Both factors at once, so that nobody learns which one is wrong. */
export const auditSignInRoutes = (needs: AuditSignInNeeds, visits: AuditVisits): Route[] => {
  const { shown, signIn, signOut } = makeSignInPages(needs, visits)
  return [
    get(signInPath, {
      summary: 'Sign in as an auditor',
      ownQuery: nextQuery,
      success: 'raw',
      handle: (call) => shown(call),
    }),
    post(signInPath, {
      summary: 'Sign in with password and one-time code',
      ownQuery: nextQuery,
      ownForm: signInForm,
      body: anyForm,
      takesForm: true,
      success: 'raw otherwise',
      errors: {
        303: 'Signed in.',
        400: 'Something is missing.',
        401: 'Name, password or code is wrong.',
        403: textsIn.en.auditor.elsewhere,
        429: 'Too many attempts: Retry-After says for how many seconds.',
      },
      handle: signIn,
    }),
    post('/audit/sign-out', {
      summary: 'Sign out',
      ownForm: z.object({}),
      body: anyForm,
      takesForm: true,
      success: 'raw otherwise',
      errors: { 303: 'Signed out.', 403: textsIn.en.auditor.elsewhere },
      handle: signOut,
    }),
  ]
}
