import { registerUser } from '../application/keep-secret.ts'
import { users } from '../domain/aggregates.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import { userId, userSecret } from '../domain/merchant/user.ts'
import { Refusal } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import { hashSecret, isHashOf, makeSecretDigests } from '../infrastructure/people/secrets.ts'
import { presentMerchant, publicKeyIn, secretOf } from './arguments.ts'
import { flag, group, onData, value } from './command.ts'
import { lifeCycle, listOf } from './life-cycles.ts'
import { userLimit } from './limits.ts'

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
      verifySecret: (given, hash) => isHashOf(hash, given),
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
    ...{ id, roles, netmask },
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
