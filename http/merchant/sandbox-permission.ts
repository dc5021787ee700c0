import { z } from 'zod'
import { permissionRequests } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { refuse } from '../../domain/refusal.ts'
import { ridParams } from '../addresses.ts'
import { contextOfPayer, type Call } from '../call.ts'
import type { answerPermission } from '../../application/permissions.ts'
import type { Route } from '../route.ts'
import { grantedText } from './permission-input.ts'
import { inSandbox, payerInput, sandboxFaults } from './sandbox-faults.ts'

type SandboxPermissionNeeds = ReturnType<typeof answerPermission> & {
  readonly find: Find
  readonly findPayer: (name: string) => Promise<string | undefined>
}

const prefix = '/sandbox/v1/permission_request/:rid'

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
