// A service whose log is audited, with its payments, events and commands.
import { rmSync } from 'node:fs'
import type { Recorded } from '../../domain/events.ts'
import { startCallbackService } from '../support/callback-service.ts'
import { readLog } from '../support/event-log.ts'
import { operatorHere } from '../../harness/operator.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

export const pathOf = (tid: string): string => `/merchant/v1/payment_request/${tid}/`

export const startAuditedService = async () => {
  const service = await startCallbackService()
  const { till, owner, world, folder, settings } = service
  let count = 0

  const newest = async (type: string): Promise<Recorded> => {
    const event = (await readLog(folder)).findLast((one) => one.type === type)
    if (!event) throw new Error(`there is no ${type}`)
    return event
  }

  /** A payment of 50.00 that alice has accepted. */
  const authorize = async (wish: object = {}): Promise<string> => {
    const input = paymentInput({ amount: '50.00', pos_tid: `order-${(count += 1)}`, ...wish })
    const { body } = await till('POST', '/merchant/v1/payment_request/', input)
    await world('POST', `/sandbox/v1/payment_request/${body.id}/accept/`, {})
    return body.id
  }

  const capture = async (): Promise<string> => {
    const tid = await authorize()
    await till('PUT', pathOf(tid), { action: 'capture' })
    return tid
  }

  return {
    ...service,
    newest,
    authorize,
    capture,
    /** Refunds a captured payment with a signed request; returns the event. */
    refund: async (body: object) => {
      const tid = await capture()
      const { status } = await owner('PUT', pathOf(tid), { action: 'refund', ...body })
      if (status !== 204) throw new Error(`the refund answered ${status}`)
      return { tid, event: await newest('PaymentRefunded') }
    },
    /** Runs an operator's command. */
    run: operatorHere(settings),
    remove: async (): Promise<void> => {
      await service.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

export type AuditedService = Awaited<ReturnType<typeof startAuditedService>>
