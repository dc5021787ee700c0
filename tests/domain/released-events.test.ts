import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventCatalogue, parseEvent, schemaVersion, type EventType } from '../../domain/events.ts'

/** An event as a release wrote it, and how it is read now, if more than members were added. */
type Kept = {
  readonly type: string
  readonly data: object
  readonly metadata: { readonly schema: number }
  readonly read?: object
}

/** Only ever add lines: each is an event in somebody's log. */
const kept = readFileSync(new URL('released-events.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Kept)

const nameOf = ({ type, metadata }: Kept): string => `${type} ${metadata.schema}`

test('an event of each version of each type is kept: add a line as the log stores it', () => {
  const names = new Set(kept.map(nameOf))
  const versions = (Object.keys(eventCatalogue) as EventType[]).flatMap((type) =>
    Array.from({ length: schemaVersion(type) }, (_, older) => `${type} ${older + 1}`),
  )
  expect(versions.filter((name) => !names.has(name))).toEqual([])
})

describe.each(kept.map((event, index) => [index + 1, nameOf(event), event] as const))(
  'line %i, %s,',
  (_, __, { type, data, metadata, read = data }) => {
    test('is read as it always was', () => {
      const stored = { id: 'e', stream: 's', revision: 0, position: 1, type, data, metadata }
      // Members added since have a default.
      expect(parseEvent(stored)).toMatchObject({ ...stored, data: read })
    })
  },
)
