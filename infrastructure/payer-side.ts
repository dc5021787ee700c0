import { createHash, timingSafeEqual } from 'node:crypto'
import { toDataURL, toString as toSvg } from 'qrcode'
import {
  applications,
  merchants,
  payers,
  payments,
  poses,
  within,
} from '../application/aggregates.ts'
import { redeemCode } from '../application/authorize.ts'
import { findLiveToken, refreshGrant, revokeGrant } from '../application/grants.ts'
import { streamOf, type Context } from '../application/handle.ts'
import { changeProfile, registerPayer, signIn } from '../application/payers.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { Core } from './core.ts'
import { codeUri, makeCodeCheck, newCodeSecret } from './one-time-codes.ts'
import { seal, unseal } from './sealing.ts'
import { hashSecret, makeSecretCheck } from './secrets.ts'
import type { Settings } from './settings.ts'
import { makeGate, makeStrangers, makeThrottle, newToken } from './sign-in-guard.ts'
import { sha256 } from './tokens.ts'

const qrOptions = { margin: 1, errorCorrectionLevel: 'M' } as const
const failuresPerAddress = 200
const failuresPeriodMs = 600_000
/** Slow hashes that run at once, so that sign-ins do not take the machine from payments. */
const slowHashesAtOnce = 1

/** Compares without telling by its time how far two texts are alike. */
const isSame = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** What the pages of payers and the authorization server are made with. */
export const makePayerSide = (core: Core, settings: Settings, server: AuthorizationServer) => {
  const { handle, find, vault: people, tokens, grants: rows, readModels, now } = core
  const { caughtUp } = readModels
  const isSandbox = settings.MODE === 'sandbox'
  const grantNeeds = { handle, find, tokens, rows, caughtUp }
  const pages = people.secret('pages')
  const gate = makeGate(slowHashesAtOnce)
  const verifySecret = makeSecretCheck(Date.now)
  const stepOfCode = makeCodeCheck(Date.now)

  const applicationOf = (clientId: string) =>
    core.applications.find(streamOf(applications, clientId))?.data
  const shopName = (merchant: string): string =>
    core.merchants.find(streamOf(merchants, merchant))?.data.businessName ?? merchant

  const findRequest = (tid: string, at: number) => {
    const row = core.requests.findAny(streamOf(payments, tid))
    const outcome = row && core.outcomes.find(row.merchant, tid, at)
    if (!row || !outcome) return undefined
    const { request, details, payer, merchant } = row
    const pos = core.poses.find(streamOf(poses, within(merchant, request.posId)))?.data.name ?? null
    return { tid, request, details, payer, outcome, shop: shopName(merchant), pos }
  }

  const isPayer = async (id: string): Promise<boolean> =>
    (await find(payers, id)).status === 'present'

  return {
    isSecure: settings.MODE === 'production',
    isSandbox,
    now,
    newToken,
    digestOf: sha256,
    derive: core.derive,
    isSame,
    seal: (text: string) => seal(pages, text),
    unseal: (text: string) => unseal(pages, text),
    findSession: async (digest: string) => {
      await caughtUp()
      const session = core.sessions.find(digest)
      return session && (await isPayer(session.payer)) ? session : undefined
    },
    throttle: makeThrottle(failuresPerAddress, failuresPeriodMs),
    signIn: signIn({
      handle,
      find,
      people,
      verifyPin: (pin, hash) => gate(() => verifySecret(pin, hash)),
      stepOfCode,
      strangers: makeStrangers(),
      newSession: newToken,
      // Rehearsals need not wait half a minute for the next code.
      codesWorkOnce: !isSandbox,
    }),
    signOut: async (payer: string, session: string, context: Context) => {
      await handle(payers, payer, { type: 'SignOut', session }, context)
    },
    hashPin: (pin: string) => gate(() => hashSecret(pin)),
    newCodeSecret,
    codeUri,
    stepOfCode,
    isPhoneTaken: async (phone: string) => {
      const person = people.findPerson(phone)
      return person !== undefined && (await isPayer(person))
    },
    registerPayer: registerPayer({ handle, find, people }),
    changeProfile: changeProfile({ handle, find, people }),
    qrImage: (text: string) => toDataURL(text, { ...qrOptions, width: 480 }),
    qrSvg: (text: string) => toSvg(text, { ...qrOptions, type: 'svg' }),
    findRequest,
    shopName,
    inbox: core.inbox,
    permissionOf: core.permissions.find,
    grantsOf: rows.ofPayer,
    applicationName: (client: string) => applicationOf(client)?.name,
    findApplication: applicationOf,
    applications: core.applications,
    isSecretOf: (secret: string, hash: string) => isSame(sha256(secret), hash),
    newClient: () => {
      const { token: secret, digest: secretHash } = newToken()
      return { clientId: newToken().token.slice(0, 22), secret, secretHash }
    },
    issuer: server.issuer,
    publishedKeys: server.idTokens.published,
    findProfile: server.findProfile,
    subjectOf: server.subjectOf,
    showTokens: server.showTokens,
    codeOf: (authorization: string) => {
      const code = tokens.code(authorization)
      return { code, hash: tokens.digest(code) }
    },
    challengeOf: sha256,
    redeemCode: redeemCode(grantNeeds),
    refreshGrant: refreshGrant(grantNeeds),
    revokeGrant: revokeGrant(grantNeeds),
    findLiveToken: findLiveToken(grantNeeds),
    findGrantOf: async (token: string) => {
      await caughtUp()
      const hash = tokens.digest(token)
      const row = rows.findAccess(hash) ?? rows.findRefresh(hash)
      return row && rows.find(row.grant)
    },
    /** Codes on a screen of this service lead to its pages; nothing else is followed. */
    scan: async (text: string): Promise<string | undefined> => {
      const base = `${server.issuer()}/`
      if (!text.startsWith(base)) return undefined
      const path = `/${text.slice(base.length)}`
      return /^\/(payer\/payment\/[a-z0-9]{1,64}|oauth2\/pre_auth\?qr=[\w-]{75})$/.test(path)
        ? path
        : undefined
    },
  }
}
