// @module-tag long
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { request, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { judgeCertificate } from '../../cli/doctor/network.ts'
import { clockFinding, judgeSpace, judgeSync, nodeFinding } from '../../cli/doctor/machine.ts'
import { dayMs } from '../../domain/time.ts'
import { newFolder, startInProcess } from '../../harness/in-process.ts'
import { beginLog, operatorHere } from '../../harness/operator.ts'
import { nodeWarning } from '../../infrastructure/node-lines.ts'
import { readSettings, type Settings } from '../../infrastructure/settings.ts'
import { makeCertificates } from '../process/certificates.ts'
import { openMailbox } from '../people/mailbox.ts'

type Point = { readonly point: string; readonly state: string; readonly found: string }

const root = newFolder()
const certificates = makeCertificates(root)
const keyFile = join(root, 'vault-key')
const memory = existsSync('/dev/shm') ? '/dev/shm' : undefined
const backups = mkdtempSync(join(memory ?? root, 'daybook-backups-'))
const backup = join(backups, 'monday')

let service: Awaited<ReturnType<typeof startInProcess>>
let settings: Settings
/** What the proxy adds to requests. */
let forwarded: Readonly<Record<string, string>> = { 'X-Forwarded-For': '192.0.2.1' }

const listen = async (listener: RequestListener, pair = certificates.valid(60)) => {
  const server = createServer(pair, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const servers: ReturnType<typeof createServer>[] = []

const proxy: RequestListener = ({ url, method }, answer) => {
  const sent = request(service.address + url, { method, headers: forwarded }, (found) => {
    answer.writeHead(found.statusCode ?? 502)
    found.pipe(answer)
  })
  sent.on('error', () => answer.writeHead(502).end()).end()
}

const refuse: RequestListener = (_, answer) => answer.writeHead(405).end()

/** Runs `daybook doctor` with these settings changed. */
const examine = async (
  changed: Partial<Record<keyof Settings, unknown>> = {},
  ...words: string[]
) => {
  const given = { ...settings, ...changed } as Settings
  const { output, code } = await operatorHere(given)('--json', 'doctor', ...words)
  const { points } = JSON.parse(output) as { points: readonly Point[] }
  const stateOf = (name: string) => {
    const { state, found } = points.find(({ point }) => point === name) ?? {
      state: 'absent',
      found: '',
    }
    return `${state}: ${found}`
  }
  return { points, stateOf, code }
}

const withBackup = ['--backup', backups]

beforeAll(async () => {
  writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o640 })
  const gateway = await listen(refuse)
  service = await startInProcess({
    MODE: 'production',
    PUBLIC_URL: await listen(proxy),
    TRUSTED_PROXIES: '127.0.0.1',
    VAULT_KEY_FILE: keyFile,
    NODE_EXTRA_CA_CERTS: certificates.authority,
    MESSAGE_URL: gateway,
    BANK_ACCOUNT: 'NO9386011117947',
    BANK_ACCOUNT_NAME: 'Payments AS',
    BANK_BIC: 'DNBANOKK',
    SECURITY_CONTACT: 'mailto:security@pay.example',
    HELP_URL: 'https://pay.example/help',
    TERMS_URL: 'https://pay.example/terms',
    PRIVACY_URL: 'https://pay.example/privacy',
    // It would audit when the clock moves.
    AUDIT_EVERY_MINUTES: '0',
    LOG_LEVEL: 'silent',
  })
  settings = {
    ...service.settings,
    AUDIT_EVERY_MINUTES: 1_440,
    METRICS_PORT: Number(new URL(service.metricsAddress ?? '').port),
  }
  const daybook = operatorHere(settings)
  expect(await daybook('audit', 'verify')).toMatchObject({ code: 0 })
  expect(await daybook('backup', backup)).toMatchObject({ code: 0 })
})

afterAll(async () => {
  await service.stop()
  for (const server of servers) server.close().closeAllConnections()
  for (const folder of [root, backups]) rmSync(folder, { recursive: true })
})

test('given a set-up in production, then only what lacks is told', async () => {
  const unread = await examine()
  expect(unread.stateOf('service')).toMatch(
    /^warning: .* nobody has read its metrics since its start$/,
  )
  // The command's own requests do not count.
  expect((await examine()).stateOf('service')).toBe(unread.stateOf('service'))
  await fetch(`${service.metricsAddress}/metrics`)

  const { points, stateOf, code } = await examine({}, ...withBackup)
  const isOther = statSync(backups).dev !== statSync(settings.DATA_DIR).dev
  expect(Object.fromEntries(points.map(({ point, state }) => [point, state]))).toEqual({
    settings: 'ok',
    node: nodeWarning(process.version, Date.now()) === undefined ? 'ok' : 'warning',
    clock: 'ok',
    disk: expect.any(String),
    space: expect.any(String),
    log: 'ok',
    'vault key': 'ok',
    backup: isOther ? 'ok' : 'warning',
    'public address': 'ok',
    service: 'ok',
    callbacks: 'warning',
    gateway: 'ok',
    mail: 'ok',
    twin: 'ok',
    bank: 'warning',
    funding: 'warning',
  })
  expect(stateOf('disk')).toContain('a durable write takes ')
  expect(stateOf('space')).toContain(' GB free in ')
  expect(stateOf('public address')).toMatch(/a valid chain; the certificate ends in (59|60) days$/)
  expect(code).toBe(points.some(({ state }) => state === 'fault') ? 2 : 1)
})

test('given no gateway, bank, terms and proxy, then each is told, with what to do', async () => {
  const absent = ['MESSAGE_URL', 'BANK_ACCOUNT', 'TERMS_URL'].map((name) => [name, undefined])
  const changed = { ...Object.fromEntries(absent), TRUSTED_PROXIES: [], AUDIT_EVERY_MINUTES: 0 }
  const { points, stateOf, code } = await examine(changed)
  expect(code).toBe(2)
  expect(points.filter(({ state, ...rest }) => state !== 'ok' && !('advice' in rest))).toEqual([])
  expect(stateOf('gateway')).toBe('fault: nobody can prove a phone number')
  expect(stateOf('bank')).toBe('fault: payouts cannot be ordered')
  expect(stateOf('settings')).toBe('warning: the service does not audit itself; TERMS_URL: not set')
  expect(stateOf('public address')).toBe('warning: no proxy is trusted')
  expect(stateOf('clock')).toBe('warning: compared with no other clock')
  expect(stateOf('backup')).toBe('fault: no backup is known')
})

test('given faults in what answers, then each is told', async () => {
  const failing = await listen((_, answer) => answer.writeHead(503).end())
  const expired = await listen(proxy, certificates.expired())
  const first = await examine({ MESSAGE_URL: failing, PUBLIC_URL: expired, METRICS_PORT: 1 })
  expect(first.stateOf('gateway')).toBe(`fault: ${failing} answers 503`)
  expect(first.stateOf('public address')).toContain(
    `fault: ${expired}: the certificate has expired on `,
  )
  expect(first.stateOf('service')).toContain('fault: ')

  const selfSigned = await listen(proxy, certificates.selfSigned)
  const soon = { PUBLIC_URL: selfSigned, BANK_ACCOUNT_NAME: 'daybook', PRIVATE_CALLBACKS: 'allow' }
  const second = await examine(soon, '--clock', failing)
  expect(second.stateOf('public address')).toBe(`fault: ${selfSigned}: self-signed certificate`)
  expect(second.stateOf('bank')).toContain('fault: the holder of BANK_ACCOUNT is not named')
  expect(second.stateOf('settings')).toBe('warning: merchants may have this network asked')
  expect(second.stateOf('clock')).toMatch(/^ok: .* s (behind|ahead of) https/)

  const plain = { PUBLIC_URL: failing, MESSAGE_URL: service.address }
  const third = await examine(plain)
  expect(third.stateOf('public address')).toContain(`fault: ${failing}/health/ready answers 503`)
  expect(third.stateOf('gateway')).toBe(`warning: ${service.address} answers without TLS`)
})

test('given a mail server, then it is told whether it lets the service in', async () => {
  const mailbox = await openMailbox()
  const stateWith = async (url: string) => (await examine({ MAIL_URL: url })).stateOf('mail')
  const plain = '?requireTLS=false'
  expect(await stateWith(mailbox.url + plain)).toBe(`ok: ${mailbox.host} lets the service in`)
  const wrong = mailbox.url.replace('p%40ss', 'guess') + plain
  expect(await stateWith(wrong)).toBe(`fault: ${mailbox.host} does not: EAUTH 535`)
  // A password is sent over TLS only, unless the setting says otherwise.
  expect(await stateWith(mailbox.url)).toMatch(/does not: ETLS/)
  await mailbox.close()
  expect(await stateWith(mailbox.url)).toMatch(/^fault: \S+ does not: E/)
  const gateway = await listen((_, answer) => answer.writeHead(503).end())
  expect(await stateWith(gateway)).toBe(`fault: ${gateway} answers 503`)
})

test('given a twin, then it is told whether it is another one that is ready', async () => {
  const stateWith = async (TWIN_URL: string) => (await examine({ TWIN_URL })).stateOf('twin')
  const ready = await listen(proxy)
  expect(await stateWith(ready)).toBe(`ok: ${ready} is ready`)
  expect(await stateWith(service.address)).toBe(`fault: ${service.address} is without TLS`)
  const own = 'fault: TWIN_URL leads to this daybook itself'
  expect(await stateWith(settings.PUBLIC_URL ?? '')).toBe(own)
  const failing = await listen((_, answer) => answer.writeHead(503).end())
  expect(await stateWith(failing)).toContain(`fault: ${failing}/health/ready answers 503`)
  expect(await stateWith('https://127.0.0.1:1')).toMatch(/^fault: https:\/\/127\.0\.0\.1:1: /)
  const { points } = await examine({ TWIN_URL: failing })
  expect(points.find(({ point }) => point === 'twin')).toHaveProperty('advice')
})

test('given a clock two days ahead, then all that goes by it is told', async () => {
  const added = ['merchant', 'add', 'harbour', '--name', 'Harbour', '--currency', 'NOK']
  expect(await operatorHere(settings)(...added)).toMatchObject({ code: 0 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * dayMs + 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const { stateOf } = await examine({}, ...withBackup)
  expect(stateOf('clock')).toMatch(/^fault: 176\d{3}\.\d s ahead of https/)
  expect(stateOf('backup')).toContain(`fault: ${backup} lacks events since 20`)
  expect(stateOf('log')).toBe('warning: no audit of the log has held lately')
  expect(stateOf('service')).toContain('warning: the service is ready, but nobody has read')
})

test('given an audit that found something, or none, then that is told', async () => {
  const file = join(settings.DATA_DIR, 'audit.json')
  const held = readFileSync(file, 'utf8')
  onTestFinished(() => writeFileSync(file, held))
  const problem = { position: 1, text: 'an event was altered' }
  writeFileSync(file, JSON.stringify({ ...JSON.parse(held), holds: false, problem }))
  const found = 'fault: the last audit found: an event was altered'
  expect((await examine()).stateOf('log')).toBe(found)
  rmSync(file)
  expect((await examine()).stateOf('log')).toBe('warning: no audit of the log has held lately')
})

test('given receivers of callbacks, then those that do not answer are told', async () => {
  const daybook = operatorHere(settings)
  const name = async (merchant: string, uri: string) =>
    expect(await daybook('merchant', 'change', merchant, '--callback-uri', uri)).toMatchObject({
      code: 0,
    })
  await name('harbour', 'https://127.0.0.1:1/callbacks')
  const allowed = { PRIVATE_CALLBACKS: 'allow' }
  const closed = await examine()
  expect(closed.stateOf('callbacks')).toContain('127.0.0.1 is not on the open internet')
  const none = await examine(allowed)
  expect(none.stateOf('callbacks')).toBe(
    'fault: 1 of 1 receivers cannot be reached: ' +
      'https://127.0.0.1:1: nobody listens at this address',
  )
  await daybook('merchant', 'add', 'kiosk', '--name', 'Kiosk', '--currency', 'NOK')
  await name('kiosk', `${await listen(refuse)}/here`)
  expect((await examine(allowed)).stateOf('callbacks')).toContain('warning: 1 of 2 receivers')
  await name('harbour', `${await listen(refuse)}/there`)
  expect((await examine(allowed)).stateOf('callbacks')).toBe('ok: all 2 receivers answer')
})

describe('given a key of the vault', () => {
  const inData = () => join(settings.DATA_DIR, 'vault-key')

  test('beside the vault, in the backup or open to all, then that is told', async () => {
    const copied = join(backup, 'key-copy')
    for (const to of [inData(), copied]) copyFileSync(keyFile, to)
    chmodSync(inData(), 0o644)
    onTestFinished(() => [inData(), copied].forEach((path) => rmSync(path)))
    const { stateOf } = await examine({ VAULT_KEY_FILE: inData() }, ...withBackup)
    expect(stateOf('vault key')).toMatch(/^fault: /)
    expect(stateOf('vault key')).toContain(`with what it protects: ${settings.DATA_DIR};`)
    expect(stateOf('vault key')).toContain(`with what it protects: ${copied};`)
    expect(stateOf('vault key')).toContain(`everybody on this machine can open ${inData()}`)
  })

  test('that is another one, or not the first, then that is told', async () => {
    const other = join(root, 'other-key')
    writeFileSync(other, randomBytes(32).toString('base64'), { mode: 0o600 })
    const { stateOf } = await examine({ VAULT_KEY_FILE: other }, ...withBackup)
    for (const point of ['log', 'vault key', 'backup'])
      expect(stateOf(point)).toContain('the vault is wrapped by key')
    const [next, own] = [randomBytes(32).toString('hex'), readFileSync(keyFile, 'utf8')]
    writeFileSync(other, `${next}\n${own}\n`)
    expect((await examine({ VAULT_KEY_FILE: other })).stateOf('vault key')).toMatch(
      /^warning: an older key, [\da-f]{8}, wraps the vault$/,
    )
  })
})

test('given no backup, a damaged one, or that of another log, then that is told', async () => {
  const empty = join(root, 'none')
  mkdirSync(empty)
  expect((await examine({}, '--backup', empty)).stateOf('backup')).toBe(
    `fault: there is no backup in ${empty}`,
  )
  const damaged = join(root, 'damaged')
  const daybook = operatorHere(settings)
  expect(await daybook('backup', damaged)).toMatchObject({ code: 0 })
  truncateSync(join(damaged, 'events.sqlite'), 8_192)
  chmodSync(damaged, 0o755)
  expect((await examine({}, '--backup', damaged)).stateOf('backup')).toMatch(/^fault: /)
})

test('given a log in memory, a vault in the clear, or no log, then that is told', async () => {
  const folder = mkdtempSync(join(memory ?? root, 'daybook-memory-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const none = await examine({ DATA_DIR: folder })
  expect(none.stateOf('log')).toContain('fault: ')
  expect(none.stateOf('log')).toContain('there is no log in it')
  const given = { MODE: 'production', PUBLIC_URL: 'https://pay.example', VAULT_KEY_FILE: 'none' }
  await beginLog(readSettings({ ...given, DATA_DIR: folder }))
  chmodSync(folder, 0o755)
  const { stateOf } = await examine({ DATA_DIR: folder, VAULT_KEY_FILE: 'none' }, ...withBackup)
  expect(stateOf('vault key')).toBe('fault: the vault lies in the clear')
  expect(stateOf('backup')).toBe(`fault: ${backup} is of another log`)
  expect(stateOf('log')).toContain(`fault: everybody on this machine can open ${folder}`)
  if (memory) expect(stateOf('disk')).toContain('fault: it lies in memory (tmpfs)')
  expect((await examine({ DATA_DIR: join(folder, 'absent') })).stateOf('disk')).toContain('fault: ')
})

test('given the sandbox, or a proxy that is not trusted, then that is told', async () => {
  const { stateOf } = await examine({ MODE: 'sandbox' })
  expect(stateOf('settings')).toContain('fault: MODE is sandbox')
  expect(stateOf('log')).toContain('is one of production')
  forwarded = { 'X-Forwarded-For': '192.0.2.1', Forwarded: 'for=192.0.2.2' }
  expect((await examine()).stateOf('public address')).toBe(
    'fault: a proxy is not trusted, or passes on two headers',
  )
})

test('when it is printed, then each point is a line, with what to do below', async () => {
  const { output, code } = await operatorHere(settings)('doctor')
  expect(output).toMatch(/^ok {7}settings {8}those of production\n/)
  expect(output).toMatch(/^fault {4}backup .*\n +> give --backup the folder/m)
  expect(output).toMatch(/\n\d+ faults, \d+ warnings\n$/)
  expect(code).toBe(2)
})

describe('the limits are', () => {
  const day = Date.parse('2026-11-30')
  const states = (findings: readonly { readonly state: string }[]) =>
    findings.map(({ state }) => state)

  test('of Node: the last day of its line', () => {
    const at = (version: string, date: string) => nodeFinding(version, Date.parse(date)).state
    expect(at('v20.20.2', '2026-04-30T23:59:59Z')).toBe('ok')
    expect(at('v20.20.2', '2026-05-01')).toBe('warning')
    expect([at('v24.1.0', '2026-11-30'), at('v21.0.0', '2026-11-30')]).toEqual(['ok', 'warning'])
  })

  test('of a certificate: three weeks and one week', () => {
    const after = (days: number) => judgeCertificate(day + days * dayMs, day)
    expect(states([21, 20, 7, 6].map(after))).toEqual(['ok', 'warning', 'warning', 'fault'])
  })

  test('of the clock: two seconds and thirty, and an answer without a time says nothing', () => {
    const off = (ms: number) =>
      clockFinding('there', {
        ...{ status: 200, body: '', validTo: undefined },
        date: day,
        begun: day + 500 + ms,
        ended: day + 500 + ms,
      })
    expect(states([0, -2_000, 2_001, -30_001].map(off))).toEqual(['ok', 'ok', 'warning', 'fault'])
    const silent = {
      status: 200,
      body: '',
      validTo: undefined,
      date: undefined,
      begun: 0,
      ended: 0,
    }
    expect(clockFinding('there', silent).state).toBe('warning')
  })

  test('of the disk: durable writes of 5 and 50 ms, 1 and 5 GB, and room for an upgrade', () => {
    expect(states([1, 5.1, 50.1].map(judgeSync))).toEqual(['ok', 'warning', 'fault'])
    const room = (free: number, needed = 0) => judgeSpace('/data', free, needed)
    const found = [room(6e9), room(4.9e9), room(0.9e9), room(6e9, 7e9)]
    expect(states(found)).toEqual(['ok', 'warning', 'fault', 'warning'])
  })
})
