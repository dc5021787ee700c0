import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Shown, TestVisitor } from '../people/visitor.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const home = '/portal/sandbox/take'
const money = (text: string): string => `NOK\u00a0${text}`

type Typed = Readonly<Record<string, string>>

/** Fills in the form as it is now. */
const takeAs = async (visitor: TestVisitor, typed: Typed): Promise<Shown> =>
  visitor.submit(await visitor.visit(home), { amount: '125,50', ...typed })

const byPhone = { how: 'phone', phone: '99 99 99 02' }
const byCode = { how: 'code' }

const tidOf = ({ location }: Shown): string => location?.split('/').at(-1) ?? ''

/** Takes a payment as alice; answers its tid. */
const taken = async (typed: Typed): Promise<string> => tidOf(await takeAs(desk.alice, typed))

const standIn = ({ html }: Shown): string | undefined =>
  /<p class="stand \w+" role="status">([^<]*)</.exec(html)?.[1]

const pageOf = (tid: string, visitor = desk.alice) => visitor.visit(`${home}/${tid}`)

const accept = (tid: string, payer = 'bob') =>
  desk.service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, { payer })

/** Runs what is due, with no page open. */
const settle = () => desk.service.advance(0)

describe('given the phone number of a payer, as people write it at home,', () => {
  test('when the payer accepts, the service captures it, and the page says paid', async () => {
    const { alice, service, happenedTo } = desk
    const form = await alice.visit(home)
    const typed = { amount: '125,50', text: 'Flowers', ...byPhone }
    const [sent, again] = [await alice.submit(form, typed), await alice.submit(form, typed)]
    const tid = tidOf(sent)
    expect([sent.status, tid.length > 0, again.location]).toEqual([303, true, sent.location])
    const waiting = await alice.follow(sent)
    expect(standIn(waiting)).toBe('Waiting')
    expect(waiting.html).toContain(`<h1>${money('125.50')}</h1>`)
    expect(waiting.html).toContain('+4799999902')
    // Followed by scripts, and reloaded by browsers without.
    expect(waiting.html).toContain(`data-live="/portal/sandbox/payments/${tid}/events?at=`)
    expect(waiting.html).toContain('<noscript><meta http-equiv="refresh"')
    expect((await service.call('GET', '/merchant/v1/pos/portal/')).body.name).toBe('Portal')
    await accept(tid)
    await settle()
    const paid = await pageOf(tid)
    expect(standIn(paid)).toBe('Paid')
    expect(paid.html).toContain(`<title>Paid: ${money('125.50')}`)
    expect(paid.html).not.toContain('data-live')
    expect(await service.outcome(tid)).toMatchObject({ status: 'ok', amount: '125.50' })
    const events = await happenedTo(tid)
    expect(events.map(([type]) => type)).toEqual([
      'PaymentRequested',
      'PaymentAuthorized',
      'PaymentCaptured',
    ])
    expect(events[0]?.[1]).toMatch(/^staff:/)
    expect(events[2]?.[1]).toBe('daybook')
    const { html } = await alice.visit(`/portal/sandbox/payments/${tid}`)
    expect(html).toContain('by Alice Andersen (staff)')
    expect(html).toContain('Flowers')
  })

  test('when the form of an ended payment is sent again, no other payment is shown', async () => {
    const { alice } = desk
    const form = await alice.visit(home)
    const typed = { amount: '20', ...byPhone }
    const tid = tidOf(await alice.submit(form, typed))
    await accept(tid)
    await settle()
    const again = await alice.submit(form, typed)
    expect([again.status, again.html.includes('has already ended')]).toEqual([409, true])
    const other = await alice.submit(again, typed)
    expect(other.status).toBe(303)
    expect(tidOf(other)).not.toBe(tid)
  })

  test('when the payer declines, or nobody answers in time, the page says so', async () => {
    const [declined, expired] = [await taken(byPhone), await taken({ ...byPhone, valid: '900' })]
    const path = `/sandbox/v1/payment_request/${declined}/decline/`
    await desk.service.call('POST', path, { payer: 'bob' })
    expect(standIn(await pageOf(declined))).toBe('Declined')
    await desk.service.advance(600)
    expect(standIn(await pageOf(expired))).toBe('Waiting')
    await desk.service.advance(301)
    expect(standIn(await pageOf(expired))).toBe('Expired')
  })

  test('when nobody has the number, the page says so', async () => {
    const shown = await pageOf(await taken({ ...byPhone, phone: '+47 400 00 000' }))
    expect(standIn(shown)).toBe('Failed')
    expect(shown.html).toContain('there is no such customer')
  })

  test('when it is cancelled, nobody can pay it, and once paid nothing is cancelled', async () => {
    const { alice } = desk
    const [first, second] = [await taken(byPhone), await taken(byPhone)]
    const { html } = await pageOf(first)
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(html) ?? []
    const cancel = (tid: string) =>
      alice.visit(`${home}/${tid}`, { method: 'POST', body: new URLSearchParams({ csrf }) })
    expect((await cancel(first)).location).toBe(`${home}/${first}`)
    expect(standIn(await pageOf(first))).toBe('Cancelled')
    expect((await accept(first)).status).toBe(409)
    await accept(second)
    await cancel(second)
    await settle()
    expect(standIn(await pageOf(second))).toBe('Paid')
  })
})

describe('given a code on the screen and a link,', () => {
  test('when whoever opens the link pays, the page says paid', async () => {
    const { bob, service } = desk
    const tid = await taken({ ...byCode, valid: '604800' })
    const shown = await pageOf(tid)
    const link = /<code id="link">([^<]*)</.exec(shown.html)?.[1] ?? ''
    expect(link).toBe(`${service.address}/payer/checkout/${tid}`)
    expect(shown.html).toContain('alt="QR code for the payer"')
    await service.advance(86_400)
    await bob.signIn('bob')
    const checkout = await bob.visit(link)
    expect(checkout.html).toContain(money('125.50'))
    await bob.submit(await bob.visit(`/payer/payment/${tid}`), { decision: 'accept' })
    await settle()
    await desk.alice.signIn('alice')
    expect(standIn(await pageOf(tid))).toBe('Paid')
    // It is paid once.
    expect((await accept(tid, 'alice')).status).toBe(409)
  })

  test('when it is only reserved, it waits for a capture by hand', async () => {
    const tid = await taken({ ...byCode, reserve: 'yes' })
    await accept(tid)
    await settle()
    expect(standIn(await pageOf(tid))).toBe('Reserved')
    expect(await desk.service.outcome(tid)).toMatchObject({ status: 'auth' })
  })
})

test.each([
  [{ ...byCode, amount: '0' }, 'Type an amount above 0'],
  [{ ...byCode, amount: '12.345' }, 'Type an amount above 0'],
  [{ ...byPhone, phone: '+46 1' }, 'The phone number is not complete'],
])('given %o, the form says what is wrong and keeps what was typed', async (typed, says) => {
  const { status, html } = await takeAs(desk.alice, { text: 'Kept', ...typed })
  expect([status, html.includes(says)]).toEqual([400, true])
  expect(html).toContain('value="Kept"')
})

test('a cashier takes payments at their own points of sale', async () => {
  const { bob, service } = desk
  for (const id of ['till-8', 'till-9'])
    await service.call('POST', '/merchant/v1/pos/', { id, name: `Till ${id}`, type: 'store' })
  await desk.bobIs('cashier', '--pos', 'till-8', '--pos', 'till-9')
  const sentTo = async (pos: string) => {
    const tid = tidOf(await takeAs(bob, { ...byCode, pos }))
    expect(standIn(await pageOf(tid, bob))).toBe('Waiting')
    const { body } = await service.call('GET', `/merchant/v1/payment_request/${tid}/`)
    return body.pos_id
  }
  expect(await sentTo('till-9')).toBe('till-9')
  expect(await sentTo('till-1')).toBe('till-8')
  const portal = await taken(byCode)
  expect((await pageOf(portal, bob)).status).toBe(404)
})

test('of a merchant that is disabled nothing is taken', async () => {
  const form = await desk.alice.visit(home)
  await desk.service.operator('merchant', 'disable', 'sandbox')
  const { status } = await desk.alice.submit(form, { amount: '10', ...byCode })
  await desk.service.operator('merchant', 'enable', 'sandbox')
  expect(status).toBe(409)
})

test('every event of these payments is decided again, and explained by who took them', async () => {
  const { service, happenedTo } = desk
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
  const tid = await taken({ ...byCode, amount: '7' })
  const actor = String((await happenedTo(tid))[0]?.[1])
  const story = JSON.stringify(await service.operator('audit', 'explain', tid))
  expect(story).toContain(`member ${actor.slice('staff:'.length)} of the staff`)
})
