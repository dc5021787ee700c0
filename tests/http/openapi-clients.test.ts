import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { namesOfOperations } from '../../http/openapi-schemas.ts'
import { openApiDocument, operationsOf, type OpenApiDocument } from './openapi-document.ts'
import { startService, type Service } from '../support/http-service.ts'

let service: Service

let document: OpenApiDocument

beforeAll(async () => {
  service = await startService()
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
})

afterAll(() => service.stop())

type Schema = {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

const schemaNamed = (name: string): Schema => document.components.schemas[name] as Schema

/** All schemas in a part of the document. */
const schemasIn = (part: unknown): Schema[] => {
  if (typeof part !== 'object' || part === null) return []
  return [part as Schema, ...Object.values(part).flatMap(schemasIn)]
}

const operation = (name: string) => {
  const found = operationsOf(document).get(name)
  if (!found) throw new Error(`${name} is not documented`)
  return found
}

describe('a program that is made from the document', () => {
  test.each([
    ['GET /shortlink/v1/qr_image/{shortlink_id}/', 'getShortlinkQrImage'],
    ['GET /shortlink/v1/qr_image/{shortlink_id}/{argstring}', 'getShortlinkQrImageWithArgstring'],
    ['POST /merchant/v1/payment_request/', 'createPaymentRequest'],
    ['GET /merchant/v1/payment_request/{tid}/', 'getPaymentRequest'],
    ['PUT /merchant/v1/payment_request/{tid}/', 'updatePaymentRequest'],
    ['GET /merchant/v1/payment_request/{tid}/outcome/', 'getPaymentRequestOutcome'],
    ['GET /merchant/v1/payment_request/{tid}/attachment/', 'listPaymentRequestAttachments'],
    ['GET /merchant/v1/merchant/{merchant_id}/', 'getMerchant'],
    ['GET /merchant/v1/status_code/', 'listStatusCodes'],
    ['DELETE /merchant/v1/pos/{pos_id}/', 'deletePos'],
    ['PUT /merchant/v1/ledger/{ledger_id}/report/{report_id}/', 'closeLedgerReport'],
    ['POST /sandbox/v1/payment_request/{tid}/accept/', 'acceptSandboxPaymentRequest'],
    ['GET /payer/history', 'getPayerHistoryPage'],
    ['POST /payer/sign-out', 'submitPayerSignOutForm'],
    ['POST /oauth2/token', 'exchangeToken'],
  ])('calls %s by the name %s', (name, id) => {
    expect(operation(name).operationId).toBe(id)
  })

  test('calls each operation and each callback by a name of its own', () => {
    const sent = Object.values(document.webhooks).map(({ post }) => post)
    const ids = [...operationsOf(document).values(), ...sent].map(({ operationId }) => operationId)
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z0-9]*$/)
    expect(new Set(ids).size).toBe(ids.length)
    const routes = service.app.routes.map(({ method, path }) => `${method} ${path}`)
    const named = Object.keys(namesOfOperations).map((name) => name.replace(/\{.*?\}/g, ''))
    expect(routes.map((name) => name.replace(/\{.*?\}/g, ''))).toEqual(
      expect.arrayContaining(named),
    )
  })

  test('knows under which licence the interface is, and whom to ask', () => {
    expect(document.info).toMatchObject({
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Whoever runs this service' },
    })
  })

  test('knows of each operation what it is for, whom it takes, and how it ends well', () => {
    for (const [name, { description, responses }] of operationsOf(document)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/Needs .+\.$/)])
      const good = Object.keys(responses).filter((status) => /^[23]/.test(status))
      expect([name, good]).not.toEqual([name, []])
      expect([name, 'default' in responses]).toEqual([name, true])
    }
  })

  test('may leave out what has a default', () => {
    const bodies = [...operationsOf(document).values()].map(({ requestBody }) => requestBody)
    const named = Object.entries(document.components.schemas).filter(([name]) =>
      /Input|Update|LineItem|Sandbox/.test(name),
    )
    for (const schema of schemasIn([bodies, named]))
      for (const [name, field] of Object.entries(schema.properties ?? {}))
        expect([name, 'default' in field]).toEqual([name, false])
    const { properties, required } = schemaNamed('PaymentRequestInput')
    expect(properties?.['expires_in']?.description).toMatch(/Default: 21600\.$/)
    expect(properties?.['ledger']?.description).toBe('Default: "default".')
    for (const name of ['expires_in', 'ledger', 'links', 'additional_amount'])
      expect(required).not.toContain(name)
  })

  test('has one header for Authorization', () => {
    const headers = Object.values(document.components.securitySchemes).flatMap((scheme) =>
      scheme.type === 'apiKey' ? scheme.name.toLowerCase() : [],
    )
    expect(headers.filter((name) => name === 'authorization')).toHaveLength(1)
  })

  test.each([
    ['PaymentRequestInput', ['auth', 'sale']],
    ['PaymentUpdate', ['capture', 'abort', 'release', 'reauth', 'refund']],
  ])('is offered the actions of %s', (name, actions) => {
    expect(schemaNamed(name).properties?.['action']?.enum).toEqual(actions)
  })

  test('is offered the values of fields that have few', () => {
    const values = (name: string, field: string) =>
      schemasIn(schemaNamed(name).properties?.[field]).flatMap((schema) => schema.enum ?? [])
    expect(values('Pos', 'type')).toEqual(['store', 'webshop', 'mobile', 'vending', 'poster'])
    expect(values('User', 'roles')).toEqual(['user', 'superuser'])
    expect(values('PaymentRequest', 'links')).toEqual(['pending', 'ok', 'fail'])
  })

  test.each([
    ['GET /merchant/v1/shortlink/{shortlink_id}/last_scan/', 'ttl'],
    ['GET /merchant/v1/status_code/{value}/', 'value'],
    ['GET /merchant/v1/log/{sha256}/', 'expires'],
    ['GET /oauth2/auth', 'max_age'],
  ])('gives %s its %s as a number', (name, parameter) => {
    const found = operation(name).parameters.find((one) => one.name === parameter)
    expect(found?.schema).toMatchObject({ type: 'integer' })
    expect(found?.schema).not.toHaveProperty('pattern')
  })
})
