import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from './service.ts'

/**
 * The route table of the interface document, row by row, as far as its resources are there: payment requests,
 * permission requests, POSes, status codes and users; then OAuth applications, which the document has merchants register
 * (authentication, 8) without naming a path.
 */
const routeTable: readonly (readonly [methods: string, path: string])[] = [
  ['POST', '/payment_request/'],
  ['GET, PUT', '/payment_request/<tid>/'],
  ['GET', '/payment_request/<tid>/outcome/'],
  ['POST', '/permission_request/'],
  ['GET', '/permission_request/<rid>/'],
  ['GET', '/permission_request/<rid>/outcome/'],
  ['GET, POST', '/pos/'],
  ['GET, PUT, DELETE', '/pos/<pos_id>/'],
  ['GET', '/status_code/'],
  ['GET', '/status_code/<value>/'],
  ['POST', '/user/'],
  ['GET, PUT', '/user/<user_id>/'],
  ['GET, POST', '/application/'],
  ['GET, DELETE', '/application/<client_id>/'],
]

const prefix = '/merchant/v1'
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('the merchant routes are those of the table, in its order', () => {
  const mounted = service.app.routes
    .map(({ path }) => path)
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).replaceAll(/:(\w+)/g, '<$1>'))
  expect(mounted).toEqual(routeTable.map(([, path]) => path))
})

test.each(routeTable)('%s %s, and any other method gets 405 and these', async (methods, path) => {
  const url = prefix + path.replaceAll(/<\w+>/g, 'x')
  const allowed = methods.split(', ')
  for (const method of allMethods) {
    const { status, headers } = await service.pos1(method, url)
    if (allowed.includes(method)) expect([method, status]).not.toEqual([method, 405])
    else {
      expect([method, status]).toEqual([method, 405])
      const shown = new Set((headers.allow ?? '').split(', '))
      expect(shown).toEqual(new Set([...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])]))
    }
  }
})
