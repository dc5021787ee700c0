import { payers } from '../../domain/aggregates.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import { changeCredentials, confirmPayer, proveNumber } from '../../application/account.ts'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import type { Context } from '../../application/handle.ts'
import { numberProofs } from '../../application/number-proofs.ts'
import { changeProfile, findCredentials } from '../../application/payers.ts'
import { recovery, type HashPin } from '../../application/recover.ts'
import { eraseById, registerPayer } from '../../application/register-payer.ts'
import { makeSerialByKey } from '../../application/serial-by-key.ts'
import {
  signIn,
  type HashTurn,
  type SignInNeeds,
  idleLifetime,
  isLive,
} from '../../application/sign-in.ts'
import { withdrawAll } from '../../application/grants.ts'
import type { Core } from '../core.ts'
import { networksOf } from '../../infrastructure/networks.ts'
import type { Messages } from './messages.ts'
import {
  codeAt,
  codeUri,
  makeCodeCheck,
  newCodeSecret,
  newRecoveryCodes,
} from '../../infrastructure/people/one-time-codes.ts'
import { seal, unseal } from '../../infrastructure/people/sealing.ts'
import { hashSecret, makeSecretCheck } from '../../infrastructure/people/secrets.ts'
import { makeThrottle } from '../../infrastructure/people/message-limits.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/id-tokens.ts'
import type { UsedOnce } from '../../infrastructure/people/used-once.ts'
import { pause, randomBytes, randomInt, wallClock } from '../../application/machine.ts'

const sessionsRemembered = 10_000

/** How often the use of a session is recorded as an event, for other processes. */
const recordedEveryMs = 300_000

/**
 * Sessions of payers. Each use is kept in memory, and occasionally recorded in the log, so that
 * idle sessions end on each node and after a restart.
 */
export const payerSessions = (core: Core) => {
  const { handle, find, log, vault } = core
  const { sessions } = core.people
  const used = generationalCache<string, number>(sessionsRemembered)
  const recorded = generationalCache<string, number>(sessionsRemembered)

  const lastUse = (session: string, usedAt: number): number =>
    Math.max(usedAt, used.get(session) ?? 0)

  const record = (payer: string, session: string, at: number): void => {
    recorded.set(session, at)
    const context = { ...core.contextOf(`payer:${payer}`), at }
    // In the background: a full disk must not end a session.
    void handle(payers, payer, { type: 'UseSession', session }, context).catch((error: unknown) =>
      log.debug({ error }, 'the use of a session was not recorded'),
    )
  }

  return {
    /**
     * Undefined unless the session is live. `isUse`: by the user, not just by a page that refreshes
     * itself.
     */
    findSession: async (digest: string, at: number, isUse = true) => {
      await core.readModels.caughtUp()
      const row = sessions.find(digest)
      const payer = row && (await find(payers, row.payer))
      if (!row || payer?.status !== 'present') return undefined
      const session = { ...row, preferences: payer.preferences }
      const usedAt = lastUse(digest, row.usedAt)
      if (!isLive({ expiresAt: row.expiresAt, usedAt }, at)) return undefined
      if (!isUse) return session
      used.set(digest, at)
      const last = Math.max(row.usedAt, recorded.get(digest) ?? 0)
      if (at >= last + recordedEveryMs) record(row.payer, digest, at)
      return session
    },
    /** Live sessions, newest first. */
    devicesOf: (payer: string, at: number) =>
      sessions
        .ofPayer(payer, at)
        .map((row) => ({ ...row, usedAt: lastUse(row.session, row.usedAt) }))
        .filter(({ usedAt }) => at < usedAt + idleLifetime * 1000)
        .map(({ session, startedAt, usedAt, device }) => ({
          session,
          startedAt,
          usedAt,
          device: (device === null ? undefined : vault.unseal(payer, device)) ?? null,
        })),
  }
}

export const signOut =
  ({ handle }: Pick<Core, 'handle'>) =>
  async (payer: string, session: string, context: Context): Promise<void> => {
    await handle(payers, payer, { type: 'SignOut', session }, context)
  }

const failuresPerAddress = 200

const passesPerAddress = 1_000

const throttlePeriodMs = 600_000

const messagePeriodMs = 3_600_000

const triesPerCode = 5

const triesToCompare = 3

const recoveryTriesPerDay = 10

/** How long after a failed acceptance on another node the next one needs a code, in ms. */
const acceptanceMs = 300_000

/** How often to check on an acceptance in progress on another node, in ms. */
const otherAcceptanceMs = 50

/** How many payers with a failed acceptance are remembered. */
const namesRemembered = 1_000

/** One at a time, so that sign-ins do not slow down payments. */
const slowHashes = { concurrent: 1, maxWaiting: 10_000 }

/** Known devices and all others take turns, and so do networks among them. */
const turnOf = ({ address = '', isKnown }: HashTurn) => [
  isKnown ? 'known devices' : 'others',
  ...networksOf(address),
]

type Needs = {
  readonly messages: Messages
  readonly used: UsedOnce
  readonly strangers: SignInNeeds['strangers']
}

/** Encrypts what pages hand to browsers. */
export const pageSeals = (vault: Pick<Core['vault'], 'secret'>) => {
  const pages = vault.secret('pages')
  return {
    seal: (text: string) => seal(pages, text),
    unseal: (text: string) => unseal(pages, text),
  }
}

/** Codes sent to phone numbers, or to e-mail addresses. */
const proofsOf = (
  seals: ReturnType<typeof pageSeals>,
  { messages, used }: Needs,
  sendMessage: Messages['send'],
  messageLimits: NumberLimits = messages.limits,
) =>
  numberProofs({
    sendMessage,
    newNumberCode: () => String(randomInt(1_000_000)).padStart(6, '0'),
    newId: () => randomBytes(16).toString('hex'),
    ...seals,
    isSameText,
    messageLimits,
    tries: makeThrottle(triesPerCode, messagePeriodMs),
    used,
    afterAnswer: messages.afterAnswer,
  })

type NumberLimits = Parameters<typeof numberProofs>[0]['messageLimits']

/** Mails cost nothing by where they go. */
const mailLimits = ({ limits }: Messages): NumberLimits => ({
  number: limits.number,
  address: limits.address,
  destination: { check: () => {}, count: () => {} },
})

/** Acceptances by name; one across all nodes is the first. */
const firstAcceptances = (used: UsedOnce) => {
  /** Names that this node took, with finished acceptances. */
  const ended = generationalCache<string, true>(namesRemembered)
  return {
    isFirstAcceptance: async (name: string, at: Instant): Promise<boolean> => {
      const isAgain = ended.get(name) === true
      ended.delete(name)
      if (isAgain || (await used.isFirst(`acceptance ${name}`, at, at + acceptanceMs))) return true
      await pause(otherAcceptanceMs)
      return false
    },
    acceptanceHasEnded: (name: string): void => ended.set(name, true),
  }
}

type Recovering = Pick<Parameters<typeof recovery>[0], 'proofs' | 'hashPin'>

/** Changes that payers make to their accounts. */
const changesOf = (core: Core, signing: SignInNeeds, recovering: Recovering) => {
  const { handle, find, readModels, vault: people } = core
  const { grants: rows } = core.people
  const withdraw = withdrawAll({ handle, rows, caughtUp: readModels.caughtUp })
  return {
    confirmPayer: confirmPayer(signing),
    changeCredentials: changeCredentials(signing),
    proveNumber: proveNumber(signing),
    recovery: recovery({
      handle,
      find,
      people,
      verifyPin: signing.verifyPin,
      stepOfCode: signing.stepOfCode,
      digestOf: signing.digestOf,
      proofs: recovering.proofs,
      hashPin: recovering.hashPin,
      recoveryTries: makeThrottle(recoveryTriesPerDay, dayMs),
    }),
    signOutEverywhere: async (payer: string, keeping: string | undefined, context: Context) => {
      const { at } = context
      await handle(payers, payer, { type: 'SignOutEverywhere', at, keeping }, context)
    },
    closeAccount: eraseById({ handle, find, people, withdrawAll: withdraw }),
  }
}

/** The code currently shown by the payer's app, for integration tests. */
export const oneTimeCodeOf = ({ find, vault: people }: Pick<Core, 'find' | 'vault'>) => {
  const credentialsOf = findCredentials({ find, people })
  return async (payer: string): Promise<string | undefined> => {
    const found = await credentialsOf(payer)
    return found && codeAt(found.credentials.codeSecret, wallClock())
  }
}

/**
 * Accounts of payers: sign-up, sign-in and sessions.
 * Long because it is the list of what payers do with them.
 */
export const payerAccounts = (core: Core, needs: Needs) => {
  const { handle, find, settings, vault: people } = core
  const seals = pageSeals(people)
  const limited = concurrencyLimit(slowHashes)
  const verifySecret = makeSecretCheck(wallClock)
  const stepOfCode = makeCodeCheck(wallClock)
  const hashPin: HashPin = (pin, address) =>
    limited(() => hashSecret(pin), turnOf({ address, isKnown: false }))
  const signing = {
    handle,
    find,
    people,
    verifyPin: (pin: string, hash: string | null, claimed: string, turn: HashTurn) =>
      limited(() => verifySecret(pin, hash, claimed), turnOf(turn)),
    stepOfCode,
    digestOf: sha256,
    strangers: needs.strangers,
    newSession: newToken,
    // Integration tests need not wait half a minute for the next code.
    codesWorkOnce: settings.MODE !== 'sandbox',
  }
  const { messages } = needs
  const proofs = proofsOf(seals, needs, messages.send)
  const mailProofs = proofsOf(seals, needs, messages.sendMail, mailLimits(messages))
  const { findSession, devicesOf } = payerSessions(core)
  const changes = changesOf(core, signing, { proofs, hashPin })
  const { isFirstAcceptance, acceptanceHasEnded } = firstAcceptances(needs.used)
  return {
    ...seals,
    throttle: makeThrottle(failuresPerAddress, throttlePeriodMs),
    compareTries: makeThrottle(triesToCompare, throttlePeriodMs),
    passThrottle: makeThrottle(passesPerAddress, throttlePeriodMs),
    signIn: signIn(signing),
    signOut: signOut({ handle }),
    hashPin,
    newCodeSecret,
    newRecoveryCodes,
    codeUri,
    stepOfCode,
    proofs,
    mailProofs,
    countedBy: core.payments.countedAmounts.by,
    newestCounted: core.payments.countedAmounts.newest,
    isFirstAcceptance,
    acceptanceHasEnded,
    acceptsInOrder: makeSerialByKey(),
    stepUpAbove: (currency: string): number | undefined => settings.STEP_UP_AMOUNT?.[currency],
    findSession,
    devicesOf,
    confirmPayer: changes.confirmPayer,
    changeCredentials: changes.changeCredentials,
    proveNumber: changes.proveNumber,
    recovery: changes.recovery,
    signOutEverywhere: changes.signOutEverywhere,
    closeAccount: changes.closeAccount,
    hasAccount: async (phone: string): Promise<boolean> =>
      (await core.payerDirectory.byIdOrPhone(phone)) !== undefined,
    registerPayer: registerPayer({ handle, find, people }),
    changeProfile: changeProfile({ handle, find, people }),
  }
}

export type PayerAccounts = ReturnType<typeof payerAccounts>
