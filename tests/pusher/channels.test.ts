import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'
import {
  channelOf,
  isChannelName,
  isPrivateChannel,
  merchantsNamedIn,
} from '../../domain/merchant/channel.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const id = fc.stringMatching(/^[a-zA-Z0-9_.-]{1,20}$/)

test('when a merchant uses its prefix, then it is among those whose prefix it may be', () => {
  fc.assert(
    fc.property(id, id, fc.boolean(), (merchant, rest, isPrivate) => {
      const name = `${isPrivate ? 'private-' : ''}m-${merchant}-${rest}`
      expect(isChannelName(name)).toBe(true)
      expect(isPrivateChannel(name)).toBe(isPrivate)
      expect(channelOf(`pusher:${name}`)).toBe(name)
      const named = merchantsNamedIn(name) ?? []
      expect(named).toContain(merchant)
      for (const other of named) expect(name).toContain(`m-${other}-`)
      expect(named.map((other) => other.length)).toEqual(
        named.map((other) => other.length).toSorted((a, b) => b - a),
      )
    }),
  )
})

test('when two merchants use a name at once, then it is one of theirs for good', async () => {
  const shops = await Promise.all(['one', 'two'].map((shop) => service.addMerchant(shop)))
  for (let round = 0; round < 10; round++) {
    const body = { callback_uri: `pusher:square-${round}` }
    const use = () =>
      Promise.all(shops.map((shop) => shop('POST', '/merchant/v1/shortlink/', body)))
    const first = (await use()).map(({ status }) => status)
    expect(first.toSorted()).toEqual([201, 400])
    expect((await use()).map(({ status }) => status)).toEqual(first)
  }
})

test('when a merchant does not exist, then the sandbox claims nothing for it', async () => {
  const body = { callback_uri: 'pusher:ghosts', merchant: 'ghost' }
  expect((await service.call('POST', '/sandbox/v1/callback/', { body })).status).toBe(400)
  const answer = await service.pos1('POST', '/merchant/v1/shortlink/', {
    callback_uri: 'pusher:ghosts',
  })
  expect(answer.status).toBe(201)
})
