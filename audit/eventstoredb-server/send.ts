import type { ServerWritableStream } from '@grpc/grpc-js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'

type Request = InstanceType<typeof streams.ReadReq>
export type Response = InstanceType<typeof streams.ReadResp>
export type ReadCall = ServerWritableStream<Request, Response>

export type Send = {
  /** Waits while the client is behind. @throws after the client has disconnected */
  readonly send: (message: Response, size?: number) => Promise<void>
  /** Resolves when everything is sent. */
  readonly sent: () => Promise<void>
}

/** Maximum bytes buffered for a slow client, so that this process need not hold the whole log. */
const mostWaiting = 262_144

/** Exceeds the names and numbers of an event. */
const smallMessage = 512

export const sendsTo = (call: ReadCall, signal: AbortSignal): Send => {
  let waiting = 0
  let wake = (): void => {}
  signal.addEventListener('abort', () => wake())

  const atMost = async (size: number): Promise<void> => {
    while (waiting > size) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  return {
    send: async (message, size = 0) => {
      signal.throwIfAborted()
      const whole = size + smallMessage
      waiting += whole
      call.write(message, () => {
        waiting -= whole
        wake()
      })
      if (waiting > mostWaiting) await atMost(mostWaiting / 2)
    },
    sent: () => atMost(0),
  }
}
