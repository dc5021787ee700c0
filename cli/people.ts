import type { Command } from 'commander'
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
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import {
  codeUri,
  newCodeSecret,
  newPin,
  newRecoveryCodes,
} from '../infrastructure/people/one-time-codes.ts'
import { hashSecret } from '../infrastructure/people/secrets.ts'
import { sha256 } from '../infrastructure/people/tokens.ts'
import { phoneOf, secretOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type PayerOptions = {
  readonly name: string
  readonly pin?: string
  readonly pinFile?: string
  readonly email?: string
  readonly street?: string
  readonly postalCode?: string
  readonly locality?: string
  readonly country: string
  readonly nationalId?: string
}

const addressOf = ({ street, postalCode, locality, country }: PayerOptions) =>
  street === undefined && postalCode === undefined && locality === undefined
    ? null
    : { street, postalCode, locality, country: country.toUpperCase() }

/** The operator vouches for these details, so they count as verified. */
const addPayer = async (
  { handle, find, vault: people, contextOf, now }: Core,
  phoneText: string,
  options: PayerOptions,
) => {
  const { name, email, nationalId } = options
  const phone = phoneOf(phoneText)
  const pin =
    (await secretOf('PIN', options.pin, options.pinFile, true)) ??
    fail('give --pin-file (- is standard input)')
  if (!isNewPin(pin))
    fail('a PIN has 4 to 12 digits, and is neither one repeated digit nor a sequence such as 1234')
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
}

const erase = async (
  { handle, find, vault: people, people: { grants: rows }, contextOf, readModels }: Core,
  identifier: string,
) => {
  const { caughtUp } = readModels
  const take = withdrawAll({ handle, rows, caughtUp })
  const work = erasePerson({ handle, find, people, withdrawAll: take })
  await work(phoneDigits(identifier) ?? identifier, contextOf('operator'))
  return { erased: true }
}

/** The operator vouches for the person: all credentials are replaced, and all sessions end. */
const reset = async (
  { handle, find, vault: people, payerDirectory: directory, contextOf }: Core,
  identifier: string,
  { phone: wanted }: { readonly phone?: string },
) => {
  const id = (await directory.byIdOrPhone(identifier)) ?? refuse('payer_is_unknown')
  const needs = { handle, find, people }
  const context = contextOf('operator')
  const phone = wanted === undefined ? undefined : phoneOf(wanted)
  if (phone !== undefined) await proveNumber(needs)(id, phone, context)
  const pin = newPin()
  const codeSecret = newCodeSecret()
  const codes = newRecoveryCodes()
  const recovery = codes.map((code) => sha256(plainRecoveryCode(code)))
  const changes = { pinHash: await hashSecret(pin), codeSecret, recovery }
  await changeCredentials(needs)(id, 'recovery', changes, context)
  const totp_uri = codeUri(codeSecret, phone ?? phoneDigits(identifier) ?? '')
  return { id, pin, totp_secret: codeSecret, totp_uri, recovery_codes: codes.join(' ') }
}

const findPerson = async ({ find, vault: people }: Core, identifier: string) => {
  const id = people.findPerson(phoneDigits(identifier) ?? identifier) ?? refuse('payer_is_unknown')
  return { id, is_payer: (await find(payers, id)).status === 'present' }
}

export const addPeopleCommands = (program: Command, withCore: WithCore): void => {
  const payer = program.command('payer').description('payers')
  payer
    .command('add <phone>')
    .description('make a payer; prints the secret for an authenticator app')
    .requiredOption('--name <name>', 'full name')
    .option('--pin-file <file>', 'file of a PIN of 4 to 12 digits; - is standard input')
    .option('--pin <pin>', 'the same in the open: others on this machine can see it')
    .option('--email <address>')
    .option('--street <street>')
    .option('--postal-code <code>')
    .option('--locality <town>')
    .option('--country <code>', 'two letters', 'NO')
    .option('--national-id <digits>', 'fødselsnummer, 11 digits')
    .action(withCore(addPayer))
  payer
    .command('find <phone>')
    .description('print the id of a person in the log, payer or not')
    .action(withCore(findPerson))
  payer
    .command('reset <phone>')
    .description('let a payer back in, by phone number or id: prints a new PIN, key and codes')
    .option('--phone <number>', 'a new phone number, which counts as proved')
    .action(withCore(reset))
  payer
    .command('erase <phone>')
    .description(
      'erase all personal data of a payer, or of any person a merchant knows by this phone number',
    )
    .action(withCore(erase))
}
