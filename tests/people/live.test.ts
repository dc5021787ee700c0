import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { changesReply } from '../../web/ui/event-stream.ts'
import type { RawReply } from '../../http/route.ts'
import { makeLive } from '../../service/portal/live.ts'

const nothing = (): void => {}

test('a stream watched by many pages leaves room for others', () => {
  const { watch } = makeLive()
  const of = (stream: string) => watch(stream, '192.0.2.1', nothing, nothing)
  const stops = Array.from({ length: 50 }, () => of('one'))
  expect(stops).not.toContain(undefined)
  expect(of('one')).toBeUndefined()
  expect(of('two')).toBeDefined()
  stops[0]?.()
  expect(of('one')).toBeDefined()
})

test('there is an end to pages of many streams, too', () => {
  const { watch } = makeLive()
  const from = (n: number) => watch(`s-${n}`, `192.0.2.${n % 6}`, nothing, nothing)
  for (let n = 0; n < 5000; n++) expect(from(n)).toBeDefined()
  expect(from(5000)).toBeUndefined()
})

test('a network that watches many streams leaves room for others', () => {
  const { watch } = makeLive()
  const from = (address: string, n: number) => watch(`s-${n}`, address, nothing, nothing)
  const stops = Array.from({ length: 1000 }, (_, n) => from(`2001:db8::${n.toString(16)}`, n))
  expect(stops).not.toContain(undefined)
  expect(from('2001:db8::ffff', 1001)).toBeUndefined()
  expect(from('2001:db8:0:1::1', 1001)).toBeDefined()
  stops[0]?.()
  stops[0]?.()
  expect(from('2001:db8::ffff', 1002)).toBeDefined()
  expect(from('2001:db8::ffff', 1003)).toBeUndefined()
})

test('a signed-in person leaves room for others, from however many addresses', () => {
  const { watch } = makeLive()
  const of = (person: string, n: number) =>
    watch(`s-${n}`, `192.0.2.${n}`, nothing, nothing, person)
  const stops = Array.from({ length: 20 }, (_, n) => of('alice', n))
  expect(stops).not.toContain(undefined)
  expect(of('alice', 20)).toBeUndefined()
  expect(of('bob', 21)).toBeDefined()
  stops[0]?.()
  expect(of('alice', 22)).toBeDefined()
})

test('a page beyond the limit gets a refusal', () => {
  const full = () => undefined
  const ask = () =>
    changesReply(full, { stream: 'one', from: '' }, () => Promise.resolve(false), true)
  expect(ask).toThrow('Too many pages are open.')
})

describe('a page of which nothing more will happen', () => {
  const textOf = ({ body }: RawReply) => new Response(body as ReadableStream).text()
  const over = 'retry: 2000\n\nevent: over\ndata: now\n\n'
  const never = () => Promise.resolve(false)

  test('gets the event `over` at once, and frees its place', async () => {
    const live = makeLive()
    const watched = { stream: 'one', from: '', isOver: () => true }
    for (let page = 0; page < 60; page++)
      expect(await textOf(changesReply(live.watch, watched, never, true))).toBe(over)
  })

  test('is notified when that happens while it waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let isOver = false
    const watched = { stream: 'one', from: '', isOver: () => isOver }
    const told = textOf(changesReply(makeLive().watch, watched, never, true))
    vi.advanceTimersByTime(15_000)
    isOver = true
    vi.advanceTimersByTime(15_000)
    expect(await told).toBe(over.replace('event', ':\n\nevent'))
  })

  test('is notified of earlier changes', async () => {
    const watched = { stream: 'one', from: '', isOver: () => true }
    const changed = () => Promise.resolve(true)
    expect(await textOf(changesReply(makeLive().watch, watched, changed, true))).toBe(
      over.replace('over', 'changed'),
    )
  })
})

test('a page that is open when the service stops learns why, and comes back at once', async () => {
  const { watch, end } = makeLive()
  const watched = { stream: 'one', from: '' }
  const { body } = changesReply(watch, watched, () => Promise.resolve(false), true)
  end()
  expect(await new Response(body as ReadableStream).text()).toBe(
    'retry: 2000\n\nretry: 100\n: the service moves to another process\n\n',
  )
})

test('a page opened while the service stops ends at once; its browser reconnects', async () => {
  const { watch, end } = makeLive()
  end()
  const watched = { stream: 'one', from: '' }
  const { body } = changesReply(watch, watched, () => Promise.resolve(false), true)
  expect(await new Response(body as ReadableStream).text()).toBe('retry: 2000\n\n')
})
