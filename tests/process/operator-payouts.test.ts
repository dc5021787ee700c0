import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payoutDay } from '../../domain/calendar.ts'
import { bankHolidaysOf } from '../../infrastructure/bank/bank-holidays.ts'
import { settle } from '../../cli/settlements.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { problemsOfPayoutFile } from '../accounting/payout-file-structure.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readLog } from '../support/event-log.ts'

const bank = { MODE: 'sandbox', BANK_ACCOUNT: 'NO9386011117947' }
const folder = mkdtempSync(join(tmpdir(), 'daybook-payouts-'))
const fileOf = (name: string) => join(folder, name)
let place: Place

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
  rmSync(folder, { recursive: true })
})

const settings = () => ({ ...bank, DATA_DIR: place.directory })
const daybook = (...words: string[]) => operatorHere(readSettings(settings()))('--json', ...words)
const capture = async () => place.capture(await place.authorize({ amount: '900.00' }))
const ordersInLog = async () =>
  (await readLog(place.directory)).flatMap((event) =>
    event.type === 'PayoutOrdered' ? event.data.messageId : [],
  )
const countOf = async (type: string) =>
  (await readLog(place.directory)).filter((event) => event.type === type).length

test('given a folder that does not exist, when payouts are to be written there, then none is ordered, and nothing is settled', async () => {
  await capture()
  const file = fileOf('nowhere/out.xml')
  const { code, output, errors } = await daybook('settle', '--pain001', file)
  expect([code, output]).toEqual([1, ''])
  expect(errors).toBe(`${file} cannot be written: there is no such file or folder\n`)
  expect(await ordersInLog()).toEqual([])
  expect(await countOf('SettlementStarted')).toBe(0)
})

test('given a payout file, when another is to be written in its place, then it stays as it is and nothing is ordered', async () => {
  const file = fileOf('older.xml')
  writeFileSync(file, 'asks for payouts')
  const { code, errors } = await daybook('settle', '--pain001', file)
  expect(code).toBe(1)
  expect(errors).toBe(`${file} is there already, and no payout file is written over another file\n`)
  expect(readFileSync(file, 'utf8')).toBe('asks for payouts')
  expect(await ordersInLog()).toEqual([])
})

test('given a message that nobody has sent, when its file is asked for again, then there is no such message, and no file', async () => {
  const file = fileOf('nosuch.xml')
  const { code, output, errors } = await daybook('settle', '--again', 'nosuch', '--pain001', file)
  expect([code, output]).toEqual([1, ''])
  expect(errors).toBe('there is no message nosuch that ordered payouts\n')
  expect(existsSync(file)).toBe(false)
})

const mount = 'mount -t tmpfs -o size=4k full "$0" && head -c 4096 /dev/zero > "$0/all"'
const mayMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', mount, mkdtempSync(join(folder, 'try-'))]).status === 0

test.runIf(mayMount)(
  'given a disk without room, when the payouts are ordered, then their message is told, and its file is written elsewhere',
  async () => {
    const disk = fileOf('disk')
    mkdirSync(disk)
    const command = `${mount} && exec "$@"`
    const words = ['dist/service/main.js', 'settle', '--pain001', join(disk, 'out.xml')]
    const { status, stderr } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', command, disk, process.execPath, ...words],
      { env: { ...process.env, ...settings() }, encoding: 'utf8' },
    )
    expect(status).toBe(1)
    const [messageId = ''] = await ordersInLog()
    expect(stderr).toBe(
      `ordering payouts under message ${messageId}. To write their file: settle --again ${messageId} --pain001 <new file>\n` +
        `the payouts are ordered under message ${messageId}, but ${join(disk, 'out.xml')} could not be written: the disk is full\n` +
        `To write their file: settle --again ${messageId} --pain001 <new file>\n`,
    )
    const again = await daybook('settle', '--again', messageId, '--pain001', fileOf('again.xml'))
    expect(JSON.parse(again.output)).toMatchObject({ message_id: messageId, payouts_ordered: 1 })
    expect(problemsOfPayoutFile(readFileSync(fileOf('again.xml'), 'utf8'))).toEqual([])
  },
)

test('given somebody who holds the log, when payouts are to be ordered, then the message is told under which some may be', async () => {
  await capture()
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  const before = await ordersInLog()
  const file = fileOf('held.xml')
  const other = new Database(join(place.directory, 'events.sqlite'))
  other.exec('BEGIN IMMEDIATE')
  const order = settle(place.core, readSettings(settings()), [], { pain001: file })
  await expect(order).rejects.toThrow(
    /^not every payout could be ordered: another process holds the event log\nThose that could are ordered under message (DAYBOOK-[0-9A-F]{16})\. To write their file: settle --again \1 --pain001 <new file>$/,
  )
  other.exec('ROLLBACK')
  other.close()
  expect(existsSync(file)).toBe(false)
  expect(await ordersInLog()).toEqual(before)

  const { code, output, errors } = await daybook('settle', '--pain001', file)
  expect(code).toBe(0)
  const { payouts_ordered, message_id } = JSON.parse(output)
  expect(payouts_ordered).toBeGreaterThan(0)
  // For an operator who interrupts it.
  expect(errors).toContain(`ordering payouts under message ${message_id}. To write their file: `)
  expect(problemsOfPayoutFile(readFileSync(file, 'utf8'))).toEqual([])
})

test('given a payout whose day has passed before the bank is asked for it, when it is ordered, then the bank is to pay on the next weekday', async () => {
  await capture()
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await place.core.readModels.caughtUp()
  const passed = place.core.accounting.settlements.payable()[0]?.made?.payoutDay ?? ''
  expect(passed).not.toBe('')
  await place.sandbox('clock/', { advance_seconds: 4 * 86_400 })
  // Or the next day, if midnight passes meanwhile.
  const isHoliday = await bankHolidaysOf(place.core.find)('sandbox')
  const earliest = () => payoutDay(place.core.now(), 0, 'Europe/Oslo', isHoliday).day
  const before = earliest()
  const file = fileOf('late.xml')
  expect(await daybook('settle', '--pain001', file)).toMatchObject({ code: 0 })
  const days = [before, earliest()]
  const [order] = (await readLog(place.directory))
    .flatMap((event) => (event.type === 'PayoutOrdered' ? event.data : []))
    .slice(-1)
  expect(days).toContain(order?.payoutDay)
  expect(days).not.toContain(passed)
  const asked = /<ReqdExctnDt>\s*<Dt>(.*)<\/Dt>/.exec(readFileSync(file, 'utf8'))?.[1]
  expect(asked).toBe(order?.payoutDay)
})

test('given nothing to pay, when a payout file is requested, then no empty file is left', async () => {
  const { code, output, errors } = await daybook('settle', '--pain001', fileOf('empty.xml'))
  expect([code, errors]).toEqual([0, ''])
  expect(JSON.parse(output)).toMatchObject({ payouts_ordered: 0, payout_file: null })
  expect(readdirSync(folder)).not.toContain('empty.xml')
  const { trial_balance } = JSON.parse((await daybook('status')).output)
  expect(trial_balance).toMatchObject([{ currency: 'NOK', payouts_payable: '0.00' }])
  expect(Number(trial_balance[0].payout_clearing)).toBeLessThan(0)
})
