import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { WrongExpectedRevision } from '../../application/event-store.ts'
import { commitInGroups, type Append } from './group-commits.ts'
import { sharedEnds } from './shared-ends.ts'
import { openEventFile } from './sqlite-event-file.ts'
import { commitsTo, tellSometimes } from './sqlite-event-growth.ts'
import type { Content } from './sqlite-event-rows.ts'
import { writeEvents, type Expectation, type NewRow } from './sqlite-event-writer.ts'

/** What this thread begins with: the file, and where it notes how each commit ends. */
export type Given = { readonly file: string; readonly ends: SharedArrayBuffer }

/**
 * What this thread is told: appends, one after the other, or that these were all. An append is its stream, what it
 * expects and how many rows it has, then of each row the id (a character for each byte), type, data and metadata: many
 * small objects would take longer on the way than what is in them.
 */
export type Told = readonly (Content | Expectation | null)[] | 'end'
/** What it tells of these appends, or why it cannot begin. */
export type Tells = Answers | Problem
/** Of each, in their order, the revision and the position of its last event, or how it failed. */
export type Answers = readonly (number | Failure)[]
export type Failure = Pick<WrongExpectedRevision, 'expected' | 'actual'> | Problem
/** In words: an error of the database would lose them on the way. */
type Problem = { readonly problem: string }

const appendsIn = (told: Exclude<Told, 'end'>): Append[] => {
  const appends: Append[] = []
  let at = 0
  const next = <Value>(): Value => told[at++] as Value
  while (at < told.length) {
    const stream = next<string>()
    const expected = next<Expectation>()
    const rows: NewRow[] = []
    for (let left = next<number>(); left > 0; left--) {
      const id = Buffer.from(next<string>(), 'latin1')
      rows.push({ id, type: next(), data: next(), metadata: next() })
    }
    appends.push({ stream, rows, expected })
  }
  return appends
}

const problemOf = (error: unknown): Problem => ({
  problem: error instanceof Error ? error.message : String(error),
})

const failureOf = (error: unknown): Failure => {
  if (!(error instanceof WrongExpectedRevision)) return problemOf(error)
  const { expected, actual } = error
  return { expected, actual }
}

const open = ({ file, ends }: Given) => {
  // It must be there: the main thread has it open, and nobody would read one that was made anew here.
  const database = openEventFile(file, 'append there')
  const threads = commitsTo(file)
  const tellThreads = tellSometimes(() => threads.postMessage(null))
  const { set: setEnds } = sharedEnds(ends)
  const commits = commitInGroups(writeEvents(database), (ends) => {
    setEnds(ends)
    tellThreads()
  })
  const close = (): void => {
    database.close()
    threads.close()
  }
  return { commits, close }
}

const run = (port: MessagePort, { commits, close }: ReturnType<typeof open>): void => {
  /** All of them together, when the last is known. */
  const answer = async (told: Exclude<Told, 'end'>): Promise<void> => {
    const answers = appendsIn(told).map(({ stream, rows, expected }) =>
      commits.append(stream, rows, expected).catch(failureOf),
    )
    const tells: (number | Failure)[] = []
    for (const answer of await Promise.all(answers))
      if ('position' in answer) tells.push(answer.revision, answer.position)
      else tells.push(answer)
    port.postMessage(tells)
  }
  const end = (): void => {
    close()
    port.close()
  }

  // Appends are answered in the order in which they came.
  let last = Promise.resolve()
  port.on('message', (told: Told) => {
    last = told === 'end' ? last.then(end) : answer(told)
  })
}

const begin = (port: MessagePort, given: Given): void => {
  try {
    run(port, open(given))
  } catch (error) {
    const problem: Tells = problemOf(error)
    port.postMessage(problem)
  }
}

if (parentPort) begin(parentPort, workerData as Given)
