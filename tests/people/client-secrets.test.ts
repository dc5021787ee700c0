import { afterAll, beforeAll, expect, test } from 'vitest'
import { newClient } from '../../infrastructure/people/id-tokens.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

/** Introspects a foreign token: an authenticated client gets "not active". */
const answersTo = async (client_id: string, client_secret: string): Promise<number> => {
  const body = new URLSearchParams({ client_id, client_secret, token: 'unknown' })
  const { status } = await fetch(`${service.address}/oauth2/introspect`, { method: 'POST', body })
  return status
}

/** Checkpoints are signed at any time. */
const lastEvent = async (wanted: string) =>
  (await service.events()).findLast(({ type }) => type === wanted)

test('an id of an application never begins like an option of a command', () => {
  expect(newClient(() => '-trtAbdMTzrB4bvTgpxX65-and-more').clientId).toBe('_trtAbdMTzrB4bvTgpxX65')
})

test('a new secret is valid at once, the old one until the overlap ends', async () => {
  const uri = ['--redirect-uri', 'https://shop.example/back']
  const added = await service.operator('app', 'add', 'sandbox', '--name', 'Web shop', ...uri)
  const { client_id = '', client_secret: first = '' } = added
  expect(await answersTo(client_id, first)).toBe(200)

  const rotate = (...more: string[]) => service.operator('app', 'rotate-secret', client_id, ...more)
  const { client_secret: second = '', old_secret_until } = await rotate('--overlap', '2')
  expect(Date.parse(old_secret_until ?? '')).toBeGreaterThan(Date.now())
  expect(second).not.toBe(first)
  expect(await answersTo(client_id, first)).toBe(200)
  expect(await answersTo(client_id, second)).toBe(200)
  expect(await lastEvent('ApplicationChanged')).toMatchObject({
    type: 'ApplicationChanged',
    data: { previousSecret: { until: Date.parse(old_secret_until ?? '') } },
    metadata: { actor: 'operator' },
  })

  await service.advance(2 * 3600 + 1)
  expect(await answersTo(client_id, first)).toBe(401)
  expect(await answersTo(client_id, second)).toBe(200)

  const { client_secret: third = '' } = await rotate('--overlap', '0')
  expect(await answersTo(client_id, second)).toBe(401)
  expect(await answersTo(client_id, third)).toBe(200)
})

test('a secret that is replaced twice stays valid until its own overlap ends', async () => {
  const uri = ['--redirect-uri', 'https://shop.example/back']
  const added = await service.operator('app', 'add', 'sandbox', '--name', 'Two tills', ...uri)
  const { client_id = '', client_secret: first = '' } = added
  const rotate = async (overlap: string) => {
    const rotated = await service.operator('app', 'rotate-secret', client_id, '--overlap', overlap)
    return rotated['client_secret'] ?? ''
  }
  const [second, third] = [await rotate('48'), await rotate('2')]
  const answers = () => Promise.all([first, second, third].map((one) => answersTo(client_id, one)))
  expect(await answers()).toEqual([200, 200, 200])
  await service.advance(2 * 3600 + 1)
  expect(await answers()).toEqual([200, 401, 200])
  // An overlap of none is for a leak: whatever there was before ends as well.
  const fourth = await rotate('0')
  expect(await answers()).toEqual([401, 401, 401])
  expect(await answersTo(client_id, fourth)).toBe(200)
})

test('a key of ID tokens is recorded when it is rotated in', async () => {
  const { kid, signs_from } = await service.operator('key', 'rotate', 'id-tokens')
  const { keys } = (await service.call('GET', '/oauth2/jwks')).body
  expect(await lastEvent('IdTokenKeyAdded')).toMatchObject({
    type: 'IdTokenKeyAdded',
    data: { kid, signsFrom: Date.parse(signs_from ?? '') },
  })
  expect(keys.map((key: { kid: string }) => key.kid)).toContain(kid)
})
