import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService({
    HELP_URL: 'https://pay.example/help',
    PRIVACY_URL: 'https://pay.example/privacy',
  })
})
afterAll(() => service.stop())

describe('given an address that has no page', () => {
  test.each([
    ...['/payer/no-such-page', '/payer', '/payer/payment/', '/oauth2/no-such-page'],
    ...['/no-such-page', '/operator/no-such-page', '/audit/no-such-page', '/docs/no-such-page'],
    '/s/no-such-code',
  ])('when a browser asks for %s, then it gets a page that leads on', async (path) => {
    const { status, headers, html } = await makeVisitor(service, 'nb').visit(path)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html).toContain('<h1>Siden finnes ikke</h1>')
    expect(html).toContain('href="/payer/"')
    expect(html).toContain('href="https://pay.example/help"')
  })

  test.each([
    ['/payer/no-such-page', 'application/json'],
    ['/payer/no-such-page', '*/*'],
    ['/payer/v1/no-such-resource/', 'text/html'],
    ['/merchant/v1/no-such-resource/', 'text/html'],
  ])('when a program asks for %s as %s, then it gets JSON', async (path, accept) => {
    const answer = await fetch(service.address + path, { headers: { accept } })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error_type: 'Not Found' })
  })
})

test('given the address of a form, a browser that opens it gets the allowed methods', async () => {
  const { status, headers, html } = await makeVisitor(service).visit('/payer/sign-out')
  expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  expect(html).toContain('This address has no page of its own.')
})

test('given a browser, when it asks for the icon, then it gets one', async () => {
  const answer = await fetch(`${service.address}/favicon.ico`, { headers: { accept: 'image/*' } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon'])
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0])
  const { html } = await makeVisitor(service).visit('/payer/sign-in')
  expect(html).toContain('<link rel="icon" href="/favicon.ico" />')
})

test('given pages of the operator, help and privacy are linked below each page', async () => {
  const { html } = await makeVisitor(service).visit('/payer/sign-in')
  const footer = /<footer>[^]*<\/footer>/.exec(html)?.[0] ?? ''
  expect(footer).toContain('href="https://pay.example/help"')
  expect(footer).toContain('href="https://pay.example/privacy"')
  expect(footer).not.toContain('Terms')
})
