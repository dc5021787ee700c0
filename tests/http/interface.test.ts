import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'

type Row = readonly [methods: string, path: string]

/**
 * The route table of interface 16, row by row, followed by OAuth applications, which the document
 * requires (authentication, 8) without naming a path.
 */
const routeTable: readonly Row[] = [
  ['GET', '/last_settlement/'],
  ['GET, POST', '/ledger/'],
  ['GET, PUT, DELETE', '/ledger/<ledger_id>/'],
  ['GET', '/ledger/<ledger_id>/report/'],
  ['GET, PUT', '/ledger/<ledger_id>/report/<report_id>/'],
  ['GET', '/merchant/<merchant_id>/'],
  ['GET', '/merchant/<merchant_id>/logo'],
  ['GET', '/merchant_lookup/<lookup_id>/'],
  ['POST', '/payment_request/'],
  ['GET, PUT', '/payment_request/<tid>/'],
  ['GET', '/payment_request/<tid>/outcome/'],
  ['POST', '/permission_request/'],
  ['GET', '/permission_request/<rid>/'],
  ['GET', '/permission_request/<rid>/outcome/'],
  ['GET, POST', '/pos/'],
  ['GET, PUT, DELETE', '/pos/<pos_id>/'],
  ['GET', '/settlement/'],
  ['GET', '/settlement/<settlement_id>/'],
  ['GET', '/settlement_account/<settlement_account_id>/'],
  ['GET, POST', '/shortlink/'],
  ['GET, PUT, DELETE', '/shortlink/<shortlink_id>/'],
  ['GET', '/status_code/'],
  ['GET', '/status_code/<value>/'],
  ['POST', '/user/'],
  ['GET, PUT, DELETE', '/user/<user_id>/'],
  ['GET, POST', '/application/'],
  ['GET, DELETE', '/application/<client_id>/'],
]

/** Additional routes from the decisions. */
const additions: readonly Row[] = [
  ['GET', '/merchant/<merchant_id>/logo/'],
  ['GET', '/payment_request/<tid>/attachment/'],
  ['GET', '/payment_request/<tid>/attachment/<attachment_id>/'],
  ['GET', '/dispute/'],
  ['GET', '/dispute/<dispute_id>/'],
  ['GET, POST', '/dispute/<dispute_id>/evidence/'],
  ['GET', '/dispute/<dispute_id>/evidence/<attachment_id>/'],
  ['GET', '/shortlink/<shortlink_id>/last_scan/'],
  ['GET', '/log/<sha256>/'],
  ['GET', '/fee_schedule/'],
  ['GET', '/transaction/'],
  ['GET', '/transaction/days/'],
  ['GET', '/payments/'],
  ['GET', '/payment_request/<tid>/proof/'],
  ['GET', '/ledger/<ledger_id>/report/<report_id>/proof/'],
  ['GET', '/settlement/<settlement_id>/proof/'],
  ['GET', '/callback/feed/'],
  ['GET', '/callback/'],
  ['GET', '/callback/<callback_id>/'],
  ['POST', '/callback/<callback_id>/retry/'],
  ['GET, POST', '/callback_secret/'],
  ['GET, POST', '/event_destination/'],
  ['GET, PUT, DELETE', '/event_destination/<event_destination_id>/'],
  ['POST', '/event_destination/<event_destination_id>/replay/'],
  ['POST', '/event_destination/<event_destination_id>/secret/'],
  ['GET', '/callback_address/'],
  ['POST', '/pusher_auth/'],
]

const prefix = '/merchant/v1'
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('the merchant routes are those of the table, in its order, and the additions', () => {
  const mounted = [...new Set(service.app.routes.map(({ path }) => path))]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).replaceAll(/:(\w+)/g, '<$1>'))
  const added = additions.map(([, path]) => path)
  expect(mounted.filter((path) => !added.includes(path))).toEqual(
    routeTable.map(([, path]) => path),
  )
  expect(mounted.filter((path) => added.includes(path))).toEqual(added)
})

test.each([...routeTable, ...additions])(
  '%s %s, and any other method gets 405 and these',
  async (methods, path) => {
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
  },
)
