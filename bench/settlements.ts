import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounting } from '../infrastructure/accounting.ts'
import { openCore } from '../infrastructure/core.ts'
import { makeLog } from '../infrastructure/log.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { seedMerchants, seedPayments } from './seed-payments.ts'

/** Settles many captures of many merchants. `tsx bench/settlements.ts [captures] [merchants]` */
const captures = Number(process.argv[2] ?? 100_000)
const count = Number(process.argv[3] ?? 1_000)
const directory = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
const say = (text: string) => process.stdout.write(`${text}\n`)

const core = await openCore(readSettings({ DATA_DIR: directory }), makeLog('error'))
const merchantOf = (index: number) => `m${index % count}`
await seedMerchants(
  core,
  Array.from({ length: count }, (_, index) => merchantOf(index)),
)
await seedPayments(core.store, core.now(), captures, merchantOf)
await core.readModels.ready()
say(`seeded ${captures} captures of ${count} merchants`)

const accounting = openAccounting(core, { DATA_DIR: directory })
const from = performance.now()
const cpuFrom = process.cpuUsage()
await accounting.settleNow(core.now())
const { user, system } = process.cpuUsage(cpuFrom)
const took = ((performance.now() - from) / 1000).toFixed(2)
let made = 0
for (let index = 0; index < count; index++)
  if (core.settlements.find(merchantOf(index), 1)?.made) made += 1
const [balance] = core.journal.trialBalance()
say(`made ${made} settlements in ${took} s (${((user + system) / 1e6).toFixed(2)} s of CPU)`)
say(`journal off by ${balance?.imbalance}, bank ${balance?.balances['bank']}`)
say(`memory ${Math.round(process.memoryUsage.rss() / 1e6)} MB`)
await accounting.close()
await core.close()
rmSync(directory, { recursive: true })
