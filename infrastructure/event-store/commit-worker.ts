import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { WrongExpectedRevision, type Commit, type Position } from '../../application/event-store.ts'
import { endThread } from '../worker.ts'
import type { Content } from './event-entry.ts'
import { commitInGroups, measureCommits, type Append, type CommitMemory } from './group-commits.ts'
import { sharedEnds } from './shared-request.ts'
import { openEventFile, commitsTo, announceThrottled } from './sqlite-event-file.ts'
import { writeEvents, type Ends, type Expectation, type NewRow } from './sqlite-event-writer.ts'

/** The file, and shared memory for the end of each commit and its measures. */
export type CommitStart = {
  readonly file: string
  readonly ends: SharedArrayBuffer
  readonly measures: CommitMemory
}

/**
 * Appends, flattened because cloning many small objects is slow; or `end`. Each append has its
 * stream, expectation and number of rows, followed by each row's id (a character per byte), type,
 * data and metadata.
 */
export type Request = Appends | 'end'

type Appends = readonly (Content | Expectation | null)[]

/** Serves another thread as well, through this port. */
export type Shared = { readonly shared: MessagePort }

/** The replies to one request, or why the worker cannot start. */
export type Reply = Answers | Problem

/**
 * Time and appends of the last commit; then for each append, in order, revision and position of its
 * last event, or its failure.
 */
export type Answers = readonly (number | Failure)[]

export type Failure = Pick<WrongExpectedRevision, 'expected' | 'actual'> | Problem

/** Text, because a database error loses its message between threads. */
type Problem = { readonly problem: string }

const appendsIn = (request: Appends): Append[] => {
  const appends: Append[] = []
  let at = 0
  const next = <Value>(): Value => request[at++] as Value
  while (at < request.length) {
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

const open = ({ file, ends, measures }: CommitStart) => {
  // The main thread has it open: a new file created here would have no readers.
  const database = openEventFile(file, 'append there')
  const threads = commitsTo(file)
  const tellThreads = announceThrottled(() => threads.postMessage(null))
  const { set: setEnds, answeredSharers } = sharedEnds(ends)
  const writer = writeEvents(database)
  let last: Commit = { milliseconds: 0, appends: 0 }
  const measure = measureCommits(measures).observe
  const committed = (ends: Ends): void => {
    setEnds(ends)
    tellThreads()
  }
  const commits = commitInGroups(writer, committed, (milliseconds, events, appends) => {
    last = { milliseconds, appends }
    measure(milliseconds, events, appends)
  })
  const close = (): void => {
    writer.close()
    database.close()
    threads.close()
  }
  return { commits, close, answeredSharers, lastCommit: () => last }
}

/** Answers the requests of a thread, in order. */
const answerThrough = (
  port: MessagePort,
  { commits, lastCommit }: Pick<ReturnType<typeof open>, 'commits' | 'lastCommit'>,
  answered = (_: Position): void => {},
) => {
  /** Replies once all appends of the request are done. */
  const answer = async (request: Appends): Promise<void> => {
    const answers = appendsIn(request).map(({ stream, rows, expected }) =>
      commits.append(stream, rows, expected).catch(failureOf),
    )
    const done = await Promise.all(answers)
    const { milliseconds, appends } = lastCommit()
    const reply: (number | Failure)[] = [milliseconds, appends]
    let end: Position = 0
    for (const answer of done) {
      if (!('position' in answer)) reply.push(answer)
      else {
        reply.push(answer.revision, answer.position)
        end = Math.max(end, answer.position)
      }
    }
    answered(end)
    port.postMessage(reply)
  }
  let last = Promise.resolve()
  return {
    answer: (request: Appends): void => void (last = answer(request)),
    end: async (): Promise<void> => {
      await last
      port.close()
    },
  }
}

const run = (port: MessagePort, opened: ReturnType<typeof open>) => {
  const { close, answeredSharers } = opened
  const own = answerThrough(port, opened)

  const share = (shared: MessagePort): void => {
    const theirs = answerThrough(shared, opened, answeredSharers)
    shared.on('message', (request: Request) => {
      if (request === 'end') theirs.end().catch(endThread)
      else theirs.answer(request)
    })
    // Threads sharing the writer have already ended.
    port.once('close', () => shared.close())
  }

  port.on('message', (request: Request | Shared) => {
    if (request === 'end') own.end().then(close).catch(endThread)
    else if ('shared' in request) share(request.shared)
    else own.answer(request)
  })
}

const begin = (port: MessagePort, start: CommitStart): void => {
  try {
    run(port, open(start))
  } catch (error) {
    const problem: Reply = problemOf(error)
    port.postMessage(problem)
  }
}

if (parentPort) begin(parentPort, workerData as CommitStart)
