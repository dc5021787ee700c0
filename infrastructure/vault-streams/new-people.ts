import { StoreUnavailable, type NewEvent } from '../../application/event-store.ts'
import type { followJournal, journalEvents } from './journal.ts'
import type { KeyPages } from './key-pages.ts'
import type { KnownPeople } from './known-people.ts'
import { nextTurn, randomBytes } from '../../application/machine.ts'

/**
 * `wanted`: the id for a new person. Digests are in base64; `name` is the merchant's name for them.
 */
type NewName = {
  readonly identifier: string
  readonly requestedId?: string | undefined
  readonly name?: string | undefined
}

type Waiting = NewName & {
  readonly resolve: (id: string) => void
  readonly reject: (error: unknown) => void
}

const peopleInGroup = 64

const mostWaiting = 10_000

type Needs = {
  readonly journal: Pick<ReturnType<typeof followJournal>, 'append'>
  readonly pages: Pick<KeyPages, 'keep' | 'drop'>
  readonly known: KnownPeople
  readonly events: ReturnType<typeof journalEvents>
}

/** The ids of the group's people, and which of them are new. */
const decide = (
  known: KnownPeople,
  group: readonly (NewName & { readonly id: string; readonly key: Buffer })[],
) => {
  const added = new Map<string, { readonly key: Buffer; readonly identifier: string }>()
  const inGroup = new Map<string, string>()
  const ids = group.map(({ identifier, id, key }) => {
    const found = known.idOf(identifier) ?? inGroup.get(identifier)
    if (found !== undefined || known.keyOf(id) || added.has(id)) return found ?? id
    added.set(id, { key, identifier })
    inGroup.set(identifier, id)
    return id
  })
  return { ids, added }
}

/** Adds people in groups, with two appends each: first their keys, then the people. */
export const addPeople = ({ journal, pages, known, events }: Needs) => {
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (names: readonly NewName[]): Promise<readonly string[]> => {
    const group = names.map((name) => {
      const id = name.requestedId ?? randomBytes(16).toString('hex')
      return { ...name, id, key: randomBytes(32) }
    })
    let answers: readonly string[] = []
    const tried = new Set<string>()
    await journal.append(async () => {
      const { ids, added } = decide(known, group)
      answers = ids
      const named: NewEvent[] = group.flatMap(({ name }, index) => {
        const id = ids[index] ?? ''
        const key = added.get(id)?.key ?? known.keyOf(id)
        return name === undefined || !key ? [] : [events.named(id, key, name)]
      })
      if (added.size === 0 && named.length === 0) return []
      pages.drop(new Set([...tried].filter((id) => !added.has(id))), known.pageOf)
      for (const id of added.keys()) tried.add(id)
      const keys = [...added].map(([id, { key }]) => [id, events.keyOf(id, key)] as const)
      // Written for known people too, so that timing does not reveal who is known.
      const page = await pages.keep(Object.fromEntries(keys))
      const people = [...added].map(([id, { key, identifier }]) =>
        events.added(id, page, key, identifier),
      )
      return [...people, ...named]
    })
    return answers
  }

  const writeAll = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting.slice(0, peopleInGroup)
      waiting = waiting.slice(peopleInGroup)
      try {
        const ids = await write(group)
        for (const [index, { resolve }] of group.entries()) resolve(ids[index] ?? '')
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    writing = undefined
  }

  return {
    /** The person's id, new or existing. @throws StoreUnavailable */
    add: (name: NewName): Promise<string> =>
      new Promise((resolve, reject) => {
        if (waiting.length >= mostWaiting)
          return reject(new StoreUnavailable('too many people are waiting for the vault'))
        waiting.push({ ...name, resolve, reject })
        writing ??= writeAll()
      }),
  }
}
