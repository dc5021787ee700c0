import { clocks, merchants, payers, users } from '../application/aggregates.ts'
import { parseEvent } from '../domain/events.ts'
import { streamOf, within } from '../domain/stream.ts'
import { logShown } from './failures.ts'
import { OperatorError } from './operator/error.ts'
import { sandboxMerchant, sandboxPayers } from './sandbox-data.ts'
import { openStore, type Place } from './stores.ts'

/** What the sandbox has made whose secrets everybody can read in this program; the till and the fees open nothing. */
const published = [
  streamOf(merchants, sandboxMerchant),
  ...['pos1', 'admin'].map((id) => streamOf(users, within(sandboxMerchant, id))),
  ...Object.keys(sandboxPayers).map((id) => streamOf(payers, id)),
]

/** What of the sandbox is in the log, in words; none in a log that only production and the operator have written. */
const sandboxTraces = async (place: Place): Promise<string[]> => {
  const store = openStore(place)
  try {
    const eventsOf = async (stream: string) => (await store.readStream(stream)).map(parseEvent)
    const isOfTheSandbox = async (stream: string): Promise<boolean> =>
      // An operator may call a merchant `sandbox` too, and give it users.
      (await eventsOf(stream)).some(({ metadata }) => metadata.actor === 'daybook')
    const found = await Promise.all(published.map(isOfTheSandbox))
    const isMoved = (await eventsOf(streamOf(clocks, 'service'))).length > 0
    return [
      ...published.filter((_, index) => found[index]),
      ...(isMoved ? ['a clock that was moved'] : []),
    ]
  } finally {
    await store.close()
  }
}

/** Production must not open to whoever knows what the sandbox publishes, nor answer by a clock that somebody moved. */
export const refuseSandboxLog = async (place: Place): Promise<void> => {
  const traces = await sandboxTraces(place)
  if (traces.length === 0) return
  throw new OperatorError(
    `MODE="production": the log of ${logShown(place)} was used by the sandbox, whose secrets are published; ` +
      `it holds ${traces.join(', ')}. Production needs a log of its own`,
  )
}
