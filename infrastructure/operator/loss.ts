import { installations } from '../../domain/aggregates.ts'
import { readMark, type Mark } from '../event-store/marks.ts'
import { placeOf } from '../event-store/seen-events.ts'
import { headOf } from '../event-store/sqlite-event-file.ts'
import { openCore } from '../core.ts'
import { fail } from '../failures.ts'
import { makePlainLog } from '../log.ts'
import type { Settings } from '../settings.ts'
import { logFileIn, openStore, readModelMark, seenIn, type Place } from '../stores.ts'

/** The newest event that was seen and is not in the log, and where the log ends. */
const lossIn = async (settings: Settings & Place) => {
  const store = await openStore(settings)
  try {
    const ofFile = settings.EVENT_STORE === 'sqlite' && readMark(headOf(logFileIn(settings)))
    const marks = [ofFile, readMark(seenIn(settings)), readModelMark(settings)]
    let seen: Mark | undefined
    for (const mark of marks)
      if (mark && mark.position >= (seen?.position ?? 0) && (await placeOf(store, mark)) === 'lost')
        seen = mark
    return seen && { seen, end: await store.head() }
  } finally {
    await store.close()
  }
}

/** Goes on with a log that lost events, and records it. @throws OperatorError when it lost none */
export const acceptLoss = async (given: Settings): Promise<object> => {
  const settings = { ...given, acceptsLoss: true }
  const loss = await lossIn(settings)
  if (!loss) return fail('the log holds every event that was seen: there is no loss to accept')
  const core = await openCore(settings, makePlainLog())
  try {
    const command = { type: 'AcceptLoss', data: loss } as const
    await core.handle(installations, 'daybook', command, core.contextOf('operator'))
    const { end, seen } = loss
    return { last_position: end, lost_position: seen.position, lost_stream: seen.stream }
  } finally {
    await core.close()
  }
}
