// A listener of Pusher channels that shows every frame.
import { WebSocket } from 'ws'

export type Frame = {
  readonly event: string
  readonly channel?: string
  /** As it was sent: mostly JSON within a text. */
  readonly data: any
}

const dataOf = ({ data }: Frame): any => (typeof data === 'string' ? JSON.parse(data) : data)

/** A connection to the service, without a client library. */
export const connectRaw = (
  address: string,
  path = '/app/daybook?protocol=7&client=raw&version=1',
  headers: Readonly<Record<string, string>> = {},
) => {
  const socket = new WebSocket(address.replace(/^http/, 'ws') + path, { headers })
  const frames: Frame[] = []
  const watchers = new Set<() => void>()
  const look = (): void => watchers.forEach((watcher) => watcher())
  const closed = new Promise<number>((resolve) =>
    socket.on('close', (code) => {
      resolve(code)
      look()
    }),
  )
  socket.on('error', () => {})
  socket.on('message', (text) => {
    frames.push(JSON.parse(String(text)) as Frame)
    look()
  })

  /** The first frame that fits, there already or to come. @throws Error if it closes first */
  const until = (fits: (frame: Frame) => boolean): Promise<Frame> =>
    new Promise((resolve, reject) => {
      const watcher = (): void => {
        const found = frames.find(fits)
        if (!found && socket.readyState !== WebSocket.CLOSED) return
        watchers.delete(watcher)
        if (found) resolve(found)
        else reject(new Error(`closed after ${JSON.stringify(frames)}`))
      }
      watchers.add(watcher)
      watcher()
    })

  const send = (event: string, data: unknown = {}): void =>
    socket.send(JSON.stringify({ event, data }))
  return {
    socket,
    frames,
    closed,
    until,
    send,
    event: (event: string) => until((frame) => frame.event === event),
    socketId: async (): Promise<string> =>
      dataOf(await until(({ event }) => event === 'pusher:connection_established')).socket_id,
    /** Subscribes; answers the frame that says what came of it. */
    subscribe: (channel: string, auth?: string): Promise<Frame> => {
      send('pusher:subscribe', { channel, ...(auth !== undefined && { auth }) })
      return until((frame) => frame.channel === channel && /:subscription_/.test(frame.event))
    },
    /** Each message of the channel that came, with its data. */
    told: (channel: string) =>
      frames
        .filter((frame) => frame.channel === channel && !frame.event.startsWith('pusher'))
        .map((frame) => ({ event: frame.event, data: dataOf(frame) })),
    close: (): void => socket.terminate(),
  }
}

export type RawClient = ReturnType<typeof connectRaw>
