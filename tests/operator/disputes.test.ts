import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, dayOf } from '../../domain/time.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** Owns the shop. */
let alice: TestVisitor
/** Works in the operator's finance. */
let bob: TestVisitor
let tid: string

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
  const back = 'https://shop.example/back'
  const links = { success_return_uri: back, failure_return_uri: back }
  tid = (await service.requestPayment({ amount: '100.00', pos_tid: 'order-1', ...links })).id
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
})
afterAll(() => service.stop())

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')

const onPage = () => bob.visit(`/operator/payment?tid=${tid}`)

const typed = () => ({
  ...{ amount: '40.00', fee: '150', reason: 'not delivered' },
  ...{ due: dayOf(Date.now() + dayMs), code: codeOf('bob') },
})

const disputed = async () =>
  (await service.events()).filter(({ type }) => type === 'PaymentDisputed')

test('without a code, or with something wrong, nothing is opened', async () => {
  const page = await onPage()
  for (const wrong of [{ code: '' }, { amount: 'much' }, { due: '' }, { reason: ' ' }])
    expect((await bob.submit(page, { ...typed(), ...wrong })).status).toBe(400)
  expect(await disputed()).toEqual([])
})

test('a form that is sent twice opens one dispute, which is listed', async () => {
  const page = await onPage()
  const answers = [await bob.submit(page, typed()), await bob.submit(page, typed())]
  expect(answers.map(({ location }) => location)).toEqual(
    Array(2).fill(`/operator/payment?tid=${tid}`),
  )
  const [event, ...more] = await disputed()
  expect(more).toEqual([])
  expect(event?.metadata['actor']).toMatch(/^operator:[\w-]{16}/)
  expect(plain(await onPage())).toMatch(/Disputed NOK 40.00.*Fee NOK 150.00.*not delivered/)
  expect(plain(await bob.visit('/operator/disputes'))).toMatch(/NOK 40.00 Open not delivered/)
})

test('the merchant sends a picture, which the operator reads', async () => {
  const page = await alice.visit(`/portal/sandbox/payments/${tid}`)
  expect(plain(page)).toMatch(/Disputes Open NOK 40.00 not delivered Evidence is due by/)
  const { action, fields } = formIn(page.html, 'file')
  const body = new FormData()
  for (const [field, value] of fields) if (field !== 'file') body.append(field, value)
  const picture = PNG.sync.write(new PNG({ width: 2, height: 2 }))
  body.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'slip.png')
  const sent = await alice.visit(action, { method: 'POST', body })
  expect(sent.location).toBe(`/portal/sandbox/payments/${tid}`)
  const shown = await onPage()
  expect(plain(shown)).toContain('1 attachment as evidence')
  const [, href = ''] = /href="([^"]*\/evidence\/1)"/.exec(shown.html) ?? []
  const read = await bob.visit(href, { headers: { Accept: '*/*' } })
  expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/png'])
})

test('what is won is given back, and the merchant can send no more', async () => {
  const page = await onPage()
  const { fields } = formIn(page.html, 'act')
  expect(Object.fromEntries(fields)).toMatchObject({ act: 'won', number: '1' })
  const { action } = formIn(page.html, 'act')
  const body = new URLSearchParams({ ...Object.fromEntries(fields), code: codeOf('bob') })
  const { status } = await bob.visit(action, { method: 'POST', body })
  expect(status).toBe(303)
  const after = await onPage()
  expect(plain(after)).toMatch(/Disputed NOK 0.00.*Won/)
  const portal = await alice.visit(`/portal/sandbox/payments/${tid}`)
  expect(plain(portal)).toMatch(/Dispute won.*NOK 40.00/)
  expect(portal.html).not.toContain('name="file"')
})
