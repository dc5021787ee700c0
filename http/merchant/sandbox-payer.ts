import { z } from 'zod'
import { refuse } from '../../domain/refusal.ts'
import { route, type Route } from '../route.ts'

export type SandboxPayerNeeds = {
  /** By id or phone number. */
  readonly findPayer: (name: string) => Promise<string | undefined>
  /** The current code of a payer's authenticator. */
  readonly oneTimeCode: (payer: string) => Promise<string | undefined>
}

/** Shows the authenticator codes of payers (interface 15). */
export const sandboxPayerRoutes = ({ findPayer, oneTimeCode }: SandboxPayerNeeds): Route[] => [
  route({
    method: 'GET',
    path: '/sandbox/v1/payer/:payer/code/',
    access: 'OPEN',
    group: 'Sandbox',
    summary: "The one-time code that a payer's authenticator shows now",
    description: 'It is valid for half a minute at least. Codes go by the real time.',
    params: z.object({
      payer: z.string().max(100).meta({ description: 'Id or phone number, such as alice.' }),
    }),
    success: 'value',
    reply: z
      .object({ code: z.string().meta({ description: 'Six digits.' }) })
      .meta({ id: 'SandboxCode' }),
    handle: async ({ params }) => {
      const payer = await findPayer(params.payer)
      const code = payer === undefined ? undefined : await oneTimeCode(payer)
      return code === undefined ? refuse('resource_is_unknown') : { code }
    },
  }),
]
