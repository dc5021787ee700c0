import { expect, onTestFinished, test, vi } from 'vitest'
import { changesReply, type Watch } from '../../web/ui/event-stream.ts'

/** A watcher, and the notifications of a page whose stream changes. */
const following = (rest: number) => {
  let happen = () => {}
  let asked = 0
  const watch: Watch = (_, __, onEvent) => {
    happen = onEvent
    return () => {}
  }
  const hasChanged = async () => {
    asked += 1
    return true
  }
  const { body } = changesReply(watch, { stream: 'shop', from: '', rest }, hasChanged, false)
  return { text: new Response(body).text(), happen: () => happen(), asked: () => asked }
}

test('a page just rendered is notified later of changes since, and only once', async () => {
  const { text, happen, asked } = following(50)
  happen()
  happen()
  expect(asked()).toBe(0)
  expect((await text).match(/event: changed/g)).toHaveLength(1)
  expect(asked()).toBe(1)
})

test('a page without a minimum interval is notified at once', async () => {
  const { text, asked } = following(0)
  expect(asked()).toBe(1)
  expect(await text).toContain('event: changed')
})

test('a reader who loses access gets nothing more, and the stream ends', async () => {
  let mayBeTold = true
  let happen = () => {}
  const watch: Watch = (_, __, onEvent) => {
    happen = onEvent
    return () => {}
  }
  const mayStill = async () => mayBeTold
  const open = (isChanged: () => boolean) =>
    changesReply(watch, { stream: 'shop', from: '', mayStill }, async () => isChanged(), false)
  const textOf = ({ body }: ReturnType<typeof open>) => new Response(body as ReadableStream).text()
  let isChanged = false
  const told = textOf(open(() => isChanged))
  isChanged = true
  mayBeTold = false
  happen()
  expect(await told).toBe('retry: 2000\n\n')

  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  mayBeTold = true
  const quiet = textOf(open(() => false))
  mayBeTold = false
  vi.advanceTimersByTime(15_000)
  expect(await quiet).toBe('retry: 2000\n\n:\n\n')
})
