// @module-tag long
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import { openRefusals, refusalFiles } from '../../infrastructure/logs/refusals.ts'
import { pathOf, startAuditedService, type AuditedService } from './audited-service.ts'

let service: AuditedService
beforeAll(async () => {
  service = await startAuditedService()
})
afterAll(() => service.remove())

const asked = async (answer: Promise<{ status: number; headers: Headers }>) => {
  const { status, headers } = await answer
  service.core.refusals.flush()
  return { status, request: headers.get('x-request-id') ?? '' }
}

const refusalOf = async (request: string, run = service.run) => {
  const { output } = await run('--json', 'audit', 'refusals', '--request', request)
  return output === '' ? undefined : JSON.parse(output)
}

const part = (amount: string, capture_id: string) => ({
  ...{ action: 'capture', amount, currency: 'NOK', capture_id },
})

test('given a refused capture, when more has happened, then it is decided again', async () => {
  const tid = await service.authorize()
  const put = (body: object) => service.till('PUT', pathOf(tid), body)
  await put(part('20.00', 'c1'))
  const captured = await service.newest('PaymentCaptured')
  const { status, request } = await asked(put(part('40.00', 'c2')))
  expect(status).toBe(400)
  await put({ action: 'release' })

  const refusal = await refusalOf(request)
  expect(refusal).toMatchObject({
    ...{ actor: 'user:pos1', merchant: 'sandbox', status: 400, method: 'PUT' },
    ...{ path: '/merchant/v1/payment_request/:tid/', target: pathOf(tid) },
    rule: 'capture_exceeds_authorization',
    ...{ stream: `payment-${tid}`, revision: captured.revision },
    again: {
      position: captured.position,
      asked: 'CapturePayment: 40.00 NOK as c2',
      then: expect.stringMatching(/^status auth until .*auth_amount 30.00, captured_amount 20.00/),
      refused: ['capture_exceeds_authorization'],
    },
  })
  const second = refusal.at.slice(0, 19)
  const { output, code } = await service.run('audit', 'refusals', '--at', `${second}Z`)
  expect(code).toBe(0)
  expect(output).toContain(`rule: capture_exceeds_authorization (More than what is left of`)
  expect(output).toContain(`as of: event ${captured.position}`)
  expect(output).toContain('decided again: refused, capture_exceeds_authorization, the same rule')
})

test('given requests that are refused undecided, then it is said why', async () => {
  const tid = await service.authorize()
  const malformed = await asked(service.till('PUT', pathOf(tid), part('1.234', 'c')))
  expect(await refusalOf(malformed.request)).toMatchObject({ rule: 'wrong fields: amount' })
  const unknown = await asked(service.till('GET', pathOf('nothing')))
  expect(await refusalOf(unknown.request)).toMatchObject({
    ...{ status: 404, rule: 'resource_is_unknown', target: pathOf('nothing') },
  })
  const low = await asked(service.till('PUT', pathOf(tid), { action: 'refund' }))
  expect(await refusalOf(low.request)).toMatchObject({
    ...{ status: 401, rule: 'Level too low: a refund must be signed with a key.' },
  })
  const right = await asked(service.till('GET', pathOf(tid)))
  expect(await refusalOf(right.request)).toBeUndefined()
})

test('given a payer who is refused, then that is reported as well', async () => {
  const tid = await service.capture()
  const decline = service.world('POST', `/sandbox/v1/payment_request/${tid}/decline/`, {})
  expect(await refusalOf((await asked(decline)).request)).toMatchObject({
    ...{
      actor: 'payer:alice',
      rule: 'payment_is_not_pending',
      again: { asked: 'DeclinePayment' },
    },
  })
})

test('given a copy without the vault, then who, what and which rule can be read', async () => {
  const { tid } = await service.refund({ amount: '1.00', currency: 'NOK', refund_id: 'r1' })
  const again = { action: 'refund', amount: '99.00', currency: 'NOK', refund_id: 'r2' }
  const secretReason = 'of Kari Nordmann'
  const wish = service.owner('PUT', pathOf(tid), { ...again, text: secretReason })
  const { request } = await asked(wish)
  const copy = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  for (const name of ['events.sqlite', 'events.sqlite-wal'])
    cpSync(join(service.folder, name), join(copy, name))
  for (const { file } of refusalFiles(service.folder)) {
    cpSync(file, join(copy, file.split('/').at(-1) ?? ''))
    expect(readFileSync(file, 'utf8')).not.toContain(secretReason)
  }
  const refusal = await refusalOf(request, operatorHere({ ...service.settings, DATA_DIR: copy }))
  expect(refusal).toMatchObject({ actor: 'user:admin', rule: 'refund_exceeds_captures' })
  expect(refusal).not.toHaveProperty('again')
})

test('given a second without a refusal, then the nearest ones are named', async () => {
  const { code, errors } = await service.run('audit', 'refusals', '--at', '2020-05-17T12:03:11Z')
  expect([code, errors]).toEqual([
    1,
    'nothing was refused within a minute of 2020-05-17T12:03:11.000Z\n',
  ])
})

describe('the file of refusals', () => {
  const begin = () => {
    const directory = mkdtempSync(join(tmpdir(), 'daybook-refusals-'))
    const clock = { now: Date.UTC(2026, 10, 27) }
    const now = () => clock.now
    const use = { worked: () => {}, failed: (error: unknown) => Promise.reject(error) }
    const refusals = openRefusals({ directory, revisionOf: () => 0, now, machineNow: now, use })
    refusals.sealWith(Buffer.alloc(32, 7))
    onTestFinished(() => {
      refusals.close()
      rmSync(directory, { recursive: true })
    })
    let count = 0
    const refuse = (merchant: string, reason = 'a reason', hasAuthenticated = true): string => {
      const requestId = `r${(count += 1)}`
      const target = '/x'.repeat(5_000)
      const refused = { merchant, user: 'pos1', reason, target, hasAuthenticated }
      const status = hasAuthenticated ? 409 : 429
      refusals.onAnswered({ requestId, method: 'GET', path: '/x/', status, refused })
      return requestId
    }
    return { directory, clock, refusals, refuse }
  }
  const flood = (
    { refuse, refusals }: ReturnType<typeof begin>,
    merchant: string,
    batches = 200,
  ): void => {
    for (let batch = 0; batch < batches; batch++) {
      for (let each = 0; each < 100; each++) refuse(merchant, 'why'.repeat(60))
      refusals.flush()
    }
  }
  const linesIn = (directory: string) =>
    refusalFiles(directory).flatMap(({ file }) => readFileSync(file, 'utf8').split('\n'))

  test('limits a merchant’s refusals per day, and continues with those of others', () => {
    const file = begin()
    flood(file, 'noisy')
    const size = () => statSync(refusalFiles(file.directory)[0]?.file ?? '').size
    expect(size()).toBeGreaterThan(1_900_000)
    expect(size()).toBeLessThan(2_200_000)
    const request = file.refuse('quiet')
    file.refusals.flush()
    const lines = linesIn(file.directory)
    expect(lines.filter((line) => line.includes(request))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('"more":100'))).not.toEqual([])
  })

  test('takes so much of all together a day', { tags: 'long' }, () => {
    const file = begin()
    for (let merchant = 0; merchant < 10; merchant++) flood(file, `noisy-${merchant}`, 60)
    const { size } = statSync(refusalFiles(file.directory)[0]?.file ?? '')
    expect(size).toBeGreaterThan(16_000_000)
    expect(size).toBeLessThan(16_800_000)
  })

  test('keeps recording a merchant’s when strangers claim to be that merchant, or many', () => {
    const { directory, refusals, refuse } = begin()
    for (let batch = 0; batch < 500; batch += 1) {
      for (let each = 0; each < 100; each += 1)
        refuse(each % 2 ? 'shop' : `made up ${each}`, 'why'.repeat(60), false)
      refusals.flush()
    }
    const request = refuse('shop')
    refusals.flush()
    expect(linesIn(directory).filter((line) => line.includes(request))).toHaveLength(1)
    const [{ file = '' } = {}] = refusalFiles(directory)
    expect(statSync(file).size).toBeLessThan(2_200_000)
  })

  test('is one for each day, and gone after 90 days', () => {
    const { directory, clock, refusals, refuse } = begin()
    for (const days of [1, 1, 89, 1]) {
      refuse('shop')
      refusals.flush()
      clock.now += days * 86_400_000
    }
    expect(refusalFiles(directory).map(({ day }) => day)).toEqual([
      '2026-11-28',
      '2026-11-29',
      '2027-02-26',
    ])
  })
})
