// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Shown } from '../people/visitor.ts'
import { confirmAt, startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const pageOf = (tid: string, more: string, visitor = desk.alice): Promise<Shown> =>
  visitor.visit(`/portal/sandbox/payments/${tid}${more}`)

const money = (text: string): string => `NOK\u00a0${text}`
const doneIn = (html: string) => /role="status"><span>([^<]*)</.exec(html)?.[1]
const typesOf = async (tid: string) => (await desk.happenedTo(tid)).map(([type]) => type)

describe('given an authorised payment,', () => {
  test('when a part is captured, it is shown first, and done once, by a person', async () => {
    const { accepted, alice, happenedTo, service } = desk
    const tid = await accepted({ amount: '249.00' })
    const page = await pageOf(tid, '/capture?amount=124,50')
    expect(page.html).toContain(`Capture ${money('124.50')}`)
    expect(page.html).toContain(`<b>${money('124.50')}</b>`)
    expect(await typesOf(tid)).toEqual(['PaymentRequested', 'PaymentAuthorized'])
    const [first, again] = await Promise.all([confirmAt(alice, page), confirmAt(alice, page)])
    expect(first.location).toMatch(`/portal/sandbox/payments/${tid}?done=capture&part=portal-`)
    expect(again.location).toBe(first.location)
    expect((await confirmAt(alice, page)).status).toBe(303)
    const [owner] = (await service.operator('staff', 'list', 'sandbox')) as unknown as readonly {
      readonly member: string
    }[]
    expect((await happenedTo(tid)).slice(2)).toEqual([
      ['PaymentCaptured', `staff:${owner?.member}`],
    ])
    const { html } = await alice.follow(first)
    expect(doneIn(html)).toBe(`${money('124.50')} captured. ${money('124.50')} is left to capture.`)
    expect(html).toContain('by Alice Andersen (staff)')
  })

  test('when two tabs act on different states, the second is refused as changed', async () => {
    const tid = await desk.accepted()
    const [one, other] = [
      await pageOf(tid, '/capture?amount=30'),
      await pageOf(tid, '/capture?amount=40'),
    ]
    expect((await confirmAt(desk.alice, one)).status).toBe(303)
    const second = await confirmAt(desk.alice, other)
    expect([second.status, second.html.includes('The payment has changed.')]).toEqual([409, true])
    expect(second.html).toContain(`Capture ${money('40.00')}`)
    expect((await confirmAt(desk.alice, second)).status).toBe(303)
    expect((await typesOf(tid)).slice(2)).toEqual(['PaymentCaptured', 'PaymentCaptured'])
  })

  test('when more than the rest is requested, the page says so', async () => {
    const tid = await desk.accepted()
    const { status, html } = await pageOf(tid, '/capture?amount=100.01')
    expect(status).toBe(400)
    expect(html).toContain('role="alert"')
    expect(html).not.toContain('name="mark"')
    expect((await pageOf(tid, '/capture?amount=x')).html).toContain('Write an amount such as')
  })

  test('when it is renewed and then released, each is done once', async () => {
    const { accepted, alice, service } = desk
    const tid = await accepted()
    await service.advance(60)
    const renewal = await pageOf(tid, '/renew')
    expect((await confirmAt(alice, renewal)).status).toBe(303)
    await service.advance(60)
    const renewed = await confirmAt(alice, renewal)
    expect(doneIn((await alice.follow(renewed)).html)).toBe(
      `Renewed: ${money('100.00')} stays reserved until `,
    )
    const release = await pageOf(tid, '/release')
    expect(release.html).toContain(`Release ${money('100.00')}`)
    for (let time = 0; time < 2; time += 1) {
      const { html } = await alice.follow(await confirmAt(alice, release))
      expect(doneIn(html)).toBe(
        `${money('100.00')} released to the payer. Nothing is left to capture.`,
      )
    }
    expect((await typesOf(tid)).slice(2)).toEqual(['PaymentRenewed', 'PaymentReleased'])
    expect((await pageOf(tid, '/capture')).status).toBe(409)
  })
})

describe('given a captured payment,', () => {
  test('when half is refunded with a reason, it is done once', async () => {
    const tid = await desk.captured()
    const page = await pageOf(tid, '/refund?amount=50')
    for (let time = 0; time < 2; time += 1)
      expect((await confirmAt(desk.alice, page, { reason: 'Cold soup' })).status).toBe(303)
    expect((await typesOf(tid)).filter((type) => type === 'PaymentRefunded')).toHaveLength(1)
    const { html } = await pageOf(tid, '')
    expect(html).toContain('<q>Cold soup</q>')
    expect(html).toContain('Partly refunded')
  })

  test('when a large amount is refunded, the second factor is required', async () => {
    const { captured, bob, alice, codeOf } = desk
    const tid = await captured({ amount: '900.00' })
    const page = await pageOf(tid, '/refund?amount=900')
    expect(page.html).toContain(`Refunds above ${money('500.00')} need a code`)
    // Alice's earlier refunds count for her.
    await desk.bobIs('owner')
    expect((await pageOf(tid, '/refund?amount=500', bob)).html).not.toContain('need a code')
    const without = await confirmAt(alice, page)
    expect([without.status, without.html.includes('code-problem')]).toEqual([400, true])
    expect((await confirmAt(alice, page, { code: '000000' })).status).toBe(400)
    expect(await typesOf(tid)).not.toContain('PaymentRefunded')
    const done = await confirmAt(alice, page, { code: codeOf('alice') })
    expect(done.location).toContain('?done=refund')
    expect(await typesOf(tid)).toContain('PaymentRefunded')
  })
})

describe('given other roles,', () => {
  const actions = ['capture', 'release', 'renew', 'refund'] as const
  /** Each person's response to the page of each action. */
  const answersTo = async (tid: string) => {
    const found: Record<string, number> = {}
    for (const action of actions) found[action] = (await pageOf(tid, `/${action}`, desk.bob)).status
    return found
  }

  test('a cashier has what is theirs, and no refund', async () => {
    const till3 = { id: 'till-3', name: 'Kiosk', type: 'store' }
    await desk.service.call('POST', '/merchant/v1/pos/', till3)
    const own = await desk.accepted({ pos_id: 'till-3', pos_tid: 'own' })
    const others = await desk.accepted({ pos_tid: 'not-own' })
    await desk.bobIs('cashier', '--pos', 'till-3')
    expect(await answersTo(own)).toEqual({ capture: 200, release: 200, renew: 403, refund: 403 })
    expect((await pageOf(own, '', desk.bob)).status).toBe(200)
    for (const more of ['', '/capture', '/release', '/events'])
      expect((await pageOf(others, more, desk.bob)).status).toBe(404)
    for (const search of ['', '?q=not-own', '?pos=till-1', `?q=${others}`])
      expect((await desk.listOf(search, desk.bob)).html).not.toContain('<span>not-own')
    expect((await desk.listOf('?q=own', desk.bob)).html).toContain('<span>own</span>')
    expect((await desk.listOf('.csv', desk.bob)).status).toBe(403)
    const captured = await confirmAt(desk.bob, await pageOf(own, '/capture?amount=100', desk.bob))
    expect(captured.status).toBe(303)
  })

  test('support refunds up to a limit of one payment in all', async () => {
    await desk.bobIs('support', '--refund-limit', '60')
    const tid = await desk.captured()
    const whole = await pageOf(tid, '/refund', desk.bob)
    expect(whole.status).toBe(403)
    expect(whole.html).toContain(`Your role can refund at most ${money('60.00')}`)
    const part = await pageOf(tid, '/refund?amount=40', desk.bob)
    expect((await confirmAt(desk.bob, part)).status).toBe(303)
    expect((await pageOf(tid, '/refund?amount=40', desk.bob)).status).toBe(403)
    // The amount typed into the form counts too.
    const rest = await pageOf(tid, '/refund?amount=20', desk.bob)
    expect((await confirmAt(desk.bob, rest, { amount: '40.00' })).status).toBe(403)
    expect((await typesOf(tid)).filter((type) => type === 'PaymentRefunded')).toHaveLength(1)
  })

  test.each(['accountant', 'developer'])('a %s sees, and does nothing', async (role) => {
    await desk.bobIs(role)
    const tid = await desk.accepted()
    expect((await pageOf(tid, '', desk.bob)).status).toBe(200)
    expect(await answersTo(tid)).toEqual({ capture: 403, release: 403, renew: 403, refund: 403 })
    const form = await pageOf(tid, '/capture?amount=100')
    const forged = await confirmAt(desk.bob, form)
    expect(forged.status).toBe(403)
    expect(await typesOf(tid)).not.toContain('PaymentCaptured')
  })
})

test('for a merchant that the operator has disabled, no money is moved', async () => {
  const { service, accepted, captured, alice } = desk
  const [open, paid] = [await accepted(), await captured()]
  const pages = [
    await pageOf(open, '/capture?amount=100'),
    await pageOf(open, '/release'),
    await pageOf(open, '/renew'),
    await pageOf(paid, '/refund?amount=100'),
  ]
  const account = await alice.visit('/portal/sandbox/money/account')
  const before = (await service.events()).length
  await service.operator('merchant', 'disable', 'sandbox')
  const told = async (shown: Promise<Shown>) => {
    const { status, html } = await shown
    return [status, html.includes('cannot take payments')]
  }
  for (const page of pages) expect(await told(confirmAt(alice, page))).toEqual([409, true])
  const wanted = { account: 'NO9386011117947', code: desk.codeOf('alice') }
  expect(await told(alice.submit(account, wanted))).toEqual([409, true])
  const types = (await service.events()).slice(before).map(({ type }) => type)
  expect(types.filter((type) => /^(Payment|AccountChange)/.test(type))).toEqual([])
  await service.operator('merchant', 'enable', 'sandbox')
  expect((await confirmAt(alice, pages[0]!)).status).toBe(303)
})
