// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { integrators, merchants, settlementAccounts } from '../../domain/aggregates.ts'
import { defaultAccount } from '../../domain/accounting/settlement-account.ts'
import { within } from '../../domain/stream.ts'
import { operatorProgram } from '../../cli/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { newKeys, startMerchantService, type MerchantService } from '../support/merchant-service.ts'

let service: MerchantService
let merchant: string

beforeAll(async () => {
  service = await startMerchantService()
  merchant = await service.newMerchant()
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

const rounds = [1, 2, 3, 4, 5]
const base = '/merchant/v1/'
const send = async (method: string, path: string, body?: object) => {
  const answer = await service.call(base + path, { method, headers: service.as(merchant), body })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
}
/** The statuses of two concurrent changes. */
const bothAtOnce = async (path: string, first: object, second: object) => {
  const answers = await Promise.all([send('PUT', path, first), send('PUT', path, second)])
  return answers.map(({ status }) => status)
}
const typesOf = async (stream: string) =>
  (await service.core.store.readStream(stream)).map(({ type }) => type)

describe('two changes of one thing that come at once', () => {
  test('of a shortlink both stay', async () => {
    for (const round of rounds) {
      const { id } = (await send('POST', 'shortlink/', {})).body
      const description = `Table ${round}`
      const callback_uri = 'https://shop.example/scans'
      const statuses = await bothAtOnce(`shortlink/${id}/`, { description }, { callback_uri })
      expect(statuses).toEqual([204, 204])
      const { body } = await send('GET', `shortlink/${id}/`)
      expect(body).toMatchObject({ description, callback_uri })
    }
  })

  test('of a POS both stay: who does not name its place leaves the new one', async () => {
    const location = { latitude: 59.9, longitude: 10.7, accuracy: null }
    for (const round of rounds) {
      const path = `pos/moving-${round}/`
      const named = { name: 'Cart', type: 'mobile' }
      await send('POST', 'pos/', { id: `moving-${round}`, ...named })
      const statuses = await bothAtOnce(path, { ...named, location }, named)
      expect(statuses).toEqual([204, 204])
      expect((await send('GET', path)).body).toMatchObject({ location })
    }
  })

  test('of a ledger the one that names nothing undoes nothing', async () => {
    for (const round of rounds) {
      await send('POST', 'ledger/', { id: `bar-${round}`, currency: 'NOK' })
      await bothAtOnce(`ledger/bar-${round}/`, { description: 'The bar' }, {})
      expect((await send('GET', `ledger/bar-${round}/`)).body.description).toBe('The bar')
    }
  })

  test('a change without new values records no event', async () => {
    const { id } = (await send('POST', 'shortlink/', { description: 'Door' })).body
    for (const body of [{}, { description: 'Door' }, { callback_uri: '' }])
      expect((await send('PUT', `shortlink/${id}/`, body)).status).toBe(204)
    expect(await typesOf(`shortlink-${id}`)).toEqual(['ShortlinkRegistered'])
  })
})

describe('two changes of one user that come at once', () => {
  let manager: Awaited<ReturnType<MerchantService['newIntegrator']>>
  beforeAll(async () => {
    manager = await service.newIntegrator('manager', [merchant])
  })
  /** Creates a user; returns a function with which its manager changes it. */
  const newUser = async (id: string, input: object) => {
    const created = { method: 'POST', body: { id, ...input } }
    expect((await manager(`${base}user/`, merchant, created)).status).toBe(201)
    return async (body: object, by = manager) =>
      (await by(`${base}user/${id}/`, merchant, { method: 'PUT', body })).status
  }
  const shown = async (id: string) => (await send('GET', `user/${id}/`)).body
  const statusWith = async (user: string, secret: string, of = service) => {
    const headers = { ...of.as(merchant, user), Authorization: `SECRET ${secret}` }
    return (await of.call(`${base}pos/`, { headers })).status
  }

  test('both stay, though the hash of a secret takes its time', async () => {
    for (const round of rounds) {
      const id = `rotating-${round}`
      const put = await newUser(id, { secret: 'the first secret' })
      const changing = put({ secret: 'the second secret' })
      const netmask = '127.0.0.0/8'
      expect([await put({ netmask }), await changing]).toEqual([204, 204])
      expect(await shown(id)).toMatchObject({ netmask, has_secret: true })
      expect(await statusWith(id, 'the second secret')).toBe(200)
      expect(await statusWith(id, 'the first secret')).toBe(401)
    }
  })

  test('cannot leave it without credentials, each taking one of two away', async () => {
    const { publicKey: pubkey } = newKeys()
    for (const round of rounds) {
      const id = `locked-${round}`
      const put = await newUser(id, { secret: 'a long secret', pubkey })
      const statuses = await Promise.all([put({ secret: '' }), put({ pubkey: '' })])
      expect(statuses.toSorted()).toEqual([204, 400])
      const left = await shown(id)
      expect(left.has_secret).toBe(left.pubkey === null)
    }
  })

  test('do not bring back a secret that another process has just replaced', async () => {
    const there = await startMerchantService(service.directory)
    const remote = await there.newIntegrator('remote', [merchant])
    for (const round of rounds) {
      const id = `revoked-${round}`
      const put = await newUser(id, { secret: 'the first secret' })
      expect(await statusWith(id, 'the first secret', there)).toBe(200)
      expect(await put({ secret: 'the second secret' })).toBe(204)
      expect(await put({ roles: ['superuser'] }, remote)).toBe(204)
      expect(await shown(id)).toMatchObject({ roles: ['superuser'] })
      expect(await statusWith(id, 'the second secret')).toBe(200)
      expect(await statusWith(id, 'the first secret')).toBe(401)
    }
    expect(there.bugs).toEqual([])
    await there.stop(false)
  })

  test('a change to the current values records no event, the secret included', async () => {
    const put = await newUser('steady', { secret: 'a long secret' })
    for (const body of [{}, { roles: ['user'] }, { secret: 'a long secret', netmask: '' }])
      expect(await put(body)).toBe(204)
    expect(await typesOf(`user-${merchant}/steady`)).toEqual(['UserRegistered'])
  })
})

describe('two changes that operators make at once', () => {
  const operateAtOnce = async (...commands: readonly string[]) => {
    const settings = readSettings({ DATA_DIR: service.directory, LOG_LEVEL: 'silent' })
    const { write } = process.stdout
    process.stdout.write = () => true
    try {
      await Promise.all(
        commands.map((command) =>
          operatorProgram({
            settings,
            version: 'test',
          }).parseAsync(command.split(' '), { from: 'user' }),
        ),
      )
    } finally {
      process.stdout.write = write
    }
    expect(process.exitCode ?? 0).toBe(0)
  }

  test('of a merchant both stay, also within its profile', async () => {
    for (const round of rounds) {
      const id = await service.newMerchant()
      const email = `post${round}@shop.example`
      await operateAtOnce(
        `merchant change ${id} --phone +4722000000 --mcc 5814`,
        `merchant change ${id} --email ${email} --netmask 127.0.0.0/8`,
      )
      const changed = { mcc: '5814', netmask: '127.0.0.0/8' }
      expect(await service.core.find(merchants, id, 'log')).toMatchObject({
        data: { ...changed, profile: { phoneNumber: '+4722000000', email } },
      })
    }
  })

  test('of an integrator both stay', async () => {
    for (const round of rounds) {
      const id = `maker-${round}`
      await service.newIntegrator(id, [])
      await operateAtOnce(
        `integrator change ${id} --name Maker`,
        `integrator change ${id} --merchant ${merchant}`,
      )
      expect(await service.core.find(integrators, id, 'log')).toMatchObject({
        data: { name: 'Maker', merchants: [merchant] },
      })
    }
  })

  test('of a settlement account both stay', async () => {
    for (const round of rounds) {
      const id = await service.newMerchant()
      await operateAtOnce(`settlement-account set ${id} --payout-delay ${round}`)
      await operateAtOnce(
        `settlement-account set ${id} --payout-account NO9386011117947`,
        `settlement-account set ${id} --frequency weekly`,
      )
      expect(
        await service.core.find(settlementAccounts, within(id, defaultAccount), 'log'),
      ).toMatchObject({
        data: { payoutAccount: 'NO9386011117947', frequency: 'weekly', payoutDelay: round },
      })
    }
  })
})
