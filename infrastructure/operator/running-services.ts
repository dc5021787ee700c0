import { setTimeout as pause } from 'node:timers/promises'
import type { LeaseEvent } from '../../domain/leases.ts'
import { leaseStream } from '../../application/lease-stream.ts'
import type { OtherStreams } from '../event-store/eventstoredb-streams.ts'
import { fail } from '../failures.ts'

/** How long a node that died may still count as one that runs, in ms, and how often to look. */
const [silenceMs, lookEveryMs] = [7_500, 250]

const nodesIn = ({ data }: { readonly data: unknown }): readonly string[] =>
  Object.keys((data as LeaseEvent['data']).nodes)

/** @throws OperatorError while a service runs on the log: what it does meanwhile would be lost */
export const refuseWhileServed = async (streams: OtherStreams): Promise<void> => {
  let newest = (await streams.readStream(leaseStream)).at(-1)
  const end = performance.now() + silenceMs
  while (newest && nodesIn(newest).length > 0 && performance.now() < end) {
    await pause(lookEveryMs)
    const next = (await streams.readStream(leaseStream, newest.revision + 1)).at(-1)
    if (!next) continue
    const nodes = nodesIn(next)
    if (nodes.length > 0) fail(`${nodes.length} services run on this log: stop them first`)
    newest = next
  }
}
