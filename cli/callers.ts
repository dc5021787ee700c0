import { integrators, applications, users } from '../domain/aggregates.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import {
  checkName,
  idPattern,
  presentMerchant,
  publicKeyIn,
  hoursOf,
  secretOf,
} from './arguments.ts'
import { group, onData, onRows, required, several, value, flag, preset } from './command.ts'
import { lifeCycle, listOf } from './life-cycles.ts'
import { rotateClientSecret } from '../application/tokens.ts'
import {
  applicationProblem,
  longestName,
  mostRedirectUris,
  newApplication,
} from '../domain/people/application.ts'
import { newClient } from '../infrastructure/people/id-tokens.ts'
import { hoursInMs } from '../domain/time.ts'
import { registerUser } from '../application/keep-secret.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import { userId, userSecret } from '../domain/merchant/user.ts'
import { Refusal } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import { hashSecret, isHashOf, makeSecretDigests } from '../infrastructure/people/secrets.ts'
import { userLimit } from './limits.ts'

const check = async (
  core: Core,
  id: string,
  {
    name,
    merchant: served = [],
  }: { name?: string | undefined; merchant?: readonly string[] | undefined },
) => {
  if (!idPattern.test(id)) fail('an integrator id has letters, digits, _ and -, at most 64')
  checkName(name)
  for (const merchant of served) await presentMerchant(core, merchant)
}

/** @throws OperatorError for an unknown integrator */
const printed = async ({ find }: Core, id: string) => {
  const entry = await find(integrators, id)
  if (entry.status !== 'present') return fail(`no integrator ${id}`)
  const { name, publicKey: pubkey, merchants } = entry.data
  return { id, name, pubkey, merchants }
}

const [keyFile, served] = [
  'RSA public key, PEM or OpenSSH',
  'a merchant that it serves, may be repeated',
]

const addIntegrator = onData({
  name: 'add <id>',
  about: 'make an integrator that acts for merchants with its own key',
  options: {
    name: required('<name>', ''),
    pubkey: required('<file>', keyFile),
    merchant: several('<id>', served),
  },
  run: async (core, id, options) => {
    await check(core, id, options)
    const { name, pubkey, merchant: merchants = [] } = options
    const data = { id, name, publicKey: await publicKeyIn(pubkey), merchants: [...merchants] }
    await core.handle(integrators, id, { type: 'Register', data }, core.contextOf('operator'))
    return printed(core, id)
  },
})

const changeIntegrator = onData({
  name: 'change <id>',
  about:
    'change an integrator; options left out keep their value, --merchant replaces the whole list',
  options: {
    name: value('<name>', ''),
    pubkey: value('<file>', keyFile),
    merchant: several('<id>', served),
  },
  run: async (core, id, options) => {
    await check(core, id, options)
    await printed(core, id)
    const { name, pubkey, merchant: merchants } = options
    const publicKey = pubkey === undefined ? undefined : await publicKeyIn(pubkey)
    const changes = { name, publicKey, merchants }
    await core.handle(integrators, id, { type: 'Change', changes }, core.contextOf('operator'))
    return printed(core, id)
  },
})

/** The operator's commands for integrators (interface 14). */
export const integratorCommands = group(
  'integrator',
  'integrators, who act for merchants with a key of their own',
  [
    addIntegrator,
    changeIntegrator,
    onRows({
      name: 'list',
      about: 'list the integrators',
      run: ({ merchants: { integrators: rows } }) =>
        rows.all().map(({ data: { id, name, merchants: served }, isDisabled }) => ({
          id,
          name,
          merchants: served,
          enabled: !isDisabled,
        })),
    }),
    ...lifeCycle({
      one: 'integrator',
      named: '<id>',
      aggregate: integrators,
      keyOf: (id) => id,
      merchantOf: () => null,
      about: {
        disable: 'refuse the requests of an integrator until it is enabled again',
        enable: 'let a disabled integrator in again',
        remove: 'end an integrator; its id can be given to a new one',
      },
    }),
  ],
)

const addApplication = onData({
  name: 'add <merchant>',
  about: 'register an application; its secret is printed this once',
  options: {
    name: required('<name>', 'shown to the payer'),
    redirectUri: several('<uri>', 'where payers return to; may be repeated'),
    public: flag('without a secret (an app or a page in the browser)'),
    dpop: flag('tokens must be bound to a key of the application (RFC 9449)'),
  },
  run: async (core, merchant, { name, redirectUri: redirectUris = [], public: isPublic, dpop }) => {
    await presentMerchant(core, merchant)
    checkName(name)
    const isSandbox = core.settings.MODE === 'sandbox'
    const problem = applicationProblem({ name, redirectUris }, isSandbox)
    if (typeof problem === 'object') fail(`${problem.uri} cannot be a redirect URI`)
    if (redirectUris.length === 0) fail('give --redirect-uri')
    if (problem === 'uris') fail(`an application has at most ${mostRedirectUris} redirect URIs`)
    if (problem === 'name') fail(`a name has at most ${longestName} characters`)
    const { clientId, secret, secretHash } = newClient()
    const known = { clientId, merchant, name, redirectUris: [...redirectUris] }
    const data = newApplication(known, isPublic ? null : secretHash, dpop ?? false)
    const context = core.contextOf('operator', merchant)
    await core.handle(applications, clientId, { type: 'Register', data }, context)
    return { client_id: clientId, client_secret: isPublic ? null : secret }
  },
})

const rotateSecret = onData({
  name: 'rotate-secret <client-id>',
  about: 'give an application a new secret, printed this once; the old one stays valid a while',
  options: { overlap: preset('<hours>', 'how long the old one stays valid', 24, hoursOf) },
  run: async (core, clientId, { overlap }) => {
    const known = await core.find(applications, clientId, 'log')
    if (known.status !== 'present') return fail(`no application ${clientId}`)
    const { merchant, secretHash } = known.data
    if (secretHash === null) return fail(`${clientId} is a public application: it has no secret`)
    const client = newClient()
    const context = core.contextOf('operator', merchant)
    const until = context.at + hoursInMs(overlap)
    await rotateClientSecret(core)({ ...client, clientId }, until, context)
    return {
      client_id: clientId,
      client_secret: client.secret,
      old_secret_until: new Date(until).toISOString(),
    }
  },
})

const listApplications = listOf(
  'list the applications of a merchant',
  (core) => core.people.applications,
  ({ data: { clientId, name, redirectUris, secretHash, requiresDpop }, isDisabled }) => ({
    client_id: clientId,
    name,
    redirect_uris: redirectUris,
    public: secretHash === null,
    dpop: requiresDpop ?? false,
    enabled: !isDisabled,
  }),
)

/** The operator's commands for the authorization server (interface 14). */
export const applicationCommands = group('app', 'OAuth applications', [
  addApplication,
  rotateSecret,
  listApplications,
  ...lifeCycle({
    one: 'application',
    named: '<client-id>',
    aggregate: applications,
    keyOf: (clientId) => clientId,
    merchantOf: ({ merchant }) => merchant,
    about: {
      disable: 'refuse an application and its tokens until it is enabled again',
      enable: 'let a disabled application in again',
      remove: 'end an application, with all its tokens',
    },
  }),
])

const addUser = onData({
  name: 'add <merchant> <user>',
  about: 'make an API user with a secret, a public key or both',
  options: {
    secretFile: value('<file>', 'file of a secret of 8 to 64 characters; - is standard input'),
    secret: value('<secret>', 'the same in the open: others on this machine can see it'),
    pubkey: value('<file>', 'RSA public key, PEM or OpenSSH'),
    superuser: flag('may manage users'),
  },
  run: async (core, merchant, id, { pubkey, superuser, ...options }) => {
    await presentMerchant(core, merchant)
    if (!userId.safeParse(id).success)
      fail('a user id has letters, digits and _ . @ -, at most 100, and is not . or ..')
    const isNeeded = pubkey === undefined
    const secret = await secretOf('secret', options.secret, options.secretFile, isNeeded)
    if (secret === undefined && pubkey === undefined)
      fail('give --secret-file (- is standard input), --pubkey or both')
    if (secret !== undefined && !userSecret.safeParse(secret).success)
      fail('a secret has 8 to 64 characters of printable ASCII, without blanks around it')
    const publicKey = pubkey === undefined ? null : await publicKeyIn(pubkey)
    const roles = superuser ? ['superuser' as const] : ['user' as const]
    const register = registerUser({
      handle: core.handle,
      find: core.find,
      hashSecret,
      verifySecret: (sent, hash) => isHashOf(hash, sent),
      digestSecret: makeSecretDigests(core.derive).digestSecret,
    })
    const user = { merchant, id, roles, netmask: null, publicKey }
    const state = await register(user, secret, core.contextOf('operator', merchant)).catch(
      (error: unknown) => {
        if (error instanceof Refusal && error.code === 'id_used_with_other_data') return undefined
        throw error
      },
    )
    // A repeat says nothing of what has been changed since.
    if (state?.status !== 'present' || !jsonEquals(state.registered, state.data))
      fail(`${merchant} has a user ${id} already, with other credentials or roles`)
    return { merchant, id, roles, has_secret: secret !== undefined, pubkey: publicKey }
  },
})

const listUsers = listOf(
  'list the API users of a merchant',
  (core) => core.merchants.users,
  ({ data: { id, roles, netmask, secretHash, publicKey }, isDisabled }) => ({
    id,
    roles,
    netmask,
    has_secret: secretHash !== null,
    has_pubkey: publicKey !== null,
    enabled: !isDisabled,
  }),
)

export const userCommands = group('user', 'API users', [
  addUser,
  listUsers,
  ...lifeCycle({
    one: 'user',
    named: '<merchant> <user>',
    aggregate: users,
    keyOf: within,
    merchantOf: ({ merchant }) => merchant,
    about: {
      disable: 'refuse the requests of an API user until it is enabled again',
      enable: 'let a disabled API user in again',
      remove: 'end an API user; its name can be given to a new one',
    },
  }),
  userLimit,
])
