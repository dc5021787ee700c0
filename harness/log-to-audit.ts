import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openPlace, type Place } from './ledger-service.ts'

/*
 * Makes what an auditor is given: a copy of the log of a shop from 2 March to 27 November, and what
 * its merchant has kept elsewhere. `npm run log-to-audit -- <folder>`; `docs/auditors.md` goes on
 * from there.
 */

const folder = process.argv[2]
if (folder === undefined) throw new Error('name a new folder')
const own = resolve(folder, 'service')
const [copy, kept] = [resolve(folder, 'copy'), resolve(folder, 'kept')]
for (const each of [own, copy, kept]) mkdirSync(each, { recursive: true })

const { now: machineNow } = Date
let ahead = 0
Date.now = () => machineNow() + ahead

/** Lets the clock of this process show a time. What has become due meanwhile is done. */
const goTo = async (time: string, place?: Place): Promise<void> => {
  ahead = Date.parse(time) - machineNow()
  await place?.sandbox('clock/', { advance_seconds: 0 })
}

/** What the merchant has agreed with the operator. */
const agreed = {
  merchant: 'sandbox',
  currency: 'NOK',
  interchange_rate: '0.01',
  transaction_fixed: '1.80',
  permission_fixed: '2.00',
  settlement_fixed: '15.00',
}

const save = async (place: Place, name: string, path: string): Promise<void> =>
  writeFileSync(join(kept, name), (await place.ask('GET', path)).text)

const sale = async (place: Place, posTid: string, amount: string, part?: object) => {
  const tid = await place.authorize({ amount }, posTid)
  await place.capture(tid, part)
  return tid
}

const part = (capture_id: string, amount: string) => ({ capture_id, amount, currency: 'NOK' })

await goTo('2026-03-02T09:00:00Z')
const place = await openPlace(own)
await sale(place, 'order-1', '120.00')
await sale(place, 'order-2', '80.00')
await goTo('2026-03-31T16:00:00Z', place)
await place.close(1)
await save(place, 'checkpoint-2026-03-31', '/transparency/checkpoint')
await save(place, 'key-2026-03-31', '/transparency/key')

await goTo('2026-11-26T10:15:00Z', place)
await sale(place, 'order-7', '250.00')
const parts = await sale(place, 'order-8', '100.00', part('first', '40.00'))
await place.capture(parts, part('second', '60.00'))
await goTo('2026-11-26T14:30:00Z', place)
await place.refund(parts, { refund_id: 'r1', amount: '12.50', currency: 'NOK', text: 'broken cup' })
await goTo('2026-11-27T08:00:00Z', place)
await place.close(2)
const last = (await place.ask('GET', '/merchant/v1/last_settlement/')).location ?? ''
const [, size] = readFileSync(join(kept, 'checkpoint-2026-03-31'), 'utf8').split('\n')
await save(place, 'settlement.json', `${last}proof/?from=${size}`)
writeFileSync(join(kept, 'fees.json'), `${JSON.stringify([agreed], null, 2)}\n`)
await place.stop()
copyFileSync(join(own, 'events.sqlite'), join(copy, 'events.sqlite'))
rmSync(own, { recursive: true })
process.stdout.write(`${copy}: a copy of the log\n${kept}: what the merchant has kept\n`)
