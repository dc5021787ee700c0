import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  mayDo,
  mayRefund,
  staffActions,
  staffRoles,
  type StaffAction,
  type StaffRole,
} from '../../domain/merchant/staff-roles.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { registerTried } from './developer-tries.ts'
import { portalTries, type Try } from './portal-tries.ts'

let service: PeopleService
let bob: TestVisitor
let tid = ''
let code = ''
let csrf = ''

const options: Readonly<Record<StaffRole, readonly string[]>> = {
  owner: [],
  accountant: [],
  cashier: ['--pos', 'till-1'],
  support: ['--refund-limit', '500'],
  developer: [],
}

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  for (const merchant of ['sandbox', 'other'])
    await service.operator('staff', 'add', merchant, '+4799999901', '--role', 'owner')
  const payment = await service.requestPayment({ customer: '4799999901' })
  tid = payment.id
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  await registerTried(service)
  code = (await service.call('POST', '/merchant/v1/shortlink/', {})).body.id
  bob = makeVisitor(service)
  await bob.signIn('bob')
  csrf = new Map(formIn((await bob.visit('/portal/')).html, 'csrf').fields).get('csrf') ?? ''
})
afterAll(() => service.stop())

/** The expected content of the domain's table, written independently. */
const reads: readonly StaffAction[] = staffActions.filter((action) => action.startsWith('see_'))
const expected: Readonly<Record<StaffRole, readonly StaffAction[]>> = {
  owner: staffActions,
  accountant: [...reads, 'close_report', 'download'],
  cashier: [
    ...['see_overview', 'see_payments', 'see_messages', 'take_payment', 'capture', 'release'],
  ] as StaffAction[],
  support: [
    'see_overview',
    'see_payments',
    'see_messages',
    'take_payment',
    'capture',
    'release',
    'renew',
    'refund',
  ],
  developer: [
    ...['see_overview', 'see_payments', 'see_points_of_sale', 'see_developers', 'see_messages'],
    ...['change_api_users', 'change_applications', 'change_callbacks'],
  ] as StaffAction[],
}

describe.each(staffRoles)('given the role %s,', (role) => {
  beforeAll(async () => {
    const add = ['staff', 'add', 'sandbox', '+4799999902', '--role', role]
    await service.operator(...add, ...options[role])
  })
  afterAll(async () => {
    await service.operator('staff', 'remove', 'sandbox', '4799999902')
  })

  test('it may do what the table says, and nothing else', () => {
    expect(staffActions.filter((action) => mayDo({ role }, action)).sort()).toEqual(
      [...expected[role]].sort(),
    )
  })

  test.each(portalTries)('$method $path is for those who may $action', async (one) => {
    const { status } = await tried(one, 'sandbox')
    if (expected[role].includes(one.action)) expect(status).not.toBe(403)
    else expect(status).toBe(403)
    if (!one.isEmpty) expect(status).not.toBe(404)
  })

  test.each(portalTries)('$method $path of another merchant is not there', async (one) => {
    expect((await tried(one, 'other')).status).toBe(404)
  })
})

/** An answer without its body: streams of events last for seconds. */
const begunAnswer = async (address: string): Promise<Response> => {
  const Cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { Accept: 'text/html,*/*;q=0.8', Cookie }
  const answer = await fetch(service.address + address, { headers, redirect: 'manual' })
  await answer.body?.cancel()
  return answer
}

/** Sends what this person's page would send. */
const tried = async ({ method, path, form }: Try, merchant: string) => {
  const address = `/portal/${merchant}/${path.replace('TID', tid).replace('CODE', code)}`
  if (method === 'GET') return begunAnswer(address)
  const body = new URLSearchParams({ ...form, csrf, code: codeOf('bob') })
  return bob.visit(address, { method: 'POST', body })
}

test('every page and form of a merchant has been tried', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  const prefix = '/portal/{merchant}/'
  const there = Object.entries(body.paths as Record<string, object>)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, item]) => Object.keys(item).map((method) => ({ path, method })))
  const isTried = (method: string, path: string): boolean => {
    const pattern = path.slice(prefix.length).replaceAll(/\{\w+\}/g, '[^/]+')
    return portalTries.some(
      (one) =>
        one.method === method.toUpperCase() &&
        new RegExp(`^${pattern}$`).test(one.path.replace(/\?.*/, '')),
    )
  }
  expect(there.length).toBeGreaterThan(3)
  expect(there.filter(({ method, path }) => !isTried(method, path))).toEqual([])
})

describe('given the limit of support,', () => {
  const terms = { role: 'support', refundLimit: { currency: 'NOK', amount: 50_000 } } as const

  test.each([
    [{ currency: 'NOK', amount: 50_000 }, true],
    [{ currency: 'NOK', amount: 50_001 }, false],
    [{ currency: 'EUR', amount: 1 }, false],
  ])('a payment with %o refunded in all: %s', (refunded, may) => {
    expect(mayRefund(terms, refunded)).toBe(may)
    expect(mayRefund({ role: 'owner' }, refunded)).toBe(true)
    expect(mayRefund({ role: 'developer' }, refunded)).toBe(false)
  })
})
