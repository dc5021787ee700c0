import { expect, test } from 'vitest'
import { changesReply } from '../../http/event-stream.ts'
import { makeLive } from '../../infrastructure/live.ts'

const nothing = (): void => {}

test('whoever watches one stream with many pages leaves room for those who watch others', () => {
  const { watch } = makeLive()
  const of = (stream: string) => watch(stream, nothing, nothing)
  const stops = Array.from({ length: 50 }, () => of('one'))
  expect(stops).not.toContain(undefined)
  expect(of('one')).toBeUndefined()
  expect(of('two')).toBeDefined()
  stops[0]?.()
  expect(of('one')).toBeDefined()
})

test('there is an end to pages of many streams, too', () => {
  const { watch } = makeLive()
  const of = (stream: string) => watch(stream, nothing, nothing)
  for (let n = 0; n < 5000; n++) expect(of(`s-${n}`)).toBeDefined()
  expect(of('one more')).toBeUndefined()
})

test('a page for which there is no room is told so', () => {
  const full = () => undefined
  const ask = () => changesReply(full, 'one', () => Promise.resolve(false), true)
  expect(ask).toThrow('Too many pages are open.')
})

test('a page that is opened while the service stops ends at once, and its browser comes again', async () => {
  const { watch, end } = makeLive()
  end()
  const { body } = changesReply(watch, 'one', () => Promise.resolve(false), true)
  expect(await new Response(body as ReadableStream).text()).toBe('retry: 2000\n\n')
})
