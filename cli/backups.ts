import { command, flag } from './command.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { fail } from '../infrastructure/failures.ts'
import { backUp, restore, checkBackup } from '../audit/copy/backup.ts'
import { installations } from '../domain/aggregates.ts'
import { type Mark, readMark } from '../infrastructure/event-store/marks.ts'
import { newestMark, placeOf } from '../infrastructure/event-store/seen-events.ts'
import { headOf } from '../infrastructure/event-store/sqlite-event-file.ts'
import { openCore } from '../service/core.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { problemsOfParts } from '../service/people/bound-parts.ts'
import { seenWhenSigned } from '../audit/transparency/signed-before.ts'
import {
  logFileIn,
  openStore,
  type Place,
  readModelMark,
  seenIn,
} from '../infrastructure/stores.ts'

/** The newest event that was seen but is not in the log, and the log's end. */
const lossIn = async (settings: Settings & Place) => {
  const store = await openStore(settings)
  try {
    const ofFile = settings.EVENT_STORE === 'sqlite' && readMark(headOf(logFileIn(settings)))
    const besideKeys = seenWhenSigned(settings.DATA_DIR)
    const marks = [ofFile, readMark(seenIn(settings)), readModelMark(settings), besideKeys]
    let seen: Mark | undefined
    for (const mark of marks)
      if (mark && mark.position >= (seen?.position ?? 0) && (await placeOf(store, mark)) === 'lost')
        seen = mark
    return seen && { seen, end: await store.head() }
  } finally {
    await store.close()
  }
}

/** Accepts a log that lost events, and records this. @throws OperatorError if it lost none */
const acceptLoss = async (given: Settings): Promise<object> => {
  const settings = { ...given, acceptsLoss: true }
  const loss = await lossIn(settings)
  const core = await openCore(settings, makePlainLog())
  try {
    const { store, vault, blobs, handle, contextOf } = core
    const lacks = await problemsOfParts({ store, vault, blobs })
    const seen = loss?.seen ?? (lacks.length > 0 ? await newestMark(store) : undefined)
    if (!seen) return fail('the log holds every event that was seen: there is no loss to accept')
    const end = loss?.end ?? seen.position
    const data = { end, seen, ...(lacks.length > 0 && { lacks }) }
    await handle(installations, 'daybook', { type: 'AcceptLoss', data }, contextOf('operator'))
    const lost = loss && { lost_position: seen.position, lost_stream: seen.stream }
    return { last_position: end, ...lost, ...(lacks.length > 0 && { lacks }) }
  } finally {
    await core.close()
  }
}

/** `daybook backup` and `daybook restore`. */
export const backupCommands = [
  command({
    name: 'backup <folder>',
    about: 'copy log, vault, blobs and keys of a running service into a new folder',
    run: ({ settings }, folder) => backUp(settings, folder),
  }),
  command({
    name: 'restore [folder]',
    about: 'check a backup, then copy it to DATA_DIR, VAULT and BLOBS, which must be empty',
    options: {
      check: flag('only read all of it and print what it holds, change nothing'),
      accept: flag('go on with the log in DATA_DIR, though it lacks events that were seen'),
    },
    run: ({ settings }, folder, { check, accept }) => {
      if (accept && !check && folder === undefined) return acceptLoss(settings)
      if (accept || folder === undefined)
        return fail('give a folder, with --check to change nothing, or --accept alone')
      return check ? checkBackup(folder, settings) : restore(settings, folder)
    },
  }),
]
