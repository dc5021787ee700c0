// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Shown } from '../people/visitor.ts'
import { formIn } from '../people/visitor.ts'
import { confirmAt, startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const pageOf = (tid: string, more: string, visitor = desk.alice): Promise<Shown> =>
  visitor.visit(`/portal/sandbox/payments/${tid}${more}`)

const money = (text: string): string => `NOK\u00a0${text}`

const choicesIn = ({ html }: Shown) =>
  [...html.matchAll(/href="([^"]*\?amount=[^"]*)"\s*>([^<]*)</g)].map(([, href = '', name]) => ({
    name,
    href: href.replaceAll('&amp;', '&'),
  }))

test('all that is left and half of it are a click away, as far as the role may', async () => {
  const tid = await desk.accepted({ amount: '100.01', additional_amount: '10.00' })
  const [all, half] = choicesIn(await pageOf(tid, '/capture'))
  expect([all?.name, half?.name]).toEqual([
    `All that is left: ${money('110.01')}`,
    `Half: ${money('55.00')}`,
  ])
  const page = await desk.alice.visit(half?.href ?? '')
  expect(page.html).toContain(`Capture ${money('55.00')}`)
  await confirmAt(desk.alice, page)
  const [left] = choicesIn(await pageOf(tid, '/capture'))
  expect(left?.name).toBe(`All that is left: ${money('55.01')}`)
  await desk.bobIs('support', '--refund-limit', '30')
  const ofSupport = choicesIn(await pageOf(tid, '/refund', desk.bob))
  expect(ofSupport.map(({ name }) => name)).toEqual([`Half: ${money('27.50')}`])
})

test('the result is shown with its amount and the rest, and nothing else', async () => {
  const toldIn = (html: string) => /role="status"><span>([^<]*)</.exec(html)?.[1]
  const tid = await desk.accepted({ amount: '100.00', additional_amount: '10.00' })
  const did = async (more: string) =>
    toldIn((await desk.alice.follow(await confirmAt(desk.alice, await pageOf(tid, more)))).html)
  expect(await did('/capture?amount=60&additional=10')).toBe(
    `${money('70.00')} captured. ${money('40.00')} is left to capture.`,
  )
  expect(await did('/capture?amount=40')).toBe(
    `${money('40.00')} captured. Nothing is left to capture.`,
  )
  expect(await did('/refund?amount=50')).toBe(
    `${money('50.00')} refunded. ${money('60.00')} more can be refunded.`,
  )
  expect(await did('/refund?amount=50&additional=10')).toBe(
    `${money('60.00')} refunded. Nothing more can be refunded.`,
  )
  for (const more of ['?done=refund', '?done=refund&part=portal-x', '?done=release', '?done=renew'])
    expect(toldIn((await pageOf(tid, more)).html)).toBe(undefined)
  const asked = await desk.request({ amount: '25.00' })
  const withdrawn = await confirmAt(desk.alice, await pageOf(asked, '/release'))
  expect(toldIn((await desk.alice.follow(withdrawn)).html)).toBe(
    `The request of ${money('25.00')} was cancelled.`,
  )
})

describe.each(['capture', 'refund'] as const)('a form for a %s has one total', (action) => {
  const reviewed = async (typed: Readonly<Record<string, string>>) => {
    const fields = { amount: '50.00', additional_amount: '16.00' }
    const tid = await (action === 'capture' ? desk.accepted(fields) : desk.captured(fields))
    const page = await pageOf(tid, `/${action}`)
    const form = formIn(page.html, 'amount')
    const search = new URLSearchParams({ ...Object.fromEntries(form.fields), ...typed })
    const review = await pageOf(tid, `/${action}?${search}`)
    const type = action === 'capture' ? 'PaymentCaptured' : 'PaymentRefunded'
    const done = async () => {
      await confirmAt(desk.alice, review)
      const found = (await desk.service.events()).filter(
        (event) => event.stream === `payment-${tid}` && event.type === type,
      )
      return found.map(({ data }) => data)
    }
    return { page, review, done }
  }

  const rowsIn = (html: string): readonly string[] =>
    [...html.matchAll(/<tr><th scope="row">(Goods|Tip|Total)<\/th>(.*?)<\/tr>/g)].map(
      ([, name, cell = '']) => `${name} ${cell.replaceAll(/<[^>]*>/g, '')}`,
    )

  test.each([
    ['with its tip as it is', {}, 5_000, 1_600],
    ['without the tip once it is edited', { amount: '32.50' }, 3_250, 0],
    ['with what the goods do not come to', { amount: '55' }, 5_000, 500],
    ['with the tip that is typed', { amount: '32,50', additional: '10' }, 2_250, 1_000],
  ])('%s', async (_, typed, goods, tip) => {
    const { page, review, done } = await reviewed(typed)
    expect(formIn(page.html, 'amount').fields).toContainEqual(['amount', '66.00'])
    const shown = (minor: number) => money((minor / 100).toFixed(2))
    expect(rowsIn(review.html)).toEqual([
      `Goods ${shown(goods)}`,
      `Tip ${shown(tip)}`,
      `Total ${shown(goods + tip)}`,
    ])
    expect(await done()).toMatchObject([{ amount: goods, additionalAmount: tip }])
  })

  test('and more than all that is left is too much of the amount', async () => {
    const { review } = await reviewed({ amount: '66.01' })
    expect(review.html).toMatch(/More than what is (?:left|captured) of the amount /)
  })

  test('and more tip than it is no amount', async () => {
    const { review } = await reviewed({ amount: '20', additional: '30' })
    expect([review.status, review.html.includes('Write an amount')]).toEqual([400, true])
  })
})

test('fees that come back with a refund are told as returned', async () => {
  await desk.service.operator(
    'fees',
    'set',
    'sandbox',
    '--from',
    '2026-01-01',
    '--refunds-return-fees',
  )
  const tid = await desk.captured({ amount: '40.00' })
  const page = await pageOf(tid, '/refund?amount=40')
  expect(page.html).toContain(`Fees returned ${money('1.80')}`)
  expect(page.html).not.toContain('This costs')
  await confirmAt(desk.alice, page)
  expect((await pageOf(tid, '')).html).toMatch(/>−1\.80 <small class="quiet">returned</)
})

test('a shop’s current debt is shown alike on the overview and under Money', async () => {
  const tid = await desk.captured()
  await desk.service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await confirmAt(desk.alice, await pageOf(tid, '/refund?amount=100'))
  const cards: (string | undefined)[] = []
  for (const path of ['', 'money']) {
    const { html } = await desk.alice.visit(`/portal/sandbox/${path}`)
    const [, card] = /<dl class="money-facts places">([^]*?)<\/dl>/.exec(html) ?? []
    cards.push(card?.replaceAll(/\s+/g, ' '))
  }
  expect(cards[0]).toContain('This is owed so far. It is deducted from later captures.')
  expect(cards[1]).toBe(cards[0])
})

test.each([
  ['of=110.00&amount=x', 'amount'],
  ['of=110.00&amount=50&additional=60', 'additional'],
  ['of=110.00&amount=999', 'amount'],
  ['of=110.00&amount=0', 'amount'],
])('what is wrong with %s is told at the field %s', async (search, name) => {
  const tid = await desk.accepted({ amount: '100.00', additional_amount: '10.00' })
  const { html, status } = await pageOf(tid, `/capture?${search}`)
  expect(status).toBe(400)
  const invalid = [...html.matchAll(/<input id="(\w+)"[^>]*aria-invalid="true"[^>]*>/g)]
  expect(invalid.map(([, id]) => id)).toEqual([name])
  expect(invalid[0]?.[0]).toContain(`aria-describedby="${name}-problem ${name}-hint"`)
  expect(html).toMatch(new RegExp(`<p id="${name}-problem"[^>]*role="alert">[^<]+<`))
  expect(html.match(/role="alert"/g)).toHaveLength(1)
})

test('each thing that was bought can be refunded with a click, without the tip', async () => {
  const item = (product_id: string, total: string, description?: string) => ({
    ...{ product_id, quantity: '1', item_cost: total, total, ...(description && { description }) },
  })
  const line_items = [item('1', '189.00', 'Soup'), item('2', '139.00'), item('3', '-28.00', 'Off')]
  const tid = await desk.accepted({ amount: '300.00', additional_amount: '38.00', line_items })
  expect(choicesIn(await pageOf(tid, '/capture'))).toHaveLength(2)
  await confirmAt(desk.alice, await pageOf(tid, '/capture?amount=300&additional=38'))
  const choices = choicesIn(await pageOf(tid, '/refund'))
  expect(choices.map(({ name }) => name)).toEqual([
    ...[`All that is left: ${money('338.00')}`, `Half: ${money('169.00')}`],
    ...[`Soup: ${money('189.00')}`, `2: ${money('139.00')}`],
  ])
  const { html } = await desk.alice.visit(choices[2]?.href ?? '')
  expect(html).toContain(`Refund ${money('189.00')}`)
  expect(html).toMatch(/Goods<.*?189\.00.*?Tip<.*?>NOK\u00a00\.00</s)
})
