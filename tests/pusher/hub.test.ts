import { describe, expect, test } from 'vitest'
import { makePusherHub } from '../../http/pusher/hub.ts'
import type { Frame } from '../support/raw-pusher.ts'

/** A hub on a controlled clock, and connections that record what they are sent. */
const openHub = () => {
  let at = 0
  let ids = 0
  const hub = makePusherHub({
    key: 'key',
    now: () => at,
    newSocketId: () => `1.${++ids}`,
    isAuthorized: (auth, socketId, channel) => auth === `${socketId}:${channel}`,
    ownerOf: (channel) => /m-(\w+)-/.exec(channel)?.[1],
  })
  const openLine = (network: string | readonly string[] = '192.0.2.1', unread = () => 0) => {
    const frames: Frame[] = []
    let closed: number | 'cut' | undefined
    const line = {
      send: (text: string) => void frames.push(JSON.parse(text) as Frame),
      close: (code: number) => void (closed = code),
      cut: () => void (closed = 'cut'),
      unread,
    }
    const listener = hub.open(line, { key: 'key', version: '7', networks: [network].flat() })
    const send = (event: string, data: object = {}) =>
      listener?.receive(JSON.stringify({ event, data }))
    return {
      frames,
      events: () => frames.map(({ event }) => event),
      closed: () => closed,
      send,
      subscribe: (channel: string, auth?: string) => send('pusher:subscribe', { channel, auth }),
      leave: () => listener?.closed(),
    }
  }
  const wait = (seconds: number) => {
    at += seconds * 1000
    hub.sweep()
  }
  return { hub, openLine, wait }
}

describe('given a silent connection', () => {
  test('when 30 seconds have passed, then it is pinged once, and a pong keeps it', () => {
    const { openLine, wait } = openHub()
    const line = openLine()
    for (let second = 0; second < 30; second++) wait(1)
    wait(1)
    expect(line.events()).toEqual(['pusher:connection_established', 'pusher:ping'])
    line.send('pusher:pong')
    wait(29)
    expect(line.closed()).toBeUndefined()
    wait(1)
    expect(line.events().filter((event) => event === 'pusher:ping')).toHaveLength(2)
  })

  test('when no pong comes for 30 seconds more, then it is closed with 4201', () => {
    const { hub, openLine, wait } = openHub()
    const line = openLine()
    wait(30)
    wait(29)
    expect(line.closed()).toBeUndefined()
    wait(1)
    expect([line.closed(), line.frames.at(-1)?.data.code]).toEqual([4201, 4201])
    expect(hub.count()).toBe(0)
  })
})

describe('given limits', () => {
  test('when an address opens a connection too many, then 4100, and others are served', () => {
    const { openLine } = openHub()
    const lines = Array.from({ length: 1000 }, () => openLine('192.0.2.1'))
    expect(lines.map((line) => line.closed())).not.toContain(4100)
    expect(openLine('192.0.2.1').closed()).toBe(4100)
    expect(openLine('192.0.2.2').closed()).toBeUndefined()
    lines[0]?.leave()
    expect(openLine('192.0.2.1').closed()).toBeUndefined()
  })

  test('when somebody with a /48 opens a connection too many, then others are served', () => {
    const { openLine } = openHub()
    const own = (count: number) => openLine(['a/48', `a/56 ${count % 9}`, `a/64 ${count}`])
    for (let count = 0; count < 2000; count++) expect(own(count).closed()).toBeUndefined()
    expect(own(2000).closed()).toBe(4100)
    expect(openLine(['b/48', 'b/56', 'b/64']).closed()).toBeUndefined()
  })

  test("when a merchant's public channels are full, then its private ones are not", () => {
    const { openLine } = openHub()
    for (let count = 0; count < 5000; count++)
      openLine(`network ${count % 10}`).subscribe(`m-shop-${count % 7}`)
    const late = openLine('another network')
    late.subscribe('m-shop-1')
    expect(late.events().slice(1)).toEqual(['pusher:error', 'pusher:subscription_error'])
    expect(late.frames[1]?.data.code).toBe(4100)
    late.subscribe('private-m-shop-1', '1.5001:private-m-shop-1')
    late.subscribe('m-kiosk-1')
    expect(late.events().slice(3)).toEqual([
      'pusher_internal:subscription_succeeded',
      'pusher_internal:subscription_succeeded',
    ])
  })

  test('when a connection subscribes to a channel too many, then that one is refused', () => {
    const { hub, openLine } = openHub()
    const line = openLine()
    for (let count = 0; count <= 100; count++) line.subscribe(`channel-${count}`)
    expect(line.events().slice(1, -1)).toEqual(
      Array.from({ length: 100 }, () => 'pusher_internal:subscription_succeeded'),
    )
    expect(line.frames.at(-1)).toMatchObject({
      event: 'pusher:subscription_error',
      data: { status: 429, type: 'LimitReached' },
    })
    expect([hub.hasListeners('channel-99'), hub.hasListeners('channel-100')]).toEqual([true, false])
    line.send('pusher:unsubscribe', { channel: 'channel-0' })
    line.subscribe('channel-100')
    expect(hub.hasListeners('channel-100')).toBe(true)
  })

  test('when a client sends too much at a time, then 4100, and no more is read', () => {
    const { hub, openLine, wait } = openHub()
    const line = openLine()
    for (let count = 0; count < 151; count++) line.send('pusher:ping')
    expect(line.closed()).toBe(4100)
    line.subscribe('late')
    expect(hub.hasListeners('late')).toBe(false)
    const slower = openLine()
    for (let second = 0; second < 60; second++) {
      for (let count = 0; count < 20; count++) slower.send('pusher:ping')
      wait(1)
    }
    expect(slower.closed()).toBeUndefined()
  })

  test('when a reader does not read, then it is cut off, and the others hear on', () => {
    const { hub, openLine } = openHub()
    let unread = 0
    const [slow, quick] = [openLine('a', () => unread), openLine('b')]
    slow.subscribe('channel')
    quick.subscribe('channel')
    unread = 65_537
    hub.publish('channel', 'test_event', '{"meta":{}}')
    expect([slow.closed(), quick.closed(), hub.count()]).toEqual(['cut', undefined, 1])
    expect(slow.events()).not.toContain('test_event')
    expect(quick.frames.at(-1)).toEqual({
      event: 'test_event',
      channel: 'channel',
      data: '{"meta":{}}',
    })
  })
})

describe('given listeners', () => {
  test('when all leave, then nothing is kept of their channels', () => {
    const { hub, openLine } = openHub()
    const lines = ['a', 'b', 'c'].map((network) => openLine(network))
    for (const line of lines) line.subscribe('channel')
    for (const line of lines) line.leave()
    expect([hub.hasListeners('channel'), hub.count()]).toEqual([false, 0])
  })

  test('when the service stops, then 4200, and new clients are told to wait', () => {
    const { hub, openLine } = openHub()
    const line = openLine()
    hub.end()
    expect([line.closed(), line.frames.at(-1)?.data.code]).toEqual([4200, 4200])
    expect(openLine().closed()).toBe(4100)
  })

  test('when a message could not be made, then the listeners of its channel come back', () => {
    const { hub, openLine } = openHub()
    const [of, other] = [openLine(), openLine()]
    of.subscribe('channel')
    other.subscribe('other')
    hub.interrupt('channel')
    expect([of.closed(), other.closed()]).toEqual([4200, undefined])
  })
})
