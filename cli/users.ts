import type { Command } from 'commander'
import { users } from '../domain/aggregates.ts'
import { userId, userSecret } from '../domain/merchant/user.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import { within } from '../domain/stream.ts'
import { keepSecret } from '../application/keep-secret.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { hashSecret, isHashOf, makeSecretDigests } from '../infrastructure/people/secrets.ts'
import { presentMerchant, publicKeyIn, secretOf } from './arguments.ts'
import { addLifeCycle } from './life-cycles.ts'
import type { WithCore } from './with-core.ts'

type UserOptions = {
  readonly secret?: string
  readonly secretFile?: string
  readonly pubkey?: string
  readonly superuser?: true
}

const addUser = async (core: Core, merchant: string, id: string, options: UserOptions) => {
  const { pubkey, superuser } = options
  await presentMerchant(core, merchant)
  if (!userId.safeParse(id).success)
    fail('a user id has letters, digits and _ . @ -, at most 100, and is not . or ..')
  const secret = await secretOf('secret', options.secret, options.secretFile, pubkey === undefined)
  if (secret === undefined && pubkey === undefined)
    fail('give --secret-file (- is standard input), --pubkey or both')
  if (secret !== undefined && !userSecret.safeParse(secret).success)
    fail('a secret has 8 to 64 characters of printable ASCII, without blanks around it')
  const publicKey = pubkey === undefined ? null : await publicKeyIn(pubkey)
  const roles = superuser ? ['superuser' as const] : ['user' as const]
  const added = { merchant, id, roles, has_secret: secret !== undefined, pubkey: publicKey }
  const known = await core.find(users, within(merchant, id), 'log')
  if (known.status === 'present') {
    const { secretHash } = known.data
    const isSame =
      jsonEquals(
        { roles, publicKey },
        { roles: known.data.roles, publicKey: known.data.publicKey },
      ) &&
      (secret === undefined || secretHash === null
        ? secretHash === (secret ?? null)
        : await isHashOf(secretHash, secret))
    if (!isSame) fail(`${merchant} has a user ${id} already, with other credentials or roles`)
    return added
  }
  const { digestSecret } = makeSecretDigests(core.derive)
  const keep = keepSecret({ hashSecret, digestSecret, verifySecret: () => false })
  const kept = secret === undefined ? { secretHash: null } : await keep(secret)
  const data = { merchant, id, roles, netmask: null, ...kept, publicKey }
  const context = core.contextOf('operator', merchant)
  await core.handle(users, within(merchant, id), { type: 'Register', data }, context)
  return added
}

const listUsers = async (core: Core, merchant: string) => {
  await presentMerchant(core, merchant)
  await core.readModels.caughtUp()
  return core.merchants.users
    .all()
    .filter(({ data }) => data.merchant === merchant)
    .map(({ data: { id, roles, netmask, secretHash, publicKey }, isDisabled }) => ({
      id,
      roles,
      netmask,
      has_secret: secretHash !== null,
      has_pubkey: publicKey !== null,
      enabled: !isDisabled,
    }))
}

export const addUserCommands = (program: Command, withCore: WithCore): void => {
  const user = program.command('user').description('API users')
  user
    .command('add <merchant> <user>')
    .description('make an API user with a secret, a public key or both')
    .option('--secret-file <file>', 'file of a secret of 8 to 64 characters; - is standard input')
    .option('--secret <secret>', 'the same in the open: others on this machine can see it')
    .option('--pubkey <file>', 'RSA public key, PEM or OpenSSH')
    .option('--superuser', 'may manage users')
    .action(withCore(addUser))
  user
    .command('list <merchant>')
    .description('list the API users of a merchant')
    .action(withCore(listUsers))
  addLifeCycle(user, withCore, {
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
  })
}
