import { contain } from '../../application/contain.ts'
import { RequestError } from '../../http/errors.ts'
import { pageHeaders } from './page.tsx'
import type { RawReply } from '../../http/route.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../application/machine.ts'

const heartbeatMs = 15_000
const mostUnread = 40

/** A page of all that happens to a merchant is told no sooner: it was made just now. */
export const restMs = 3_000

/**
 * Calls back on events of a stream; returns a function that stops, or undefined at the limit.
 * `isMoving`: this process stops, and another one can be asked at once.
 */
export type Watch = (
  stream: string,
  from: string,
  onEvent: () => void,
  onEnd: (isMoving?: boolean) => void,
  person?: string,
) => (() => void) | undefined

type Watched = {
  readonly stream: string
  /** The address of the client. */
  readonly from: string
  /** Whoever has signed in, however many addresses they have. */
  readonly person?: string
  /** Whether nothing more can happen; asked at first and every now and then. */
  readonly isOver?: () => boolean
  /** Whether whoever opened it may still be told; asked before each word, and now and then. */
  readonly mayStill?: () => Promise<boolean>
  /** How long it looks for nothing at first; then it tells what has changed meanwhile. */
  readonly rest?: number
}

/**
 * Server-sent events: `changed` once something has changed, or `over` once nothing will, then the
 * end. A change from before the browser connected is sent at once. Whoever may no longer be told
 * is told nothing: the stream ends, and a browser that comes again learns why.
 */
export const changesReply = (
  watch: Watch,
  { stream, from, person, isOver = () => false, mayStill = async () => true, rest = 0 }: Watched,
  hasChanged: () => Promise<boolean>,
  isSecure: boolean,
): RawReply => {
  const encoder = new TextEncoder()
  let look = (): void => {}
  let end = () => {}
  let sayMoving = () => {}
  // Before the stream starts, so that a refusal is a status.
  const unwatch = watch(
    stream,
    from,
    () => look(),
    (isMoving = false) => {
      if (isMoving) sayMoving()
      end()
    },
    person,
  )
  if (!unwatch)
    throw new RequestError(503, 'Too many pages are open.', null, { 'Retry-After': '10' })
  let heartbeat: NodeJS.Timeout | undefined
  let resting: NodeJS.Timeout | undefined
  let isOpen = true
  const stop = () => {
    isOpen = false
    clearInterval(heartbeat)
    clearTimeout(resting)
    unwatch()
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string) => {
        if (isOpen) controller.enqueue(encoder.encode(text))
      }
      const beat = async (): Promise<void> => {
        // The client stopped reading.
        if ((controller.desiredSize ?? 0) < -mostUnread) end()
        if (isOver()) sendLast('over')
        send(':\n\n')
        await endUnlessAllowed()
      }
      // The browser comes again, and is answered with what has failed.
      const failed = () => end()
      heartbeat = setInterval(contain(beat, failed), heartbeatMs)
      end = () => {
        if (!isOpen) return
        stop()
        controller.close()
      }
      const sendLast = (event: 'changed' | 'over'): void => {
        send(`event: ${event}\ndata: now\n\n`)
        end()
      }
      const endUnlessAllowed = async (): Promise<void> => {
        if (!(await mayStill().catch(() => false))) end()
      }
      const lookNow = async (): Promise<void> => {
        // When the store fails, let the browser reload.
        const isChanged = await hasChanged().catch(() => true)
        await endUnlessAllowed()
        if (isChanged) sendLast('changed')
        else if (isOver()) sendLast('over')
      }
      send('retry: 2000\n\n')
      sayMoving = () => send('retry: 100\n: the service moves to another process\n\n')
      const begin = (): void => {
        look = contain(lookNow, failed)
        look()
      }
      if (rest > 0) resting = setTimeout(begin, rest)
      else begin()
    },
    cancel: stop,
  })
  return {
    type: 'text/event-stream',
    body,
    headers: { ...pageHeaders(isSecure), 'X-Accel-Buffering': 'no' },
  }
}
