import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { DomainEvent } from '../../domain/events.ts'
import { eventsOf, verifyIn } from '../../harness/alter/altered-log.ts'
import { openPlace } from '../../harness/ledger-service.ts'

/**
 * A shop's log for a test file: captures, refunds, releases, expiries, reports and settlements.
 * Each test gets a copy with all derived data.
 */
export const shopLog = () => {
  let original: string
  let tid: string

  beforeAll(async () => {
    const place = await openPlace()
    original = place.directory
    tid = await place.authorize({ amount: '100.00' })
    await place.capture(tid, { capture_id: 'a', amount: '40.00', currency: 'NOK' })
    await place.refund(tid, { refund_id: 'r', amount: '10.00', currency: 'NOK' })
    await place.close(1)
    await place.sandbox('settlement/', { merchant: 'sandbox' })
    const credit = await place.authorize({ amount: '50.00', credit: true })
    await place.capture(credit)
    await place.close(2)
    await place.authorize({ amount: '70.00' })
    await place.sandbox('clock/', { advance_seconds: 300_000 })
    await place.sandbox('settlement/', { merchant: 'sandbox' })
    await place.stop()
  })
  afterAll(() => rmSync(original, { recursive: true }))

  return {
    /** The payment that was partly captured and refunded. */
    tid: () => tid,
    copied: (): string => {
      const folder = mkdtempSync(join(tmpdir(), 'daybook-faults-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      cpSync(original, folder, { recursive: true })
      return folder
    },
  }
}

export const only = (folder: string, type: DomainEvent['type'], index = 0) => {
  const found = eventsOf(folder, type)[index]
  if (!found) throw new Error(`there is no ${type} ${index}`)
  return found
}

/** The first problem found by an audit. */
export const first = async (folder: string) => {
  const { holds, problems } = await verifyIn(folder)
  return { holds, ...problems[0] }
}
