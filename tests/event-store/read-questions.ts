import { randomUUID } from 'node:crypto'
import {
  BACKWARDS,
  binaryEvent,
  END,
  jsonEvent,
  NO_STREAM,
  type Position,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { append, placeAfter, probe, probes, revisions, type Question } from './questions.ts'

/** Responses to reads. */
export const readQuestions: Readonly<Record<string, Question>> = {
  roundTrip: async ({ client, stream }) => {
    const before = Date.now()
    const data = {
      text: 'æøå ☕ \u0000',
      big: '9007199254740993',
      nested: [1, null, { a: true }],
    }
    await client.appendToStream(stream(), [
      jsonEvent({ id: randomUUID().toUpperCase(), type: 'Json', data, metadata: { who: 'x' } }),
      binaryEvent({ type: 'Bin', data: Uint8Array.of(0, 255, 128), metadata: Uint8Array.of(1, 2) }),
      jsonEvent({ type: 'NoMeta', data: {} }),
    ])
    const answers: unknown[] = []
    for await (const { event, link, commitPosition } of client.readStream(stream())) {
      if (!event) continue
      const metadata: unknown = event.metadata
      const { commit, prepare } = event.position ?? {}
      answers.push({
        type: event.type,
        isJson: event.isJson,
        data: event.isJson ? event.data : [...(event.data as Uint8Array)],
        metadata: metadata instanceof Uint8Array ? [...metadata] : metadata,
        metadataKind: metadata?.constructor.name,
        revision: event.revision,
        idIsLowerCase: event.id === event.id.toLowerCase(),
        created: event.created.constructor.name,
        createdIsNow: Math.abs(event.created.getTime() - before) < 60_000,
        hasPosition: event.position !== undefined,
        positionKinds: [typeof commit, typeof prepare],
        link,
        commitPosition: typeof commitPosition,
        streamIdRight: event.streamId === stream(),
      })
    }
    return answers
  },

  readStreamOptions: async ({ client, stream }) => {
    await append(client, stream(), probes(5), NO_STREAM)
    const ask = (options: Parameters<typeof revisions>[2]) => revisions(client, stream(), options)
    const backwards = { direction: BACKWARDS } as const
    return {
      all: await ask({}),
      from2: await ask({ fromRevision: 2n }),
      beyond: await ask({ fromRevision: 9n }),
      two: await ask({ maxCount: 2 }),
      backwards: await ask({ ...backwards, fromRevision: END }),
      backwards1: await ask({ ...backwards, fromRevision: END, maxCount: 1 }),
      backFrom2: await ask({ ...backwards, fromRevision: 2n }),
      backFromBeyond: await ask({ ...backwards, fromRevision: 9n }),
      zero: await ask({ maxCount: 0 }),
    }
  },

  readMissing: async ({ client, stream }) => ({
    forwards: await revisions(client, stream()),
    backwards: await revisions(client, stream(), { direction: BACKWARDS, fromRevision: END }),
    from5: await revisions(client, stream(), { fromRevision: 5n }),
  }),

  allIsInAppendOrder: async ({ client, stream }) => {
    const [a, b] = [stream('a'), stream('b')]
    const first = await placeAfter(client.appendToStream(a, probes(2)))
    const second = await placeAfter(client.appendToStream(b, probe()))
    const third = await placeAfter(client.appendToStream(a, probe(), { expectedRevision: 1n }))
    const names = new Map([
      [a, 'a'],
      [b, 'b'],
    ])
    const read = async (options: Parameters<typeof client.readAll>[0]) => {
      const found: { name: string; position: Position }[] = []
      for await (const { event } of client.readAll(options)) {
        const name = names.get(event?.streamId ?? '')
        if (name && event?.position) {
          found.push({ name: `${name}${event.revision}`, position: event.position })
        }
      }
      return found
    }
    const mine = await read({ fromPosition: first })
    const back = await read({ fromPosition: third, direction: BACKWARDS, maxCount: 50 })
    const commits = mine.map(({ position }) => position.commit)
    return {
      fromFirstPosition: mine.map(({ name }) => name),
      increasing: commits.every((commit, n) => n === 0 || commit > (commits[n - 1] ?? commit)),
      commitEqualsPrepare: mine.every(({ position }) => position.commit === position.prepare),
      appendPositionIsThatOfLastEvent: commits.at(-1) === third.commit,
      firstAppendPositionIsThatOfItsLastEvent: mine[0]?.name === 'a1',
      positionsOfAppendsIncrease: first.commit < second.commit && second.commit < third.commit,
      backFromThird: back.map(({ name }) => name),
    }
  },

  headOfAll: async ({ client, stream }) => {
    const position = await placeAfter(client.appendToStream(stream(), probe()))
    const last: ResolvedEvent[] = []
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 20 } as const
    for await (const resolved of client.readAll(options)) last.push(resolved)
    const mine = last.findIndex(({ event }) => event?.streamId === stream())
    return {
      found: mine >= 0,
      positionEqual: last[mine]?.event?.position?.commit === position.commit,
      newerAreAllSystem: last.slice(0, mine).every(({ event }) => event?.type.startsWith('$')),
    }
  },
}
