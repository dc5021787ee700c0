import { z } from 'zod'
import type { Call } from '../../http/call.ts'
import { Malformed, malformed, type Issue } from '../../http/errors.ts'
import type { Fitting } from '../../http/validation.ts'
import type { Route } from '../../http/route.ts'
import { codeText, newPinText, ofApps, payerPrefix, phoneText } from './api-fields.ts'
import { deviceReply, deviceTokenText, makeDevice, type DeviceTokenNeeds } from './devices.tsx'
import { recoveryWork, type RecoveryWorkNeeds } from './recovery.tsx'
import { textsFor } from '../ui/texts.ts'

const tooMany = { 429: 'Too many wrong proofs: Retry-After says for how many seconds.' }

type Needs = RecoveryWorkNeeds & DeviceTokenNeeds

type Work = ReturnType<typeof recoveryWork>

const beginRoute = (work: Work): Route =>
  ofApps.post(`${payerPrefix}/recovery/`, {
    summary: 'Begin to get back into an account: a code is sent to the number',
    description: 'The answer is the same for every number.',
    body: z.object({ phone: phoneText }).meta({ id: 'PayerRecovery' }),
    errors: tooMany,
    reply: z.object({ proof: z.string() }).meta({ id: 'PayerRecoveryProof' }),
    handle: (call) => ({ proof: work.ask(call.body.phone, textsFor(call), call) }),
  })

const proofRoute = ({ codeUri }: Needs, work: Work): Route =>
  ofApps.post(`${payerPrefix}/recovery/proof/`, {
    summary: 'Give two proofs, one of them number_code or recovery_code',
    body: z
      .object({
        proof: z.string().max(1_000),
        number_code: z.string().max(30).default(''),
        recovery_code: z.string().max(30).default(''),
        pin: z.string().max(64).default(''),
        code: z.string().max(30).default(''),
      })
      .meta({ id: 'PayerRecoveryProofs' }),
    errors: tooMany,
    reply: z
      .object({
        recovered: z.string(),
        needs_pin: z.boolean(),
        totp_secret: z.string().nullable(),
        totp_uri: z.string().nullable(),
      })
      .meta({ id: 'PayerRecovered' }),
    handle: async (call) => {
      const { number_code: numberCode, recovery_code: recoveryCode, ...rest } = call.body
      const { proof, pin, code } = rest
      const proved = await work.prove(proof, { numberCode, recoveryCode, pin, code }, call)
      if (!proved) throw new Malformed({ proof: ['Is not enough, or something is wrong.'] })
      const { sealed: recovered, keepsPin, keepsAuthenticator, codeSecret } = proved
      const totp_secret = keepsAuthenticator ? null : codeSecret
      const totp_uri = totp_secret && codeUri(totp_secret, '')
      return { recovered, needs_pin: !keepsPin, totp_secret, totp_uri }
    },
  })

const renewalInput = z
  .object({
    recovered: z.string().max(2_000),
    new_pin: newPinText.optional(),
    new_code: codeText.optional(),
    device_token: deviceTokenText,
  })
  .meta({ id: 'PayerRenewal' })

type Renewal = z.output<typeof renewalInput>

const wrongAccount = { path: ['recovered'], message: 'Is not valid, or too old.' }

const missingPin = { path: ['new_pin'], message: 'Is required.' }

/** Codes are tried only when everything fits: each try counts. */
const renewalFaults =
  (work: Work) =>
  ({ body, at }: Call<unknown, unknown, Fitting<Renewal>>): readonly Issue[] => {
    if (body.recovered === undefined) return []
    const account = work.read(body.recovered, at)
    if (!account) return [wrongAccount]
    const lacksPin = Object.hasOwn(body, 'new_pin') && body.new_pin === undefined
    return !account.keepsPin && lacksPin ? [missingPin] : []
  }

const renewalRoute = (needs: Needs, work: Work): Route =>
  ofApps.put(`${payerPrefix}/recovery/`, {
    summary: 'Set anew what was not proved; all sessions end',
    body: renewalInput,
    errors: { 409: 'It has been done already.' },
    furtherFaults: renewalFaults(work),
    reply: z.object({ device_token: deviceReply }).meta({ id: 'PayerRenewed' }),
    handle: async (call) => {
      const { recovered, new_pin: newPin = '', new_code: newCode = '' } = call.body
      const account = work.read(recovered, call.at)
      if (!account) throw malformed({ issues: [wrongAccount] })
      if (!account.keepsPin && newPin === '') throw malformed({ issues: [missingPin] })
      const { token, known } = makeDevice(needs, call.body.device_token)
      if (!(await work.renew(account, { newPin, newCode, known }, call)))
        throw new Malformed({ new_code: ['Is wrong.'] })
      return { device_token: token }
    },
  })

export const payerRecoveryRoutes = (needs: Needs): Route[] => {
  const work = recoveryWork(needs)
  return [beginRoute(work), proofRoute(needs, work), renewalRoute(needs, work)]
}
