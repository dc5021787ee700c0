// @module-tag night
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { addOlderApp } from './pkce.ts'
import { makeVisitor } from './visitor.ts'

const redirect_uri = 'https://shop.example/callback'
let service: PeopleService
/** Starts a pass. */
let path: string

beforeAll(async () => {
  service = await startPeopleService()
  const { client_id } = await addOlderApp(service, 'Web shop', [redirect_uri])
  const asked = { response_type: 'code', client_id, redirect_uri, scope: 'openid profile' }
  path = `/oauth2/qr_image?${new URLSearchParams({ ...asked, prompt: 'consent' }).toString()}`
})
afterAll(() => service.stop())

test('after a thousand passes from an address another is refused, and unrecorded', async () => {
  const begin = async () => (await fetch(service.address + path)).status
  const answers: number[] = []
  const browser = async () => {
    while (answers.length < 1_000) answers.push(await begin())
  }
  await Promise.all(Array.from({ length: 8 }, browser))
  expect(new Set(answers.slice(0, 900))).toEqual(new Set([200]))
  const before = await service.recorded()
  expect(await begin()).toBe(429)
  const events = await fetch(service.address + path.replace('/qr_image?', '/events?'))
  expect(events.status).toBe(429)
  expect(await service.recorded()).toEqual(before)
  await service.advance(600)
  expect(await begin()).toBe(200)
})

test('after a thousand passes of a payer another is refused, and nothing is recorded', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('bob')
  const headers = { Accept: 'image/svg+xml' }
  const begin = async () => (await visitor.visit(path, { headers })).status
  for (let pass = 0; pass < 1_000; pass++) expect(await begin()).toBe(200)
  const before = await service.recorded()
  expect(await begin()).toBe(429)
  expect(await service.recorded()).toEqual(before)
})
