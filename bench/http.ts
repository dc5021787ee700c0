import type { Group, Measured } from './load.ts'
import type { Load } from './processes.ts'
import type { Level, Shop } from './requests.ts'
import type { Work } from './work.ts'

/** Duration of each part in seconds, and how much is prepared for it. */
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

/** Measurements to compare, taken one after the other, under the same conditions. */
export type Round = {
  readonly bare: Measured
  readonly captures: Measured
  readonly lifecycles: Measured
}

/** Outcomes read during captures, and the bare app during as many commits. */
export type Reading = { readonly bare: Measured; readonly outcomes: Measured }

export const atOnce = 64
export const readers = 32
/** Captures per second in the background, as in a busy shop. */
export const backgroundPace = 1_000
/** Reads per second by readers with pauses. */
export const readingPace = 2_000

/** The service, and the bare app beside it. */
export type Both = { readonly bare: Shop; readonly service: Shop; stop(): Promise<void> }

/** Measures both under load from another process. `start` continues with the existing log. */
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
    // Two processes of one build differ throughout their lives, so each round has its own.
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
      // Requests that were signed in advance soon run out.
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
  // New ones for each round: a capture made before would be a repeat.
  const background = (): Group => {
    return { work: captures(tids), connections: readers, pace: backgroundPace }
  }
  const flood = (): Group => ({ work: captures(tids), connections: atOnce })
  const ways = [
    { pace: { pace: readingPace }, beside: background },
    { pace: {}, beside: background },
    { pace: {}, beside: flood },
  ]
  // One after the other, because a flood affects a quiet measurement.
  const readings = ways.map((): Reading[] => [])
  for (const [index, { pace, beside }] of ways.entries())
    for (let round = 0; round < extent.rounds; round++) {
      const [limit] = await run(bare, [{ ...bareReads, ...pace }, beside()])
      const [outcomes] = await run(service, [{ ...reads, ...pace }, beside()])
      if (limit && outcomes) readings[index]?.push({ bare: limit, outcomes })
    }
  // Last, because it fills the vault, which would affect the others.
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
