import type { Group, Measured } from './load.ts'
import type { Load } from './processes.ts'
import type { Level, Shop } from './requests.ts'
import type { Work } from './work.ts'

/** How long each part is measured, in seconds, and how much is made for it. */
export type Extent = {
  readonly rounds: number
  readonly warmUp: number
  readonly seconds: number
  readonly payments: number
  readonly connections: readonly number[]
}

type Cell = Measured & {
  readonly what: string
  readonly level: Level
  readonly connections: number
}

/** The measurements that are compared, one after the other, so that all meet the same machine. */
export type Round = {
  readonly bare: Measured
  readonly captures: Measured
  readonly lifecycles: Measured
}

/** Outcomes read while others capture, beside the bare app while it makes as many commits. */
export type Reading = { readonly bare: Measured; readonly outcomes: Measured }

export const atOnce = 64
export const readers = 32
/** Captures in a second that run beside the reads, as of a busy shop. */
export const backgroundPace = 1_000
/** Reads in a second of readers who do not ask as fast as they are answered. */
export const readingPace = 2_000

/** The service, and the bare app beside it. */
export type Both = { readonly bare: Shop; readonly service: Shop; stop(): Promise<void> }

/** Measures both under the load of another process. `start` goes on with the log there is. */
export const measureHttp = async (load: Load, start: () => Promise<Both>, extent: Extent) => {
  let both = await start()
  let cpu = 0
  let labels = 0
  const label = (): string => `${Date.now()}-${labels++}`

  const run = async (
    shop: Shop,
    groups: readonly Group[],
    warmUp = extent.warmUp,
  ): Promise<readonly Measured[]> => {
    const { seconds } = extent
    const loaded = await load.load({ shop, warmUp, seconds, groups })
    cpu = Math.max(cpu, loaded.cpu)
    for (const { answers, unexpected, firstUnexpected } of loaded.groups) {
      if (unexpected > 0) throw new Error(`${unexpected} unexpected answers: ${firstUnexpected}`)
      if (answers === 0) throw new Error('the requests ran out before they were counted')
    }
    return loaded.groups
  }

  const one = async (
    shop: Shop,
    work: Work,
    connections: number,
    warmUp = extent.warmUp,
  ): Promise<Measured> => {
    const [measured] = await run(shop, [{ work, connections }], warmUp)
    if (!measured) throw new Error('nothing was measured')
    return measured
  }

  const authorized = () => load.authorize(both.service, label(), extent.payments)
  const captures = (tids: readonly string[], level: Level = 'SECRET'): Work => {
    return { kind: 'capture', level, label: label(), tids }
  }

  const hello = await one(both.bare, { kind: 'get', path: '/' }, atOnce)

  const rounds: Round[] = []
  for (let round = 0; round < extent.rounds; round++) {
    // Two processes of one build differ for their whole life, so each round has its own.
    await both.stop()
    both = await start()
    const { bare, service } = both
    const tids = await authorized()
    const warm = 3 * extent.warmUp
    rounds.push({
      bare: await one(bare, captures(tids), atOnce, warm),
      captures: await one(service, captures(tids), atOnce, warm),
      lifecycles: await one(service, { kind: 'lifecycle', label: label() }, atOnce, warm),
    })
  }

  const { bare, service } = both
  const cells: Cell[] = []
  for (const level of ['SECRET', 'KEY'] as const)
    for (const connections of extent.connections) {
      const tids = await authorized()
      // Requests that were signed beforehand soon run out.
      const warmUp = level === 'KEY' ? extent.warmUp / 4 : extent.warmUp
      const works: [string, Work][] = [
        ['create', { kind: 'create', level, label: label() }],
        ['capture', captures(tids, level)],
        ['read the outcome', { kind: 'outcome', level, tids }],
      ]
      for (const [what, work] of works)
        cells.push({ what, level, connections, ...(await one(service, work, connections, warmUp)) })
    }

  const tids = await authorized()
  const reads = { work: { kind: 'outcome', level: 'SECRET', tids }, connections: readers } as const
  const bareReads = { work: { kind: 'get', path: '/' }, connections: readers } as const
  // Made anew for each round: a capture that was made before would be a repeat.
  const background = (): Group => {
    return { work: captures(tids), connections: readers, pace: backgroundPace }
  }
  const flood = (): Group => ({ work: captures(tids), connections: atOnce })
  const ways = [
    { pace: { pace: readingPace }, beside: background },
    { pace: {}, beside: background },
    { pace: {}, beside: flood },
  ]
  // One way after the other: what a flood leaves behind is no part of a calm day.
  const readings = ways.map((): Reading[] => [])
  for (const [index, { pace, beside }] of ways.entries())
    for (let round = 0; round < extent.rounds; round++) {
      const [limit] = await run(bare, [{ ...bareReads, ...pace }, beside()])
      const [outcomes] = await run(service, [{ ...reads, ...pace }, beside()])
      if (limit && outcomes) readings[index]?.push({ bare: limit, outcomes })
    }
  // Last, for it leaves a vault behind that none of the others has met.
  const others: Work = { kind: 'create of others', level: 'SECRET', label: label() }
  cells.push({
    what: 'create, each of another customer',
    level: 'SECRET',
    connections: atOnce,
    ...(await one(service, others, atOnce)),
  })
  const [calm = [], paced = [], flooded = []] = readings
  await both.stop()
  return { hello, rounds, cells, calm, paced, flooded, loadCpu: cpu }
}

export type HttpFigures = Awaited<ReturnType<typeof measureHttp>>
