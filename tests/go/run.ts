// Go's sumdb/tlog and sumdb/note verify our tiles, checkpoints and proofs, and our verifier
// verifies theirs. Needs: apt-get install golang-go golang-golang-x-mod-dev
import { execFile } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stickers } from '../../domain/aggregates.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { merchantClient, type MerchantClient } from '../../harness/merchant-client.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { operatorHere } from '../../harness/operator.ts'

const execute = promisify(execFile)

const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')

const v1 = '/merchant/v1'

/** Tiles of three levels, full and partial. */
const events = Number(process.argv[2] ?? 70_000)

const batch = 500

const folder = mkdtempSync(join(tmpdir(), 'daybook-go-'))

const program = join(folder, 'check')

const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')]

for (const name of [ours, theirs]) mkdirSync(name)

/** Debian's folder of Go sources; no modules. */
const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }

const run = async (file: string, ...words: string[]): Promise<string> =>
  (await execute(file, words, { env, maxBuffer: 1 << 26 })).stdout

const service = await startInProcess({ LOG_LEVEL: 'warn' })

const { address, core } = service

const succeeding =
  (client: MerchantClient) =>
  async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await client(method, path, body)
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }

const key = createPrivateKey(readFileSync(join(service.folder, 'sandbox-admin-key.pem')))

const admin = succeeding(merchantClient(address, { merchant: 'sandbox', user: 'admin', key }))

const sandbox = succeeding(merchantClient(address))

const passTime = () => sandbox('POST', '/sandbox/v1/clock/', { advance_seconds: 11 })

const fillLog = async (): Promise<void> => {
  const context = core.contextOf('check')
  const add = (name: number) => core.handle(stickers, `go-${name}`, { type: 'AddSticker' }, context)
  for (let made = 0; made < events; made += batch)
    await Promise.all(Array.from({ length: batch }, (_, at) => add(made + at)))
}

/** Receipts of a payment, a report and a settlement, while two keys sign. */
const writeReceipts = async (): Promise<void> => {
  const { id } = await admin('POST', `${v1}/payment_request/`, paymentInput())
  await sandbox('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  const payment = `${v1}/payment_request/${id}/`
  await admin('PUT', payment, { action: 'capture' })
  await fillLog()
  const report = `${v1}/ledger/default/report/1/`
  await admin('PUT', report, {})
  await sandbox('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await operatorHere(service.settings)('key', 'rotate', 'checkpoints')
  await passTime()
  for (const [name, path] of Object.entries({ payment, report, settlement: `${v1}/settlement/1/` }))
    writeFileSync(join(ours, `${name}.json`), JSON.stringify(await admin('GET', `${path}proof/`)))
}

/** Our verifier on a log made and signed by Go, intact and with one byte changed. */
const verifyTheirs = async (size: number): Promise<void> => {
  await run(program, 'theirs', theirs, String(size))
  const kept = Array.from({ length: size }, (_, at) => ['--kept', join(theirs, `kept-${at + 1}`)])
  const words = ['--key', readFileSync(join(theirs, 'key'), 'utf8'), ...kept.flat()]
  const receipt = join(theirs, 'receipt.json')
  await run(process.execPath, verifier, receipt, ...words)
  const text = readFileSync(receipt, 'utf8').replace('number\\":0}', 'number\\":9}')
  writeFileSync(receipt, text)
  const problem = await run(process.execPath, verifier, receipt, ...words).catch(
    ({ stderr }: { readonly stderr: string }) => stderr,
  )
  if (!problem.includes('entry 0 does not stand in the log')) throw new Error(problem)
  console.log(
    `theirs: verify.mjs holds for ${size} entries and ${size} kept checkpoints of a log of ` +
      `${size} that Go made, and finds a changed digit`,
  )
}

try {
  await run('go', 'build', '-o', program, join(import.meta.dirname, 'check.go'))
  await writeReceipts()
  console.log((await run(program, 'ours', address, ours)).trimEnd())
  for (const size of [1, 2, 7, 64, 100, 257]) await verifyTheirs(size)
} finally {
  await service.stop()
  for (const used of [folder, service.folder]) rmSync(used, { recursive: true })
}
