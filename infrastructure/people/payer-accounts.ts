import { randomBytes, randomInt } from 'node:crypto'
import { payers } from '../../domain/aggregates.ts'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import type { Context } from '../../application/handle.ts'
import { numberProofs } from '../../application/number-proofs.ts'
import { changeProfile, findCredentials } from '../../application/payers.ts'
import { registerPayer } from '../../application/register-payer.ts'
import { signIn } from '../../application/sign-in.ts'
import type { Core } from '../core.ts'
import type { Log } from '../log.ts'
import type { Messages } from './messages.ts'
import {
  codeAt,
  codeUri,
  makeCodeCheck,
  newCodeSecret,
  newRecoveryCodes,
} from './one-time-codes.ts'
import { seal, unseal } from './sealing.ts'
import { hashSecret, makeSecretCheck } from './secrets.ts'
import { makeStrangers, makeThrottle } from './sign-in-guard.ts'
import { isSameText, newToken, sha256 } from './tokens.ts'

const failuresPerAddress = 200
const passesPerAddress = 1_000
const throttlePeriodMs = 600_000
const messagesPerNumber = 5
const messagesPerAddress = 100
const messagePeriodMs = 3_600_000
const triesPerCode = 5
/**
 * One at once, so that sign-ins do not take the machine from payments; each address is throttled
 * before it comes so far.
 */
const slowHashes = { concurrent: 1, maxWaiting: 10_000 }

type Needs = { readonly messages: Messages; readonly isSandbox: boolean; readonly log: Log }

/** Codes that are sent to phone numbers. */
const proofsOf = (pages: Buffer, { messages, log }: Needs) =>
  numberProofs({
    sendMessage: messages.send,
    newNumberCode: () => String(randomInt(1_000_000)).padStart(6, '0'),
    newId: () => randomBytes(16).toString('hex'),
    seal: (text) => seal(pages, text),
    unseal: (text) => unseal(pages, text),
    isSameText,
    messageLimits: {
      number: makeThrottle(messagesPerNumber, messagePeriodMs),
      address: makeThrottle(messagesPerAddress, messagePeriodMs),
    },
    tries: makeThrottle(triesPerCode, messagePeriodMs),
    afterAnswer: (work) =>
      void setImmediate(() =>
        work().catch((error: unknown) => log.error({ error }, 'a message was not sent')),
      ),
  })

/** Accounts of payers: signing up, signing in, sessions. */
export const payerAccounts = (core: Core, needs: Needs) => {
  const { handle, find } = core
  const { vault: people, sessions } = core.people
  const pages = people.secret('pages')
  const limited = concurrencyLimit(slowHashes)
  const verifySecret = makeSecretCheck(Date.now)
  const stepOfCode = makeCodeCheck(Date.now)
  const stores = { handle, find, people }
  const credentialsOf = findCredentials(stores)
  const isPayer = async (id: string): Promise<boolean> =>
    (await find(payers, id)).status === 'present'

  return {
    seal: (text: string) => seal(pages, text),
    unseal: (text: string) => unseal(pages, text),
    throttle: makeThrottle(failuresPerAddress, throttlePeriodMs),
    passThrottle: makeThrottle(passesPerAddress, throttlePeriodMs),
    signIn: signIn({
      ...stores,
      verifyPin: (pin, hash, claimed) => limited(() => verifySecret(pin, hash, claimed)),
      stepOfCode,
      digestOf: sha256,
      strangers: makeStrangers(),
      newSession: newToken,
      // Rehearsals need not wait half a minute for the next code.
      codesWorkOnce: !needs.isSandbox,
    }),
    signOut: async (payer: string, session: string, context: Context) => {
      await handle(payers, payer, { type: 'SignOut', session }, context)
    },
    findSession: async (digest: string) => {
      await core.readModels.caughtUp()
      const session = sessions.find(digest)
      return session && (await isPayer(session.payer)) ? session : undefined
    },
    devicesOf: (payer: string, at: number) =>
      sessions.ofPayer(payer, at).map(({ session, startedAt, device }) => ({
        ...{ session, startedAt },
        device: (device === null ? undefined : people.unseal(payer, device)) ?? null,
      })),
    /** The code that the payer's app shows now, for rehearsals. */
    oneTimeCode: async (payer: string): Promise<string | undefined> => {
      const found = await credentialsOf(payer)
      return found && codeAt(found.credentials.codeSecret, Date.now())
    },
    hashPin: (pin: string) => limited(() => hashSecret(pin)),
    newCodeSecret,
    newRecoveryCodes,
    codeUri,
    stepOfCode,
    proofs: proofsOf(pages, needs),
    hasAccount: async (phone: string): Promise<boolean> =>
      (await core.people.payers.byIdOrPhone(phone)) !== undefined,
    registerPayer: registerPayer(stores),
    changeProfile: changeProfile(stores),
  }
}
