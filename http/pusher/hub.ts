import { limitedCounts } from '../../application/concurrency-limit.ts'
import {
  isSlow,
  newConnection,
  type Connection,
  type Line,
  makeSubscriptions,
  type SubscriptionNeeds,
} from './subscriptions.ts'
import { activityTimeoutSeconds, codes, failure, ping, eventFrame } from './frames.ts'

const mostConnections = 20_000

/** Of the narrowest network, of the next and so on. */
const mostOfNetworks = [1000, 1000, 2000]

const pongTimeoutSeconds = 30

/** Earlier versions whose messages are the same. */
const versions: readonly string[] = ['5', '6', '7']

type HubNeeds = SubscriptionNeeds & {
  /** The application key; null if channels are not served. */
  readonly key: string | null
  /** Milliseconds of a clock that only moves forward. */
  readonly now: () => number
  readonly newSocketId: () => string
}

type Opening = {
  readonly key: string
  readonly version: string | null
  /** The client's networks, the widest first, each with a limit of its own. */
  readonly networks: readonly string[]
}

type Fault = readonly [code: number, message: string]

/** Why a connection is not opened. */
const faultOf = ({ key, version }: Opening, served: string | null): Fault | undefined => {
  if (served === null || key !== served)
    return [codes.unknownKey, `There is no application with the key ${key}.`]
  if (version === null) return [codes.missingVersion, 'The protocol version is missing.']
  if (!/^\d+$/.test(version))
    return [codes.malformedVersion, 'The protocol version must be a number.']
  if (!versions.includes(version))
    return [codes.unsupportedVersion, 'The protocol version must be 5, 6 or 7.']
  return undefined
}

const restarting = 'The service restarts.'

const refuse = (line: Line, code: number, message: string): void => {
  line.send(failure(code, message))
  line.close(code, message)
}

/** Pings who is silent, and gives up on who does not answer. */
const whenSilent = (connection: Connection, at: number): 'ping' | 'close' | undefined => {
  const silentSeconds = (at - connection.heardAt) / 1000
  if (silentSeconds >= activityTimeoutSeconds + pongTimeoutSeconds) return 'close'
  if (silentSeconds < activityTimeoutSeconds || connection.isPinged) return undefined
  connection.isPinged = true
  return 'ping'
}

/** The open connections, each with its subscriptions. */
const keepConnections = (needs: SubscriptionNeeds) => {
  const connections = new Set<Connection>()
  const ofNetworks = limitedCounts(
    (_, place, keys) => mostOfNetworks[keys.length - 1 - place] ?? mostConnections,
  )

  const forget = (connection: Connection): void => {
    if (!connections.delete(connection)) return
    ofNetworks.leave(connection.networks)
    subscriptions.forget(connection)
  }
  const send = (connection: Connection, text: string): void => {
    if (!isSlow(connection)) return connection.line.send(text)
    forget(connection)
    connection.line.cut()
  }
  const subscriptions = makeSubscriptions(needs, send)

  return {
    all: connections as ReadonlySet<Connection>,
    subscriptions,
    forget,
    send,
    hasRoomFor: (networks: readonly string[]): boolean =>
      connections.size < mostConnections && ofNetworks.take(networks),
    add: (connection: Connection): void => void connections.add(connection),
    close: (connection: Connection, code: number, message: string): void => {
      forget(connection)
      refuse(connection.line, code, message)
    },
  }
}

/**
 * Who listens to which channel (interface 13.6): opens connections, tells them what is published,
 * and closes those that do not answer or do not read.
 */
export const makePusherHub = (needs: HubNeeds) => {
  const { key, now, newSocketId } = needs
  const { all, subscriptions, forget, send, hasRoomFor, add, close } = keepConnections(needs)
  let hasEnded = false

  const hear = (connection: Connection): boolean => {
    if (!all.has(connection)) return false
    connection.heardAt = now()
    connection.isPinged = false
    if (connection.mayAsk()) return true
    close(connection, codes.overCapacity, 'Too many messages at a time.')
    return false
  }

  return {
    /** Undefined if the line was closed at once. */
    open: (line: Line, opening: Opening) => {
      const fault = faultOf(opening, key)
      if (fault) return void refuse(line, ...fault)
      // Not `reconnect`: clients would try again without a pause until the process has ended.
      if (hasEnded) return void refuse(line, codes.overCapacity, restarting)
      if (!hasRoomFor(opening.networks))
        return void refuse(line, codes.overCapacity, 'Too many connections.')
      const connection = newConnection(line, newSocketId(), opening.networks, now)
      add(connection)
      return {
        /** Undefined for what is not text. */
        receive: (text: string | undefined): void => {
          if (hear(connection)) subscriptions.receive(connection, text)
        },
        /** Something of no meaning, such as a pong of WebSocket. */
        heard: (): void => void hear(connection),
        closed: (): void => forget(connection),
      }
    },
    hasListeners: subscriptions.has,
    publish: (channel: string, event: string, data: string): void => {
      const text = eventFrame(channel, event, data)
      for (const connection of subscriptions.of(channel)) send(connection, text)
    },
    interrupt: (channel: string): void => {
      for (const connection of subscriptions.of(channel))
        close(connection, codes.reconnect, 'A message is missing: read the resource again.')
    },
    /** Called every second. */
    sweep: (): void => {
      for (const connection of all) {
        const verdict = whenSilent(connection, now())
        if (verdict === 'close') close(connection, codes.noPong, 'No pong came in time.')
        if (verdict === 'ping') send(connection, ping)
      }
    },
    count: (): number => all.size,
    /** Closes all connections: clients come back at once, to another process or a later one. */
    end: (): void => {
      hasEnded = true
      for (const connection of all) close(connection, codes.reconnect, restarting)
    },
  }
}
