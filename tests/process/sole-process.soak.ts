// @module-tag night
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../../demo/receiver.ts'
import { untilLogged } from '../support/event-log.ts'
import { newFolder } from '../../harness/in-process.ts'
import { authorize, capture, startShop } from '../support/shop-process.ts'

const folderOfTest = (): string => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('of services on one log each message arrives once, though some were killed', async () => {
  const DATA_DIR = folderOfTest()
  const start = () => startShop({ DATA_DIR })
  const first = await start()
  const second = await start()
  const receiver = await startReceiver({ keys: second.keys })
  onTestFinished(() => void receiver.close())

  let told = 0
  /** Makes twenty payments with two messages each, and waits until all have arrived. */
  const takePayments = async (...shops: readonly (typeof first)[]): Promise<void> => {
    const payments = Array.from({ length: 20 }, async (_, n) => {
      const shop = shops[n % shops.length]!
      const tid = await authorize(shop, { callback_uri: receiver.url('/'), amount: '9.00' })
      expect((await capture(shop.till, tid, 'all', '9.00')).status).toBe(204)
    })
    await Promise.all(payments)
    told += 40
    await untilLogged(
      DATA_DIR,
      (log) => log.filter(({ type }) => type === 'CallbackAttempted').length >= told,
    )
  }

  await takePayments(first, second)
  await first.service.stop('SIGKILL')
  await takePayments(second)
  const third = await start()
  await second.service.stop()
  await takePayments(third)
  await third.service.stop()
  const ids = receiver.arrivals.map(({ meta }) => meta.id)
  expect(new Set(ids).size).toBe(120)
  expect(ids).toHaveLength(120)
})
