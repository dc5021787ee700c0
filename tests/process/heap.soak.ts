// @module-tag night
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'
import { pathOf, requestPayment, startShop } from '../support/shop-process.ts'

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

test('on a heap smaller than all requests together, large ones are answered in turn', async () => {
  const settings = { DATA_DIR: newFolder(), NODE_OPTIONS: '--max-old-space-size=100' }
  const { service, till } = await startShop(settings)
  onTestFinished(async () => {
    await service.stop()
    rmSync(settings.DATA_DIR, { recursive: true })
  })
  const price = { quantity: '1', item_cost: '1.00', total: '1.00', vat_rate: '25' }
  const metadata = range(100).map((n) => ({ key: `${n}`, value: 'x'.repeat(950) }))
  const item = { product_id: 'p', description: 'much to say', ...price, metadata }
  const large = { amount: '5.00', line_items: Array(5).fill(item) }
  const first = await requestPayment(till, large)
  for (let made = 1; made < 300; made++) await requestPayment(till, large)
  const { status, body } = await till('GET', pathOf(first))
  expect(status).toBe(200)
  expect(body.line_items).toHaveLength(5)
})
