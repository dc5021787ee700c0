import { clocks, installations, merchants, payers, users } from '../domain/aggregates.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import { streamOf, within } from '../domain/stream.ts'
import type { Core } from './core.ts'
import { logShown, OperatorError } from './failures.ts'
import { sandboxMerchant, sandboxPayers } from './sandbox-data.ts'
import type { Settings } from './settings.ts'
import { openStore, type Place } from './stores.ts'

/** What the sandbox has made whose secrets everybody can read in this program; the till and the fees open nothing. */
const published = [
  streamOf(merchants, sandboxMerchant),
  ...['pos1', 'admin'].map((id) => streamOf(users, within(sandboxMerchant, id))),
  ...Object.keys(sandboxPayers).map((id) => streamOf(payers, id)),
]

type EventsOf = (stream: string) => Promise<readonly Recorded[]>

const reading = async <Found>(
  place: Place,
  find: (eventsOf: EventsOf) => Promise<Found>,
): Promise<Found> => {
  const store = await openStore(place)
  try {
    return await find(async (stream) => (await store.readStream(stream)).map(parseEvent))
  } finally {
    await store.close()
  }
}

/** What of the sandbox is in the log, in words; none in a log that only production and the operator have written. */
const sandboxTraces = async (eventsOf: EventsOf): Promise<string[]> => {
  const isOfTheSandbox = async (stream: string): Promise<boolean> =>
    // An operator may call a merchant `sandbox` too, and give it users.
    (await eventsOf(stream)).some(({ metadata }) => metadata.actor === 'daybook')
  const found = await Promise.all(published.map(isOfTheSandbox))
  const isMoved = (await eventsOf(streamOf(clocks, 'service'))).length > 0
  return [
    ...published.filter((_, index) => found[index]),
    ...(isMoved ? ['a clock that was moved'] : []),
  ]
}

/** Production must not open to whoever knows what the sandbox publishes, nor answer by a clock that somebody moved. */
const refuseSandboxLog = async (place: Place): Promise<void> => {
  const traces = await reading(place, sandboxTraces)
  if (traces.length === 0) return
  throw new OperatorError(
    `MODE="production": the log of ${logShown(place)} was used by the sandbox, whose secrets are published; ` +
      `it holds ${traces.join(', ')}. Production needs a log of its own`,
  )
}

/** One setting that was forgotten must not open production, and no event is ever taken back. */
const refuseProductionLog = async (place: Place): Promise<void> => {
  const own = streamOf(installations, 'daybook')
  const events = await reading(place, (eventsOf) => eventsOf(own))
  if (!events.some(({ type }) => type === 'ProductionBegun')) return
  throw new OperatorError(
    `MODE="sandbox": the log of ${logShown(place)} is one of production, and the sandbox publishes its secrets. ` +
      'Set MODE=production, or give the sandbox a log of its own',
  )
}

/** A log is one of production or one of the sandbox. @throws OperatorError for one of the other mode */
export const refuseLogOfOtherMode = (settings: Place & Pick<Settings, 'MODE'>): Promise<void> =>
  settings.MODE === 'production' ? refuseSandboxLog(settings) : refuseProductionLog(settings)

/** From now on the log is one of production. */
export const beginProduction = async ({
  handle,
  contextOf,
}: Pick<Core, 'handle' | 'contextOf'>): Promise<void> => {
  const command = { type: 'BeginProduction' } as const
  await handle(installations, 'daybook', command, contextOf('daybook'))
}
