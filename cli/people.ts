import { payers } from '../domain/aggregates.ts'
import { changeCredentials, proveNumber } from '../application/account.ts'
import { plainRecoveryCode } from '../application/payers.ts'
import { withdrawAll } from '../application/grants.ts'
import { erasePerson, registerPayer } from '../application/register-payer.ts'
import { phoneDigits } from '../application/people.ts'
import { isNewPin } from '../domain/people/payer.ts'
import { nationalIdPattern, profile as profileSchema } from '../domain/people/profile.ts'
import { refuse } from '../domain/refusal.ts'
import { dayOf } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import {
  codeUri,
  newCodeSecret,
  newPin,
  newRecoveryCodes,
} from '../infrastructure/people/one-time-codes.ts'
import { hashSecret } from '../infrastructure/people/secrets.ts'
import { sha256 } from '../infrastructure/people/id-tokens.ts'
import { phoneOf, secretOf } from './arguments.ts'
import { group, onData, preset, required, value } from './command.ts'

type Address = {
  readonly street: string | undefined
  readonly postalCode: string | undefined
  readonly locality: string | undefined
  readonly country: string
}

const addressOf = ({ street, postalCode, locality, country }: Address) =>
  street === undefined && postalCode === undefined && locality === undefined
    ? null
    : { street, postalCode, locality, country: country.toUpperCase() }

/** The operator vouches for these details, so they count as verified. */
const addPayer = onData({
  name: 'add <phone>',
  about: 'make a payer; prints the secret for an authenticator app',
  options: {
    name: required('<name>', 'full name'),
    pinFile: value('<file>', 'file of a PIN of 4 to 12 digits; - is standard input'),
    pin: value('<pin>', 'the same in the open: others on this machine can see it'),
    email: value('<address>', ''),
    street: value('<street>', ''),
    postalCode: value('<code>', ''),
    locality: value('<town>', ''),
    country: preset('<code>', 'two letters', 'NO'),
    nationalId: value('<digits>', 'fødselsnummer, 11 digits'),
  },
  run: async (core, phoneText, options) => {
    const { handle, find, vault: people, contextOf, now } = core
    const { name, email, nationalId } = options
    const phone = phoneOf(core, phoneText)
    const pin =
      (await secretOf('PIN', options.pin, options.pinFile, true)) ??
      fail('give --pin-file (- is standard input)')
    if (!isNewPin(pin))
      fail(
        'a PIN has 4 to 12 digits, and is neither one repeated digit nor a sequence such as 1234',
      )
    if (nationalId !== undefined && !nationalIdPattern.test(nationalId))
      fail('a national id has 11 digits')
    const address = addressOf(options)
    const date = dayOf(now())
    const read = profileSchema.safeParse({
      name,
      phone,
      isPhoneVerified: true,
      email: email ?? null,
      isEmailVerified: email !== undefined,
      address,
      shippingAddress: address && { name, ...address },
      nationalId:
        nationalId === undefined
          ? null
          : { id: nationalId, proofs: [{ issuer: 'daybook', method: 'operator', date }] },
    })
    if (!read.success)
      return fail(
        read.error.issues.map(({ path, message }) => `${path.join(' ')}: ${message}`).join('\n'),
      )
    const codeSecret = newCodeSecret()
    const credentials = { pinHash: await hashSecret(pin), codeSecret }
    const context = contextOf('operator')
    const register = registerPayer({ handle, find, people })
    const id = await register({ profile: read.data, credentials }, context)
    return { id, phone, totp_secret: codeSecret, totp_uri: codeUri(codeSecret, phone) }
  },
})

const erase = onData({
  name: 'erase <phone>',
  about:
    'erase all personal data of a payer, or of any person a merchant knows by this phone number',
  run: async (core, identifier) => {
    const {
      handle,
      find,
      vault: people,
      people: { grants: rows },
      contextOf,
      readModels,
    } = core
    const { caughtUp } = readModels
    const take = withdrawAll({ handle, rows, caughtUp })
    const work = erasePerson({ handle, find, people, withdrawAll: take })
    await work(phoneDigits(identifier) ?? identifier, contextOf('operator'))
    return { erased: true }
  },
})

/** The operator vouches for the person: all credentials are replaced, and all sessions end. */
const reset = onData({
  name: 'reset <phone>',
  about: 'let a payer back in, by phone number or id: prints a new PIN, key and codes',
  options: { phone: value('<number>', 'a new phone number, which counts as proved') },
  run: async (core, identifier, { phone: newPhone }) => {
    const { handle, find, vault: people, payerDirectory: directory, contextOf } = core
    const id = (await directory.byIdOrPhone(identifier)) ?? refuse('payer_is_unknown')
    const needs = { handle, find, people }
    const context = contextOf('operator')
    const phone = newPhone === undefined ? undefined : phoneOf(core, newPhone)
    if (phone !== undefined) await proveNumber(needs)(id, phone, context)
    const pin = newPin()
    const codeSecret = newCodeSecret()
    const codes = newRecoveryCodes()
    const recovery = codes.map((code) => sha256(plainRecoveryCode(code)))
    const changes = { pinHash: await hashSecret(pin), codeSecret, recovery }
    await changeCredentials(needs)(id, 'recovery', changes, context)
    const totp_uri = codeUri(codeSecret, phone ?? phoneDigits(identifier) ?? '')
    return { id, pin, totp_secret: codeSecret, totp_uri, recovery_codes: codes.join(' ') }
  },
})

const findPerson = onData({
  name: 'find <phone>',
  about: 'print the id of a person in the log, payer or not',
  run: async ({ find, vault: people }, identifier) => {
    const id =
      people.findPerson(phoneDigits(identifier) ?? identifier) ?? refuse('payer_is_unknown')
    return { id, is_payer: (await find(payers, id)).status === 'present' }
  },
})

export const payerCommands = group('payer', 'payers', [addPayer, findPerson, reset, erase])
