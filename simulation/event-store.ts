import { Readable } from 'node:stream'
import {
  ANY,
  BACKWARDS,
  CancelledError,
  END,
  EventStoreDBClient,
  START,
  STREAM_NAME,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type Filter,
} from '@eventstore/db-client'
import { setTimeout, steadyTime } from '../application/machine.ts'
import type { Process, SimulatedMachine } from './machine.ts'
import { pick, type Random } from './random.ts'
import { partOf, resolved, storedLog, type Contents, type Stored } from './stored-log.ts'

const serviceError = (code: number, message: string): any => ({ code, message, details: message })
const unavailable = () => new UnavailableError(serviceError(14, '14 UNAVAILABLE: dropped'))
const cancelled = () => new CancelledError(serviceError(1, '1 CANCELLED: by the server'))
const tooSlow = () => new TimeoutError(serviceError(10, 'Consumer too slow to handle event'))

const matcherOf = (filter: Filter | undefined): ((one: Stored) => boolean) => {
  if (!filter) return () => true
  const {
    filterOn,
    prefixes = [],
    regex,
  } = filter as Filter & {
    readonly prefixes?: readonly string[]
    readonly regex?: string
  }
  const matches = regex === undefined ? undefined : new RegExp(regex)
  return ({ stream, type }) => {
    const name = filterOn === STREAM_NAME ? stream : type
    return matches ? matches.test(name) : prefixes.some((one) => name.startsWith(one))
  }
}

/** Events of one delivery, and how far a live subscriber may be behind. */
const bounds = { batch: 500, behind: 400, checkpointEvery: 32 }

/** After so long a client sees that its connection is dead, in ms. */
const keepAliveMs = 19_800

export const storeFaults = [
  'answers lost',
  'answers cut',
  'requests cut',
  'subscriptions dropped',
  'slow',
  'away',
] as const

export type StoreFault = (typeof storeFaults)[number]

type Given = {
  readonly machine: Pick<SimulatedMachine, 'as' | 'process'>
  readonly random: Random
  readonly contents?: Contents
  /** The share of appends that another application, or a system projection, follows. */
  readonly foreign?: number
}

/**
 * A server that does what a real EventStoreDB was seen to do, and the clients of all nodes: they
 * take the place of the network.
 * Long because calls, subscriptions and faults share the connections.
 */
export const simulatedEventStore = ({ machine, random, contents = [], foreign = 0 }: Given) => {
  const log = storedLog(contents)
  const clients = new Set<Client>()
  const subscriptions = new Set<Subscribed>()
  let fault: StoreFault | undefined
  let faultUntil = -Infinity
  let appendsToFail = 0

  const has = (one: StoreFault): boolean => fault === one && steadyTime() < faultUntil
  const delay = (): number => (has('slow') ? 50 + random() * 700 : random() * 3)
  const later = (process: Process | undefined, work: () => void, ms = delay()): void =>
    machine.as(process, () => void setTimeout(work, ms))

  const noise = (): void => {
    const isLink = random() < 0.5
    const [stream, type] = isLink ? ['$ce-payment_request', '$>'] : ['other-1', 'Noted']
    log.write(stream, {
      id: '',
      type,
      data: isLink ? Buffer.from('0@other') : '{}',
      metadata: undefined,
    })
  }

  const takes = (one: StoreFault): boolean =>
    fault === one && appendsToFail > 0 && !!appendsToFail--

  /** A call of a node: its effect, and its answer on the way back. */
  const call = <Answer>(client: Client, effect: () => Answer, isAppend = false) =>
    new Promise<Answer>((resolve, reject) => {
      const { process, pending } = client
      // Answered, since the ends of other nodes wait for all that is under way in this program.
      if (process?.isDead) return reject(cancelled())
      pending.add(reject)
      const settle = (work: () => void, ms?: number): void =>
        later(process, () => pending.delete(reject) && work(), ms)
      const fail = (error: Error, ms?: number): void => settle(() => reject(error), ms)
      const arrive = (): void => {
        if (has('away') || client.isOver || (isAppend && takes('requests cut')))
          return fail(unavailable())
        try {
          const answer = effect()
          if (isAppend && takes('answers lost')) fail(unavailable(), keepAliveMs)
          else if (isAppend && takes('answers cut')) fail(unavailable())
          else settle(() => resolve(answer))
        } catch (error) {
          fail(error as Error)
        }
      }
      const { sent } = client
      // Most arrive at once: each wait costs the simulator a turn. None overtakes another.
      const isAtOnce = sent.length === 0 && !has('slow') && random() < 0.9
      if (isAtOnce) return arrive()
      sent.push(arrive)
      later(undefined, () => sent.shift()?.())
    })

  const subscribe = (client: Client, source: readonly Stored[], from: number, filter?: Filter) => {
    const stream = new Readable({ objectMode: true, highWaterMark: 1_000, read: () => {} })
    const matches = matcherOf(filter)
    let next = from
    let considered = 0
    let isScheduled = false
    let state: 'new' | 'catching up' | 'live' | 'over' = 'new'

    const end = (error?: Error): void => {
      if (state === 'over') return
      state = 'over'
      subscriptions.delete(one)
      if (error) later(client.process, () => stream.emit('error', error))
      else stream.push(null)
    }
    const consider = (event: Stored): number => {
      considered += 1
      const isWanted = matches(event)
      if (isWanted) stream.push(resolved(event))
      const commit = BigInt(event.position)
      if (considered % bounds.checkpointEvery === 0)
        filter?.checkpointReached?.(stream as never, { commit, prepare: commit })?.catch(() => {})
      return isWanted ? 1 : 0
    }
    const deliver = (): void => {
      isScheduled = false
      if (state === 'over') return
      if (has('away')) return end(unavailable())
      if (state === 'new') stream.emit('confirmation')
      if (state === 'new') state = 'catching up'
      if (state === 'live' && source.length - next > bounds.behind) return end(tooSlow())
      for (let count = 0; next < source.length && count < bounds.batch; next += 1)
        count += consider(source[next] as Stored)
      if (next < source.length) return schedule()
      if (source.length === 0) return
      if (state === 'catching up') stream.emit('caughtUp')
      state = 'live'
    }
    const schedule = (): void => {
      if (isScheduled) return
      isScheduled = true
      later(client.process, deliver)
    }
    const one = { schedule, end, client }
    subscriptions.add(one)
    schedule()
    return Object.assign(stream, { unsubscribe: async () => end() })
  }

  /** As the client iterates it; the call is made when the first event is asked for. */
  const reading = (client: Client, read: () => readonly Stored[]) => {
    const iterate = async function* () {
      for (const one of await call(client, read)) yield resolved(one)
    }
    return Object.assign(iterate(), { cancel: async () => {} })
  }

  const mostOf = (maxCount: number | bigint = Infinity): number => {
    if (Number(maxCount) > 0) return Number(maxCount)
    throw new UnknownError(serviceError(2, '2 UNKNOWN: maxCount must be above 0'))
  }

  const end = (client: Client): void => {
    client.isOver = true
    clients.delete(client)
    for (const one of subscriptions) if (one.client === client) one.end()
    for (const reject of client.pending) reject(cancelled())
    client.pending.clear()
  }

  const connect = (): EventStoreDBClient => {
    const process = machine.process()
    const client: Client = { process, pending: new Set(), sent: [], isOver: false }
    const own = {
      appendToStream: (
        stream: string,
        given: EventData | EventData[],
        { expectedRevision = ANY }: { readonly expectedRevision?: AppendExpectedRevision } = {},
      ) => {
        const append = (): AppendResult => {
          const before = log.all.length
          const done = log.append(stream, [given].flat(), expectedRevision)
          if (log.all.length > before && random() < foreign) noise()
          for (const one of subscriptions) one.schedule()
          return done
        }
        return call(client, append, true)
      },
      readStream: (stream: string, options: any = {}) =>
        reading(client, () => {
          const { fromRevision, direction, maxCount } = options
          const isBack = direction === BACKWARDS
          const requested = typeof fromRevision === 'bigint' ? Number(fromRevision) : undefined
          const from = requested !== undefined && isBack ? requested + 1 : requested
          if (log.listOf(stream).length === 0) throw new StreamNotFoundError(undefined, stream)
          const most = mostOf(maxCount)
          return partOf(log.visible(stream), ({ revision }) => revision, { from, isBack, most })
        }),
      readAll: ({ fromPosition = START, direction, maxCount }: any = {}) =>
        reading(client, () => {
          const isBack = direction === BACKWARDS
          const isEnd = fromPosition === START || fromPosition === END
          const from = isEnd ? undefined : Number(fromPosition.commit)
          const most = mostOf(maxCount)
          return partOf(log.all, ({ position }) => position, { from, isBack, most })
        }),
      subscribeToAll: ({ fromPosition = START, filter }: any = {}) => {
        const after = fromPosition === START ? -1 : Number(fromPosition.commit)
        const from = log.all.findLastIndex(({ position }) => position <= after) + 1
        return subscribe(client, log.all, from, filter)
      },
      subscribeToStream: (stream: string, { fromRevision = START }: any = {}) => {
        const from = fromRevision === START ? 0 : Number(fromRevision) + 1
        return subscribe(client, log.listOf(stream), from)
      },
      dispose: async () => end(client),
    }
    clients.add(client)
    return own as unknown as EventStoreDBClient
  }

  return {
    connect,
    contents: (): Contents => log.all,
    /** Begins a fault, which ends by itself; or ends the one that there is. */
    fail: (next?: StoreFault, ms = 0): void => {
      fault = next
      faultUntil = steadyTime() + ms
      appendsToFail = 1 + Math.floor(random() * 3)
      if (next !== 'subscriptions dropped' && next !== 'away') return
      const why = pick(random, [unavailable, cancelled, tooSlow])
      for (const one of subscriptions) one.end(next === 'away' ? unavailable() : why())
    },
    /** Ends the connections of a process that has ended. */
    forget: (process: Process): void => {
      for (const client of clients) if (client.process === process) end(client)
    },
  }
}

/** A connection, and the calls that its node waits for. */
type Client = {
  readonly process: Process | undefined
  readonly pending: Set<(error: Error) => void>
  /** Requests on their way to the server. */
  readonly sent: (() => void)[]
  isOver: boolean
}

type Subscribed = {
  readonly client: Client
  readonly schedule: () => void
  readonly end: (error?: Error) => void
}

export type SimulatedEventStore = ReturnType<typeof simulatedEventStore>
