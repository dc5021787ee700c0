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
  /** Whether nothing will happen there any more: asked at first, and now and then. */
  readonly isOver?: () => boolean
}

/**
 * Server-sent events: one `changed` as soon as something has changed, or `over` once nothing will, and then the end. What
 * has changed before the browser came is told at once. A stream that just ends is opened again by the browser.
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
        // Nobody has read for a long time.
        if ((controller.desiredSize ?? 0) < -mostUnread) end()
        if (isOver()) tell('over')
        send(':\n\n')
      }, heartbeatMs)
      end = () => {
        if (!isOpen) return
        stop()
        controller.close()
      }
      const tell = (event: 'changed' | 'over'): void => {
        send(`event: ${event}\ndata: now\n\n`)
        end()
      }
      look = async () => {
        // When the store fails, the browser is told to look for itself.
        if (await hasChanged().catch(() => true)) tell('changed')
        else if (isOver()) tell('over')
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
