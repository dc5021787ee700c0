import { z } from 'zod'
import { payments } from '../../../domain/aggregates.ts'
import type { Find } from '../../../application/find-state.ts'
import type { Handle } from '../../../application/handle.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import type { SandboxNeeds } from '../../../http/merchant/sandbox.ts'
import type { SandboxPayerNeeds } from '../../../http/merchant/sandbox-payer.ts'
import { asked, hidden, plainForm } from '../../ui/form-parts.ts'
import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import { contextOfStaff, type PortalNeeds, type Shown } from '../guard.ts'
import type { PortalVisitor } from '../page.ts'
import { portalPages } from '../pages.ts'
import { developersPath, doneIn } from './parts.ts'
import { sandboxPage, simulatedPayers, steps, type SandboxPageNeeds } from './sandbox-page.ts'

type Simulator = Pick<SandboxNeeds, 'findPayer' | 'acceptPayment' | 'advanceClock' | 'settleNow'> &
  Pick<SandboxPayerNeeds, 'oneTimeCode'>

export type PortalSandboxNeeds = PortalNeeds &
  SandboxPageNeeds & {
    readonly find: Find
    readonly handle: Handle
    /** Undefined in production. */
    readonly simulator: Simulator | undefined
  }

const sandboxForm = plainForm.extend({
  change: z.enum(['accept', 'decline', 'advance', 'settle']),
  tid: hidden('the payment that the payer answers.').optional(),
  payer: z.enum(simulatedPayers).optional(),
  seconds: z.enum(steps.map(String)).optional().meta({ description: 'How far the clock moves.' }),
})

type SandboxCall = Call<{ readonly merchant: string }, undefined, FormOf<typeof sandboxForm>>

const doneTexts = {
  accept: 'isAccepted',
  decline: 'isDeclined',
  advance: 'isAdvanced',
  settle: 'isSettled',
} as const

/** What a payer does here is the payer's; the clock is moved by the person. */
const changing = (needs: PortalSandboxNeeds, simulator: Simulator) => {
  const answerOf = async (visitor: PortalVisitor, call: SandboxCall) => {
    const tid = fieldOf(call.body, 'tid')
    const payment = await needs.find(payments, tid)
    const isTheirs =
      payment.status !== 'unrequested' && payment.request.merchant === visitor.shop.merchant
    const name = simulatedPayers.find((one) => one === fieldOf(call.body, 'payer'))
    const payer = name && (await simulator.findPayer(name))
    if (!isTheirs || payer === undefined) return refuse('resource_is_unknown')
    return { tid, payer, context: { ...contextOfStaff(call, visitor), actor: `payer:${payer}` } }
  }

  return {
    accept: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const { tid, payer, context } = await answerOf(visitor, call)
      const wish = { additionalAmount: null, isConfirmed: true, credit: false }
      await simulator.acceptPayment(tid, payer, wish, context)
    },
    decline: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const { tid, payer, context } = await answerOf(visitor, call)
      const command = { type: 'DeclinePayment', at: call.at, payer } as const
      await needs.handle(payments, tid, command, context)
    },
    advance: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const step = steps.find((one) => String(one) === fieldOf(call.body, 'seconds'))
      if (step === undefined) return refuse('resource_is_unknown')
      const context = { ...contextOfStaff(call, visitor), merchant: null }
      await simulator.advanceClock({ by: step * 1000 }, context)
    },
    settle: async ({ shop }: PortalVisitor, call: SandboxCall): Promise<void> =>
      simulator.settleNow(shop.merchant, call.requestId),
  }
}

/** The sandbox's clock and its payers. */
export const portalSandboxRoutes = (needs: PortalSandboxNeeds, visits: Visits): Route[] => {
  const { page, form } = portalPages(needs, visits)
  const { simulator } = needs
  if (!needs.isSandbox || simulator === undefined) return []
  const place = { area: 'developers' } as const
  const path = '/portal/:merchant/developers/sandbox'
  const changes = changing(needs, simulator)
  return [
    page(
      {
        ...{ ...place, path, action: 'see_developers' },
        summary: 'The clock and the payers of the sandbox',
        ownQuery: z.object({
          done: asked('What was done.'),
        }),
      },
      (visitor, call) =>
        sandboxPage(needs, visitor, call.at, doneIn(visitor, searchOf(call), doneTexts)),
    ),
    form(
      {
        ...{ ...place, path, action: 'change_api_users' },
        ...{ summary: 'Answer as a payer, move the clock, or settle', ownForm: sandboxForm },
      },
      async (visitor, call): Promise<Shown> => {
        const change = fieldOf(call.body, 'change')
        if (!Object.hasOwn(changes, change)) return refuse('resource_is_unknown')
        await changes[change as keyof typeof changes](visitor, call)
        const next = developersPath(visitor.shop.merchant, `sandbox?done=${change}`)
        return visits.go(visitor, next)
      },
    ),
  ]
}
