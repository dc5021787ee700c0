import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Position } from '../../application/event-store.ts'
import { steadyTime } from '../../application/machine.ts'
import { fail } from '../../infrastructure/failures.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { readMoments } from '../../infrastructure/read-models/moment-fold.ts'
import {
  checkpointOf,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { makeBar } from '../../infrastructure/read-models/rebuild.ts'
import { readLogTree } from '../../infrastructure/read-models/tree-fold.ts'
import type { OpenedStore } from '../../infrastructure/stores.ts'
import { moduleAt } from '../../infrastructure/worker.ts'
import type { MomentRequest } from '../as-of/asked-moment.ts'
import { beginDraft, beginFrom, foldUpTo } from '../as-of/make-moment.ts'
import type { MomentFiles } from '../as-of/moment-files.ts'
import { positionOf } from '../as-of/write-as-of.ts'
import type { Found, Query } from './run-query.ts'
import { statementOf, views } from './views.ts'

export type QueryRequest = {
  readonly sql: string
  /** The head of the log if it is left out. */
  readonly moment?: MomentRequest | undefined
  readonly mostRows: number
  readonly mostSeconds: number
  /** For folding the log; any time if it is left out. */
  readonly mostFolding?: number | undefined
}

type Sources = {
  readonly store: OpenedStore
  /** Files of earlier moments to begin from. */
  readonly kept?: MomentFiles | undefined
}

/** Copies the views into a file of their own: what is not in it, no query can read. */
const copyViews = ({ sqlite }: ReadModelFile, path: string): void => {
  sqlite.prepare('ATTACH ? AS answers').run(path)
  for (const [name, view] of Object.entries(views)) sqlite.exec(statementOf(name, view, 'answers'))
  sqlite.exec('DETACH answers')
}

/** The state at a position: its place in the log, by which it can be found again. */
const foldInto = async (
  { store, kept }: Sources,
  folder: string,
  end: Position,
  seconds = Infinity,
) => {
  const empty = join(folder, 'read-models.sqlite')
  const { file, path } = kept
    ? await beginFrom(store, kept, end)
    : { file: beginDraft(empty), path: empty }
  const bar = makeBar('folding')
  const until = steadyTime() + seconds * 1_000
  try {
    bar.start(end, 0)
    await foldUpTo(store, file, end, (position) => {
      bar.update(position)
      if (steadyTime() > until) fail(`folding the log took more than ${seconds} s`)
    })
    const answers = join(folder, 'answers.sqlite')
    copyViews(file, answers)
    const tree = readLogTree(file)
    const [size, time] = [tree.size(), readMoments(file).logTime()]
    return {
      answers,
      head: {
        position: checkpointOf(file).position,
        time: time === undefined ? null : new Date(time).toISOString(),
        tree: { size, root: Buffer.from(tree.rootOf(size)).toString('base64') },
      },
    }
  } finally {
    bar.stop()
    file.sqlite.close()
    rmSync(path, { force: true })
  }
}

/** Runs a query in a process that is killed when it takes too long. */
const runApart = (query: Query, seconds: number): Promise<Found> =>
  new Promise((resolve, reject) => {
    const program = fileURLToPath(moduleAt('audit/query/run-query'))
    const child = spawn(process.execPath, ['--max-old-space-size=512', program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // No settings of the service: a query needs none.
      env: {},
      timeout: seconds * 1_000,
      killSignal: 'SIGKILL',
    })
    const [output, errors]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') return resolve({ problem: `it took more than ${seconds} s` })
      if (code === 0) return resolve(JSON.parse(Buffer.concat(output).toString()) as Found)
      return resolve({ problem: `it ended: ${Buffer.concat(errors).toString().slice(-300)}` })
    })
    child.stdin.end(JSON.stringify(query))
  })

/** Answers a query as of a moment, with what is needed to ask it again. @throws OperatorError */
export const queryLog = async ({ store, kept }: Sources, request: QueryRequest) => {
  const { sql, moment, mostRows, mostSeconds, mostFolding } = request
  const end = moment ? await positionOf(store, moment) : await store.head()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-query-'))
  try {
    const { answers, head } = await foldInto({ store, kept }, folder, end, mostFolding)
    const found = await runApart({ file: answers, sql, most: mostRows }, mostSeconds)
    if ('problem' in found) return fail(`the query has no answer: ${found.problem}`)
    const { columns, rows, hasMore } = found
    return { query: sql, ...head, made_by: fingerprint(), columns, rows, has_more: hasMore }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export type QueryAnswer = Awaited<ReturnType<typeof queryLog>>
