import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { beginLog, operatorHere } from '../../harness/operator.ts'
import { withProduction } from '../../harness/in-process.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import { recordChanges } from '../../infrastructure/logs/security-changes.ts'
import { openSecurityLog, securityLogFiles } from '../../infrastructure/logs/security-log.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-security-'))

afterAll(() => rmSync(folder, { recursive: true }))

const read = (directory: string): Record<string, unknown>[] =>
  securityLogFiles(directory).flatMap(({ file }) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )

describe('given a security log,', () => {
  let directory: string
  let clock: number
  const problems: unknown[] = []
  const open = (keptDays = 30) =>
    openSecurityLog({
      directory,
      keptDays,
      machineNow: () => clock,
      use: { worked: () => {}, failed: (error) => problems.push(error) },
    })
  const failed: SecurityEvent = {
    type: 'authentication_failed',
    actor: 'user:pos1',
    merchant: 'harbour',
    address: '192.0.2.7',
  }

  beforeEach(() => {
    directory = mkdtempSync(join(folder, 'log-'))
    clock = Date.parse('2026-11-27T12:00:00Z')
    problems.length = 0
  })

  test('when something happens, then it is a line of the file of its day', () => {
    const log = open()
    log.record(failed)
    expect(readdirSync(directory)).toEqual(['security-2026-11-27.log'])
    expect(read(directory)).toEqual([{ at: '2026-11-27T12:00:00.000Z', ...failed }])
    log.close()
  })

  test('when it happens again within a minute, then it is counted, and written later', () => {
    const log = open()
    for (let n = 0; n < 42; n++) log.record(failed)
    expect(read(directory)).toHaveLength(1)
    clock += 60_000
    log.record(failed)
    expect(read(directory)[1]).toMatchObject({ times: 41, since: '2026-11-27T12:00:00.000Z' })
    expect(read(directory)).toHaveLength(3)
    log.close()
  })

  test('when the process ends, then what was counted is written', () => {
    const log = open()
    log.record(failed)
    log.record(failed)
    log.close()
    expect(read(directory)[1]).toMatchObject({ times: 1 })
  })

  test('when strangers fail under ever new names, then most are only counted', () => {
    const log = open()
    for (let n = 0; n < 10_000; n++) log.record({ ...failed, address: `2001:db8::${n}` })
    log.record({ type: 'changed', actor: 'operator', reason: 'UserChanged' })
    log.close()
    const lines = read(directory)
    expect(lines).toHaveLength(602)
    expect(lines.filter(({ type }) => type === 'changed')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ actor: 'strangers', times: 9_400 })
  })

  test('when a payer fails, then only the network of the address is written', () => {
    const log = open()
    log.record({ type: 'payer_sign_in_failed', actor: 'payer:1', address: '192.0.2.77' })
    log.record({ type: 'payer_sign_in_failed', actor: 'payer:?', address: '2001:db8:1:2:3::4' })
    log.close()
    expect(read(directory).map(({ address }) => address)).toEqual([
      '192.0.2.0/24',
      '2001:db8:1::/48',
    ])
  })

  test('when a day is over, then its file stays for as long as it is kept', () => {
    const log = open(2)
    for (let day = 0; day < 4; day++) {
      log.record(failed)
      clock += 86_400_000
    }
    log.close()
    expect(securityLogFiles(directory).map(({ day }) => day)).toEqual([
      '2026-11-28',
      '2026-11-29',
      '2026-11-30',
    ])
  })

  test('when two processes write, then the lines of both are there', () => {
    const [one, other] = [open(), open()]
    one.record(failed)
    other.record({ ...failed, actor: 'user:pos2' })
    one.close()
    other.close()
    expect(read(directory).map(({ actor }) => actor)).toEqual(['user:pos1', 'user:pos2'])
  })

  test('when it cannot be written, then nothing else fails', () => {
    writeFileSync(join(directory, 'file'), '')
    directory = join(directory, 'file')
    const log = open()
    log.record(failed)
    log.close()
    expect(problems).not.toEqual([])
  })
})

test('given operator commands, then the log records who ran them, and no secret', async () => {
  const DATA_DIR = join(folder, 'data')
  const settings = readSettings(withProduction({ DATA_DIR, MODE: 'production' }))
  await beginLog(settings)
  const daybook = operatorHere(settings)
  await daybook('merchant', 'add', 'harbour', '--name', 'Harbour', '--currency', 'NOK')
  await daybook('user', 'add', 'harbour', 'pos1', '--secret', 'a long secret')
  await daybook('payer', 'find', '+4741234567')
  const { output, errors } = await daybook('--json', 'audit', 'security', '--since', '1h')
  expect(errors).toBe('')
  expect(output).not.toMatch(/a long secret|41234567/)
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const merchant = 'harbour'
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'operator_command',
        actor: expect.stringMatching(/^operator:./),
        merchant,
        about: 'user add harbour pos1 --secret',
      }),
      expect.objectContaining({ type: 'changed', merchant, reason: 'UserRegistered' }),
      expect.objectContaining({ type: 'operator_command', about: 'payer find <phone>' }),
    ]),
  )
  const chosen = await daybook('audit', 'security', '--type', 'changed', '--merchant', merchant)
  expect(chosen.output.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/ {2}changed {2}operator {2}merchant=harbour .*MerchantRegistered/),
    expect.stringMatching(/UserRegistered/),
  ])
  const none = await daybook('audit', 'security', '--since', '2999-01-01')
  expect(none.output).toBe('')
})

test('given events of payers, then the log names their streams, and not what they typed', () => {
  const told: SecurityEvent[] = []
  const onAppended = recordChanges({ record: (event) => told.push(event) })
  const context = { at: 0, merchant: null, actor: 'payer:unknown', correlationId: 'r' }
  const events = [
    { type: 'PayerSignInFailed', data: { lockedUntil: 0 } },
    { type: 'PayerSignInFailed', data: { lockedUntil: 30_000 } },
    { type: 'PayerSignedIn', data: {} },
    { type: 'PayerCredentialsChanged', data: { what: 'pin' } },
    { type: 'PayerCredentialsChanged', data: { what: 'recovery' } },
    { type: 'PaymentCaptured', data: {} },
    { type: 'PayerErased', data: {} },
  ]
  onAppended('payer-p1', events, context)
  onAppended('payer-p1', events.slice(-1), { ...context, actor: 'payer:p1' })
  expect(told.map(({ type, actor }) => [type, actor])).toEqual([
    ['payer_sign_in_failed', 'payer:p1'],
    ['payer_sign_in_failed', 'payer:p1'],
    ['locked_out', 'payer:p1'],
    ['payer_signed_in', 'payer:p1'],
    ['payer_credentials_changed', 'payer:p1'],
    ['payer_recovered', 'payer:p1'],
    ['changed', 'payer:unknown'],
    ['payer_closed', 'payer:p1'],
  ])
})
