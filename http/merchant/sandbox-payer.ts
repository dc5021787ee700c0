import { z } from 'zod'
import { phoneDigits } from '../../application/people.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Route } from '../route.ts'
import { dateTime } from '../wire.ts'
import { inSandbox, payerInput, sandboxFaults } from './sandbox-faults.ts'
import { permissionRequests } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { ridParams } from '../addresses.ts'
import { contextOfPayer, type Call } from '../call.ts'
import type { answerPermission } from '../../application/permissions.ts'
import { grantedText } from './permission.ts'

export type SandboxPermissionNeeds = ReturnType<typeof answerPermission> & {
  readonly find: Find
  readonly findPayer: (name: string) => Promise<string | undefined>
}

export const prefix = '/sandbox/v1/permission_request/:rid'

/** Answers permission requests as a payer would (interface 15). */
export const sandboxPermissionRoutes = (needs: SandboxPermissionNeeds): Route[] => {
  const { find } = needs

  const answerer = async (rid: string, named: string | undefined, call: Call) => {
    const permission = await find(permissionRequests, rid)
    if (permission.status === 'unrequested') return refuse('resource_is_unknown')
    const name = named ?? permission.payer ?? 'alice'
    const payer = (await needs.findPayer(name)) ?? refuse('payer_is_unknown')
    return { payer, context: contextOfPayer(call, payer, permission.request.merchant) }
  }

  return [
    inSandbox.post(`${prefix}/accept/`, {
      summary: 'The payer grants what was asked for, or a part of it',
      params: ridParams,
      body: z.object({ payer: payerInput, scope: grantedText }).meta({ id: 'SandboxGrant' }),
      furtherFaults: sandboxFaults(needs).ofPayer,
      handle: async (call) => {
        const { rid } = call.params
        const { payer, context } = await answerer(rid, call.body.payer, call)
        await needs.grantPermission(rid, payer, call.body.scope, context)
      },
    }),
    inSandbox.post(`${prefix}/decline/`, {
      summary: 'The payer declines to grant anything',
      params: ridParams,
      body: z.object({ payer: payerInput }).meta({ id: 'SandboxDeclinePermission' }),
      handle: async (call) => {
        const { rid } = call.params
        const { payer, context } = await answerer(rid, call.body.payer, call)
        await needs.declinePermission(rid, payer, context)
      },
    }),
  ]
}

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
