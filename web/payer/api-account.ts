import { z } from 'zod'
import { contextOfPayer } from '../../http/call.ts'
import { Malformed } from '../../http/errors.ts'
import type { Route } from '../../http/route.ts'
import { dateTime } from '../../http/wire.ts'
import { accountWork, authenticators, type AccountNeeds } from './account-work.ts'
import type { PayerAccess } from './api-access.ts'
import {
  anyCode,
  codeText,
  ofPayer,
  payerPrefix,
  phoneText,
  newPinText,
  pinText,
} from './api-fields.ts'
import { recoveryCodesReply } from './api-sign-up.ts'
import { endSession, type DevicesNeeds } from './devices.tsx'
import { textsFor } from '../ui/texts.ts'

export type PayerApiAccountNeeds = AccountNeeds & DevicesNeeds

const factors = { pin: pinText, code: anyCode }
const wrong = { 401: 'A factor is wrong.', 429: 'Too many wrong factors: see Retry-After.' }

const pinRoute = (work: ReturnType<typeof accountWork>, access: PayerAccess): Route =>
  ofPayer.put(`${payerPrefix}/pin/`, {
    summary: 'Change the PIN; all other sessions end',
    body: z.object({ ...factors, new_pin: newPinText }).meta({ id: 'PayerPin' }),
    errors: wrong,
    handle: async (call) => {
      const { new_pin: newPin, ...proofs } = call.body
      await work.changePin(await access(call), newPin, proofs, call)
    },
  })

const authenticatorRoutes = (
  needs: AccountNeeds,
  work: ReturnType<typeof accountWork>,
  access: PayerAccess,
): Route[] => [
  ofPayer.post(`${payerPrefix}/authenticator/`, {
    summary: 'Begin to connect another authenticator',
    reply: z
      .object({ authenticator: z.string(), totp_secret: z.string(), totp_uri: z.string() })
      .meta({ id: 'PayerAuthenticator' }),
    handle: async (call) => {
      const { payer } = await access(call)
      const { sealed, codeSecret } = authenticators(needs).make(call.at)
      const totp_uri = needs.codeUri(codeSecret, await work.phoneOf(payer))
      return { authenticator: sealed, totp_secret: codeSecret, totp_uri }
    },
  }),
  ofPayer.put(`${payerPrefix}/authenticator/`, {
    summary: 'Connect it with its first code; all other sessions end',
    body: z
      .object({ ...factors, authenticator: z.string().max(1_000), new_code: codeText })
      .meta({ id: 'PayerAuthenticatorInput' }),
    errors: wrong,
    handle: async (call) => {
      const { authenticator: sealed, new_code: newCode, ...proofs } = call.body
      const who = await access(call)
      if (!(await work.changeAuthenticator(who, { sealed, newCode }, proofs, call)))
        throw new Malformed({ new_code: ['Is wrong, or the authenticator is too old.'] })
    },
  }),
  ofPayer.post(`${payerPrefix}/recovery_codes/`, {
    summary: 'Make new recovery codes; those of before are void',
    body: z.object(factors).meta({ id: 'PayerFactors' }),
    errors: wrong,
    reply: z.object({ recovery_codes: recoveryCodesReply }).meta({ id: 'PayerRecoveryCodes' }),
    handle: async (call) => ({
      recovery_codes: [...(await work.newRecoveryCodes(await access(call), call.body, call))],
    }),
  }),
]

const numberRoutes = (work: ReturnType<typeof accountWork>, access: PayerAccess): Route[] => [
  ofPayer.post(`${payerPrefix}/number/`, {
    summary: 'Begin to change the phone number: a code is sent to it',
    body: z.object({ phone: phoneText }).meta({ id: 'PayerNumber' }),
    errors: { 429: 'Too many messages: see Retry-After.' },
    reply: z.object({ proof: z.string() }).meta({ id: 'PayerNumberProof' }),
    handle: async (call) => {
      const who = await access(call)
      return { proof: work.askNumber(who, call.body.phone, textsFor(call), call) }
    },
  }),
  ofPayer.put(`${payerPrefix}/number/`, {
    summary: 'Prove the new number; it is taken from an account that has it',
    body: z
      .object({ ...factors, proof: z.string().max(1_000), number_code: codeText })
      .meta({ id: 'PayerNumberInput' }),
    errors: wrong,
    handle: async (call) => {
      const { proof, number_code: numberCode, ...proofs } = call.body
      if (!(await work.changeNumber(await access(call), { proof, numberCode }, proofs, call)))
        throw new Malformed({ number_code: ['Is wrong, or too old.'] })
    },
  }),
]

const sessionRoutes = (needs: PayerApiAccountNeeds, access: PayerAccess): Route[] => [
  ofPayer.get(`${payerPrefix}/session/`, {
    summary: 'Where the payer is signed in, newest first',
    reply: z
      .object({
        sessions: z.array(
          z.object({
            id: z.string(),
            device: z.string().nullable(),
            date_started: dateTime,
            date_used: dateTime,
            is_this: z.boolean(),
          }),
        ),
      })
      .meta({ id: 'PayerSessions' }),
    handle: async (call) => {
      const { payer, session } = await access(call)
      await needs.caughtUp()
      const sessions = needs.devicesOf(payer, call.at).map((one) => ({
        id: one.session,
        device: one.device,
        date_started: one.startedAt,
        date_used: one.usedAt,
        is_this: one.session === session,
      }))
      return { sessions }
    },
  }),
  ofPayer.remove(`${payerPrefix}/session/:session/`, {
    summary: 'End a session, or with `others` all but this one',
    params: z.object({ session: z.string().max(64) }),
    errors: { 404: 'There is no such session.' },
    handle: async (call) => {
      const { payer, session } = await access(call)
      const context = contextOfPayer(call, payer)
      const ended = call.params.session
      if (ended === 'others') return needs.signOutEverywhere(payer, session, context)
      await endSession(needs)(payer, ended, context)
    },
  }),
]

export const payerAccountRoutes = (needs: PayerApiAccountNeeds, access: PayerAccess): Route[] => {
  const work = accountWork(needs)
  return [
    pinRoute(work, access),
    ...authenticatorRoutes(needs, work, access),
    ...numberRoutes(work, access),
    ...sessionRoutes(needs, access),
    ofPayer.post(`${payerPrefix}/payer/close/`, {
      summary: 'Close the account: what is known of the payer is erased',
      body: z.object(factors).meta({ id: 'PayerClose' }),
      errors: wrong,
      handle: async (call) => work.close(await access(call), call.body, call),
    }),
  ]
}
