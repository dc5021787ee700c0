import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { payers, pointsOfSale } from '../../domain/aggregates.ts'
import { refuse } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import { payerDirectory } from '../../service/people/payer-directory.ts'
import { openVault } from '../../infrastructure/people/vault.ts'
import Database from '../../infrastructure/sqlite.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
  const { handle, contextOf } = service.core
  const [id, context] = [within('sandbox', 'gone'), contextOf('test', 'sandbox')]
  const pos = { merchant: 'sandbox', id: 'gone', name: 'Gone', type: 'store' as const }
  await handle(pointsOfSale, id, { type: 'Register', data: { ...pos, location: null } }, context)
  await handle(pointsOfSale, id, { type: 'Remove' }, context)
  const ledger = { id: 'closed', currency: 'NOK' }
  expect((await service.call('POST', '/merchant/v1/ledger/', ledger)).status).toBe(201)
  expect((await service.call('DELETE', '/merchant/v1/ledger/closed/')).status).toBe(204)
})
afterAll(() => service.stop())

const vaultFile = () => join(service.folder, 'vault.sqlite')
const knows = (customer: string): boolean => service.core.vault.findPerson(customer) !== undefined

const ofPayment = { action: 'auth', currency: 'NOK', amount: '100.00', allow_credit: false }
const ofPermission = { scope: 'openid' }

describe('given a new customer, when the request is refused anyway, then the customer is not stored', () => {
  const refused = async (kind: 'payment' | 'permission', fields: object) => {
    const customer = `new to ${JSON.stringify(fields)}`.slice(0, 100)
    const usual = kind === 'payment' ? ofPayment : ofPermission
    const body = { pos_id: 'till-1', pos_tid: 'refused', customer, ...usual, ...fields }
    const { status } = await service.call('POST', `/merchant/v1/${kind}_request/`, body)
    return [status, knows(customer)]
  }
  test.each([
    ['its POS is unknown', { pos_id: 'nowhere' }],
    ['its POS has been removed', { pos_id: 'gone' }],
    ['its ledger is unknown', { ledger: 'nowhere' }],
    ['its ledger is disabled', { ledger: 'closed' }],
    [
      'its lines do not add up',
      { line_items: [{ product_id: 'bun', quantity: 1, item_cost: '1.00', total: '1.00' }] },
    ],
  ])('a payment, because %s', async (_, fields) => {
    expect(await refused('payment', fields)).toEqual([400, false])
  })

  test('but one of which nothing is wrong keeps them', async () => {
    const item = { product_id: 'bun', quantity: 1, item_cost: '100.00', total: '100.00' }
    expect(await refused('payment', { pos_tid: 'right', line_items: [item] })).toEqual([201, true])
  })

  test('a permission, because its POS is unknown', async () => {
    expect(await refused('permission', { pos_id: 'nowhere' })).toEqual([400, false])
  })

  test('either, because it has the pos_tid of another', async () => {
    const fields = { pos_tid: 'taken' }
    await service.requestPayment({ customer: '4799999901', ...fields })
    expect(await refused('payment', fields)).toEqual([409, false])
    const body = { pos_id: 'till-1', customer: '4799999901', ...ofPermission, ...fields }
    await service.call('POST', '/merchant/v1/permission_request/', body)
    expect(await refused('permission', fields)).toEqual([409, false])
  })
})

test('given many new customers, when all are requested at once, twice each, then each payment and customer exists once', async () => {
  const customers = Array.from({ length: 60 }, (_, n) => `at once ${n}`)
  const request = (customer: string) =>
    service.requestPayment({ customer, pos_tid: customer.replaceAll(' ', '-') })
  const first = customers.map(request)
  const again = await Promise.all(customers.map(request))
  expect(await Promise.all(first)).toEqual(again)
  expect(customers.filter((customer) => !knows(customer))).toEqual([])
  const shown = await Promise.all(again.map(({ id }) => service.outcome(id)))
  expect(shown.map(({ customer }) => customer)).toEqual(customers)
})

test('given another process that holds the vault, when somebody new is named, then it is a 503, others are answered, and it can be repeated', async () => {
  const headers = { ...service.merchantHeaders(), 'Content-Type': 'application/json' }
  const request = (customer: string, pos_tid: string) => {
    const body = JSON.stringify({ pos_id: 'till-1', pos_tid, customer, ...ofPayment })
    const path = '/merchant/v1/payment_request/'
    return service.app.request(path, { method: 'POST', headers, body }, {})
  }
  const other = new Database(vaultFile())
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let status = 0
  void Promise.resolve(request('kept out', 'held')).then((answer) => (status = answer.status))
  expect((await request('4799999901', 'beside')).status).toBe(201)
  expect(status).toBe(0)
  while (status === 0) {
    vi.advanceTimersByTime(100)
    await nextTurn()
  }
  vi.useRealTimers()
  expect(status).toBe(503)
  other.exec('COMMIT')
  expect(knows('kept out')).toBe(false)
  const { id } = (await (await request('kept out', 'held')).json()) as { id: string }
  expect((await service.outcome(id)).customer).toBe('kept out')
})

test('given another process that lets nobody read the vault for a moment, when payments are requested and read meanwhile, then they are answered after it', async () => {
  const customer = '4799999901'
  const { id } = await service.requestPayment({ customer })
  const other = new Database(vaultFile())
  onTestFinished(() => void other.close())
  other.exec('BEGIN EXCLUSIVE')
  const read = service.outcome(id)
  const requested = service.requestPayment({ customer, pos_tid: 'meanwhile' })
  let isAnswered = false
  void Promise.race([read, requested]).finally(() => (isAnswered = true))
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(isAnswered).toBe(false)
  other.exec('COMMIT')
  expect((await read).customer).toBe(customer)
  expect((await service.outcome((await requested).id)).customer).toBe(customer)
})

describe('given another process on the same vault', () => {
  /** The service's directory, with a hook that runs while it looks for a payer in the log. */
  const directoryIn = (meanwhile: () => void | Promise<void>) => {
    const {
      find,
      readModels,
      vault,
      tokens,
      findScan,
      people: { grants: rows },
    } = service.core
    const looking: typeof find = async (aggregate, id, asOf) => {
      if (aggregate.category === payers.category) await meanwhile()
      return find(aggregate, id, asOf)
    }
    return payerDirectory({
      find: looking,
      vault,
      tokens,
      rows,
      findScan,
      caughtUp: readModels.caughtUp,
    })
  }
  const elsewhere = () => {
    const vault = openVault(vaultFile())
    onTestFinished(() => vault.close())
    return vault
  }
  const anybody = () => Promise.resolve()

  test('when it erases somebody who has only just been written, then they are somebody new', async () => {
    const vault = elsewhere()
    const phone = '4745454545'
    let erased: string | undefined
    const directory = directoryIn(async () => {
      if (erased !== undefined) return
      erased = vault.findPerson(phone) ?? ''
      await vault.shred(erased)
    })
    const { stored, names } = await directory.byName(phone, 'sandbox', 0, anybody)
    expect(names).toBe('unknown')
    expect(erased).toMatch(/^[0-9a-f]{32}$/)
    expect(stored).not.toContain(erased)
    expect(directory.show(stored)).toBe(phone)
  })

  test('when it is asked the same at the same time, then a "no" that only this one meets is none', async () => {
    const vault = elsewhere()
    const name = 'asked of both'
    let person = ''
    const { stored } = await directoryIn(() => {}).byName(name, 'sandbox', 0, async () => {
      person = await vault.personFor(name)
      refuse('pos_tid_used_with_other_data')
    })
    expect(stored).toContain(`sealed:${person}:`)
  })
})
