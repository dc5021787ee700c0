import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { endingWith } from '../../http/text-stream.ts'

/** A stream of these parts; an error is thrown at its position. */
const streamOf = (parts: readonly (string | Error)[]) => {
  let ends = 0
  const rest = [...parts]
  const source = new ReadableStream({
    pull: (controller) => {
      const part = rest.shift()
      if (part === undefined) return controller.close()
      if (part instanceof Error) throw part
      controller.enqueue(part)
    },
  })
  return { reader: endingWith(source, () => (ends += 1)).getReader(), ends: () => ends }
}

test('a stream ends when its last part is read, and not before', async () => {
  const { reader, ends } = streamOf(['a', 'b', 'c', 'd', 'e'])
  await nextTurn()
  expect([(await reader.read()).value, (await reader.read()).value, ends()]).toEqual(['a', 'b', 0])
  for (const part of ['c', 'd', 'e']) expect((await reader.read()).value).toBe(part)
  expect([await reader.read(), ends()]).toEqual([{ done: true, value: undefined }, 1])
})

test('a stream ends when it is given up', async () => {
  const { reader, ends } = streamOf(['a', 'b', 'c', 'd', 'e'])
  await reader.read()
  await reader.cancel()
  expect(ends()).toBe(1)
})

test('a stream ends when it fails', async () => {
  const { reader, ends } = streamOf(['a', new Error('broken')])
  await reader.read()
  await expect(reader.read()).rejects.toThrow('broken')
  expect(ends()).toBe(1)
})
