// @module-tag long
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  newKeys,
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'

let service: MerchantService
let run: ReturnType<typeof operatorHere>

beforeAll(async () => {
  service = await startMerchantService()
  run = operatorHere(readSettings({ DATA_DIR: service.directory, LOG_LEVEL: 'silent' }))
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

/** Runs an operator command beside the service; returns its output. */
const operate = async (...words: string[]) => {
  const { code, output, errors } = await run('--json', ...words)
  return code === 0 ? JSON.parse(output) : errors.trim()
}

const users = '/merchant/v1/user/'
const payments = '/merchant/v1/payment_request/'

/** A superuser of a merchant, with a function that sends its requests. */
const superuser = async (merchant: string, id: string) => {
  const { publicKey, privateKey } = newKeys()
  const integrator = await service.newIntegrator(`maker-${randomUUID()}`, [merchant])
  const body = { id, roles: ['superuser'], pubkey: publicKey }
  const made = await integrator(users, merchant, { method: 'POST', body })
  expect(made.status).toBe(201)
  const who = { 'X-Service-Merchant': merchant, 'X-Service-User': id }
  return async (method: string, path: string, body?: object) => {
    const sent = { method, ...(body && { body }) }
    const headers = service.signedHeaders(who, privateKey, { ...sent, path })
    const answer = await service.call(path, { ...sent, headers })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
}

const refusal = (status: number, text: RegExp) => ({
  status,
  body: expect.objectContaining({ error_description: expect.stringMatching(text) }),
})
const operators = 'ask the operator of the service'

test('a user removed by a superuser is refused, and can be created again', async () => {
  const merchant = await service.newMerchant()
  const chief = await superuser(merchant, 'chief')
  const secret = 'a secret of tests'
  expect((await service.ask(merchant, 'GET', users + 'pos1/')).status).toBe(200)
  expect(await chief('DELETE', `${users}pos1/`)).toEqual({ status: 204, body: null })
  const ended = await service.ask(merchant, 'GET', users + 'pos1/')
  expect(ended).toEqual(refusal(401, /^Unknown user pos1, or wrong secret\.$/))
  expect((await chief('GET', `${users}pos1/`)).status).toBe(404)
  // With another signature, even within the same second.
  expect((await chief('DELETE', `${users}pos1/?again`)).status).toBe(404)
  expect((await chief('POST', users, { id: 'pos1', secret })).status).toBe(201)
  expect((await service.ask(merchant, 'GET', users + 'pos1/')).status).toBe(200)
})

test('a secret, a plain user or another merchant ends no user', async () => {
  const [merchant, other] = [await service.newMerchant(), await service.newMerchant()]
  const chief = await superuser(merchant, 'chief')
  const bySecret = await service.ask(merchant, 'DELETE', `${users}pos1/`)
  expect(bySecret).toEqual(refusal(401, /^Level too low/))
  const stranger = await superuser(other, 'stranger')
  expect((await stranger('DELETE', `${users}chief/`)).status).toBe(404)
  const helper = await superuser(merchant, 'helper')
  expect((await chief('PUT', `${users}helper/`, { roles: ['user'] })).status).toBe(204)
  expect(await helper('DELETE', `${users}pos1/`)).toEqual(refusal(403, /^Only a superuser/))
})

test('the last superuser can neither end nor demote itself', async () => {
  const merchant = await service.newMerchant()
  const chief = await superuser(merchant, 'chief')
  const last = refusal(409, /^This is the last superuser/)
  const own = `${users}chief/`
  expect(await chief('DELETE', own)).toEqual(last)
  expect(await chief('PUT', own, { roles: ['user'] })).toEqual(last)
  expect(await chief('PUT', own, { secret: 'a long secret', pubkey: '' })).toEqual(last)
  const deputy = await superuser(merchant, 'deputy')
  await operate('user', 'disable', merchant, 'deputy')
  expect(await chief('DELETE', own)).toEqual(last)
  await operate('user', 'enable', merchant, 'deputy')
  expect((await chief('DELETE', own)).status).toBe(204)
  expect(await deputy('DELETE', `${users}deputy/`)).toEqual(last)
})

test('of two superusers that end themselves at once one stays', async () => {
  const merchant = await service.newMerchant()
  const both = [await superuser(merchant, 'one'), await superuser(merchant, 'two')] as const
  const ends = both.map((ask, index) => ask('DELETE', `${users}${['one', 'two'][index]}/`))
  const statuses = (await Promise.all(ends)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([204, 409])
})

test('the operator disables, enables and removes a user at once', async () => {
  const merchant = await service.newMerchant()
  const ask = () => service.ask(merchant, 'GET', payments.replace('payment_request', 'pos'))
  expect((await ask()).status).toBe(200)
  expect(await operate('user', 'disable', merchant, 'pos1')).toEqual({ id: 'pos1', enabled: false })
  expect(await ask()).toEqual(refusal(401, new RegExp(`^This user is disabled: ${operators}`)))
  const wrong = { headers: { ...service.as(merchant), Authorization: 'SECRET not this one' } }
  const guessed = await service.call('/merchant/v1/pos/', wrong)
  expect(await guessed.text()).toContain('Unknown user pos1, or wrong secret.')
  expect(await operate('user', 'list', merchant)).toEqual([
    {
      ...{ id: 'pos1', roles: ['user'], netmask: null },
      ...{ has_secret: true, has_pubkey: false, enabled: false },
    },
  ])
  expect(await operate('user', 'enable', merchant, 'pos1')).toEqual({ id: 'pos1', enabled: true })
  expect((await ask()).status).toBe(200)
  expect(await operate('user', 'remove', merchant, 'pos1')).toEqual({ id: 'pos1', removed: true })
  expect(await ask()).toEqual(refusal(401, /^Unknown user pos1/))
  expect(await operate('user', 'remove', merchant, 'pos1')).toBe('no user pos1')
})

test('the operator disables, enables and removes an integrator at once', async () => {
  const merchant = await service.newMerchant({ organizationId: '555' })
  const integrator = await service.newIntegrator('tills', [merchant])
  const ask = async () => {
    const answer = await integrator('/merchant/v1/pos/', merchant)
    return { status: answer.status, body: await answer.json() }
  }
  const lookUp = async () => (await integrator('/merchant/v1/merchant_lookup/555/', null)).status
  expect([(await ask()).status, await lookUp()]).toEqual([200, 200])
  expect(await operate('integrator', 'disable', 'tills')).toEqual({ id: 'tills', enabled: false })
  expect(await ask()).toEqual(refusal(401, /^This integrator is disabled/))
  expect(await lookUp()).toBe(401)
  expect(await operate('integrator', 'list')).toContainEqual(
    expect.objectContaining({ id: 'tills', enabled: false }),
  )
  await operate('integrator', 'enable', 'tills')
  expect([(await ask()).status, await lookUp()]).toEqual([200, 200])
  expect(await operate('integrator', 'remove', 'tills')).toEqual({ id: 'tills', removed: true })
  expect(await ask()).toEqual(refusal(401, /^Unknown integrator/))
})

test('a disabled merchant gets no requests, acceptances or scans until enabled', async () => {
  const merchant = await service.newMerchant()
  const integrator = await service.newIntegrator('of-closed', [merchant])
  const request = paymentRequest({ customer: '+4799999901' })
  const { body } = await service.ask(merchant, 'POST', payments, request)
  const permission = { pos_id: 'till', pos_tid: 'p', scope: 'openid', customer: '+4799999901' }
  const asked = await service.ask(merchant, 'POST', '/merchant/v1/permission_request/', permission)
  const link = await service.ask(merchant, 'POST', '/merchant/v1/shortlink/', {})
  const post = async (path: string) => {
    const answer = await service.call(path, { method: 'POST', body: {} })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
  const accept = () => post(`/sandbox/v1/payment_request/${body.id}/accept/`)
  const grant = () => post(`/sandbox/v1/permission_request/${asked.body.id}/accept/`)
  const scan = () => post(`/sandbox/v1/shortlink/${link.body.id}/scan/`)
  expect(await operate('merchant', 'disable', merchant)).toEqual({ id: merchant, enabled: false })
  const disabled = new RegExp(`^This merchant is disabled: ${operators}`)
  for (const path of [payments + body.id + '/', '/merchant/v1/pos/'])
    expect(await service.ask(merchant, 'GET', path)).toEqual(refusal(401, disabled))
  const abort = await service.ask(merchant, 'PUT', `${payments}${body.id}/`, { action: 'abort' })
  expect(abort).toEqual(refusal(401, disabled))
  const byIntegrator = await integrator('/merchant/v1/pos/', merchant)
  expect(await byIntegrator.json()).toMatchObject({
    error_description: expect.stringMatching(disabled),
  })
  for (const answer of [accept, grant, scan])
    expect(await answer()).toEqual(refusal(409, /^The merchant is disabled/))
  expect(await operate('merchant', 'list')).toContainEqual(
    expect.objectContaining({ id: merchant, enabled: false }),
  )
  await operate('merchant', 'enable', merchant)
  expect((await accept()).status).toBe(204)
  expect((await grant()).status).toBe(204)
  expect((await scan()).status).toBe(200)
  const outcome = await service.ask(merchant, 'GET', `${payments}${body.id}/outcome/`)
  expect(outcome).toMatchObject({ status: 200, body: { status: 'auth' } })
})

test('each step is an event of its aggregate', async () => {
  const merchant = await service.newMerchant()
  for (const step of ['disable', 'disable', 'enable']) await operate('merchant', step, merchant)
  for (const step of ['disable', 'enable', 'remove']) await operate('user', step, merchant, 'pos1')
  const typesOf = async (stream: string) =>
    (await service.core.store.readStream(stream)).map(({ type }) => type)
  const steps = ['Registered', 'Disabled', 'Enabled', 'Removed']
  const named = (name: string) => steps.map((step) => name + step)
  expect(await typesOf(`merchant-${merchant}`)).toEqual(named('Merchant').slice(0, 3))
  expect(await typesOf(`user-${merchant}/pos1`)).toEqual(named('User'))
})
