import { randomUUID } from 'node:crypto'
import { EventStoreDBClient } from '@eventstore/db-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendQuestions } from './append-questions.ts'
import { startProtocolPlace } from './protocol-place.ts'
import { plain } from './questions.ts'
import { followQuestions } from './follow-questions.ts'
import { readQuestions } from './read-questions.ts'
import { repeatQuestions } from './repeat-questions.ts'
import recorded from './recorded/eventstoredb-23.10.6.json' with { type: 'json' }

const questions = { ...appendQuestions, ...repeatQuestions, ...readQuestions, ...followQuestions }
const answers: Readonly<Record<string, unknown>> = recorded.answers

describe(
  `the protocol server answers as EventStoreDB ${recorded.server} does`,
  { tags: 'long' },
  () => {
    let place: Awaited<ReturnType<typeof startProtocolPlace>>
    let client: EventStoreDBClient

    beforeAll(async () => {
      place = await startProtocolPlace()
      client = EventStoreDBClient.connectionString(place.url)
    })

    afterAll(async () => {
      await client.dispose()
      await place.remove()
    })

    test.each(Object.entries(questions))('when it is asked %s', async (name, ask) => {
      const prefix = randomUUID()
      const stream = (part = 'stream') => `${prefix}-${part}`
      expect(answers).toHaveProperty(name)
      expect(plain(await ask({ client, stream }))).toEqual(answers[name])
    })
  },
)
