import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeRequestLimits, type RequestLimit } from '../../application/request-limits.ts'
import { operatorHere } from '../../harness/operator.ts'
import { error, paths, startService, type Service } from '../support/http-service.ts'

describe('given limits of a merchant and of a user,', () => {
  let clock: number
  let recorded: string[]
  let limits: ReturnType<typeof makeRequestLimits>
  const ofMerchant: RequestLimit = { perSecond: 10, burst: 20 }
  const ofUser: RequestLimit = { perSecond: 5, burst: 10 }
  beforeEach(() => {
    clock = 1_000_000
    recorded = []
    limits = makeRequestLimits({
      machineNow: () => clock,
      limitOf: (_, caller) => (caller === null ? ofMerchant : ofUser),
      onCaller: (...told) => recorded.push(told.join(' ')),
    })
  })
  const admitted = (caller: string, times: number): number =>
    Array.from({ length: times }, () => limits.admit('harbour', caller, 'here')).filter(
      (usage) => !usage?.isOver,
    ).length

  test('when it pauses, then its burst is there again, and never more', () => {
    expect(admitted('user:a', 15)).toBe(10)
    clock += 1_000
    expect(admitted('user:a', 15)).toBe(5)
    clock += 3_600_000
    expect(admitted('user:a', 15)).toBe(10)
  })

  test('when users share a merchant, then its limit holds for all together', () => {
    expect(['user:a', 'user:b', 'user:c'].map((user) => admitted(user, 10))).toEqual([10, 10, 0])
    expect(limits.admit('harbour', 'user:c')).toMatchObject({ of: 'merchant', resetSeconds: 1 })
    expect(limits.admit('other', 'user:c')).toBeUndefined()
  })

  test('when less than half is left, then the response says how much', () => {
    expect(limits.admit('harbour', 'user:a')).toBeUndefined()
    expect(admitted('user:a', 6)).toBe(6)
    expect(limits.admit('harbour', 'user:a')).toMatchObject({ remaining: 2, resetSeconds: 2 })
  })

  test('when a caller comes again, then it is recorded once an hour for each address', () => {
    limits.admit('harbour', 'user:a', 'here')
    limits.admit('harbour', 'user:a', 'here')
    limits.admit('harbour', 'user:a', 'there')
    clock += 3_600_000
    limits.admit('harbour', 'user:a', 'here')
    const [here, there] = ['harbour user:a here', 'harbour user:a there']
    expect(recorded).toEqual([here, there, here])
  })
})

describe('given a service with limits,', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ USER_REQUESTS_PER_SECOND: '1' })
  })
  afterAll(() => service.stop())
  const askAll = async (times: number) => {
    const answers = []
    for (let n = 0; n < times; n++) answers.push(await service.pos1('GET', paths.pointsOfSale))
    return answers
  }

  test('when a user sends too many requests, then it gets 429 with Retry-After', async () => {
    const answers = await askAll(14)
    const [first, last] = [answers[0]!, answers.at(-1)!]
    expect(first.headers['ratelimit']).toBeUndefined()
    expect(last).toMatchObject({
      status: 429,
      body: error('Too Many Requests', /1 requests a sec/),
    })
    expect(last.headers).toMatchObject({
      'ratelimit-policy': '"user";q=10;w=10',
      ratelimit: '"user";r=0;t=1',
      'retry-after': '1',
    })
    const almost = answers.filter(({ status }) => status === 200).at(-1)
    expect(almost?.headers['ratelimit']).toMatch(/^"user";r=[0-4];t=\d+$/)
    expect((await service.admin('GET', paths.pointsOfSale)).status).toBe(200)
  })

  test('when the operator sets others, then these count at once', async () => {
    const daybook = operatorHere(service.settings)
    await daybook('user', 'limit', 'sandbox', 'pos1', '--per-second', '5000')
    await expect.poll(async () => (await askAll(1))[0]?.status).toBe(200)
    expect((await askAll(30)).every(({ status }) => status === 200)).toBe(true)
    await daybook('merchant', 'limit', 'sandbox', '--per-second', '1', '--burst', '3')
    await expect.poll(async () => (await askAll(4)).at(-1)?.status).toBe(429)
    expect((await askAll(1))[0]?.headers['ratelimit-policy']).toBe('"merchant";q=3;w=3')
    const { output } = await daybook('--json', 'merchant', 'limit', 'sandbox', '--default')
    expect(JSON.parse(output)).toEqual({ merchant: 'sandbox', per_second: 'as set by default' })
    await expect.poll(async () => (await askAll(4)).at(-1)?.status).toBe(200)
  })
})
