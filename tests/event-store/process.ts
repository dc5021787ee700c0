// Runs in a separate process: appends to an event log, or responds to others' appends.
import { randomUUID } from 'node:crypto'
import { noStream, WrongExpectedRevision } from '../../application/event-store.ts'
import { openToWrite, writers } from './open-to-write.ts'

const [task, file = '', stream = '', count = '0', committing] = process.argv.slice(2)
const store = openToWrite(file, writers.find((writer) => writer === committing) ?? 'inline')

const acknowledge = (text: string): void => void process.stdout.write(`${text}\n`)

const event = (type: string) => ({ id: randomUUID(), type, data: {}, metadata: {} })

/** Appends events in sequence to a stream shared with others. */
const appendTo = async (name: string): Promise<void> => {
  let expected = noStream
  for (let appended = 0; appended < Number(count);) {
    const next = event('Appended')
    try {
      expected = (await store.append(name, [next], expected)).revision
      appended += 1
      acknowledge(next.id)
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
      expected = error.actual
    }
  }
}

const answer = async (): Promise<void> => {
  // Following does not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  let answered = 0
  for await (const batch of store.follow(0, new AbortController().signal)) {
    for (const { stream: asked, revision } of batch) {
      if (asked !== stream) continue
      await store.append(`${stream}-answered`, [event('Answered')], revision - 1)
      answered += 1
    }
    if (answered === Number(count)) break
  }
  clearInterval(alive)
}

/** Exceeds the file's growth limit, between appends that fit. */
const overfill = async (): Promise<void> => {
  const big = { ...event('Big'), data: { text: 'x'.repeat(900_000) } }
  for (const appends of [
    [() => store.append(stream, [event('Small')], noStream)],
    [
      () => store.append(`${stream}-other`, [event('Small')], noStream),
      () => store.append(stream, [big], 0),
    ],
    [() => store.append(stream, [event('Small')], 0)],
  ]) {
    const outcomes = await Promise.allSettled(appends.map((append) => append()))
    for (const outcome of outcomes) {
      acknowledge(outcome.status === 'fulfilled' ? 'fulfilled' : outcome.reason.name)
    }
  }
}

acknowledge('ready')
if (task === 'answer') await answer()
else if (task === 'contend') await appendTo(stream)
else if (task === 'overfill') await overfill()
else await Promise.all(Array.from({ length: 16 }, (_, n) => appendTo(`${stream}-${n}`)))
await store.close()
