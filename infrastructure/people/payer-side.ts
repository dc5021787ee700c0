import { applications, merchants, payers, pointsOfSale } from '../../domain/aggregates.ts'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { redeemCode } from '../../application/authorize.ts'
import { findLiveRefreshToken, findLiveToken, refreshGrant } from '../../application/grants.ts'
import { revokeGrant, withdrawConsent } from '../../application/withdraw-grants.ts'
import type { Context } from '../../application/handle.ts'
import { payerViews } from '../../application/payer-views.ts'
import { changeProfile, registerPayer, signIn } from '../../application/payers.ts'
import { streamOf, within } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import type { Settings } from '../settings.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { codeUri, makeCodeCheck, newCodeSecret } from './one-time-codes.ts'
import { seal, unseal } from './sealing.ts'
import { hashSecret, makeSecretCheck } from './secrets.ts'
import { makeStrangers, makeThrottle } from './sign-in-guard.ts'
import { isSameText, newClient, newToken, sha256 } from './tokens.ts'

const failuresPerAddress = 200
const passesPerAddress = 1_000
const throttlePeriodMs = 600_000
/** One at once, so that sign-ins do not take the machine from payments; each address is throttled before it comes so far. */
const slowHashes = { concurrent: 1, maxWaiting: 10_000 }

/** What the operator links below every page. */
export const footerOf = ({ HELP_URL: help, TERMS_URL: terms, PRIVACY_URL: privacy }: Settings) => ({
  help,
  terms,
  privacy,
})

/** What the pages of payers and the authorization server are made with. */
export const makePayerSide = (core: Core, settings: Settings, server: AuthorizationServer) => {
  const {
    handle,
    find,
    people: { vault: people, tokens, grants: rows },
    readModels,
    now,
  } = core
  const { caughtUp } = readModels
  const isSandbox = settings.MODE === 'sandbox'
  const grantNeeds = { handle, find, tokens, rows, caughtUp }
  const pages = people.secret('pages')
  const limited = concurrencyLimit(slowHashes)
  const verifySecret = makeSecretCheck(Date.now)
  const stepOfCode = makeCodeCheck(Date.now)

  const findApplication = (clientId: string) => {
    const row = core.people.applications.find(streamOf(applications, clientId))
    const shop = row && core.merchants.merchants.find(streamOf(merchants, row.data.merchant))
    return row && { ...row.data, isDisabled: row.isDisabled || (shop?.isDisabled ?? false) }
  }
  const shopName = (merchant: string): string =>
    core.merchants.merchants.find(streamOf(merchants, merchant))?.data.businessName ?? merchant

  const shopOf = (merchant: string, posId: string) => ({
    shop: shopName(merchant),
    logo: core.merchants.merchants.find(streamOf(merchants, merchant))?.data.logo ?? null,
    pos:
      core.merchants.pointsOfSale.find(streamOf(pointsOfSale, within(merchant, posId)))?.data
        .name ?? null,
  })

  const isPayer = async (id: string): Promise<boolean> =>
    (await find(payers, id)).status === 'present'

  return {
    isSecure: settings.MODE === 'production',
    isSandbox,
    footer: footerOf(settings),
    now,
    newToken,
    digestOf: sha256,
    derive: core.people.derive,
    isSameText,
    seal: (text: string) => seal(pages, text),
    unseal: (text: string) => unseal(pages, text),
    findSession: async (digest: string) => {
      await caughtUp()
      const session = core.people.sessions.find(digest)
      return session && (await isPayer(session.payer)) ? session : undefined
    },
    throttle: makeThrottle(failuresPerAddress, throttlePeriodMs),
    passThrottle: makeThrottle(passesPerAddress, throttlePeriodMs),
    signIn: signIn({
      handle,
      find,
      people,
      verifyPin: (pin, hash, claimed) => limited(() => verifySecret(pin, hash, claimed)),
      stepOfCode,
      strangers: makeStrangers(),
      newSession: newToken,
      // Rehearsals need not wait half a minute for the next code.
      codesWorkOnce: !isSandbox,
    }),
    signOut: async (payer: string, session: string, context: Context) => {
      await handle(payers, payer, { type: 'SignOut', session }, context)
    },
    hashPin: (pin: string) => limited(() => hashSecret(pin)),
    newCodeSecret,
    codeUri,
    stepOfCode,
    isPhoneTaken: async (phone: string) => {
      const person = people.findPerson(phone)
      return person !== undefined && (await isPayer(person))
    },
    registerPayer: registerPayer({ handle, find, people }),
    changeProfile: changeProfile({ handle, find, people }),
    ...payerViews({ find, shopOf }),
    logos: core.merchants.blobs,
    shopName,
    devicesOf: (payer: string, at: number) =>
      core.people.sessions.ofPayer(payer, at).map(({ session, startedAt, device }) => ({
        ...{ session, startedAt },
        device: (device === null ? undefined : people.unseal(payer, device)) ?? null,
      })),
    answersOf: rows.answers,
    inbox: core.people.inbox,
    isWithdrawn: (grant: string) => rows.find(grant)?.isWithdrawn ?? false,
    consentsOf: rows.consents,
    findConsent: rows.consent,
    withdrawConsent: withdrawConsent(grantNeeds),
    applicationName: (client: string) => findApplication(client)?.name,
    findApplication,
    applications: core.people.applications,
    isSecretOf: (secret: string, hash: string) => isSameText(sha256(secret), hash),
    newClient,
    issuer: server.issuer,
    machineTime: core.machineTime,
    publishedKeys: server.idTokens.published,
    findProfile: server.findProfile,
    subjectOf: server.subjectOf,
    subjectOfIdToken: server.idTokens.subjectOf,
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
    findLiveRefreshToken: findLiveRefreshToken(grantNeeds),
    findGrantOf: async (token: string) => {
      await caughtUp()
      const hash = tokens.digest(token)
      const row = rows.findAccess(hash) ?? rows.findRefresh(hash)
      return row && rows.find(row.grant)
    },
  }
}
