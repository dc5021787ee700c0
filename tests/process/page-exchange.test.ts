import { describe, expect, test } from 'vitest'
import { answerPages } from '../../service/pages/answer-pages.ts'
import { requestPages } from '../../service/pages/pages-client.ts'
import type { FromPages, ToPages } from '../../service/pages/page-exchange.ts'

/** Both sides of the exchange, connected like two threads. */
const joined = (fetch: () => Response | Promise<Response>) => {
  const asking = requestPages((message: ToPages) => {
    const sent = structuredClone(message)
    queueMicrotask(() => {
      if (typeof sent === 'object' && !('moved' in sent || 'told' in sent)) answer(sent)
    })
  })
  const answer = answerPages(fetch, (message: FromPages) => {
    const sent = structuredClone(message)
    queueMicrotask(() => {
      if (typeof sent === 'string') return
      if ('answer' in sent) asking.answered(sent)
      else if ('of' in sent) asking.read(sent.of, sent.chunk)
      else if ('failed' in sent) asking.fail(sent.failed, new Error(sent.problem))
    })
  })
  const request = { url: 'http://daybook.test/portal/', method: 'GET', target: '/portal/' }
  return { ...asking, asked: () => asking.ask({ ...request, headers: {}, peer: undefined }) }
}

/** An endless stream of numbers, generated on demand. */
const endless = () => {
  const made: number[] = []
  let isLeft = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        made.push(made.length)
        controller.enqueue(new Uint8Array([made.length]))
      },
      cancel: () => void (isLeft = true),
    },
    { highWaterMark: 0 },
  )
  return { body, made, isLeft: () => isLeft }
}

describe('an answer from another thread', () => {
  test('comes as it was, with its status, headers and cookies', async () => {
    const headers: [string, string][] = [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['X-Of', 'page'],
    ]
    const { asked, underWay } = joined(() => new Response('æøå', { status: 403, headers }))
    const answer = await asked()
    expect([answer.status, answer.headers.get('x-of')]).toEqual([403, 'page'])
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await answer.text()).toBe('æøå')
    expect(underWay()).toBe(0)
  })

  test('is streamed on demand, and stops when its reader disconnects', async () => {
    const { body, made, isLeft } = endless()
    const { asked, underWay } = joined(() => new Response(body))
    const reader = (await asked()).body!.getReader()
    for (let number = 1; number <= 5; number += 1)
      expect((await reader.read()).value).toEqual(new Uint8Array([number]))
    // One more is requested ahead.
    expect(made.length).toBeLessThanOrEqual(7)
    await reader.cancel()
    await new Promise((resolve) => setImmediate(resolve))
    expect(isLeft()).toBe(true)
    expect(underWay()).toBe(0)
  })

  test('that fails, or whose thread ends, breaks off', async () => {
    const failing = joined(() => Promise.reject(new Error('no page')))
    await expect(failing.asked()).rejects.toThrow('no page')
    const { body } = endless()
    const ending = joined(() => new Response(body))
    const reader = (await ending.asked()).body!.getReader()
    await reader.read()
    ending.failAll(new Error('ended'))
    await expect(reader.read().then(() => reader.read())).rejects.toThrow('ended')
    expect([failing.underWay(), ending.underWay()]).toEqual([0, 0])
  })
})
