import { randomUUID } from 'node:crypto'
import { ANY, binaryEvent, jsonEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client'
import { append, plain, probe, probes, revisions, type Question } from './questions.ts'

/** Responses to appends. */
export const appendQuestions: Readonly<Record<string, Question>> = {
  appendToNewStream: async ({ client, stream }) => ({
    noStream: await append(client, stream('a'), probe(), NO_STREAM),
    any: await append(client, stream('b'), probe(), ANY),
    three: await append(client, stream('c'), probes(3), NO_STREAM),
  }),

  appendAtExactRevision: async ({ client, stream }) => [
    await append(client, stream(), probes(2), NO_STREAM),
    await append(client, stream(), probe(2), 1n),
    await append(client, stream(), probe(3), 2n),
    await revisions(client, stream()),
  ],

  wrongExpectedRevision: async ({ client, stream }) => {
    await append(client, stream(), probes(3), NO_STREAM)
    return {
      behind: await append(client, stream(), probe(), 0n),
      ahead: await append(client, stream(), probe(), 7n),
      noStreamButThere: await append(client, stream(), probe(), NO_STREAM),
      after: await revisions(client, stream()),
    }
  },

  eventTypes: async ({ client, stream }) => {
    const typed = (type: string) => jsonEvent({ type, data: {} })
    return {
      system: await append(client, stream('a'), typed('$probe'), NO_STREAM),
      unicode: await append(client, stream('b'), typed('é☕'), NO_STREAM),
    }
  },

  expectationsOnMissingStream: async ({ client, stream }) => ({
    exact0: await append(client, stream('a'), probe(), 0n),
    exact5: await append(client, stream('b'), probe(), 5n),
    streamExists: await append(client, stream('c'), probe(), STREAM_EXISTS),
  }),

  perCallCredentialsUseTheUnaryAppend: async ({ client, stream }) => {
    const options = { credentials: { username: 'somebody', password: 'something' } }
    return [
      await append(client, stream(), probe(0), NO_STREAM, options),
      await append(client, stream(), probe(1), NO_STREAM, options),
      await append(client, stream(), probe(1), 0n, options),
    ]
  },

  oneWinnerUnderContention: async ({ client, stream }) => {
    await append(client, stream(), probe(), NO_STREAM)
    const answers = await Promise.all(
      probes(50).map((event) => append(client, stream(), event, 0n)),
    )
    const [winners, losers] = [
      answers.filter((answer) => 'success' in answer),
      answers.filter((answer) => !('success' in answer)),
    ]
    const kinds = new Set(losers.map((loser) => JSON.stringify(plain(loser))))
    const length = Object.keys(await revisions(client, stream())).length
    return { winners: winners.length, loserKinds: [...kinds], length }
  },

  emptyAppend: async ({ client, stream }) => {
    await append(client, stream(), probes(2), NO_STREAM)
    return {
      missingNoStream: await append(client, stream('m'), [], NO_STREAM),
      missingAny: await append(client, stream('n'), [], ANY),
      missingReads: await revisions(client, stream('m')),
      thereAny: await append(client, stream(), [], ANY),
      thereExact: await append(client, stream(), [], 1n),
      thereWrong: await append(client, stream(), [], 0n),
    }
  },

  sizes: async ({ client, stream }) => {
    const of = (bytes: number) =>
      binaryEvent({ id: randomUUID(), type: 'big', data: new Uint8Array(bytes).fill(1) })
    const [half, whole] = [512 * 1_024, 1_024 * 1_024]
    return {
      half: await append(client, stream(), of(half), ANY),
      twoHalves: await append(client, stream(), [of(half), of(half)], ANY),
      justUnder: await append(client, stream(), of(whole - 200), ANY),
      exactly: await append(client, stream(), of(whole), ANY),
      over: await append(client, stream(), of(whole + 1), ANY),
    }
  },

  manyEventsInOneAppend: async ({ client, stream }) => {
    const many = probes(5_000)
    return [
      await append(client, stream(), many, NO_STREAM),
      Object.keys(await revisions(client, stream())).length,
      await append(client, stream(), many, NO_STREAM),
    ]
  },

  pipelinedAppendsKeepCallOrder: async ({ client, stream }) => {
    await append(client, stream('first'), probe(), ANY)
    const answers = await Promise.all(
      probes(500).map((event) => append(client, stream(), event, ANY)),
    )
    const seen = Object.values(await revisions(client, stream()))
    return {
      allSucceeded: answers.every((answer) => 'success' in answer),
      inOrder: seen.every((line, n) => line === `${n}:${n}`),
      length: seen.length,
      revisionsReturnedInOrder: answers.every(
        (answer, n) =>
          'nextExpectedRevision' in answer && answer['nextExpectedRevision'] === BigInt(n),
      ),
    }
  },

  streamNames: async ({ client, stream }) => ({
    unicode: await append(client, stream('kafé-☕'), probe(), NO_STREAM),
    spaces: await append(client, stream('with space'), probe(), NO_STREAM),
    system: await append(client, `$${stream()}`, probe(), NO_STREAM),
    long: await append(client, stream('x'.repeat(1_000)), probe(), NO_STREAM),
  }),
}
