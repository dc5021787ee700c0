import { z } from 'zod'
import { users } from '../../domain/aggregates.ts'
import { makeSerialByKey } from '../../application/serial-by-key.ts'
import { keepSecret, type SecretNeeds } from '../../application/keep-secret.ts'
import type { Find } from '../../application/find-state.ts'
import { changed, type Changes } from '../../domain/register.ts'
import {
  managesUsers,
  roles,
  userId,
  userSecret,
  type UserData,
} from '../../domain/merchant/user.ts'
import { within } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf, type Call } from '../call.ts'
import { RequestError } from '../errors.ts'
import type { Fitting } from '../validation.ts'
import { asWritten, removable } from '../empty-values.ts'
import { issuesOf } from '../refusal-answers.ts'
import type { Route } from '../route.ts'
import { registerRoutes, type RegisterNeeds } from './register-routes.ts'

type Checks = {
  /** Takes the PEM of an RSA key of 2048 to 4096 bits, else undefined. */
  readonly readPublicKey: (text: string) => string | undefined
  readonly isNetmask: (text: string) => boolean
}

const userUpdateWith = ({ readPublicKey, isNetmask }: Checks) =>
  z
    .object({
      roles: z.array(z.enum(roles)).min(1).max(roles.length).optional().meta({
        description: '`user` when a new user has none. Absent leaves them.',
      }),
      netmask: removable(
        z
          .string()
          .max(64)
          .refine(isNetmask, 'Must be an IPv4 or IPv6 network such as 192.0.2.0/24.')
          .meta({
            description: 'CIDR (IPv4 or IPv6) of the addresses that requests may come from.',
          }),
      ),
      secret: removable(asWritten(userSecret).meta({ description: 'Kept as a hash only.' })),
      pubkey: removable(
        z
          .string()
          .max(10_000)
          .transform((text, context) => {
            const key = readPublicKey(text)
            if (key !== undefined) return key
            context.addIssue('Must be an RSA public key of 2048 to 4096 bits, PEM or OpenSSH.')
            return z.NEVER
          })
          .meta({ description: 'RSA public key, 2048 to 4096 bits, PEM or OpenSSH.' }),
      ),
    })
    .meta({ id: 'UserUpdate' })

type UserUpdate = z.output<ReturnType<typeof userUpdateWith>>

const userReply = z
  .object({
    id: z.string(),
    roles: z.array(z.enum(roles)),
    netmask: z.string().nullable(),
    has_secret: z.boolean(),
    pubkey: z.string().nullable(),
  })
  .meta({ id: 'User' })

type UserNeeds = RegisterNeeds &
  Checks &
  SecretNeeds &
  Pick<Queries['merchants'], 'users'> & {
    readonly find: Find
  }

const listPath = `${merchantPrefix}/user/`

const defaults = { roles: ['user' as const], netmask: null, secretHash: null, publicKey: null }

const pageSize = 100

const onlyManagers = 'Only a superuser or an integrator manages users.'

/** API users (interface 7.2), managed by a superuser or an integrator. */
export const userRoutes = (needs: UserNeeds): Route[] => {
  const manager = async (call: Call) => {
    const caller = callerOf(call)
    if (!(await caller.mayManageUsers())) throw new RequestError(403, onlyManagers)
    return caller
  }

  const keep = keepSecret(needs)

  /** An unchanged secret keeps the hash of the earlier entry, which may be stale. */
  const named = async (
    { roles, netmask, secret, pubkey: publicKey }: UserUpdate,
    known: UserData | undefined,
  ): Promise<Changes<UserData>> => ({
    roles,
    netmask,
    publicKey,
    ...(typeof secret === 'string' ? await keep(secret, known) : { secretHash: secret }),
  })

  /** Whether the merchant has another user that manages users. */
  const othersManage = async (merchant: string, id: string): Promise<boolean> => {
    await needs.caughtUp()
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = needs.users.list(merchant, before, pageSize)
      if (rows.some(({ data, isDisabled }) => data.id !== id && managesUsers(data, isDisabled)))
        return true
      before = rows.at(-1)?.position ?? before
      if (rows.length < pageSize) return false
    }
  }

  /** Whether both are known to be absent; one that cannot be read is left out. */
  const credentialFaults = (update: Fitting<UserUpdate>, known?: UserData) => {
    const isAbsent = (name: 'secret' | 'pubkey', kept: string | null = null) =>
      Object.hasOwn(update, name) && (update[name] === undefined ? kept : update[name]) === null
    const isBare = isAbsent('secret', known?.secretHash) && isAbsent('pubkey', known?.publicKey)
    return issuesOf(isBare ? ['user_has_no_credentials'] : [])
  }

  const inOrder = makeSerialByKey()
  const userUpdate = userUpdateWith(needs)

  return registerRoutes(needs, {
    aggregate: users,
    rows: needs.users,
    path: listPath,
    param: 'user_id',
    group: 'User',
    one: 'an API user',
    many: 'API users',
    access: { create: 'KEY', read: 'SECRET', change: 'KEY', remove: 'KEY' },
    aboutRemoval:
      'Its requests are refused from then on. The last superuser with a public key stays (409).',
    errors: { 403: onlyManagers },
    id: userId,
    input: userUpdate.extend({ id: userId }).meta({ id: 'UserInput' }),
    update: userUpdate,
    reply: userReply,
    keyOf: within,
    // In order, so that of two last ones that go at once the second stays.
    deciding: async (call, id, goOn) => {
      const { merchant, mayRefund } = await manager(call)
      const giverMayRefund = await mayRefund()
      await inOrder(merchant, async () =>
        goOn({ giverMayRefund, othersManage: await othersManage(merchant, id) }),
      )
    },
    created: async (call) => {
      const { merchant, mayRefund } = await manager(call)
      const { id } = call.body
      const entry = await needs.find(users, within(merchant, id), 'log')
      // A repeat needs the earlier secret; a new user starts from the defaults.
      const registered = entry.status === 'present' ? entry.registered : undefined
      const limits = (await mayRefund()) ? {} : { mayRefund: false }
      const blank = { merchant, id, ...defaults, ...limits }
      return changed<UserData>(blank, await named(call.body, registered))
    },
    faultsOfCreated: ({ body }) => credentialFaults(body),
    faultsOfChanges: async (call) => {
      const { merchant } = await manager(call as Call)
      const key = within(merchant, String(call.params['user_id']))
      const entry = await needs.find(users, key, 'log')
      return entry.status === 'present' ? credentialFaults(call.body, entry.data) : []
    },
    changes: async (call, id) => {
      const { merchant } = callerOf(call)
      const entry = await needs.find(users, within(merchant, id), 'log')
      return named(call.body, entry.status === 'present' ? entry.data : undefined)
    },
    view: ({ id, roles, netmask, secretHash, publicKey: pubkey }) => ({
      id,
      roles,
      netmask,
      has_secret: secretHash !== null,
      pubkey,
    }),
  })
}
