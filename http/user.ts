import { z } from 'zod'
import { users, within } from '../application/aggregates.ts'
import { streamOf, type Find, type Handle } from '../application/handle.ts'
import { refuse } from '../domain/refusal.ts'
import { roles } from '../domain/user.ts'
import { merchantPrefix, type Links } from './addresses.ts'
import { Malformed, RequestError } from './errors.ts'
import { callerOf, contextOf, route, type Call, type Route } from './route.ts'
import { chosenId } from './wire.ts'

const userUpdate = z
  .object({
    roles: z.array(z.enum(roles)).min(1).default(['user']),
    netmask: z.string().max(64).nullable().default(null).meta({
      description: 'CIDR (IPv4 or IPv6) of the addresses that requests may come from.',
    }),
    secret: z
      .string()
      .min(8)
      .max(64)
      // Anything else does not come out of a header as it was put in.
      .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Must be printable ASCII without blanks around it.')
      .nullish()
      .meta({ description: 'Kept only as a slow hash. Absent leaves it, null takes it away.' }),
    pubkey: z.string().max(10_000).nullish().meta({
      description: 'RSA public key, 2048 to 4096 bits, PEM or OpenSSH. Absent leaves it.',
    }),
  })
  .meta({ id: 'UserUpdate' })

const userId = chosenId(
  z.string().regex(/^[a-zA-Z0-9_.@-]+$/, 'Must be made of letters, digits and _ . @ -'),
)
const userInput = userUpdate.extend({ id: userId }).meta({ id: 'UserInput' })

const userReply = z
  .object({
    id: z.string(),
    roles: z.array(z.string()),
    netmask: z.string().nullable(),
    has_secret: z.boolean(),
    pubkey: z.string().nullable(),
  })
  .meta({ id: 'User' })

const userParams = z.object({ user_id: userId })

type UserData = {
  readonly id: string
  readonly roles: readonly string[]
  readonly netmask: string | null
  readonly secretHash: string | null
  readonly publicKey: string | null
}

export type UserNeeds = {
  readonly handle: Handle
  readonly find: Find
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly users: { find(stream: string): { readonly data: UserData } | undefined }
  readonly hashSecret: (secret: string) => Promise<string>
  readonly verifySecret: (secret: string, hash: string | null) => Promise<boolean>
  /** PEM of an RSA key of 2048 to 4096 bits; undefined for anything else. */
  readonly readPublicKey: (text: string) => string | undefined
  readonly isNetmask: (text: string) => boolean
}

const listPath = `${merchantPrefix}/user/`
const onlySuperusers = 'Only a superuser manages users.'

/** API users (the document's `/user/`): only a superuser manages them. */
export const userRoutes = (needs: UserNeeds): Route[] => {
  const { handle, find, links } = needs

  const superuser = (call: Call) => {
    const caller = callerOf(call)
    if (!caller.isSuperuser) throw new RequestError(403, onlySuperusers)
    return caller
  }

  const secretHash = async (
    secret: string | null | undefined,
    kept: string | null,
  ): Promise<string | null> => {
    if (secret === undefined) return kept
    if (secret === null) return null
    // The same secret keeps its hash, so that a repeated request is seen to be one.
    return (await needs.verifySecret(secret, kept)) && kept ? kept : needs.hashSecret(secret)
  }

  const publicKey = (text: string | null | undefined, kept: string | null): string | null => {
    if (text === undefined) return kept
    if (text === null) return null
    const key = needs.readPublicKey(text)
    if (key !== undefined) return key
    throw new Malformed({
      pubkey: ['Must be an RSA public key of 2048 to 4096 bits, PEM or OpenSSH.'],
    })
  }

  const dataFor = async (
    merchant: string,
    id: string,
    input: z.output<typeof userUpdate>,
    kept: UserData | undefined,
  ) => {
    const { netmask } = input
    if (netmask !== null && !needs.isNetmask(netmask))
      throw new Malformed({ netmask: ['Must be an IPv4 or IPv6 network such as 192.0.2.0/24.'] })
    const credentials = {
      publicKey: publicKey(input.pubkey, kept?.publicKey ?? null),
      secretHash: await secretHash(input.secret, kept?.secretHash ?? null),
    }
    if (credentials.publicKey === null && credentials.secretHash === null)
      throw new Malformed({ secret: ['A user needs a secret, a pubkey or both.'] })
    return { merchant, id, roles: input.roles, netmask, ...credentials }
  }

  return [
    route({
      method: 'POST',
      path: listPath,
      access: 'KEY',
      group: 'User',
      summary: 'Create an API user',
      body: userInput,
      success: 'created',
      errors: { 403: onlySuperusers },
      handle: async (call) => {
        const { merchant } = superuser(call)
        const { id } = call.body
        const entry = await find(users, within(merchant, id))
        // An earlier secret is needed to see a repeat, but a new user begins with nothing.
        const registered = entry.status === 'present' ? entry.registered : undefined
        const { secret = null, pubkey = null } = call.body
        const data = await dataFor(merchant, id, { ...call.body, secret, pubkey }, registered)
        await handle(users, within(merchant, id), { type: 'Register', data }, contextOf(call))
        return { location: links.full(`${listPath}${encodeURIComponent(id)}/`) }
      },
    }),
    route({
      method: 'GET',
      path: `${listPath}:user_id/`,
      access: 'SECRET',
      group: 'User',
      summary: 'Read an API user',
      params: userParams,
      success: 'value',
      reply: userReply,
      handle: async (call) => {
        await needs.caughtUp()
        const id = within(callerOf(call).merchant, call.params.user_id)
        const found = needs.users.find(streamOf(users, id)) ?? refuse('resource_is_unknown')
        const { secretHash, publicKey: pubkey, ...rest } = found.data
        return { ...rest, roles: [...rest.roles], has_secret: secretHash !== null, pubkey }
      },
    }),
    route({
      method: 'PUT',
      path: `${listPath}:user_id/`,
      access: 'KEY',
      group: 'User',
      summary: 'Change an API user',
      params: userParams,
      body: userUpdate,
      success: 'nothing',
      errors: { 403: onlySuperusers },
      handle: async (call) => {
        const { merchant } = superuser(call)
        const id = call.params.user_id
        const entry = await find(users, within(merchant, id))
        if (entry.status !== 'present') return refuse('resource_is_unknown')
        const data = await dataFor(merchant, id, call.body, entry.data)
        await handle(users, within(merchant, id), { type: 'Change', data }, contextOf(call))
      },
    }),
  ]
}
