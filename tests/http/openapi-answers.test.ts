// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  isAuditors,
  isPeoples,
  isOperators,
  isPortal,
  makeAnswerCheck,
  openApiDocument,
  operationsOf,
  type OpenApiDocument,
} from './openapi-document.ts'
import { walkCallbackSide } from './openapi-callback-side.ts'
import { walkMerchantSide } from './openapi-merchant-side.ts'
import {
  authorizedPayment,
  paths,
  requestPayment,
  startService,
  type Service,
  type Answer,
} from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

let service: Service

let document: OpenApiDocument

beforeAll(async () => {
  service = await startService({ SECURITY_CONTACT: 'https://pay.example/report' })
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
})

afterAll(() => service.stop())

/** Covered by other tests. */
const isElsewhere = (name: string): boolean =>
  [isPeoples, isAuditors, isPortal, isOperators].some((is) => is(name))

/** Can be read without any preparation. */
const isPlain = (path: string): boolean =>
  path === '/sandbox/v1/message/' || (!path.includes('/v1/') && !isElsewhere(`GET ${path}`))

describe('every answer is as documented:', () => {
  let answers: ReturnType<typeof makeAnswerCheck>
  beforeAll(() => {
    answers = makeAnswerCheck(document)
  })
  const check = (method: string, template: string, { status, headers, text, body }: Answer) => {
    const header = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
    const type = headers['content-type'] ?? ''
    answers.check(method, template, { status, type, header, text, body })
  }

  /** After a checkpoint is signed. */
  const walkTransparency = async (call: typeof service.call): Promise<void> => {
    const asked = ['tile/0/000.p/1', 'proof/inclusion?index=0', 'proof/consistency?from=1']
    for (const path of [...asked, 'checkpoint']) {
      const template = path.replace(/\?.*/, '').replace(/\/0.*/, '/{tile}')
      check('GET', `/transparency/${template}`, await call('GET', `/transparency/${path}`))
    }
  }

  test('those of success, for every operation', async () => {
    const { admin, pos1, call } = service
    const make = async (method: string, template: string, path: string, body?: unknown) =>
      check(method, template, await admin(method, path, body))
    const line = { product_id: '1', quantity: 1, item_cost: '100', total: '100', vat: '25' }
    const input = paymentInput({ line_items: [{ ...line, metadata: [{ key: 'a', value: 'b' }] }] })
    await make('POST', paths.payments, paths.payments, input)
    const payment = await authorizedPayment(service, {
      additional_amount: '5',
      links: [{ uri: 'https://x/', caption: 'x', show_on: ['ok'] }],
    })
    const [one, out] = [`${paths.payments}{tid}/`, `${paths.payments}{tid}/outcome/`]
    await make('GET', one, payment)
    await make('PUT', one, payment, { callback_uri: null })
    await make('PUT', one, payment, { action: 'capture' })
    await make('PUT', one, payment, { action: 'refund', text: 'sorry' })
    await make('GET', out, `${payment}outcome/`)
    await make('GET', out, `${await requestPayment(pos1)}outcome/`)
    const [till, user] = [`${paths.pointsOfSale}{pos_id}/`, `${paths.users}{user_id}/`]
    const location = { latitude: 59.9 }
    const pos = { id: 'documented', name: 'x', type: 'store', location }
    await make('POST', paths.pointsOfSale, paths.pointsOfSale, pos)
    await make('GET', paths.pointsOfSale, paths.pointsOfSale)
    await make('GET', till, `${paths.pointsOfSale}documented/`)
    await make('GET', till, `${paths.pointsOfSale}till-1/`)
    await make('PUT', till, `${paths.pointsOfSale}documented/`, { name: 'y', type: 'store' })
    await make('DELETE', till, `${paths.pointsOfSale}documented/`)
    await make('GET', paths.statusCodes, paths.statusCodes)
    await make('GET', `${paths.statusCodes}{value}/`, `${paths.statusCodes}2000/`)
    await make('POST', paths.users, paths.users, { id: 'documented', secret: 'long enough' })
    for (const id of ['admin', 'documented']) await make('GET', user, `${paths.users}${id}/`)
    await make('PUT', user, `${paths.users}documented/`, { netmask: '::1' })
    await make('DELETE', user, `${paths.users}documented/`)
    const parameters: Readonly<Record<string, string>> = {
      '{page}': 'errors',
      '{file}': 'docs.css',
    }
    for (const path of Object.keys(document.paths).filter(isPlain)) {
      const filled = path.replace(/\{\w+\}/, (name) => parameters[name] ?? name)
      check('GET', path, await call('GET', filled))
    }
    for (const verb of ['accept', 'decline']) {
      const tid = (await requestPayment(pos1)).split('/').at(-2)
      const [template, path] = ['{tid}', tid].map(
        (tid) => `/sandbox/v1/payment_request/${tid}/${verb}/`,
      )
      check('POST', template ?? '', await call('POST', path ?? ''))
    }
    check('POST', paths.clock, await call('POST', paths.clock, { body: { advance_seconds: 11 } }))
    await walkTransparency(call)
    await walkMerchantSide(service, check)
    await walkCallbackSide(service, make)
    const callback = '/sandbox/v1/callback/'
    const body = { callback_uri: 'http://127.0.0.1:1/' }
    check('POST', callback, await call('POST', callback, { body }))

    // The others are in openapi-people.test.ts.
    const unseen = answers.unseen().filter((name) => !isElsewhere(name))
    expect(unseen).toEqual([])
  })

  test('those of errors', async () => {
    const { admin, pos1, call, withKey, adminKey } = service
    const refused = { headers: { Accept: 'image/png' } }
    const { pubkey } = (await admin('GET', `${paths.users}admin/`)).body
    await admin('POST', paths.users, { id: 'plain', pubkey })
    const plain = withKey('sandbox', 'plain', adminKey)
    for (const [name] of operationsOf(document)) {
      const [method = '', template = ''] = name.split(' ')
      const path = template.replaceAll(/\{\w+\}/g, 'none')
      check(method, template, await call(method, path, refused))
      if (!template.startsWith('/merchant/')) continue
      check(method, template, await pos1(method, path, method === 'GET' ? undefined : { id: [] }))
      check(method, template, await admin(method, path, undefined, refused.headers))
      if (method === 'GET') continue
      check(method, template, await admin(method, path, { id: [] }))
      check(method, template, await plain(method, path, { id: 'x', secret: 'long enough' }))
      check(method, template, await admin(method, path, 'x'.repeat(1_048_577)))
      check(method, template, await admin(method, path, '{', { 'Content-Type': 'text/plain' }))
    }
    for (const status of [400, 401, 403, 404, 406, 413, 415])
      expect([...answers.seen].filter((name) => name.endsWith(` ${status}`))).not.toEqual([])
  })
})
