import { expect, test } from 'vitest'
import { changesReply, type Watch } from '../../http/event-stream.ts'

/** What watches, what is asked, and what is told of a page whose stream has changed. */
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

test('a page that was just made is told later what has changed meanwhile, and once', async () => {
  const { text, happen, asked } = following(50)
  happen()
  happen()
  expect(asked()).toBe(0)
  expect((await text).match(/event: changed/g)).toHaveLength(1)
  expect(asked()).toBe(1)
})

test('a page that does not rest is told at once', async () => {
  const { text, asked } = following(0)
  expect(asked()).toBe(1)
  expect(await text).toContain('event: changed')
})
