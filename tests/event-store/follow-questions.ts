import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  ANY,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  START,
  streamNameFilter,
  type AllStreamSubscription,
  type Position,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client'
import { append, placeAfter, probe, probes, type Question } from './questions.ts'

/** Everything that a subscription emits, in order, with a function that waits for it. */
const watch = (
  subscription: AllStreamSubscription | StreamSubscription,
  note: (resolved: ResolvedEvent) => string,
) => {
  const log: string[] = []
  const tell = (line: string): void => {
    log.push(line)
    subscription.emit('told')
  }
  subscription.on('confirmation', () => tell('confirmation'))
  subscription.on('caughtUp', () => tell('caughtUp'))
  subscription.on('data', (resolved: ResolvedEvent) => tell(note(resolved)))
  const told = async (...lines: string[]): Promise<void> => {
    while (!lines.every((line) => log.includes(line))) await once(subscription, 'told')
  }
  return { log, told }
}

const byRevision = ({ event }: ResolvedEvent): string => `${event?.revision}`

/** Responses to subscriptions. */
export const followQuestions: Readonly<Record<string, Question>> = {
  subscribeToStreamFromStart: async ({ client, stream }) => {
    await append(client, stream(), probes(2), NO_STREAM)
    const subscription = client.subscribeToStream(stream(), { fromRevision: START })
    const { log, told } = watch(subscription, byRevision)
    await told('1', 'caughtUp')
    await append(client, stream(), probe(2), 1n)
    await told('2')
    await subscription.unsubscribe()
    return log
  },

  subscribeToAllByPrefix: async ({ client, stream }) => {
    const [a, b, c] = [stream('wanted-1'), stream('other'), stream('wanted-2')]
    const fromPosition = await placeAfter(client.appendToStream(a, probes(2)))
    await append(client, b, probes(2), NO_STREAM)
    await append(client, c, probe(), NO_STREAM)
    const filter = streamNameFilter({ prefixes: [stream('wanted')] })
    const subscription = client.subscribeToAll({ fromPosition, filter })
    const { log, told } = watch(subscription, ({ event }) => {
      const name = event?.streamId === a ? 'a' : event?.streamId === c ? 'c' : 'OTHER'
      return `${name}${event?.revision}`
    })
    await told('c0', 'caughtUp')
    await append(client, b, probe(), 1n)
    await append(client, a, probe(), 1n)
    await told('a2')
    await subscription.unsubscribe()
    return log
  },

  subscribeToAllByType: async ({ client, stream }) => {
    const type = `T-${randomUUID()}`
    const typed = (name: string) => jsonEvent({ type: name, data: {} })
    const events = [probe(), typed(type), probe(), typed(`${type}x`)]
    const position = await placeAfter(client.appendToStream(stream(), events))
    const filter = eventTypeFilter({ regex: `^${type}$` })
    const subscription = client.subscribeToAll({ fromPosition: START, filter })
    const { log, told } = watch(subscription, byRevision)
    await told('1', 'caughtUp')
    await subscription.unsubscribe()
    return { log, positioned: position.commit > 0n }
  },

  excludingSystemEvents: async ({ client, stream }) => {
    await append(client, stream(), probe(), NO_STREAM)
    await append(client, stream(), jsonEvent({ type: '$probe', data: {} }), ANY)
    const subscription = client.subscribeToAll({
      fromPosition: START,
      filter: excludeSystemEvents(),
    })
    const { log, told } = watch(subscription, ({ event }) => event?.type ?? '')
    await told('caughtUp')
    await subscription.unsubscribe()
    return { anySystemEvent: log.some((type) => type.startsWith('$')) }
  },

  subscribeToStreamAfterRevision: async ({ client, stream }) => {
    await append(client, stream(), probes(3), NO_STREAM)
    const subscription = client.subscribeToStream(stream(), { fromRevision: 1n })
    const { log, told } = watch(subscription, byRevision)
    await told('2', 'caughtUp')
    await subscription.unsubscribe()
    return log
  },

  subscribeToMissingStream: async ({ client, stream }) => {
    const subscription = client.subscribeToStream(stream(), { fromRevision: START })
    const { log, told } = watch(subscription, byRevision)
    await told('confirmation')
    await append(client, stream(), probe(), NO_STREAM)
    await told('0')
    await subscription.unsubscribe()
    return log
  },

  checkpointsOfAFilter: async ({ client, stream }) => {
    const fromPosition = await placeAfter(client.appendToStream(stream('wanted'), probe()))
    await append(client, stream('noise'), probes(400), NO_STREAM)
    const commits: bigint[] = []
    const checkpointReached = async (_: unknown, { commit }: Position): Promise<void> => {
      commits.push(commit)
    }
    const prefixes = [stream('wanted')]
    const filter = streamNameFilter({ prefixes, checkpointInterval: 1, checkpointReached })
    const subscription = client.subscribeToAll({ fromPosition, filter })
    const { log, told } = watch(subscription, byRevision)
    await told('caughtUp')
    await subscription.unsubscribe()
    return {
      log: log.filter((line) => line !== 'caughtUp'),
      checkpointsWhileOnlyNoise: commits.length > 0,
      afterStart: commits.every((commit) => commit >= fromPosition.commit),
      increasing: commits.every((commit, n) => n === 0 || commit >= (commits[n - 1] ?? commit)),
    }
  },

  twoThousandWhileFollowing: async ({ client, stream }) => {
    let fromPosition = await placeAfter(client.appendToStream(stream(), probe()))
    const seen: number[] = []
    const follow = async (): Promise<void> => {
      const filter = streamNameFilter({ prefixes: [stream()] })
      for await (const { event } of client.subscribeToAll({ fromPosition, filter })) {
        if (!event?.position) continue
        seen.push(Number(event.revision))
        fromPosition = event.position
        if (seen.length === 2_000) return
      }
    }
    const following = (async () => {
      while (seen.length < 2_000)
        await follow().catch((error: { type?: string }) => {
          // A live subscription is ended if its consumer is slower than the writers; it resumes
          // where it was.
          if (!['timeout', 'unavailable', 'cancelled'].includes(error.type ?? '')) throw error
        })
    })()
    await Promise.all(probes(2_000).map((event) => append(client, stream(), event, ANY)))
    await following
    return {
      seen: seen.length,
      onceAndInOrder: seen.every((revision, n) => revision === n + 1),
    }
  },
}
