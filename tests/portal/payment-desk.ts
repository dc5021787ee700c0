import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

type Role = readonly string[]
type Fields = Readonly<Record<string, unknown>>

const phones = { alice: '4799999901', bob: '4799999902' } as const

/** Sends the form that confirms a page. */
export const confirmAt = (
  visitor: TestVisitor,
  page: Pick<Shown, 'html'>,
  values: Readonly<Record<string, string>> = {},
): Promise<Shown> => {
  const { action, fields } = formIn(page.html, 'mark')
  const body = new URLSearchParams({ ...Object.fromEntries(fields), ...values })
  return visitor.visit(action, { method: 'POST', body })
}

/** The service, with alice as owner of the merchant `sandbox`. */
export const startPaymentDesk = async (given: Readonly<Record<string, string>> = {}) => {
  const settings = { REFUND_STEP_UP_AMOUNT: 'NOK 500', ...given }
  const service: PeopleService = await startPeopleService(settings)
  await service.operator('staff', 'add', 'sandbox', `+${phones.alice}`, '--role', 'owner')
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  let count = 0

  const request = async (fields: Fields = {}): Promise<string> => {
    count += 1
    const back = {
      success_return_uri: 'https://shop.example/thanks',
      failure_return_uri: 'https://shop.example/sorry',
    }
    const asked = { amount: '100.00', pos_tid: `order-${count}`, ...back, ...fields }
    return (await service.requestPayment(asked)).id
  }
  const accepted = async (fields: Fields = {}): Promise<string> => {
    const tid = await request(fields)
    const path = `/sandbox/v1/payment_request/${tid}/accept/`
    const { status } = await service.call('POST', path, {})
    if (status >= 300) throw new Error(`the payment was not accepted: ${status}`)
    return tid
  }
  const captured = async (fields: Fields = {}): Promise<string> => {
    const tid = await accepted(fields)
    await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
    return tid
  }
  /** Types and actors of a payment's events. */
  const happenedTo = async (tid: string) =>
    (await service.events())
      .filter(({ stream }) => stream === `payment-${tid}`)
      .map(({ type, metadata }) => [type, metadata['actor']] as const)
  const listOf = (search = '', visitor = alice) =>
    visitor.visit(`/portal/sandbox/payments${search}`)

  return {
    service,
    alice,
    bob,
    codeOf,
    ...{ request, accepted, captured, happenedTo, listOf },
    /** Gives bob another role in the staff. */
    bobIs: async (...role: Role) => {
      await service.operator('staff', 'remove', 'sandbox', phones.bob).catch(() => undefined)
      await service.operator('staff', 'add', 'sandbox', `+${phones.bob}`, '--role', ...role)
    },
  }
}

export type PaymentDesk = Awaited<ReturnType<typeof startPaymentDesk>>
