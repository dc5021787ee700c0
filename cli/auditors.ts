import { randomBytes } from '../application/machine.ts'
import { auditorIdPattern } from '../application/auditors.ts'
import { auditors } from '../domain/aggregates.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { codeUri, newCodeSecret } from '../infrastructure/people/one-time-codes.ts'
import { seal } from '../infrastructure/people/sealing.ts'
import { hashSecret } from '../infrastructure/people/secrets.ts'
import { newToken, sha256 } from '../infrastructure/people/id-tokens.ts'
import { checkName, secretOf } from './arguments.ts'
import { flag, group, onData, onRows, required, value } from './command.ts'
import { lifeCycle } from './life-cycles.ts'

type Chosen = {
  readonly passwordFile: string | undefined
  readonly token: boolean | undefined
}

/** Minimum length of a chosen password; a generated one has 128 bits. */
const shortestPassword = 12

const longestPassword = 200

const chosenPassword = async (file: string | undefined): Promise<string> => {
  const password = await secretOf('password', undefined, file, false)
  if (password === undefined) return randomBytes(16).toString('base64url')
  const isFitting = password.length >= shortestPassword && password.length <= longestPassword
  return isFitting ? password : fail(`a password has ${shortestPassword} to 200 characters`)
}

/** Stores the credentials, and returns what is printed once. */
const credentialsOf = async ({ vault }: Core, id: string, chosen: Chosen) => {
  if (chosen.token) {
    const { token: secret } = newToken()
    const stored = { passwordHash: null, codeSecret: null, tokenHash: sha256(secret) }
    return { stored, printed: { token: `${id}.${secret}` } }
  }
  const password = await chosenPassword(chosen.passwordFile)
  const secret = newCodeSecret()
  const stored = {
    passwordHash: await hashSecret(password),
    codeSecret: seal(vault.secret('auditors'), secret),
    tokenHash: null,
  }
  const printed = chosen.passwordFile === undefined ? { password } : {}
  return { stored, printed: { ...printed, totp_secret: secret, totp_uri: codeUri(secret, id) } }
}

const add = onData({
  name: 'add <id>',
  about: 'let an auditor sign in at /audit; prints password and authenticator, or a token',
  options: {
    name: required('<name>', 'who it is'),
    passwordFile: value('<file>', 'file of a password; - is standard input; else one is made'),
    token: flag('a program: a token instead of a password and codes'),
  },
  run: async (core, id, chosen) => {
    if (!auditorIdPattern.test(id)) fail('an auditor id has letters, digits, _ and -, at most 64')
    checkName(chosen.name)
    if ((await core.find(auditors, id, 'log')).status === 'present')
      fail(`there is an auditor ${id} already: remove that one first`)
    const { stored, printed } = await credentialsOf(core, id, chosen)
    const data = { id, name: chosen.name, ...stored }
    await core.handle(auditors, id, { type: 'Register', data }, core.contextOf('operator'))
    return { id, name: chosen.name, ...printed }
  },
})

const list = onRows({
  name: 'list',
  about: 'list the auditors',
  run: ({ people: { auditors: rows } }) =>
    rows.all().map(({ data: { id, name, tokenHash }, isDisabled }) => ({
      id,
      name,
      signs_in_with: tokenHash === null ? 'two factors' : 'a token',
      enabled: !isDisabled,
    })),
})

/** `daybook auditor` (interface 14): accounts with read-only access to everything. */
export const auditorCommands = group('auditor', 'who may read the log, and change nothing', [
  add,
  list,
  ...lifeCycle({
    one: 'auditor',
    named: '<id>',
    aggregate: auditors,
    keyOf: (id) => id,
    merchantOf: () => null,
    about: {
      disable: 'end the sessions of an auditor, and refuse new ones until it is enabled again',
      enable: 'let a disabled auditor in again',
      remove: 'end an auditor; its id can be given to a new one',
    },
  }),
])
