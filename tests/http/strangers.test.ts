import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../../harness/http-service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => service.stop())

/** Asks from an address, and notes who was answered. */
const asking = () => {
  const answered: string[] = []
  const ask = async (who: string, path: string, remoteAddress: string): Promise<void> => {
    const incoming = { socket: { remoteAddress } }
    const response = await service.app.request(path, {}, { incoming })
    await response.arrayBuffer()
    answered.push(who)
  }
  return { ask, answered }
}

const open = [
  '/docs?q=payment',
  '/docs/signing?merchant=shop',
  '/openapi.json',
  '/transparency/checkpoint',
  '/.well-known/openid-configuration',
  '/payer/sign-in',
  '/no/such/page',
]

test.each(open)(
  'somebody with a /48 that floods %s does not keep out who asks from elsewhere',
  async (path) => {
    const { ask, answered } = asking()
    // What is made once is there.
    await ask('first', path, '192.0.2.1')
    const flood = Array.from({ length: 200 }, (_, n) =>
      ask('flood', path, `2001:db8:1:${n.toString(16)}::1`),
    )
    await Promise.all([...flood, ask('other', path, '2001:db8:2::1')])
    expect(answered.indexOf('other')).toBeLessThan(50)
  },
)

test('a merchant that sends large bodies does not keep out the bodies of another', async () => {
  const heavy = await service.addMerchant('heavy')
  const other = await service.addMerchant('other')
  const answered: string[] = []
  const line = { product_id: 'p', description: 'A thing', vat: '25.00', quantity: '1' }
  const body = (count: number) => ({
    ...{ pos_id: 'till', pos_tid: 'x', action: 'auth', currency: 'NOK', amount: '1.00' },
    line_items: Array.from({ length: count }, () => line),
  })
  const send = async (who: string, from: typeof heavy, count: number): Promise<void> => {
    const { status } = await from('POST', '/merchant/v1/payment_request/', body(count))
    expect(status).toBe(400)
    answered.push(who)
  }
  const flood = Array.from({ length: 40 }, () => send('heavy', heavy, 1_000))
  await Promise.race(flood)
  await send('other', other, 20)
  expect(answered.indexOf('other')).toBeLessThan(30)
  await Promise.all(flood)
})

test('known devices do not wait for the PINs of a stranger with a /48', async () => {
  const answered: string[] = []
  const signIn = async (who: string, from: string, fields: object): Promise<unknown> => {
    const response = await fetch(`${service.address}/payer/v1/session/`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json' },
      body: JSON.stringify({ pin: '1234', code: '000000', ...fields }),
    })
    const body: unknown = await response.json()
    answered.push(who)
    return body
  }
  const flood = Array.from({ length: 60 }, (_, n) =>
    signIn('flood', `2001:db8:1:${n.toString(16)}::1`, { phone: `+47400${10_000 + n}` }),
  )
  await Promise.race(flood)
  await signIn('other', '198.51.100.1', { phone: '+4799999901' })
  expect(answered.indexOf('other')).toBeLessThan(30)
  await Promise.all(flood)
})
