// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cookieOf, startVisits, type Visits } from './auditor-visits.ts'

let service: Visits
beforeAll(async () => {
  service = await startVisits()
})
afterAll(() => service.remove())

test('given a wrong password, a wrong or used code, or another site, then no way in', async () => {
  const kari = await service.add('kari')
  expect((await service.signIn({ ...kari, password: 'wrong wrong wrong' })).status).toBe(401)
  expect((await service.signIn(kari, 100)).status).toBe(401)
  expect((await service.signIn({ ...kari, id: 'nobody' })).status).toBe(401)
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' } }
  expect((await service.signIn(kari, 0, foreign)).status).toBe(403)
  expect((await service.signIn(kari)).status).toBe(303)
  const again = await service.signIn(kari)
  expect([again.status, again.text]).toEqual([401, expect.stringContaining('was used before')])
  expect(again.headers.get('set-cookie')).toBeNull()
})

test('given many wrong codes, then the next one waits', async () => {
  const eva = await service.add('eva')
  const wrong = { ...eva, password: 'not the password' }
  const statuses = new Set<number>()
  for (let attempt = 0; attempt < 12; attempt++) statuses.add((await service.signIn(wrong)).status)
  expect([...statuses]).toEqual([401, 429])
})

test('given a session, when its auditor signs out or is disabled, then it is over', async () => {
  const per = await service.add('per')
  const first = cookieOf(await service.signIn(per, 1))
  const second = cookieOf(await service.signIn(per))
  const status = async (headers: Record<string, string>) =>
    (await service.visit('/audit/', { headers })).status
  expect([await status(first), await status(second)]).toEqual([200, 200])
  const out = await service.visit('/audit/sign-out', { method: 'POST', form: {}, headers: first })
  expect(out.status).toBe(303)
  expect([await status(first), await status(second)]).toEqual([303, 200])
  await service.run('auditor', 'disable', 'per')
  expect(await status(second)).toBe(303)
  await service.run('auditor', 'enable', 'per')
  expect(await status(second)).toBe(303)
})

test('given a session that is idle for half an hour, then it is over', async () => {
  const liv = await service.add('liv')
  const headers = cookieOf(await service.signIn(liv))
  const later = (seconds: number) =>
    service.world('POST', '/sandbox/v1/clock/', { advance_seconds: seconds })
  await later(20 * 60)
  const kept = cookieOf(await service.visit('/audit/', { headers }))
  await later(20 * 60)
  expect((await service.visit('/audit/', { headers })).status).toBe(303)
  expect((await service.visit('/audit/', { headers: kept })).status).toBe(200)
  const [name, value = ''] = (kept['cookie'] ?? '').split('=')
  const forged = { cookie: `${name}=${value.replace(/^liv/, 'ola')}` }
  expect((await service.visit('/audit/', { headers: forged })).status).toBe(303)
})

test('only sign-in and sign-out take anything but GET, so that auditors change nothing', () => {
  const { routes } = service
  const changing = routes.filter(({ path, method }) => /^\/audit/.test(path) && method !== 'GET')
  expect(changing.map(({ path }) => path)).toEqual(['/audit/sign-in', '/audit/sign-out'])
})
