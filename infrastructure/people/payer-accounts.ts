import { payers } from '../../domain/aggregates.ts'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import type { Context } from '../../application/handle.ts'
import { changeProfile, registerPayer, signIn } from '../../application/payers.ts'
import type { Core } from '../core.ts'
import { codeUri, makeCodeCheck, newCodeSecret } from './one-time-codes.ts'
import { seal, unseal } from './sealing.ts'
import { hashSecret, makeSecretCheck } from './secrets.ts'
import { makeStrangers, makeThrottle } from './sign-in-guard.ts'
import { newToken } from './tokens.ts'

const failuresPerAddress = 200
const passesPerAddress = 1_000
const throttlePeriodMs = 600_000
/** One at once, so that sign-ins leave the machine to payments. */
const slowHashes = { concurrent: 1, maxWaiting: 10_000 }

/** Accounts of payers: signing up, signing in, sessions. */
export const payerAccounts = (core: Core, isSandbox: boolean) => {
  const { handle, find } = core
  const { vault: people, sessions } = core.people
  const needs = { handle, find, people }
  const pages = people.secret('pages')
  const limited = concurrencyLimit(slowHashes)
  const verifySecret = makeSecretCheck(Date.now)
  const stepOfCode = makeCodeCheck(Date.now)
  const isPayer = async (id: string): Promise<boolean> =>
    (await find(payers, id)).status === 'present'
  return {
    seal: (text: string) => seal(pages, text),
    unseal: (text: string) => unseal(pages, text),
    throttle: makeThrottle(failuresPerAddress, throttlePeriodMs),
    passThrottle: makeThrottle(passesPerAddress, throttlePeriodMs),
    signIn: signIn({
      ...needs,
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
    hashPin: (pin: string) => limited(() => hashSecret(pin)),
    newCodeSecret,
    codeUri,
    stepOfCode,
    isPhoneTaken: async (phone: string) => {
      const person = people.findPerson(phone)
      return person !== undefined && (await isPayer(person))
    },
    registerPayer: registerPayer(needs),
    changeProfile: changeProfile(needs),
  }
}
