import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { runBackgroundWork } from '../../service/background-work.ts'
import { aboutOf } from '../../service/about.ts'
import { linksWith } from '../../service/callback-wire.ts'
import { accountingSlice } from '../../service/features/accounting.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { openService } from '../../service/server.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { newFolder } from '../../harness/in-process.ts'

/** A service whose background work has not started, and its log output. */
const openHere = async () => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lines: string[] = []
  const log = pino({ level: 'error', errorKey: 'error' }, { write: (line) => lines.push(line) })
  const settings = readSettings({ DATA_DIR: folder })
  return {
    ...(await openService(settings, log as Log, { address: () => 'http://daybook.test' })),
    lines,
  }
}

test('a service that is stopped while the event store is away does not ask for it again', async () => {
  const { core, service, lines } = await openHere()
  await core.store.close()
  service.begin()
  // The request is in progress.
  await service.stop()
  await core.close()
  expect(lines.filter((line) => line.includes('will be retried'))).toEqual([])
})

test('accounting that is stopped gives up the logs under way and begins no others; the next start makes them', async () => {
  const place = await openPlace()
  const { core } = place
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const folder = join(place.directory, 'logs')
  const about = aboutOf(core.settings)
  const failures: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void failures.push(line) }) as Log
  const start = () => {
    const wakes: (() => void)[] = []
    const onScheduled = (wake: () => void) => void wakes.push(wake)
    const work = accountingSlice(core, about, linksWith(core)).work.map((one) => ({
      ...one,
      onScheduled,
    }))
    const background = runBackgroundWork({ ...core, log }, work)
    return { ...background, wake: () => wakes.forEach((wake) => wake()) }
  }

  await place.capture(await place.authorize({ amount: '10.00' }))
  for (const report of [1, 2])
    await place.ask('PUT', `/merchant/v1/ledger/default/report/${report}/`, {})
  await core.readModels.caughtUp()
  expect(core.accounting.reports.closingCount()).toBe(2)
  const stopped = start()
  stopped.wake()
  // The thread has been started by now, but does not run yet.
  await turn()
  await stopped.stop()
  expect(failures).toEqual([])
  expect(core.accounting.reports.closingCount()).toBe(2)

  const again = start()
  await again.settle()
  expect(core.accounting.reports.closingCount()).toBe(0)
  expect(readdirSync(folder).filter((name) => name.endsWith('.csv'))).toHaveLength(2)
  await again.stop()
})
