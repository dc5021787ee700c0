// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secretHeaders } from '../../harness/signing.ts'
import { startService, type Service } from '../support/http-service.ts'

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
  const answered: string[] = []
  const item = { product_id: 'p', quantity: '1', item_cost: '1', total: '1' }
  // Something is missing, so nothing is kept.
  const body = JSON.stringify({ line_items: Array.from({ length: 900 }, () => item) })
  const send = async (merchant: string): Promise<void> => {
    const headers = {
      ...secretHeaders(merchant, 'till', 'open sesame'),
      'Content-Type': 'application/json',
    }
    const path = '/merchant/v1/payment_request/'
    const { status } = await service.app.request(path, { method: 'POST', headers, body })
    expect(status).toBe(400)
    answered.push(merchant)
  }
  for (const merchant of ['heavy', 'other']) {
    await service.addMerchant(merchant)
    await send(merchant)
  }
  await Promise.all([...Array.from({ length: 40 }, () => send('heavy')), send('other')])
  expect(answered.indexOf('other', 2)).toBeLessThan(20)
})

/** Lists and what is not there. */
const reads = [
  '/merchant/v1/callback/feed/',
  '/merchant/v1/ledger/',
  '/merchant/v1/settlement/',
  '/merchant/v1/pos/',
  '/merchant/v1/ledger/none/report/',
  '/merchant/v1/payment_request/none/attachment/',
]

test.each(reads)(
  'a merchant that floods %s does not keep out the reads of another',
  async (path) => {
    const answered: string[] = []
    const read = async (merchant: string, at = path): Promise<void> => {
      const headers = secretHeaders(merchant, 'till', 'open sesame')
      const response = await service.app.request(at, { headers })
      await response.arrayBuffer()
      answered.push(merchant)
    }
    for (const merchant of ['reader', 'rarely']) {
      if (path === reads[0]) await service.addMerchant(merchant)
      // A poll takes no turn.
      await read(merchant, '/merchant/v1/payment_request/none/outcome/')
    }
    const flood = Array.from({ length: 200 }, () => read('reader'))
    await Promise.race(flood)
    await read('rarely')
    expect(answered.lastIndexOf('rarely')).toBeLessThan(50)
    await Promise.all(flood)
  },
)

test(
  'PINs of a stranger with a /48 do not keep waiting who signs in from elsewhere',
  { tags: 'long' },
  async () => {
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
  },
)
