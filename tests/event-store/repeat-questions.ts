import { randomUUID } from 'node:crypto'
import { ANY, NO_STREAM } from '@eventstore/db-client'
import { append, probe, probes, revisions, type Question } from './questions.ts'

/** Responses to appends with the ids of earlier ones. */
export const repeatQuestions: Readonly<Record<string, Question>> = {
  repeatedAppendAtExactRevision: async ({ client, stream }) => {
    const again = [probe(1), probe(2)]
    await append(client, stream(), probe(0), NO_STREAM)
    const first = await client.appendToStream(stream(), again, { expectedRevision: 0n })
    const second = await client.appendToStream(stream(), again, { expectedRevision: 0n })
    return {
      same: first.nextExpectedRevision === second.nextExpectedRevision,
      samePosition: first.position?.commit === second.position?.commit,
      next: second.nextExpectedRevision,
      stream: await revisions(client, stream()),
    }
  },

  concurrentRepeats: async ({ client, stream }) => {
    const again = [probe(1), probe(2)]
    await append(client, stream(), probe(0), NO_STREAM)
    const options = { deadline: 2_000 }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => append(client, stream(), again, 0n, options)),
    )
    // A node drops a repeat that overtakes the original's commit, so which ones get no response is
    // random.
    const isAcceptable = (answer: (typeof answers)[number]): boolean =>
      'success' in answer
        ? answer.nextExpectedRevision === 2n
        : ['deadline-exceeded', 'timeout'].includes(String(answer['error']))
    return {
      successOrDeadlineExceeded: answers.every(isAcceptable),
      someSuccess: answers.some((answer) => 'success' in answer),
      stream: await revisions(client, stream()),
    }
  },

  repeatedAfterOthersAppended: async ({ client, stream }) => {
    const again = [probe(1), probe(2)]
    await append(client, stream(), probe(0), NO_STREAM)
    await append(client, stream(), again, 0n)
    await append(client, stream(), [probe(3), probe(4)], 2n)
    return {
      repeated: await append(client, stream(), again, 0n),
      stream: await revisions(client, stream()),
    }
  },

  repeatedWithNoStream: async ({ client, stream }) => {
    const again = probes(2)
    return [
      await append(client, stream(), again, NO_STREAM),
      await append(client, stream(), again, NO_STREAM),
      await revisions(client, stream()),
    ]
  },

  repeatedWithAny: async ({ client, stream }) => {
    const again = probes(2)
    const once = await append(client, stream(), again, ANY)
    const twice = await append(client, stream(), again, ANY)
    await append(client, stream(), probe(2), ANY)
    return [
      once,
      twice,
      await append(client, stream(), again, ANY),
      await revisions(client, stream()),
    ]
  },

  prefixOfAnEarlierAppend: async ({ client, stream }) => {
    const [a, b] = [probe(0), probe(1)]
    await append(client, stream(), [a, b], NO_STREAM)
    return {
      firstOnly: await append(client, stream(), [a], NO_STREAM),
      secondOnlyAt0: await append(client, stream(), [b], 0n),
      secondOnlyNoStream: await append(client, stream(), [b], NO_STREAM),
      stream: await revisions(client, stream()),
    }
  },

  partialOverlap: async ({ client, stream }) => {
    const [a, b] = [probe(0), probe(1)]
    await append(client, stream(), [a], NO_STREAM)
    await append(client, stream('t'), [a, b], NO_STREAM)
    return {
      longer: await append(client, stream(), [a, b], NO_STREAM),
      stream: await revisions(client, stream()),
      differentTail: await append(client, stream('t'), [a, probe(9)], NO_STREAM),
    }
  },

  sameIdsWithOtherData: async ({ client, stream }) => {
    const id = randomUUID()
    await append(client, stream(), probe(0, id), NO_STREAM)
    return {
      other: await append(client, stream(), probe(99, id), NO_STREAM),
      stream: await revisions(client, stream()),
    }
  },

  sameIdInTwoStreams: async ({ client, stream }) => {
    const event = probe()
    return [
      await append(client, stream('a'), event, NO_STREAM),
      await append(client, stream('b'), event, NO_STREAM),
    ]
  },

  sameIdTwiceInOneAppend: async ({ client, stream }) => {
    const id = randomUUID()
    return [
      await append(client, stream(), [probe(0, id), probe(1, id)], NO_STREAM),
      await revisions(client, stream()),
    ]
  },

  sameIdAtALaterRevision: async ({ client, stream }) => {
    const id = randomUUID()
    await append(client, stream(), probe(0, id), NO_STREAM)
    return [
      await append(client, stream(), probe(1, id), 0n),
      await append(client, stream(), probe(2, id), ANY),
      await revisions(client, stream()),
    ]
  },
}
