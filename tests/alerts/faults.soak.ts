// @module-tag night
// Each alert is set off by its fault: the service runs, the fault is made, the metrics are scraped.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { authorizedPayment, startService, type Service } from '../support/http-service.ts'
import { newFolder } from '../../harness/in-process.ts'
import { operatorHere } from '../../harness/operator.ts'
import { prepareKeys } from '../../harness/signing.ts'
import { lastAuditIn } from '../../audit/verify/last-audit.ts'
import { soleProcess } from '../../infrastructure/leases/leases.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import { eventsOf, rewrite, verifyIn } from '../../harness/alter/altered-log.ts'
import { shopLog } from '../audit/shop-log.ts'
import { expectAlerts, expectQuietHour, scrape, testRules } from './promtool.ts'

const day = 86_400

const started = async (environment: Readonly<Record<string, string>> = {}, folder?: string) => {
  const service = await startService({ LOG_LEVEL: 'silent', ...environment }, folder)
  onTestFinished(() => service.stop())
  // A request and its callback, as any service has had before.
  await captured(service)
  return service
}

const captured = async (service: Service): Promise<void> => {
  const path = await authorizedPayment(service)
  await service.pos1('PUT', path, { action: 'capture' })
  await service.core.readModels.caughtUp()
}

const advance = (service: Service, advance_seconds: number) =>
  service.call('POST', '/sandbox/v1/clock/', { body: { advance_seconds } })

const sendCallback = (service: Service, callback_uri: string) =>
  service.call('POST', '/sandbox/v1/callback/', { body: { callback_uri } })

const listening = async (server: Server | ReturnType<typeof createTlsServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const valueIn = async ({ address }: Service, name: string): Promise<number> => {
  const { text = '' } = await scrape(address)
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

testRules('given a service that ended, then it is down', async () => {
  const service = await startService({ LOG_LEVEL: 'silent' })
  const before = await scrape(service.address)
  await service.stop()
  expectAlerts(before, await scrape(service.address), ['DaybookDown'])
})

testRules(
  'given a log that another process holds, then the store is down',
  async () => {
    const service = await started()
    const before = await scrape(service.address)
    const file = new Database(join(service.folder, 'events.sqlite'))
    file.exec('BEGIN IMMEDIATE')
    onTestFinished(() => void file.close())
    const asking = Array.from({ length: 5 }, () =>
      authorizedPayment(service).catch(() => undefined),
    )
    await Promise.all(asking)
    const alerts = ['DaybookRequestsFail', 'DaybookStoreDown']
    expectAlerts(before, await scrape(service.address), alerts)
  },
  30_000,
)

testRules(
  'given a log that another process holds for a while, requests are slow',
  async () => {
    const service = await started()
    const before = await scrape(service.address)
    const file = new Database(join(service.folder, 'events.sqlite'))
    file.exec('BEGIN IMMEDIATE')
    const asking = Promise.all(Array.from({ length: 5 }, () => authorizedPayment(service)))
    const begun = performance.now()
    await expect.poll(() => performance.now() - begun, { timeout: 5_000 }).toBeGreaterThan(1_500)
    file.close()
    await asking
    expectAlerts(before, await scrape(service.address), ['DaybookRequestsSlow'])
  },
  30_000,
)

testRules('given a thread that is blocked, then the event loop is', async () => {
  const service = await started()
  await scrape(service.address)
  const before = await scrape(service.address)
  const begun = performance.now()
  while (performance.now() - begun < 1_200);
  expectAlerts(before, await scrape(service.address), ['DaybookEventLoopBlocked'])
})

testRules('given a thread without memory, then it fails', async () => {
  const service = await started()
  const [bounded, sound] = [{ maxOldGenerationSizeMb: 1 }, {}].map((resourceLimits) => {
    const thread = jobThread('infrastructure/pictures/png-job', { resourceLimits })
    onTestFinished(() => thread.end())
    return thread
  })
  await sound?.ask(new Uint8Array(8)).catch(() => undefined)
  const before = await scrape(service.address)
  await expect(bounded?.ask(new Uint8Array(8))).rejects.toThrow('has ended')
  expectAlerts(before, await scrape(service.address), ['DaybookThreadFails'])
})

testRules('given a clock that is set back, then it is behind', async () => {
  const service = await started()
  const before = await scrape(service.address)
  vi.useFakeTimers({ toFake: ['Date'], now: before.at - 600_000 })
  onTestFinished(() => void vi.useRealTimers())
  expectAlerts(before, await scrape(service.address), ['DaybookClockBehind'])
})

testRules('given a certificate that ends in days, then it is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-certificates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lasting = (days: number) => {
    const [key, cert] = [join(folder, `${days}.key`), join(folder, `${days}.pem`)]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const about = ['-subj', '/CN=pay', '-days', String(days), '-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', '-x509', ...kind, ...about], { stdio: 'pipe' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  }
  const proxy = createTlsServer(lasting(90))
  const port = await listening(proxy)
  const service = await started({ PUBLIC_URL: `https://127.0.0.1:${port}` })
  const ends = 'daybook_certificate_end_timestamp_seconds{certificate="PUBLIC_URL"}'
  await expect.poll(() => valueIn(service, ends)).toBeGreaterThan(Date.now() / 1_000 + 80 * day)
  const before = await scrape(service.address)
  proxy.setSecureContext(lasting(2))
  vi.useFakeTimers({ toFake: ['Date'], now: before.at + 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  await expect.poll(() => valueIn(service, ends)).toBeLessThan(Date.now() / 1_000 + 3 * day)
  expectAlerts(before, await scrape(service.address), ['DaybookCertificateEnds'])
})

testRules(
  'given many messages for one network, then a limit is reached',
  async () => {
    const service = await started()
    const before = await scrape(service.address)
    for (let count = 0; count <= 100; count += 1) {
      const body = { phone: `+47480${10_000 + count}`, name: 'Pumped', pin: '8642' }
      await service.call('POST', '/payer/v1/sign_up/', { body })
    }
    expectAlerts(before, await scrape(service.address), ['DaybookMessageLimitReached'])
  },
  60_000,
)

testRules(
  'given read models that another process holds, then they are behind',
  async () => {
    const service = await started()
    const before = await scrape(service.address)
    const file = new Database(service.core.readModelFile)
    file.exec('BEGIN IMMEDIATE')
    onTestFinished(() => void file.close())
    await sendCallback(service, 'http://127.0.0.1:9/').catch(() => undefined)
    await expect
      .poll(() => valueIn(service, 'daybook_read_models_behind_seconds'))
      .toBeGreaterThan(0)
    const real = performance.now.bind(performance)
    const now = vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000)
    onTestFinished(() => void now.mockRestore())
    expectAlerts(before, await scrape(service.address), ['DaybookReadModelsBehind'])
  },
  30_000,
)

const smallDisk = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1080m', 'daybook', folder], { stdio: 'pipe' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}

testRules('given a disk that fills up, then it is nearly full', async ({ skip }) => {
  const disk = smallDisk() ?? skip('a disk may not be mounted here')
  const folder = join(disk, 'data')
  mkdirSync(folder)
  const service = await started({}, prepareKeys(folder))
  const before = await scrape(service.address)
  execFileSync('fallocate', ['-l', '170M', join(disk, 'other')])
  expectAlerts(before, await scrape(service.address), ['DaybookDiskNearlyFull'])
})

testRules(
  'given work that a dead process holds, then nobody does it, and callbacks wait',
  async () => {
    const folder = newFolder()
    const first = await startService({ LOG_LEVEL: 'silent' }, folder)
    await captured(first)
    const before = await scrape(first.address)
    await first.stop(false)
    const other = soleProcess(join(folder, 'telling.lock'))
    expect(other.isOurs()).toBe(true)
    const service = await startService({ LOG_LEVEL: 'silent' }, folder)
    onTestFinished(async () => {
      other.resign()
      await service.stop()
    })
    await sendCallback(service, 'http://127.0.0.1:9/')
    await advance(service, 600)
    expectAlerts(before, await scrape(service.address), [
      'DaybookCallbacksOverdue',
      'DaybookWorkWithoutNode',
    ])
  },
)

const { copied } = shopLog()

testRules('given an event that somebody changed, then the audit is broken', async () => {
  const log = copied()
  const sound = await verifyIn(log)
  const { position = 0 } = eventsOf(log, 'PaymentCaptured')[0] ?? {}
  rewrite(log, position, { data: (data) => ({ ...data, amount: 1 }) })
  const broken = await verifyIn(log)
  const service = await started()
  lastAuditIn(service.folder).write(sound, Date.now())
  const before = await scrape(service.address)
  lastAuditIn(service.folder).write(broken, Date.now())
  expectAlerts(before, await scrape(service.address), ['DaybookAuditBroken'])
})

testRules('given no audit for days, then the last one is old', async () => {
  const sound = await verifyIn(copied())
  const service = await started()
  const last = lastAuditIn(service.folder)
  last.write(sound, Date.now())
  const before = await scrape(service.address)
  last.write(sound, Date.now() - 4 * day * 1_000)
  expectAlerts(before, await scrape(service.address), ['DaybookAuditOld'])
})

testRules('given another signing key on disk, then it is wrong', async () => {
  const service = await started()
  const before = await scrape(service.address)
  const made = ['genpkey', '-algorithm', 'ed25519', '-out']
  execFileSync('openssl', [...made, join(service.folder, 'callback-ed25519.pem')])
  await advance(service, day)
  await expect.poll(() => valueIn(service, 'daybook_signing_keys_hold')).toBe(0)
  expectAlerts(before, await scrape(service.address), ['DaybookSigningKeyWrong'])
})

testRules('given a receiver that is away, then callbacks fail', async () => {
  const service = await started()
  const before = await scrape(service.address)
  const failed = 'daybook_callback_attempts_total{result="failed"}'
  for (let count = 0; count < 6; count += 1) await sendCallback(service, 'http://127.0.0.1:9/')
  await expect.poll(() => valueIn(service, failed)).toBeGreaterThan(5)
  expectAlerts(before, await scrape(service.address), ['DaybookCallbacksFail'])
})

testRules('given a receiver that wants no more, then callbacks are given up', async () => {
  const service = await started()
  const before = await scrape(service.address)
  const port = await listening(createServer((_, answer) => answer.writeHead(410).end()))
  await sendCallback(service, `http://127.0.0.1:${port}/`)
  const oldest = 'daybook_callback_oldest_seconds{state="abandoned"}'
  await expect.poll(() => valueIn(service, 'daybook_callbacks_unfinished')).toBe(1)
  await advance(service, 60)
  await expect.poll(() => valueIn(service, oldest)).toBeGreaterThan(0)
  expectAlerts(before, await scrape(service.address), ['DaybookCallbacksGivenUp'])
})

const inReadModels = (service: Service, text: string): void => {
  const file = new Database(service.core.readModelFile)
  file.exec(text)
  file.close()
}

testRules('given a balance that somebody changed, then the journal is unbalanced', async () => {
  const service = await started()
  const before = await scrape(service.address)
  inReadModels(
    service,
    `UPDATE journal_balances SET balance = balance + 7
      WHERE rowid = (SELECT min(rowid) FROM journal_balances WHERE currency = 'NOK')`,
  )
  expectAlerts(before, await scrape(service.address), ['DaybookJournalUnbalanced'])
})

testRules('given lines that make no log, then the report is stuck', async () => {
  const service = await started()
  const before = await scrape(service.address)
  inReadModels(service, `UPDATE transaction_lines SET currency = 'none'`)
  const close = await service.pos1('PUT', '/merchant/v1/ledger/default/report/1/', {})
  expect(close.status).toBe(204)
  await advance(service, 1_200)
  expectAlerts(before, await scrape(service.address), ['DaybookSettlementStuck'])
})

const ownAccount = 'NO9386011117947'
const fundingAccount = 'NO8330001234567'

/** A profile with an account of the funding source. */
const profileIn = (folder: string): string => {
  const path = join(folder, 'profile.json')
  const accounts = [{ account: fundingAccount }]
  const funding = { since: '2026-01-01', due_days: 60, accounts }
  writeFileSync(path, JSON.stringify({ funding }))
  return path
}

const statement = (
  iban: string,
  side: 'CRDT' | 'DBIT',
) => `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>s1</MsgId><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm></GrpHdr>
  <Stmt><Id>s1</Id><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm>
    <Acct><Id><IBAN>${iban}</IBAN></Id></Acct>
    <Ntry><Amt Ccy="NOK">7.00</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>2026-11-30</Dt></BookgDt><AcctSvcrRef>ref</AcctSvcrRef></Ntry></Stmt>
</BkToCstmrStmt></Document>`

/** Reads a statement with one entry of 7.00, as the operator's command does. */
const imported = async ({ folder, core }: Service, ...entry: Parameters<typeof statement>) => {
  const file = join(folder, 'statement.xml')
  writeFileSync(file, statement(...entry))
  const bank = { MODE: 'sandbox', DATA_DIR: folder, BANK_ACCOUNT: ownAccount }
  const command = operatorHere(readSettings({ ...bank, BANK_PROFILE: profileIn(folder) }))
  const { code } = await command('--json', 'bank', 'import', file)
  expect(code).toBe(0)
  await core.readModels.caughtUp()
}

testRules('given a debit that is no payout, then it is unexplained', async () => {
  const service = await started()
  const before = await scrape(service.address)
  await imported(service, ownAccount, 'DBIT')
  expectAlerts(before, await scrape(service.address), ['DaybookBankDebitUnexplained'])
})

testRules('given money of payers that pays nothing, then it is a difference', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-alerts-'))
  const service = await started({ BANK_PROFILE: profileIn(folder) }, folder)
  const before = await scrape(service.address)
  await imported(service, fundingAccount, 'CRDT')
  expectAlerts(before, await scrape(service.address), ['DaybookFundingDifference'])
})

testRules(
  'given an hour of payments, callbacks, a report and a settlement, then none fires',
  async () => {
    const service = await started()
    const port = await listening(createServer((_, answer) => answer.writeHead(204).end()))
    const scrapes = [await scrape(service.address)]
    for (let part = 0; part < 6; part += 1) {
      for (let count = 0; count < 5; count += 1) await captured(service)
      await sendCallback(service, `http://127.0.0.1:${port}/`)
      await service.pos1('GET', '/merchant/v1/pos/no-such-till/')
      await service.pos1('PUT', `/merchant/v1/ledger/default/report/${part + 1}/`, {})
      await service.call('POST', '/sandbox/v1/settlement/', { body: { merchant: 'sandbox' } })
      await advance(service, 600)
      await expect.poll(() => valueIn(service, 'daybook_callbacks_unfinished')).toBe(0)
      scrapes.push(await scrape(service.address))
    }
    expectQuietHour(scrapes)
  },
  60_000,
)
