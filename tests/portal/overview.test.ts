// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest'
import { makeVisitor } from '../people/visitor.ts'
import { shopOfAlice } from './shop-of-alice.ts'
import { pay } from './shop-month.ts'

const { service, alice } = await shopOfAlice()
const overview = '/portal/sandbox/'

const capture = (tid: string, amount: string) =>
  service.call('PUT', `/merchant/v1/payment_request/${tid}/`, {
    ...{ action: 'capture', currency: 'NOK', amount, capture_id: amount },
  })

/** The text of the page, without tags. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

const follows = (html: string): string => /data-follow="([^"]+)"/.exec(html)?.[1] ?? ''

describe('given a new shop, when its owner opens the overview,', () => {
  test('then it says that there are no payments yet', async () => {
    const { html } = await alice.visit(overview)
    expect(textOf(html)).toContain('New ones appear here automatically.')
  })
})

describe('given payments of today,', () => {
  let open: string
  beforeAll(async () => {
    await capture(await pay(service, 'till-1', '249.00'), '249.00')
    open = await pay(service, 'till-1', '1000.00')
    await capture(open, '400.00')
  })

  test('the figures, the chart and the table tell the same', async () => {
    const { html } = await alice.visit(overview)
    const text = textOf(html)
    expect(text).toMatch(/Turnover NOK 649\.00 Today: NOK 649\.00 /)
    expect(text).toContain('Payments paid 2 Today: 2 paid of 2 requested Fees NOK 3.60')
    expect(text).toMatch(/Till 1 2 649\.00 0\.00 3\.60/)
    expect(text).toContain('Of captures and refunds. All fees')
    expect(text).toContain('Fees for settlements and permissions come off the payouts.')
    expect(html).toMatch(
      /<a class="column" href="[^"]*" aria-label="[^"]*NOK\s649\.00[^"]*2 payments/,
    )
    expect(html.match(/class="up"/g)).toHaveLength(6)
  })

  test('unsettled amounts are shown, with the time of the next settlement', async () => {
    const text = textOf((await alice.visit(overview)).html)
    // 649.00 less two fees of 1.80.
    expect(text).toMatch(/In the till, not settled NOK 645\.40 So far\. Will be settled \w/)
  })

  test('an authorisation is listed the day before it ends, with what is left', async () => {
    expect(textOf((await alice.visit(overview)).html)).not.toContain('about to expire')
    await service.advance(2.5 * 86_400)
    await alice.signIn('alice')
    const { html } = await alice.visit(overview)
    expect(html).toContain(`href="/portal/sandbox/payments/${open}"`)
    expect(textOf(html)).toContain('NOK 600.00')
  })

  test('an open page is notified of changes of its merchant, and of no other', async () => {
    await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
    const path = follows((await alice.visit(overview)).html)
    const told = alice.visit(path)
    await capture(open, '100.00')
    expect((await told).html).toContain('event: changed')
    const after = textOf((await alice.visit(overview)).html)
    expect(after).toMatch(/Turnover NOK 749\.00 Today: NOK 100\.00 /)
  })
})

test('when an owner returns later, they see what others have done since', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  const { html } = await alice.visit(overview)
  expect(textOf(html)).toContain('Somebody joined the staff The operator')
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const text = textOf((await bob.visit(overview)).html)
  expect(text).not.toContain('Where is my money')
  expect(text).not.toContain('Fees')
  expect(text).not.toContain('callbacks')
})
