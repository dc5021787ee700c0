import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { parseNote } from '../../domain/transparency/signed-note.ts'
import type { KeptCheckpoint } from '../../audit/verify/audit-checkpoints.ts'
import type { Alteration, Choose } from '../../harness/alter/alterations.ts'
import { verifyIn } from '../../harness/alter/altered-log.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

/** A day of a shop, more or less of it. */
const day = async (place: Place, number: number): Promise<void> => {
  const amount = `${number}0.00`
  const tid = await place.authorize({ amount })
  await place.capture(tid, { capture_id: 'a', amount: '4.00', currency: 'NOK' })
  await place.refund(tid, { refund_id: 'r', amount: '1.00', currency: 'NOK' })
  await place.capture(await place.authorize({ amount, credit: true }))
  await place.release(await place.authorize({ amount }))
  await place.close(number)
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  // A checkpoint of all that.
  await place.sandbox('clock/', { advance_seconds: 90_000 })
}

const keptFrom = (text: string): KeptCheckpoint => {
  const checkpoint = parseCheckpoint(parseNote(text)?.text ?? '')
  if (!checkpoint) throw new Error(`no checkpoint: ${text}`)
  const root = Buffer.from(checkpoint.root).toString('base64')
  return { size: checkpoint.size, root, by: 'what a merchant has kept' }
}

/** A log with checkpoints, backups of each of its days, and the last checkpoint kept elsewhere. */
export const makeAlterableLog = async (days = 3) => {
  const backups = mkdtempSync(join(tmpdir(), 'daybook-backups-'))
  let folder: string | undefined
  let kept = ''
  for (let number = 1; number <= days; number += 1) {
    const place = await openPlace(folder)
    folder = place.directory
    await day(place, number)
    kept = (await place.ask('GET', '/transparency/checkpoint')).text
    await place.stop()
    if (number < days) cpSync(folder, join(backups, `day-${number}`), { recursive: true })
  }
  const made = folder ?? ''
  renameSync(backups, join(made, 'backups'))
  return { folder: made, text: kept, kept: keptFrom(kept) }
}

export type AlterableLog = Awaited<ReturnType<typeof makeAlterableLog>>

/** Alters a copy of the log, and audits it. */
export const auditAltered = async (
  { folder, kept }: AlterableLog,
  { alter, needsKept }: Alteration,
  choose: Choose,
) => {
  const copy = mkdtempSync(join(tmpdir(), 'daybook-altered-'))
  try {
    cpSync(folder, copy, { recursive: true })
    alter(copy, kept.size, choose)
    return await verifyIn(copy, needsKept ? { kept: [kept] } : {})
  } finally {
    rmSync(copy, { recursive: true })
  }
}
