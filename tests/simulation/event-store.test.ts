import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { simulatedEventStore } from '../../simulation/event-store.ts'
import { randomFrom } from '../../simulation/random.ts'
import { appendQuestions } from '../event-store/append-questions.ts'
import { followQuestions } from '../event-store/follow-questions.ts'
import { plain } from '../event-store/questions.ts'
import { readQuestions } from '../event-store/read-questions.ts'
import { repeatQuestions } from '../event-store/repeat-questions.ts'
import recorded from '../event-store/recorded/eventstoredb-23.10.6.json' with { type: 'json' }

const questions = { ...appendQuestions, ...repeatQuestions, ...readQuestions, ...followQuestions }
const answers: Readonly<Record<string, unknown>> = recorded.answers

describe(`the simulated store answers as EventStoreDB ${recorded.server} does`, () => {
  const machine = {
    as: <Result>(_: unknown, work: () => Result) => work(),
    process: () => undefined,
  }
  const client = simulatedEventStore({ machine, random: randomFrom(1) }).connect()

  test.each(Object.entries(questions))('when it is asked %s', async (name, ask) => {
    const prefix = randomUUID()
    const stream = (part = 'stream') => `${prefix}-${part}`
    expect(plain(await ask({ client, stream }))).toEqual(answers[name])
  })
})
