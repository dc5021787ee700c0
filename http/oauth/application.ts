import { z } from 'zod'
import { applications } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { listRoute } from '../lists.ts'
import { readable } from '../empty-values.ts'
import { type Route, routesOf } from '../route.ts'
import { createdReply } from '../wire.ts'
import {
  isRedirectUri,
  longestName,
  longestUri,
  mostRedirectUris,
  newApplication,
} from '../../domain/people/application.ts'

const applicationInput = (isSandbox: boolean) =>
  z
    .object({
      name: readable(z.string().min(1).max(longestName)).meta({
        description: 'Shown to the payer.',
      }),
      redirect_uris: z
        .array(
          z
            .string()
            .max(longestUri)
            .refine(
              (text) => text.length > longestUri || isRedirectUri(text, isSandbox),
              `Must be a URL of https${isSandbox ? ' or http' : ', or of http on this machine'}, ` +
                'or of a native app, without a user or a fragment.',
            ),
        )
        .min(1)
        .max(mostRedirectUris),
      public: z.boolean().default(false).meta({ description: 'Has no secret.' }),
      dpop_bound_access_tokens: z.boolean().default(false).meta({
        description: 'RFC 9449, 5.2: token requests must prove a key, to which tokens are bound.',
      }),
    })
    .meta({ id: 'ApplicationInput' })

const applicationReply = z
  .object({
    id: z.string().meta({ description: 'The client id.' }),
    name: z.string(),
    redirect_uris: z.array(z.string()),
    public: z.boolean(),
    dpop_bound_access_tokens: z.boolean(),
  })
  .meta({ id: 'Application' })

const params = z.object({ client_id: z.string() })

type ApplicationNeeds = Pick<Queries['people'], 'applications'> & {
  readonly handle: Handle
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly isSandbox: boolean
  /** The same for the same signature, so that a repeated request makes one client. */
  readonly newClient: (
    signature: string | null,
  ) => Readonly<Record<'clientId' | 'secret' | 'secretHash', string>>
}

const listPath = `${merchantPrefix}/application/`

const detailPath = (id: string): string => `${listPath}${id}/`

const group = 'OAuth'

const { get, post, remove } = routesOf({ access: 'SECRET', group })

/** A merchant's OAuth applications (interface 11.3). */
export const applicationRoutes = (needs: ApplicationNeeds): Route[] => {
  const { handle, links, caughtUp, applications: rows } = needs

  const own = async (call: Call, id: string) => {
    await caughtUp()
    const found = rows.find(streamOf(applications, id))?.data
    return found?.merchant === callerOf(call).merchant ? found : refuse('resource_is_unknown')
  }

  return [
    listRoute({
      path: listPath,
      access: 'SECRET',
      group,
      summary: 'List the applications',
      links,
      caughtUp,
      list: (merchant, before, limit) => rows.list(merchant, before, limit),
      pathOf: ({ data }) => detailPath(data.clientId),
    }),
    post(listPath, {
      summary: 'Register an application; its secret is shown this once',
      body: applicationInput(needs.isSandbox),
      success: 'created',
      reply: createdReply
        .extend({ client_secret: z.string().nullable() })
        .meta({ id: 'ApplicationCreated' }),
      handle: async (call) => {
        const { merchant, asked } = callerOf(call)
        const { name, redirect_uris: redirectUris, public: isPublic } = call.body
        const { dpop_bound_access_tokens: isBound } = call.body
        const { clientId, secret, secretHash } = needs.newClient(asked?.signature ?? null)
        const known = { clientId, merchant, name, redirectUris }
        const data = newApplication(known, isPublic ? null : secretHash, isBound)
        await handle(applications, clientId, { type: 'Register', data }, contextOf(call))
        const value = { id: clientId, client_secret: isPublic ? null : secret }
        return { location: links.full(detailPath(clientId)), value }
      },
    }),
    get(`${listPath}:client_id/`, {
      summary: 'Read an application',
      params,
      reply: applicationReply,
      handle: async (call) => {
        const known = await own(call, call.params.client_id)
        const { clientId: id, name, redirectUris, secretHash, requiresDpop = false } = known
        const kind = { public: secretHash === null, dpop_bound_access_tokens: requiresDpop }
        return { id, name, redirect_uris: [...redirectUris], ...kind }
      },
    }),
    remove(`${listPath}:client_id/`, {
      summary: 'Remove an application: it gets no more tokens',
      params,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const command = { type: 'Remove', merchant } as const
        await handle(applications, call.params.client_id, command, contextOf(call))
      },
    }),
  ]
}
