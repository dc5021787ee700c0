import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** A developer of the merchant `sandbox`. */
let bob: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  for (const merchant of ['sandbox', 'other'])
    await service.operator('staff', 'add', merchant, '+4799999902', '--role', 'developer')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

const panel = '/portal/sandbox/developers/sandbox'

const send = async (form: Readonly<Record<string, string>>, merchant = 'sandbox') => {
  const { html } = await bob.visit(panel)
  const csrf = new Map(formIn(html, 'csrf').fields).get('csrf') ?? ''
  const path = panel.replace('/sandbox/', `/${merchant}/`)
  return bob.visit(path, { method: 'POST', body: new URLSearchParams({ csrf, ...form }) })
}

test('given a payment that waits, when its payer is played, it is paid or declined', async () => {
  const [first, second] = [
    await service.requestPayment({ amount: '111.00', customer: '4799999901' }),
    await service.requestPayment({ amount: '222.00', pos_tid: 'second', customer: '4799999902' }),
  ]
  const page = await bob.visit(panel)
  expect(page.html).toContain(`value="${first.id}"`)
  expect(page.html).toContain(`<code>${codeOf('alice')}</code>`)
  const foreign = await send({ change: 'accept', tid: first.id, payer: 'alice' }, 'other')
  expect(foreign.status).toBe(404)
  const answer = { tid: first.id, payer: 'alice' }
  expect((await send({ change: 'accept', ...answer })).location).toBe(`${panel}?done=accept`)
  await send({ change: 'decline', tid: second.id, payer: 'bob' })
  const statuses = [await service.outcome(first.id), await service.outcome(second.id)]
  expect(statuses.map(({ status }) => status)).toEqual(['auth', 'fail'])
  expect((await bob.visit(panel)).html).toContain('No payments are waiting.')
})

test('when the clock is moved, it is by the person, and as far as the button says', async () => {
  const before = service.core.now()
  expect((await send({ change: 'advance', seconds: '5' })).status).toBe(404)
  await send({ change: 'settle' })
  expect((await send({ change: 'advance', seconds: '86400' })).location).toBe(
    `${panel}?done=advance`,
  )
  expect(service.core.now() - before).toBeGreaterThanOrEqual(86_400_000)
  const moved = (await service.events()).filter(({ type }) => /Clock/.test(type))
  expect(moved.map(({ metadata }) => String(metadata['actor']).slice(0, 6))).toEqual(['staff:'])
})
