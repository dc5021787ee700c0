import { RequestError } from './errors.ts'
import { pageHeaders } from './payer/page.ts'
import type { RawReply } from './route.ts'

const heartbeatMs = 15_000
const mostUnread = 40

/** Calls back when something happens in a stream of events; answers how to stop, undefined when too many do that. */
export type Watch = (
  stream: string,
  from: string,
  onEvent: () => void,
  onEnd: () => void,
) => (() => void) | undefined

type Watched = {
  readonly stream: string
  /** The address of who watches. */
  readonly from: string
  /** Whether nothing will happen there any more: looked at now and then. */
  readonly isOver?: () => boolean
}

/**
 * Server-sent events: one `changed` as soon as something has changed, and then the end. What has changed before the
 * browser came is told at once.
 */
export const changesReply = (
  watch: Watch,
  { stream, from, isOver = () => false }: Watched,
  hasChanged: () => Promise<boolean>,
  isSecure: boolean,
): RawReply => {
  const encoder = new TextEncoder()
  let look = async (): Promise<void> => {}
  let end = () => {}
  // Before there is a stream: when too many pages are open, the browser learns it with the status.
  const unwatch = watch(
    stream,
    from,
    () => void look(),
    () => end(),
  )
  if (!unwatch)
    throw new RequestError(503, 'Too many pages are open.', null, { 'Retry-After': '10' })
  let heartbeat: NodeJS.Timeout | undefined
  let isOpen = true
  const stop = () => {
    isOpen = false
    clearInterval(heartbeat)
    unwatch()
  }
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const send = (text: string) => {
        if (isOpen) controller.enqueue(encoder.encode(text))
      }
      heartbeat = setInterval(() => {
        // Nobody has read for a long time, or nobody need wait any longer.
        if ((controller.desiredSize ?? 0) < -mostUnread || isOver()) end()
        send(':\n\n')
      }, heartbeatMs)
      end = () => {
        if (!isOpen) return
        stop()
        controller.close()
      }
      look = async () => {
        // When the store fails, the browser is told to look for itself.
        if (!(await hasChanged().catch(() => true))) return
        send('event: changed\ndata: now\n\n')
        end()
      }
      send('retry: 2000\n\n')
      await look()
    },
    cancel: stop,
  })
  return {
    type: 'text/event-stream',
    body,
    headers: { ...pageHeaders(isSecure), 'X-Accel-Buffering': 'no' },
  }
}
