import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMerchantService, type MerchantService } from '../support/merchant-service.ts'

let service: MerchantService

beforeAll(async () => {
  service = await startMerchantService()
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

/** The routes of interface 7 and 15. */
const table = `
  GET             /merchant/v1/merchant/<merchant_id>/                             SECRET
  GET             /merchant/v1/merchant/<merchant_id>/logo                         SECRET
  GET             /merchant/v1/merchant/<merchant_id>/logo/                        SECRET
  GET             /merchant/v1/merchant_lookup/<lookup_id>/                        INTEGRATOR
  GET POST        /merchant/v1/pos/                                                SECRET
  GET PUT DELETE  /merchant/v1/pos/<pos_id>/                                       SECRET SECRET KEY
  GET POST        /merchant/v1/shortlink/                                          SECRET
  GET PUT DELETE  /merchant/v1/shortlink/<shortlink_id>/                           SECRET
  POST            /merchant/v1/user/                                               KEY
  GET PUT DELETE  /merchant/v1/user/<user_id>/                                     SECRET KEY KEY
  GET             /merchant/v1/shortlink/<shortlink_id>/last_scan/                 SECRET
  GET             /shortlink/v1/qr_image/<shortlink_id>/                           OPEN
  GET             /shortlink/v1/qr_image/<shortlink_id>/<argstring>                OPEN
  GET             /merchant/v1/payment_request/<tid>/attachment/                   SECRET
  GET             /merchant/v1/payment_request/<tid>/attachment/<attachment_id>/   SECRET
  POST            /attachment/v1/<tid>/<expires>/<signature>/                      OPEN
  POST            /sandbox/v1/shortlink/<shortlink_id>/scan/                       OPEN
`
const rows = table
  .trim()
  .split('\n')
  .map((line) => {
    const words = line.trim().split(/\s+/)
    const path = words.find((word) => word.startsWith('/')) ?? ''
    const methods = words.slice(0, words.indexOf(path))
    const levels = words.slice(words.indexOf(path) + 1)
    return { path, methods, levels: methods.map((_, index) => levels[index] ?? levels[0]) }
  })

const parameter = /<(\w+)>/g
const mounted = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '<$1>')

test.each(rows)('the methods of $path are those of the table, at its levels', async (row) => {
  const routes = service.routes.filter(({ path }) => mounted(path) === row.path)
  expect(routes.map(({ method }) => method)).toEqual(row.methods)
  expect(routes.map(({ access }) => access)).toEqual(row.levels)
})

const all = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']

test.each(rows)(
  'any other method at $path is answered 405, with those that there are',
  async (row) => {
    const path = row.path.replace(parameter, 'some')
    const allowed = [...row.methods, ...(row.methods.includes('GET') ? ['HEAD'] : [])]
    for (const method of all.filter((method) => !allowed.includes(method))) {
      const answer = await service.call(path, { method })
      expect([method, answer.status]).toEqual([method, 405])
      expect(answer.headers.get('allow')?.split(', ')).toEqual(allowed)
    }
    for (const method of row.methods) {
      const { status } = await service.call(path, { method })
      expect([200, 201, 204, 400, 401, 404, 415]).toContain(status)
    }
  },
)

test.each(rows.filter(({ levels }) => levels.some((level) => level !== 'OPEN')))(
  'without credentials nothing is answered at $path',
  async ({ path, methods }) => {
    for (const method of methods) {
      const answer = await service.call(path.replace(parameter, 'some'), { method })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ error_type: 'Unauthorized' })
    }
  },
)

test('the OpenAPI document says what an uploaded part can be', async () => {
  const document = (await (await service.call('/openapi.json')).json()) as any
  const { requestBody } = document.paths['/attachment/v1/{tid}/{expires}/{signature}/'].post
  expect(requestBody.content['multipart/form-data'].schema.additionalProperties.anyOf).toEqual([
    { $ref: '#/components/schemas/ItemList' },
    { $ref: '#/components/schemas/Receipt' },
    { type: 'string', contentMediaType: 'image/png' },
  ])
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['ItemList', 'Receipt', 'AttachedItem', 'ReceiptPayment']),
  )
})

test('the OpenAPI document describes each route of the table with its parameters', async () => {
  const answer = await service.call('/openapi.json')
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>>
  }
  for (const { path, methods } of rows) {
    const described = paths[path.replace(parameter, '{$1}')] ?? {}
    const names = [...path.matchAll(parameter)].map(([, name]) => name)
    for (const method of methods) {
      const { parameters = [] } = described[method.toLowerCase()] ?? {}
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual(names)
    }
  }
})
