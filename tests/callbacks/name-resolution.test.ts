import { afterAll, expect, test } from 'vitest'
import { makeResolve } from '../../infrastructure/callbacks/name-resolution.ts'
import { startNameServer } from './name-server.ts'

const names = await startNameServer({ 'shop.example': '192.0.2.7' }, 'silent.example')
afterAll(names.close)

test('a name is found though many wait for a silent name server, which is asked once', async () => {
  const resolve = makeResolve([names.server])
  const waiting = Array.from({ length: 16 }, () => resolve('silent.example'))
  // For an IPv4 and for an IPv6 address.
  await names.askedFor('silent.example', 2)
  const first = await Promise.race([...waiting, resolve('shop.example')])
  expect(first).toEqual([{ address: '192.0.2.7', family: 4 }])
  expect(names.timesAsked('silent.example')).toBe(2)
})

test('a name that name servers do not know has no address', async () => {
  await expect(makeResolve([names.server])('nobody.example')).rejects.toThrow(
    'no address of nobody.example is found (ENOTFOUND)',
  )
})

test('this machine finds itself without a name server', async () => {
  const resolve = makeResolve(['127.0.0.1:1'])
  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
})
