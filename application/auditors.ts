import { auditors } from '../domain/aggregates.ts'
import { isSignedIn } from '../domain/people/auditor.ts'
import { refuse } from '../domain/refusal.ts'
import { isEnabled } from '../domain/register.ts'
import type { Instant } from '../domain/time.ts'
import type { Context, Deciding } from './handle.ts'
import type { SecretGuesses, VerifySecret } from './secret-guesses.ts'
import type { SecurityLog } from './security-log.ts'

/** Maximum lifetime of a session, even in constant use. */
const sessionMs = 8 * 3_600_000
/** A session ends after this time without use. */
const idleMs = 30 * 60_000

/** Ids are part of cookies, tokens and streams. */
export const auditorIdPattern = /^[a-zA-Z0-9_-]{1,64}$/

/** What pages know about the auditor. */
export type SeenAuditor = { readonly id: string; readonly name: string }

type Needs = Deciding & {
  readonly newToken: () => { readonly token: string; readonly digest: string }
  readonly digestOf: (token: string) => string
  readonly derive: (...parts: readonly (string | number)[]) => string
  readonly isSameText: (a: string, b: string) => boolean
  readonly verifySecret: VerifySecret
  readonly guardGuesses: SecretGuesses
  /** The step of a correct one-time code. */
  readonly checkCode: (secret: string, code: string) => number | null
  readonly openCodeSecret: (sealed: string) => string | undefined
  readonly securityLog: SecurityLog
}

type SignIn = { readonly id: string; readonly password: string; readonly code: string }
type From = { readonly address: string | undefined }

/** A cookie is `<id>.<token>.<seen>.<digest of these>`. */
const makeCookies = ({ derive, isSameText }: Needs) => {
  const cookieOf = (id: string, token: string, at: Instant): string => {
    const text = `${id}.${token}.${at.toString(36)}`
    return `${text}.${derive('auditor', text)}`
  }
  /** Undefined if the digest is wrong or the session was idle too long. */
  const read = (cookie: string, at: Instant) => {
    const [id = '', token = '', seen = ''] = cookie.split('.')
    const seenAt = parseInt(seen, 36)
    const isOurs = isSameText(cookie, cookieOf(id, token, seenAt))
    return isOurs && at - seenAt < idleMs ? { id, token } : undefined
  }
  return { cookieOf, read }
}

const makeFindEnabled =
  ({ find }: Needs) =>
  async (id: string) => {
    if (!auditorIdPattern.test(id)) return undefined
    const entry = await find(auditors, id, 'log')
    return isEnabled(entry) ? entry.data : undefined
  }

type Cookies = ReturnType<typeof makeCookies>

/** Both factors are checked together, so that the answer does not reveal which one is wrong. */
const makeSignIn = (needs: Needs, { cookieOf }: Cookies) => {
  const { handle, guardGuesses, securityLog } = needs
  const findEnabled = makeFindEnabled(needs)
  /** @throws Refusal sign_in_is_wrong, secrets_are_wrong_too_often */
  return async ({ id, password, code }: SignIn, context: Context, { address }: From) => {
    const known = await findEnabled(id)
    const name = `auditor/${id}`
    let codeStep: number | null = null
    const verify = async (): Promise<boolean> => {
      const secret = known?.codeSecret && needs.openCodeSecret(known.codeSecret)
      codeStep = secret ? needs.checkCode(secret, code) : null
      const isRight = await needs.verifySecret(password, known?.passwordHash ?? null, name, address)
      return isRight && codeStep !== null
    }
    const actor = known ? `auditor:${id}` : 'auditor:?'
    if (!(await guardGuesses(name, address, verify, () => ({ actor }))))
      return refuse('sign_in_is_wrong')
    const { token, digest: session } = needs.newToken()
    const { at } = context
    const command = { type: 'SignIn', session, expiresAt: at + sessionMs, codeStep } as const
    await handle(auditors, id, command, { ...context, actor })
    securityLog.record({ type: 'auditor_signed_in', actor, address })
    return cookieOf(id, token, at)
  }
}

/** Sessions and tokens of auditors. */
export const makeAuditors = (needs: Needs) => {
  const { find, handle, digestOf, securityLog } = needs
  const cookies = makeCookies(needs)
  const findEnabled = makeFindEnabled(needs)

  /** The auditor of a cookie, and the renewed cookie. */
  const bySession = async (cookie: string, at: Instant) => {
    const known = cookies.read(cookie, at)
    if (!known) return undefined
    const { id, token } = known
    const session = digestOf(token)
    const entry = await find(auditors, id, 'log')
    if (entry.status !== 'present' || !isSignedIn(entry, session, at)) return undefined
    return { id, name: entry.data.name, session, cookie: cookies.cookieOf(id, token, at) }
  }

  /** The auditor of `<id>.<secret>`, as `daybook auditor add --token` prints it. */
  const byToken = async (token: string): Promise<SeenAuditor | undefined> => {
    const [id = '', secret = ''] = token.split('.')
    const known = await findEnabled(id)
    const isRight = needs.isSameText(digestOf(secret), known?.tokenHash ?? digestOf(''))
    return known && known.tokenHash !== null && isRight ? known : undefined
  }

  const signOut = async (id: string, session: string, context: Context): Promise<void> => {
    const actor = `auditor:${id}`
    await handle(auditors, id, { type: 'SignOut', session }, { ...context, actor })
    securityLog.record({ type: 'auditor_signed_out', actor })
  }

  return { signIn: makeSignIn(needs, cookies), bySession, byToken, signOut }
}

export type Auditors = ReturnType<typeof makeAuditors>
