import { afterAll, beforeAll, expect, test } from 'vitest'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'
import type { TestVisitor } from '../people/visitor.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

/** A payment of the second shop. */
const soldByOther = async (amount: string, isCaptured: boolean) => {
  const { service } = desk
  const headers = secretHeaders('other', 'pos1', 'a long secret')
  const input = paymentInput({ amount })
  const asked = await service.call('POST', '/merchant/v1/payment_request/', input, headers)
  const { id } = asked.body
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  const path = `/merchant/v1/payment_request/${id}/`
  if (isCaptured) await service.call('PUT', path, { action: 'capture' }, headers)
}

beforeAll(async () => {
  desk = await startPaymentDesk()
  const { service, alice, bob } = desk
  const goTo = async (day: string) => {
    await service.call('POST', '/sandbox/v1/clock/', { now: `${day} 12:00:00` })
    await alice.signIn('alice')
    await bob.signIn('bob')
  }
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  await service.operator('user', 'add', 'other', 'pos1', '--secret', 'a long secret')
  const headers = secretHeaders('other', 'pos1', 'a long secret')
  const till = { id: 'till-1', name: 'Till', type: 'store' }
  await service.call('POST', '/merchant/v1/pos/', till, headers)
  await service.call('POST', '/merchant/v1/pos/', { ...till, id: 'till-2' })
  // A Sunday, and the Tuesday and Wednesday after it.
  await goTo('2030-06-02')
  await desk.captured({ amount: '1000.00' })
  await goTo('2030-06-04')
  await desk.captured({ amount: '300.00' })
  await desk.captured({ amount: '20.00', currency: 'EUR' })
  await soldByOther('40.00', true)
  await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await goTo('2030-06-05')
  await desk.captured({ amount: '50.00', pos_id: 'till-1' })
  await desk.accepted({ amount: '7.00' })
  await soldByOther('100.00', false)
})
afterAll(() => desk.service.stop())

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '').trim()

/** The rows of a currency by shop: the turnover of today and of the week, and where money is. */
const rowsOf = async (visitor: TestVisitor, currency: string) => {
  const { html } = await visitor.visit('/portal/')
  const [, table = ''] =
    new RegExp(`<h2>All your shops, ${currency}</h2>([^]*?)</table>`).exec(html) ?? []
  const rows = [...table.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g)].slice(1).map(([, row = '']) => {
    const [name = '', ...cells] = [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)]
    return [textOf(name[1] ?? ''), cells.map(([, cell = '']) => textOf(cell))] as const
  })
  return { rows: Object.fromEntries(rows), names: rows.map(([name]) => name), html, table }
}

/** What the overview of one shop says of where its money is, in a currency. */
const placesIn = async (merchant: string, unit: string): Promise<string[]> => {
  const { html } = await desk.alice.visit(`/portal/${merchant}/`)
  const [, card = ''] = /<dl class="money-facts places">([^]*?)<\/dl>/.exec(html) ?? []
  return card
    .split(/<div[^>]*>/)
    .slice(1)
    .map((place) => {
      const sums = [...place.matchAll(/<b>([^<]*)<\/b>/g)].map(([, sum = '']) => sum)
      return (
        sums
          .find((sum) => sum.startsWith(unit))
          ?.slice(unit.length)
          .trim() ?? '0.00'
      )
    })
}

test('given two shops, then they are added up by currency, and lead to each', async () => {
  const { alice, service } = desk
  expect((await rowsOf(alice, 'NOK')).names).toEqual([])
  await service.operator('staff', 'add', 'other', '+4799999901', '--role', 'owner')
  const { rows, names, table } = await rowsOf(alice, 'NOK')
  expect(names.toSorted()).toEqual(['All together', 'Other', 'Sandbox Shop'])
  expect(table).toContain('href="/portal/other/"')
  expect(table).toContain('href="/portal/sandbox/"')
  expect(rows['Sandbox Shop']?.slice(0, 3)).toEqual(['50.00', '350.00', '7.00'])
  expect(rows['Other']?.slice(0, 3)).toEqual(['0.00', '40.00', '100.00'])
  expect(rows['All together']?.slice(0, 3)).toEqual(['50.00', '390.00', '107.00'])
  expect(rows['Sandbox Shop']?.slice(2)).toEqual(await placesIn('sandbox', 'NOK'))
  expect(rows['Other']?.slice(2)).toEqual(await placesIn('other', 'NOK'))
  const added = rows['Other']?.map((_, column) =>
    ['Other', 'Sandbox Shop'].reduce((all, shop) => {
      const digits = rows[shop]?.[column]?.replaceAll(/[^\d−-]/g, '').replace('−', '-')
      return all + Number(digits)
    }, 0),
  )
  const shown = rows['All together']?.map((sum) =>
    Number(sum.replaceAll(/[^\d−-]/g, '').replace('−', '-')),
  )
  expect(shown).toEqual(added)
  const euros = await rowsOf(alice, 'EUR')
  expect(euros.names).toEqual(['Sandbox Shop'])
  expect(euros.rows['Sandbox Shop']?.slice(2)).toEqual(await placesIn('sandbox', '€'))
})

test('given a cashier, then only the turnover of their points of sale is added up', async () => {
  const { bob, bobIs, service } = desk
  await bobIs('cashier', '--pos', 'till-2')
  await service.operator('staff', 'add', 'other', '+4799999902', '--role', 'accountant')
  const { rows, html } = await rowsOf(bob, 'NOK')
  expect(rows['Sandbox Shop']).toEqual(['0.00', '0.00', '–', '–', '–', '–'])
  expect(rows['All together']).toEqual(rows['Other'])
  expect(html).toContain('The sums leave out what your role in a shop may not see.')
  const alices = (await desk.alice.visit('/portal/')).html
  expect(alices).not.toContain('The sums leave out')
})
