import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { actsAtLast, actsFrom } from './acts.ts'
import { start } from '../application/event-store.ts'
import { verifyPlace } from '../audit/verify/verify-in-workers.ts'
import { checkEnd, playStep } from './accounts.ts'
import {
  count,
  nameOf,
  noteRefusalLog,
  noteRefusals,
  routeFinder,
  type Coverage,
} from './coverage.ts'
import Database from '../infrastructure/sqlite.ts'
import { alterations, seeded, type Choose } from '../harness/alter/alterations.ts'
import { Finding } from './oracle/books.ts'
import { habitsFrom, onlyWandering, stepFrom } from './people.ts'
import { newPlay, type Play } from './known.ts'
import { randomFrom } from './random.ts'
import type { Numbered } from './steps.ts'
import { wandererIn } from './wanderer.ts'
import { openWorld, type Nodes, type World } from './world.ts'

export type Told = {
  readonly seed: number
  readonly nodes: Nodes
  readonly steps: readonly Numbered[]
  readonly requests: number
  readonly faults: number
  readonly routes: readonly string[]
  /** A digest of all requests, answers and callbacks. */
  readonly trace: string
  readonly story: readonly string[]
  /** Undefined if nothing was wrong. */
  readonly failure: { readonly rule: string; readonly text: string } | undefined
}

/** Where steps come from: people of the seed, or a list. */
type Steps = (play: Play, n: number, before?: Numbered) => Numbered | undefined

const drawn = (seed: number, { world, names }: Play, most: number, wanders: boolean) => {
  const random = randomFrom(seed, 4)
  const habits = wanders ? onlyWandering : habitsFrom(random, world.nodes.length > 1)
  const wanderer = wandererIn(world, randomFrom(seed, 5), names)
  const act = actsFrom(randomFrom(seed, 8))
  const last = actsAtLast(randomFrom(seed, 11))
  const next: Steps = (play, n, before) => {
    const step =
      n < most
        ? stepFrom(random, habits, n, play, { wander: wanderer.next, act, before })
        : wanders || most < 100
          ? undefined
          : last(play)
    return step && { ...step, n }
  }
  return { next, wanderer }
}

const failureOf = (error: unknown): Told['failure'] => {
  if (error instanceof Finding) return { rule: error.rule, text: error.story() }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { rule: 'noBug', text }
}

type Column = { readonly of: string; readonly name: string }

/** A number in a row of a read model is one more than it was. */
const alterReadModels = (folder: string, choose: Choose): string => {
  const directory = join(folder, 'read-models')
  const name = readdirSync(directory).find((one) => one.endsWith('.sqlite')) ?? ''
  const file = new Database(join(directory, name))
  const columns = `SELECT tables.name AS 'of', columns.name FROM sqlite_schema AS tables
    JOIN pragma_table_info(tables.name) AS columns
    WHERE columns.type = 'INTEGER' AND columns.pk = 0 AND tables.name IN
      ('payments', 'reports', 'settlements', 'transaction_lines', 'disputes', 'ledgers')`
  const all = (file.prepare(columns).all() as readonly Column[]).filter(
    ({ of }) => file.prepare(`SELECT 1 FROM ${of}`).get() !== undefined,
  )
  const { of, name: column } = all[choose(all.length)] as Column
  const rows = file.prepare(`SELECT rowid FROM ${of}`).pluck().all()
  const set = `UPDATE ${of} SET ${column} = coalesce(${column}, 0) + 1 WHERE rowid = ?`
  file.prepare(set).run(rows[choose(rows.length)])
  file.close()
  return `${column} of ${of}`
}

const alterLog = (folder: string, choose: Choose, covered: number): string => {
  const possible = alterations.filter(({ needsKept }) => !needsKept)
  const { name, alter } = possible[choose(possible.length)] as (typeof possible)[number]
  alter(folder, covered, choose)
  return name
}

/** Interface 14: the audit holds after every world, and no longer once something is altered. */
const audit = async (
  world: World,
  coverage: Coverage | undefined,
  choose: Choose,
): Promise<void> => {
  const noteEvents = async (): Promise<void> => {
    for await (const batch of world.store.readAll(start))
      for (const { type } of batch) coverage?.events.add(type)
  }
  if (coverage) await world.machine.until(noteEvents())
  await world.stop()
  const verify = ({ opened }: World['nodes'][number]) =>
    world.machine.until(verifyPlace(opened.settings, { keys: [], kept: [], since: 0 }, {}))
  let end = 0
  for (const node of world.nodes) {
    if (coverage) noteRefusalLog(coverage, node.folder)
    const { problems, lastPosition } = await verify(node)
    const [problem] = problems
    if (problem) throw new Finding('audit', `audit verify: ${JSON.stringify(problem)}`)
    end = lastPosition
  }
  const node = world.nodes[choose(world.nodes.length)] as World['nodes'][number]
  // The log of several nodes lies in the simulated store.
  const altered =
    world.nodes.length > 1 || choose(2) === 0
      ? alterReadModels(node.folder, choose)
      : alterLog(node.folder, choose, Math.floor(end / 2))
  if ((await verify(node)).holds)
    throw new Finding('altered', `nobody sees that ${altered} is altered`)
}

type Options = {
  readonly seed: number
  readonly steps: number | readonly Numbered[]
  readonly coverage?: Coverage
  readonly nodes?: Nodes
  /** Looks at the world when all that is due is done. */
  readonly atEnd?: (world: World) => Promise<void>
  /** Nobody but the wanderer asks. */
  readonly wanders?: boolean
}

/** Plays one world to its end, or to the first wrong thing. */
export const simulate = async ({
  seed,
  steps,
  coverage,
  nodes = 1,
  atEnd,
  wanders = false,
}: Options): Promise<Told> => {
  const story: string[] = []
  const played: Numbered[] = []
  let requests = 0
  let find: ReturnType<typeof routeFinder> | undefined
  let remember: (path: string, status: number, id: unknown) => void = () => {}
  const onAnswer: Parameters<typeof openWorld>[1] = (asked, { status, text, body }) => {
    const { method, path, as } = asked
    requests += 1
    if (as === 'sandbox') remember(path, status, body?.id)
    const route = find?.(method, path)
    if (coverage && route) count(coverage.routes, route)
    if (coverage && status >= 400) noteRefusals(coverage, text)
  }
  const world = await openWorld(seed, onAnswer, nodes)
  const tell = (line: string): void => void story.push(line)
  const play = newPlay(world, tell, (text) => coverage && noteRefusals(coverage, text))
  let failure: Told['failure']
  try {
    find = routeFinder(world.routes)
    const people = typeof steps === 'number' ? drawn(seed, play, steps, wanders) : undefined
    if (people) remember = people.wanderer.remember
    const listed: Steps = (_, n) => (typeof steps === 'number' ? undefined : steps[n])
    const next = people?.next ?? listed
    for (let step = next(play, 0); step; step = next(play, played.length, step)) {
      played.push(step)
      if (coverage) count(coverage.steps, step.do)
      await playStep(play, step)
    }
    await checkEnd(play)
    await atEnd?.(world)
    await audit(world, coverage, seeded(seed))
  } catch (error) {
    failure = failureOf(error)
    await world.stop().catch(() => {})
  } finally {
    world.end()
  }
  const { faults } = play
  const routes = world.routes.map(nameOf)
  return {
    seed,
    nodes,
    steps: played,
    requests,
    faults,
    routes,
    trace: world.trace(),
    story,
    failure,
  }
}
