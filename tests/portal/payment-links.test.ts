// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVisitor, wayOnIn, type Shown, type TestVisitor } from '../people/visitor.ts'
import { confirmAt, startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const home = '/portal/sandbox/links'
const money = (text: string): string => `NOK\u00a0${text}`
const day = 86_400

type Typed = Readonly<Record<string, string>>

const idIn = ({ location }: Shown): string => /links\/(\w+)\?done/.exec(location ?? '')?.[1] ?? ''

/** Makes a link as alice; answers its id. */
const made = async (typed: Typed = {}, visitor = desk.alice): Promise<string> => {
  const about = { amount: '250', text: 'Course in bread', ...typed }
  return idIn(await visitor.submit(await visitor.visit('/portal/sandbox/new-link'), about))
}

/** What somebody sees who opens the link. */
const open = async (id: string, visitor: TestVisitor = desk.bob): Promise<Shown> =>
  visitor.follow(await visitor.visit(`/s/${id}/`))

/** Goes on from there: to the payment, or to why there is none. */
const go = async (page: Shown, visitor: TestVisitor = desk.bob): Promise<Shown> =>
  visitor.submit(page, {
    text: decodeURIComponent(new URL(page.url).searchParams.get('text') ?? ''),
  })

const tidOf = ({ location }: Shown): string =>
  /^\/payer\/payment\/(\w+)$/.exec(location ?? '')?.[1] ?? ''

const taken = async (id: string, visitor?: TestVisitor): Promise<string> =>
  tidOf(await go(await open(id, visitor), visitor))

const answer = async (tid: string, decision: 'accept' | 'decline', visitor = desk.bob) =>
  visitor.submit(await visitor.visit(`/payer/payment/${tid}`), { decision })

/** Runs what is due. */
const settle = () => desk.service.advance(0)

/** The values of a row of the list. */
const rowOf = async (text: string, visitor = desk.alice): Promise<readonly string[]> => {
  const { html } = await visitor.visit(home)
  const [, row = ''] = new RegExp(`>${text}</a></th>([\\s\\S]*?)</tr>`).exec(html) ?? []
  return [...row.matchAll(/<td[^>]*>([^<]*)</g)].map(([, value = '']) => value)
}

describe('given a link that somebody of the staff has made,', () => {
  test('when its form is sent twice, it is one, with an address and a code', async () => {
    const { alice, service } = desk
    const form = await alice.visit('/portal/sandbox/new-link')
    const typed = { amount: '1250', text: 'Bread & butter', stock: '3' }
    const [first, again] = [await alice.submit(form, typed), await alice.submit(form, typed)]
    expect([first.status, again.location]).toEqual([303, first.location])
    const { html } = await alice.follow(first)
    const id = idIn(first)
    expect(html).toContain(`<code id="link">${service.address}/s/${id}/</code>`)
    expect(html).toContain('alt="QR code for the payer"')
    const png = await alice.visit(`/shortlink/v1/qr_image/${id}/`, { headers: { Accept: '*/*' } })
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
    const json = { headers: { Accept: 'application/json' } }
    expect(JSON.parse((await alice.visit(`/s/${id}/`, json)).html)).toMatchObject({ id })
    expect(await rowOf('Bread &amp; butter')).toEqual([money('1,250.00'), '0', '3', 'Open'])
    expect((await service.call('GET', '/merchant/v1/shortlink/')).body.uris).toEqual([])
  })

  test('when somebody opens it signed out, they see it first, and go on signed in', async () => {
    const stranger = makeVisitor(desk.service)
    const id = await made({ text: 'Bread course' })
    const page = await open(id, stranger)
    expect([page.status, page.location]).toEqual([200, null])
    for (const text of ['Bread course', money('250.00'), 'You sign in with your phone number.'])
      expect(page.html).toContain(text)
    const signIn = await stranger.visit(wayOnIn(page))
    const again = await stranger.follow(await stranger.signInAt(signIn, 'bob'))
    const asked = await stranger.follow(await go(again, stranger))
    expect(asked.html).toContain('Bread course')
    // The portal is the shop's.
    expect(asked.html).not.toContain('Portal')
  })

  test('when a payer opens it, they see it and get a payment of their own', async () => {
    const { bob, alice, service, happenedTo } = desk
    const id = await made({ text: 'Soup' })
    const page = await open(id)
    expect(page.status).toBe(200)
    for (const text of ['Soup', money('250.00'), 'you are asked for this payment'])
      expect(page.html).toContain(text)
    // Nothing is made by looking.
    expect(await rowOf('Soup')).toContain('∞')
    expect((await alice.visit(`/portal/sandbox/payments?q=shortlink_id:${id}`)).html).not.toContain(
      'Soup</',
    )
    const [tid, same] = [tidOf(await go(page)), tidOf(await go(page))]
    expect([tid.length > 0, same]).toEqual([true, tid])
    expect(await taken(id)).toBe(tid)
    await answer(tid, 'accept')
    await settle()
    expect(await service.outcome(tid)).toMatchObject({ status: 'ok', amount: '250.00' })
    const { body } = await service.call('GET', `/merchant/v1/payment_request/${tid}/`)
    expect(body).toMatchObject({ pos_id: 'portal', customer: `shortlink_id:${id}`, text: 'Soup' })
    const events = await happenedTo(tid)
    expect(events.map(([type]) => type)).toEqual([
      'PaymentRequested',
      'PaymentAuthorized',
      'PaymentCaptured',
    ])
    expect(events[0]?.[1]).toMatch(/^payer:/)
    expect(await rowOf('Soup')).toEqual([money('250.00'), '1', '∞', 'Open'])
    const list = await alice.visit(`/portal/sandbox/payments?q=shortlink_id:${id}`)
    expect(list.html).toContain(`payments/${tid}`)
    expect(list.html).toMatch(/class="whom"[^>]*>Soup</)
    // Who pays once more gets another payment.
    const second = await taken(id)
    expect([second.length > 0, second === tid]).toEqual([true, false])
    expect((await bob.visit('/payer/')).html).toContain(second)
  })

  test('when another payer has the address of a payment, they see nothing of it', async () => {
    const tid = await taken(await made())
    expect((await desk.alice.visit(`/payer/payment/${tid}`)).status).toBe(404)
    expect((await desk.alice.visit(`/payer/checkout/${tid}`)).status).toBe(404)
  })

  test.each([
    [{ amount: '0' }, 'Type an amount above 0'],
    [{ text: ' ' }, 'Write what is sold'],
    [{ until: '2020-01-01' }, 'Choose today or a later day'],
    [{ until: 'soon' }, 'Choose today or a later day'],
    [{ stock: '0' }, 'Type a whole number of at least 1'],
    [{ stock: '1.5' }, 'Type a whole number of at least 1'],
  ])('when %o is typed, the form says what is wrong', async (typed, says) => {
    const { alice } = desk
    const form = await alice.visit('/portal/sandbox/new-link')
    const { status, html } = await alice.submit(form, { amount: '10', text: 'Kept', ...typed })
    expect([status, html.includes(says)]).toEqual([400, true])
  })
})

describe('given a link with one left,', () => {
  test('when two open it at the same time, one gets it and the other reads why not', async () => {
    const { alice, bob } = desk
    const id = await made({ text: 'Last one', stock: '1' })
    const pages = [await open(id, alice), await open(id, bob)] as const
    const [a, b] = await Promise.all([go(pages[0], alice), go(pages[1], bob)])
    expect([a.status, b.status].toSorted()).toEqual([303, 409])
    const [winner, loser, won] = a.status === 303 ? [alice, bob, a] : [bob, alice, b]
    const lost = a.status === 303 ? b : a
    expect(lost.html).toContain('Sold out: others have taken the last ones')
    const seen = await open(id, loser)
    expect([seen.status, seen.html.includes('Sold out')]).toEqual([409, true])
    expect(await rowOf('Last one')).toEqual([...[money('250.00'), '1', '0', 'Sold out']])
    // Who has it still finds the way back to it, and gives it back by declining.
    expect((await open(id, winner)).status).toBe(200)
    await answer(tidOf(won), 'decline', winner)
    await settle()
    const tid = await taken(id, loser)
    expect(tid).not.toBe('')
    await answer(tid, 'accept', loser)
    await settle()
    expect((await open(id, winner)).status).toBe(409)
    // What is refunded does not come back by itself; more stock does.
    const refund = `/portal/sandbox/payments/${tid}/refund?amount=250&of=250.00`
    expect((await confirmAt(alice, await alice.visit(refund))).status).toBe(303)
    await settle()
    expect((await open(id, winner)).status).toBe(409)
    const page = await alice.visit(`${home}/${id}`)
    expect(page.html).toContain('Refunded')
    const changed = await alice.submit(page, { stock: '2', change: 'stock' })
    expect((await alice.follow(changed)).html).toContain('The link is changed.')
    expect((await open(id, winner)).status).toBe(200)
    const wrong = await alice.submit(page, { stock: 'many', change: 'stock' })
    expect([wrong.status, wrong.html.includes('value="many"')]).toEqual([400, true])
  })

  test('when nobody answers, or the shop cancels, it can be taken again', async () => {
    const { alice, bob, service } = desk
    const id = await made({ stock: '1' })
    const first = await taken(id, bob)
    await service.advance(600)
    expect((await open(id, alice)).status).toBe(409)
    await service.advance(301)
    await settle()
    const second = await taken(id, alice)
    expect([second.length > 0, second === first]).toEqual([true, false])
    const cancelled = { action: 'abort' }
    await service.call('PUT', `/merchant/v1/payment_request/${second}/`, cancelled)
    await settle()
    expect((await open(id, bob)).status).toBe(200)
  })
})

describe('given a link that has an end,', () => {
  test('when its last day is over, it says so, and nothing is made', async () => {
    const { service, bob, alice } = desk
    const today = new Date((await service.events()).at(-1)?.metadata['at'] as number)
    const id = await made({ text: 'Today', until: today.toISOString().slice(0, 10) })
    const page = await open(id)
    expect(page.status).toBe(200)
    await service.advance(2 * day)
    await bob.signIn('bob')
    const { status, html } = await open(id)
    expect([status, html.includes('This payment link has ended')]).toEqual([410, true])
    await alice.signIn('alice')
    expect(await rowOf('Today')).toEqual([money('250.00'), '0', '∞', 'Ended'])
  })

  test('when somebody ends it early, a request that waits can still be paid', async () => {
    const { alice, service } = desk
    const id = await made()
    const tid = await taken(id)
    const page = await alice.visit(`${home}/${id}`)
    const end = formOf(page, 'end')
    for (const { status } of [await end(), await end()]) expect(status).toBe(303)
    await answer(tid, 'accept')
    await settle()
    expect(await service.outcome(tid)).toMatchObject({ status: 'ok' })
    expect((await open(id)).status).toBe(410)
    expect((await alice.visit(`${home}/${id}`)).html).not.toContain('End the link')
  })

  /** Sends the form of a page that has this change. */
  const formOf = ({ html, url }: Shown, change: string) => {
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(html) ?? []
    const body = new URLSearchParams({ csrf, change })
    return () => desk.alice.visit(new URL(url).pathname, { method: 'POST', body })
  }

  test('when the shop is disabled, it says so, and no link is made', async () => {
    const { alice, service } = desk
    const [id, form] = [await made(), await alice.visit('/portal/sandbox/new-link')]
    const page = await open(id)
    await service.operator('merchant', 'disable', 'sandbox')
    const answers = [await open(id), await go(page)]
    const refused = await alice.submit(form, { amount: '10', text: 'No' })
    await service.operator('merchant', 'enable', 'sandbox')
    expect([...answers, refused].map(({ status }) => status)).toEqual([409, 409, 409])
  })
})

test('a cashier makes and sees links of their own points of sale, an accountant none', async () => {
  const { bob, alice, service } = desk
  await service.call('POST', '/merchant/v1/pos/', { id: 'till-8', name: 'Till', type: 'store' })
  const other = await made({ text: 'Of the portal' })
  await desk.bobIs('cashier', '--pos', 'till-8')
  const own = await made({ text: 'Of the till' }, bob)
  const { html } = await bob.visit(home)
  expect([html.includes('Of the till'), html.includes('Of the portal')]).toEqual([true, false])
  expect((await bob.visit(`${home}/${other}`)).status).toBe(404)
  const tid = await taken(own, alice)
  const { body } = await service.call('GET', `/merchant/v1/payment_request/${tid}/`)
  expect(body.pos_id).toBe('till-8')
  // Without its point of sale nothing is sold.
  const till = '/portal/sandbox/points-of-sale/pos/till-8?remove'
  await alice.submit(await alice.visit(till), { do: 'remove' })
  expect((await open(own, bob)).status).toBe(410)
  await desk.bobIs('accountant')
  expect((await bob.visit(home)).status).toBe(403)
  expect((await bob.visit(`${home}/unknown`)).status).toBe(403)
  expect((await alice.visit(`${home}/unknown`)).status).toBe(404)
})

test('every event of these links is decided again, and told in plain words', async () => {
  const { service } = desk
  await settle()
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
  const id = await made({ text: 'Told', stock: '2' })
  const tid = await taken(id)
  await answer(tid, 'decline')
  await settle()
  const story = JSON.stringify(await service.operator('audit', 'explain', `offer-${id}`))
  for (const says of [
    'payment link for 250.00 NOK at portal is made: “Told”, for at most 2',
    `takes one, and is asked for payment ${tid}`,
    `payment ${tid} ended with nothing captured: its place is free again`,
  ])
    expect(story).toContain(says)
})
