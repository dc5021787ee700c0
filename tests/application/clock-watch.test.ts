import { expect, test } from 'vitest'
import type { EventStore } from '../../application/event-store.ts'
import { checkClock, watchClock } from '../../infrastructure/event-store/service-clock.ts'

/** A watched clock; `pass` lets seconds pass after the clock was set by some others. */
const watched = () => {
  const warnings: unknown[] = []
  const log = { warn: (about: unknown) => warnings.push(about) } as never
  let [machine, elapsed] = [1_000_000_000, 0]
  let look = () => {}
  watchClock({
    log,
    machineNow: () => machine,
    elapsed: () => elapsed,
    after: (_, wake) => {
      look = wake
      return () => {}
    },
  })
  const pass = (seconds: number, setBy = 0): void => {
    elapsed += seconds * 1000
    machine += (seconds + setBy) * 1000
    look()
  }
  return { warnings, pass }
}

test('given a clock that is put back by two minutes, then the log says so once', () => {
  const { warnings, pass } = watched()
  pass(10)
  pass(10, -120)
  pass(10)
  expect(warnings).toEqual([{ seconds: 120 }])
  pass(10, -3600)
  expect(warnings).toEqual([{ seconds: 120 }, { seconds: 3600 }])
})

test('given a clock that goes back by little, or forward, then the log says nothing', () => {
  const { warnings, pass } = watched()
  pass(10, -30)
  pass(10, 86_400)
  pass(10, -59)
  expect(warnings).toEqual([])
})

test('given a clock that goes back bit by bit, then the log says so after a minute of it', () => {
  const { warnings, pass } = watched()
  for (let look = 0; look < 7; look++) pass(10, -10)
  expect(warnings).toEqual([{ seconds: 70 }])
})

test.each([
  [5_000_000, [{ seconds: 4000 }]],
  [1_030_000, []],
  [500_000, []],
])(
  'given a log that ends at %i and a clock that stands at 1000000, then the start says %j',
  async (at, said) => {
    const warnings: unknown[] = []
    const log = { warn: (about: unknown) => warnings.push(about) } as never
    const newest = [{ metadata: { at } }, { metadata: { at: 400_000 } }] as never
    const store: Pick<EventStore, 'readBack'> = { readBack: async () => newest }
    await checkClock(log, store, 1_000_000)
    expect(warnings).toEqual(said)
  },
)
