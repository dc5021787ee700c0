import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  operatorActions,
  operatorMayDo,
  operatorRoles,
  type OperatorAction,
  type OperatorRole,
} from '../../domain/people/operator-roles.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { operatorTries, type OperatorTry } from './operator-tries.ts'

let service: PeopleService
let alice: TestVisitor
let bob: TestVisitor
const phoneOfBob = '4799999902'

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  // The last admin cannot be removed, so there is another.
  await service.operator('payer', 'add', '4740000099', '--name', 'Carol', '--pin', '8642')
  await service.operator('operator', 'add', '+4740000099', '--role', 'admin')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

/** The expected content of the domain's table, written independently. */
const expected: Readonly<Record<OperatorRole, readonly OperatorAction[]>> = {
  admin: operatorActions,
  finance: [
    ...(['see_overview', 'see_merchants', 'set_fees', 'see_journal'] as const),
    ...(['see_payouts', 'order_payouts', 'decide_disputes', 'decide_corrections'] as const),
  ],
  support: ['see_overview', 'see_merchants', 'see_health'],
  security: [
    ...(['see_overview', 'see_health', 'see_security'] as const),
    ...(['see_keys', 'rotate_keys', 'see_staff'] as const),
  ],
}

/** Sends what this person's page would send. */
const tried = async (visitor: TestVisitor, { method, path, form }: OperatorTry) => {
  const address = `/operator/${path}`
  if (method === 'GET') return visitor.visit(address)
  const page = await visitor.visit('/payer/')
  const csrf = new Map(formIn(page.html, 'csrf').fields).get('csrf') ?? ''
  const body = new URLSearchParams({ ...form, csrf })
  return visitor.visit(address, { method: 'POST', body })
}

describe.each(operatorRoles)('given the role %s,', (role) => {
  beforeAll(async () => {
    await service.operator('operator', 'add', `+${phoneOfBob}`, '--role', role)
  })
  afterAll(async () => {
    await service.operator('operator', 'remove', phoneOfBob)
  })

  test('it may do what the table says, and nothing else', () => {
    expect(operatorActions.filter((action) => operatorMayDo({ role }, action)).sort()).toEqual(
      [...expected[role]].sort(),
    )
  })

  test.each(operatorTries)('$method $path is for those who may $action', async (one) => {
    const { status } = await tried(bob, one)
    if (expected[role].includes(one.action)) expect(status).not.toBe(403)
    else expect(status).toBe(403)
    if (!one.isEmpty) expect(status).not.toBe(404)
  })
})

describe('given the owner of a merchant who does not work for the operator,', () => {
  test.each(operatorTries)('$method $path is not there', async (one) => {
    expect((await tried(alice, one)).status).toBe(404)
  })
})

test('every page and form of the operator has been tried', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  const prefix = '/operator/'
  const there = Object.entries(body.paths as Record<string, object>)
    .filter(([path]) => path.startsWith(prefix) && !/\/(join|style\.css)$/.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => ({ path, method })))
  const isTried = (method: string, path: string): boolean => {
    const pattern = path.slice(prefix.length).replaceAll(/\{\w+\}/g, '[^/]+')
    return operatorTries.some(
      (one) =>
        one.method === method.toUpperCase() &&
        new RegExp(`^${pattern}$`).test(one.path.replace(/\?.*/, '')),
    )
  }
  expect(there.length).toBeGreaterThan(0)
  expect(there.filter(({ method, path }) => !isTried(method, path))).toEqual([])
})
