import { clocks, installations, merchants, payers, users } from '../domain/aggregates.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import { streamOf, within } from '../domain/stream.ts'
import type { Core } from './core.ts'
import { logSetting, OperatorError } from '../infrastructure/failures.ts'
import { logChecksums, type Log } from '../infrastructure/logs/log.ts'
import { sandboxMerchant, sandboxPayers } from './sandbox/sandbox-data.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { openStore, type Place } from '../infrastructure/stores.ts'

/** Sandbox data with published secrets. The point of sale and the fees grant no access. */
const published = [
  streamOf(merchants, sandboxMerchant),
  ...['pos1', 'admin'].map((id) => streamOf(users, within(sandboxMerchant, id))),
  ...Object.keys(sandboxPayers).map((id) => streamOf(payers, id)),
]

type EventsOf = (stream: string) => Promise<readonly Recorded[]>

const reading = async <Found>(
  place: Place,
  log: Log | undefined,
  find: (eventsOf: EventsOf) => Promise<Found>,
): Promise<Found> => {
  const onChecksums = log && ((events: number) => logChecksums(log, events))
  const store = await openStore(place, 'inline', undefined, { onChecksums })
  try {
    return await find(async (stream) => (await store.readStream(stream)).map(parseEvent))
  } finally {
    await store.close()
  }
}

/** Describes the sandbox data in a log; empty for a production log. */
const sandboxTraces = async (eventsOf: EventsOf): Promise<string[]> => {
  const isOfTheSandbox = async (stream: string): Promise<boolean> =>
    // An operator's own merchant may be called `sandbox` too.
    (await eventsOf(stream)).some(({ metadata }) => metadata.actor === 'daybook')
  const found = await Promise.all(published.map(isOfTheSandbox))
  const isMoved = (await eventsOf(streamOf(clocks, 'service'))).length > 0
  return [
    ...published.filter((_, index) => found[index]),
    ...(isMoved ? ['a clock that was moved'] : []),
  ]
}

/** Production must not run with published secrets or an advanced clock. */
const refuseSandboxLog = async (place: Place, log?: Log): Promise<void> => {
  const traces = await reading(place, log, sandboxTraces)
  if (traces.length === 0) return
  throw new OperatorError(
    `MODE="production": the log of ${logSetting(place)} was used by the sandbox, ` +
      `whose secrets are published; it holds ${traces.join(', ')}. ` +
      'Production needs a log of its own',
  )
}

const isOfProduction = (place: Place): OperatorError =>
  new OperatorError(
    `MODE="sandbox": the log of ${logSetting(place)} is one of production, ` +
      'and the sandbox publishes its secrets. ' +
      'Set MODE=production, or give the sandbox a log of its own',
  )

/** A forgotten MODE must not open a production log in the sandbox. */
const refuseProductionLog = async (place: Place, log?: Log): Promise<void> => {
  const own = streamOf(installations, 'daybook')
  const events = await reading(place, log, (eventsOf) => eventsOf(own))
  if (events.some(({ type }) => type === 'ProductionBegun')) throw isOfProduction(place)
}

/** Commands need the settings of the service. @throws OperatorError for a production log */
export const refuseSandboxCommand = async (
  { find }: Pick<Core, 'find'>,
  settings: Place & Pick<Settings, 'MODE'>,
): Promise<void> => {
  const { isProduction } = await find(installations, 'daybook')
  if (isProduction && settings.MODE === 'sandbox') throw isOfProduction(settings)
}

/** A log belongs to one mode. @throws OperatorError for the other */
export const refuseLogOfOtherMode = (
  settings: Place & Pick<Settings, 'MODE'>,
  log?: Log,
): Promise<void> =>
  settings.MODE === 'production'
    ? refuseSandboxLog(settings, log)
    : refuseProductionLog(settings, log)

/** Marks the log as a production log. */
export const beginProduction = async ({
  handle,
  contextOf,
}: Pick<Core, 'handle' | 'contextOf'>): Promise<void> => {
  const command = { type: 'BeginProduction' } as const
  await handle(installations, 'daybook', command, contextOf('daybook'))
}
