import { z } from 'zod'
import { phoneDigits } from '../../application/people.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Route } from '../route.ts'
import { dateTime } from '../wire.ts'
import { inSandbox } from './sandbox-faults.ts'

export type SandboxPayerNeeds = {
  /** By id or phone number. */
  readonly findPayer: (name: string) => Promise<string | undefined>
  /** The current code of a payer's authenticator. */
  readonly oneTimeCode: (payer: string) => Promise<string | undefined>
  /** Messages to a number such as `+4799999901`, or to all, newest first; once all are sent. */
  readonly sentTo: (
    to: string | undefined,
  ) => Promise<readonly { readonly to: string; readonly text: string; readonly at: Instant }[]>
}

/** Shows what payers read on their phones: authenticator codes and messages (interface 15). */
export const sandboxPayerRoutes = ({
  findPayer,
  oneTimeCode,
  sentTo,
}: SandboxPayerNeeds): Route[] => [
  inSandbox.get('/sandbox/v1/payer/:payer/code/', {
    summary: "The one-time code that a payer's authenticator shows now",
    description: 'It is valid for half a minute at least. Codes go by the real time.',
    params: z.object({
      payer: z.string().max(100).meta({ description: 'Id or phone number, such as alice.' }),
    }),
    reply: z
      .object({ code: z.string().meta({ description: 'Six digits.' }) })
      .meta({ id: 'SandboxCode' }),
    handle: async ({ params }) => {
      const payer = await findPayer(params.payer)
      const code = payer === undefined ? undefined : await oneTimeCode(payer)
      return code === undefined ? refuse('resource_is_unknown') : { code }
    },
  }),
  inSandbox.get('/sandbox/v1/message/', {
    summary: 'The messages that phones and mailboxes would have received, newest first',
    description: 'The last thousand since the start of the service.',
    query: z.object({
      to: z
        .string()
        .max(254)
        .optional()
        .meta({ description: 'A phone number or an e-mail address; by default all.' }),
    }),
    reply: z
      .object({
        messages: z.array(z.object({ to: z.string(), text: z.string(), date_sent: dateTime })),
      })
      .meta({ id: 'SandboxMessages' }),
    handle: async ({ query: { to } }) => {
      const isMail = to === undefined || to.includes('@')
      const receiver = isMail ? to : `+${phoneDigits(to) ?? ''}`
      const sent = await sentTo(receiver)
      return { messages: sent.map(({ at, ...message }) => ({ ...message, date_sent: at })) }
    },
  }),
]
