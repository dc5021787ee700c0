// @module-tag long
import { afterAll, expect, test } from 'vitest'
import { secretHeaders } from '../../harness/signing.ts'
import { pathOf, startAuditedService } from './audited-service.ts'

const service = await startAuditedService()
afterAll(() => service.remove())

test('given a flood of claims to be of a merchant, its own refusals are kept', async () => {
  const claim = secretHeaders('sandbox', 'nobody', 'no such secret')
  const ask = () => fetch(`${service.address}/merchant/v1/pos/till-1/`, { headers: claim })
  for (let tries = 0; tries < 12; tries += 1) await ask()
  const flood = Promise.all(Array.from({ length: 300 }, async () => (await ask()).status))
  const own = await Promise.all(
    Array.from({ length: 20 }, (_, at) => service.till('GET', pathOf(`nothing-${at}`))),
  )
  // On a busy machine the wait of the guessed name may already be over.
  const statuses = await flood
  expect(statuses.filter((status) => status !== 429).length).toBeLessThan(10)
  service.core.refusals.flush()
  const { output } = await service.run('audit', 'refusals', '--merchant', 'sandbox')
  expect(own.map(({ status }) => status)).toEqual(Array(20).fill(404))
  expect(output.match(/nothing-\d+/g)?.length).toBeGreaterThanOrEqual(20)
})
