// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizedPayment, paths, startService, type Service } from '../support/http-service.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

let place: Awaited<ReturnType<typeof startProtocolPlace>>
let service: Service

beforeAll(async () => {
  place = await startProtocolPlace()
  const PUBLIC_URL = 'https://pay.example'
  service = await startService({ EVENT_STORE: place.url, LOG_LEVEL: 'error', PUBLIC_URL })
})
afterAll(async () => {
  await service.stop()
  await place.remove()
})

test('over EventStoreDB, too, answers as of an earlier moment are those of then', async () => {
  const { pos1, core } = service
  const payment = await authorizedPayment(service)
  const asked = [payment, '/merchant/v1/ledger/default/report/1/', '/merchant/v1/callback/']
  const read = (query = '') =>
    Promise.all(asked.map(async (path) => (await pos1('GET', path + query)).text))
  const then = await read()
  const position = await core.store.head()
  const time = new Date(core.now()).toISOString()
  await service.call('POST', paths.clock, { body: { advance_seconds: 5 } })
  await pos1('PUT', payment, { action: 'capture' })

  expect(await read()).not.toEqual(then)
  for (const asOf of [position, time]) expect(await read(`?as_of=${asOf}`)).toEqual(then)
})
