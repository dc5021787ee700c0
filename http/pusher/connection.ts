import { makeAllowance } from '../../application/allowance.ts'
import { established } from './frames.ts'

/** The socket of a listener. */
export type Line = {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Ends it without a closing handshake, which a reader that is stuck would not answer. */
  readonly cut: () => void
  /** Bytes that were sent and have not left. */
  readonly unread: () => number
}

/** As many channels at once, as after a reconnection; and a ping now and then. */
const burstOfFrames = 150
const framesPerSecond = 20
/** Bytes. */
const mostUnread = 65_536

export type Connection = {
  readonly line: Line
  readonly socketId: string
  readonly networks: readonly string[]
  /** Each channel, with the quota that it counts against. */
  readonly channels: Map<string, string | undefined>
  readonly mayAsk: () => boolean
  heardAt: number
  isPinged: boolean
}

export const newConnection = (
  line: Line,
  socketId: string,
  networks: readonly string[],
  now: () => number,
): Connection => {
  line.send(established(socketId))
  return {
    line,
    socketId,
    networks,
    channels: new Map(),
    mayAsk: makeAllowance(burstOfFrames, framesPerSecond, now),
    heardAt: now(),
    isPinged: false,
  }
}

export const isSlow = ({ line }: Connection): boolean => line.unread() > mostUnread
