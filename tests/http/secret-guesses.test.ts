import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeSecretGuesses, type SecretGuesses } from '../../application/secret-guesses.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import { Refusal } from '../../domain/refusal.ts'
import { securityLogFiles } from '../../infrastructure/logs/security-log.ts'
import { paths, startService, type Service } from '../support/http-service.ts'

describe('given secrets that are guessed,', () => {
  let clock: number
  let guard: SecretGuesses
  let recorded: SecurityEvent[]
  beforeEach(() => {
    clock = 0
    recorded = []
    guard = makeSecretGuesses({
      machineNow: () => clock,
      networkOf: (address) => address,
      securityLog: { record: (event) => recorded.push(event) },
    })
  })

  /** The verdict, or the seconds to wait; `proof` for a secret that nobody can guess. */
  const ask = async (
    name: string,
    from: string,
    verdict: boolean | Promise<boolean>,
    proof?: boolean | Promise<boolean>,
  ) => {
    try {
      return await guard(
        name,
        from,
        () => verdict,
        () => ({ actor: 'user:pos1' }),
        proof === undefined ? undefined : () => proof,
      )
    } catch (error) {
      if (error instanceof Refusal) return error.retryAfter
      throw error
    }
  }
  const guessFromEverywhere = async (times: number) => {
    for (let n = 0; n < times; n++) await ask('m/pos1', `address ${n}`, false)
  }

  test('when ten were wrong, then waits for the name double, up to a minute', async () => {
    await guessFromEverywhere(10)
    const waits: unknown[] = []
    for (let n = 0; n < 8; n++) {
      const wait = await ask('m/pos1', `other ${n}`, false)
      waits.push(wait)
      clock += Number(wait) * 1000
      expect(await ask('m/pos1', `other ${n}`, false)).toBe(false)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })

  test('when an address guesses for many names, then waits grow to 15 minutes', async () => {
    for (let n = 0; n < 50; n++) expect(await ask(`m/user ${n}`, 'here', false)).toBe(false)
    expect(await ask('m/next', 'here', false)).toBe(1)
    for (let n = 0; n < 20; n++) {
      clock += 900_000
      await ask(`m/more ${n}`, 'here', false)
    }
    expect(await ask('m/next', 'here', false)).toBe(900)
    expect(await ask('m/next', 'elsewhere', true)).toBe(true)
  })

  test('when a hundred come at once, then no more are checked than one after another', async () => {
    let checked = 0
    const waiting = Array.from({ length: 100 }, (_, n) =>
      ask(
        'm/pos1',
        `address ${n}`,
        Promise.resolve(false).then(() => (checked++, false)),
      ),
    )
    const answers = await Promise.all(waiting)
    expect(answers.filter((answer) => answer === false)).toHaveLength(10)
  })

  test('when a caller has authenticated, then it is never slowed down there', async () => {
    expect(await ask('m/pos1', 'the shop', true)).toBe(true)
    await guessFromEverywhere(30)
    expect(await ask('m/pos1', 'the shop', true)).toBe(true)
    expect(await ask('m/pos1', 'elsewhere', true)).toBe(1)
    clock += 86_300_000
    await guessFromEverywhere(30)
    expect(await ask('m/pos1', 'the shop', true)).toBe(true)
  })

  test('when a secret is proved from a new network, then it is trusted there', async () => {
    await guessFromEverywhere(30)
    expect(await ask('m/pos1', 'a new one', false, false)).toBe(1)
    expect(await ask('m/pos1', 'a new one', false, true)).toBe(true)
    expect(await ask('m/pos1', 'a new one', true)).toBe(true)
    expect(await ask('m/pos1', 'another', false, Promise.resolve(true))).toBe(true)
  })

  test('when a network tries secrets during a wait, then no proof of it counts', async () => {
    await guessFromEverywhere(30)
    for (let n = 0; n < 10; n++) await ask('m/pos1', 'the guesser', false, false)
    expect(await ask('m/pos1', 'the guesser', false, true)).toBe(1)
    for (let n = 0; n < 60; n++) await ask(`m/user ${n}`, 'a busy one', false)
    expect(await ask('m/pos1', 'a busy one', false, true)).toBeGreaterThan(0)
    expect(await ask('m/pos1', 'a new one', false, true)).toBe(true)
  })

  test('when it begins with many right requests at once, then none of them counts', async () => {
    const right = Promise.resolve(true)
    const answers = Array.from({ length: 64 }, () => ask('m/pos1', 'the shop', right))
    expect(new Set(await Promise.all(answers))).toEqual(new Set([true]))
  })

  test('when an hour passes without one, then they are forgotten', async () => {
    await guessFromEverywhere(20)
    clock += 3_600_000
    expect(await ask('m/pos1', 'elsewhere', false)).toBe(false)
  })

  test('when a wait begins, then the security log records it, and each failure', async () => {
    await guessFromEverywhere(11)
    expect(recorded.map(({ type }) => type)).toEqual([
      ...Array(10).fill('authentication_failed'),
      'locked_out',
    ])
  })
})

describe('given a service,', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ TRUSTED_PROXIES: '127.0.0.1' })
    await service.pos1('GET', paths.pointsOfSale)
  })
  afterAll(() => service.stop())

  const guess = (user: string, secret: string) =>
    service.withSecret('sandbox', user, secret)('GET', paths.pointsOfSale)

  test('when somebody guesses, then names that exist and others are answered alike', async () => {
    await service.addMerchant('harbour')
    const guesses = Array.from({ length: 13 }, (_, n) => `guess number ${n}`)
    const answers = async (user: string) => {
      const all = []
      for (const secret of guesses) {
        const { status, body, headers } = await service.withSecret(
          'harbour',
          user,
          secret,
        )('GET', paths.pointsOfSale)
        const retry = headers['retry-after']
        all.push([status, body.error_description.replace(user, '…'), retry !== undefined])
      }
      return all
    }
    const known = await answers('till')
    expect(known.map(([status]) => status)).toEqual([...Array(10).fill(401), 429, 429, 429])
    expect(await answers('nobody')).toEqual(known)
  })

  test('when the one whose secret is guessed calls from there, then it is answered', async () => {
    for (let n = 0; n < 20; n++) await guess('pos1', 'always the same')
    expect((await service.pos1('GET', paths.pointsOfSale)).status).toBe(200)
  })

  test(
    'when a long secret is guessed at, then it is let in, after a restart too',
    { tags: 'long' },
    async () => {
      const secret = 'Vb3kX9wQ_r7TzL0pYhN5mJ2cFgD8sA1e'
      const short = 'only words of a person'
      const folder = mkdtempSync(join(tmpdir(), 'daybook-guesses-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const first = await startService({ TRUSTED_PROXIES: '127.0.0.1' }, folder)
      for (const [id, given] of [
        ['long', secret],
        ['short', short],
      ])
        expect((await first.admin('POST', paths.users, { id, secret: given })).status).toBe(201)
      const statusIn = async (
        { withSecret }: Pick<Service, 'withSecret'>,
        user: string,
        given: string,
        from: string,
      ) => {
        const ask = withSecret('sandbox', user, given)
        const headers = { 'X-Forwarded-For': from }
        return (await ask('GET', paths.pointsOfSale, undefined, headers)).status
      }
      // Until guesses wait: for a second at first, so what must wait is asked at once.
      const guessed = async (running: Pick<Service, 'withSecret'>, user: string) => {
        for (let n = 0, status = 0; status !== 429; n++)
          status = await statusIn(running, user, `guess ${n} of so many characters`, `192.0.2.${n}`)
      }
      await guessed(first, 'long')
      expect(await statusIn(first, 'long', `${secret}x`, '198.51.100.2')).toBe(429)
      expect(await statusIn(first, 'long', secret, '198.51.100.1')).toBe(200)
      await guessed(first, 'short')
      expect(await statusIn(first, 'short', short, '198.51.100.1')).toBe(429)
      await first.stop(false)

      const second = await startService({ TRUSTED_PROXIES: '127.0.0.1' }, folder)
      onTestFinished(() => second.stop(false))
      await guessed(second, 'long')
      expect(await statusIn(second, 'long', secret, '198.51.100.1')).toBe(200)
      // A replaced secret is out at once, and the new one is in.
      const next = 'pQ6uZ1xW4eR8tY2oI7aS5dF3gH9jK0lM'
      const path = `${paths.users}long/`
      expect((await second.admin('PUT', path, { secret: next })).status).toBe(204)
      await guessed(second, 'long')
      expect(await statusIn(second, 'long', secret, '198.51.100.3')).toBe(429)
      expect(await statusIn(second, 'long', next, '198.51.100.3')).toBe(200)
      expect((await second.admin('PUT', path, { secret: short })).status).toBe(204)
      await guessed(second, 'long')
      expect(await statusIn(second, 'long', next, '198.51.100.4')).toBe(429)
    },
  )

  test('when an OAuth client’s secret comes from elsewhere, then it is let in', async () => {
    const made = await service.pos1('POST', '/merchant/v1/application/', {
      name: 'Another',
      redirect_uris: ['https://shop.example/'],
    })
    const { id, client_secret: secret } = made.body
    const errorOf = async (given: string, from: string) => {
      const credentials = Buffer.from(`${id}:${given}`).toString('base64')
      const { body } = await service.call('POST', '/oauth2/token', {
        headers: {
          Authorization: `Basic ${credentials}`,
          'X-Forwarded-For': from,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: Buffer.from('grant_type=authorization_code&code=x'),
      })
      return body.error
    }
    for (let n = 0; n < 12; n++) await errorOf(`guess ${n}`, `192.0.2.${n + 20}`)
    expect(await errorOf('a guess', '198.51.100.9')).toBe('temporarily_unavailable')
    expect(await errorOf(secret, '198.51.100.9')).toBe('invalid_grant')
  })

  test('when secrets of OAuth clients are guessed, then these are limited too', async () => {
    const made = await service.pos1('POST', '/merchant/v1/application/', {
      name: 'Shop',
      redirect_uris: ['https://shop.example/'],
    })
    const { id, client_secret: secret } = made.body
    const token = (client: string, given: string) => {
      const credentials = Buffer.from(`${client}:${given}`).toString('base64')
      return service.call('POST', '/oauth2/token', {
        headers: {
          Authorization: `Basic ${credentials}`,
          'X-Forwarded-For': '192.0.2.7',
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: Buffer.from('grant_type=authorization_code&code=x'),
      })
    }
    const statuses = async (client: string) => {
      const all = []
      for (let n = 0; n < 12; n++) all.push((await token(client, `guess ${n}`)).status)
      return all
    }
    const expected = [...Array(10).fill(401), 429, 429]
    expect(await statuses(id)).toEqual(expected)
    expect(await statuses('no-such-client')).toEqual(expected)
    const slowed = await token(id, secret)
    expect(slowed).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } })
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('when that has happened, then the security log has it, without secrets', async () => {
    const [first] = securityLogFiles(service.folder)
    const text = readFileSync(first?.file ?? '', 'utf8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(text).not.toMatch(/guess|nobody|no-such-client/)
    const types = new Set(lines.map(({ type, actor }) => `${type} ${actor}`))
    expect([...types]).toEqual(
      expect.arrayContaining([
        'authentication_failed user:till',
        'authentication_failed user:?',
        'locked_out user:till',
        'locked_out user:?',
        'authentication_failed user:pos1',
        expect.stringMatching(/^locked_out client:./),
      ]),
    )
  })
})
