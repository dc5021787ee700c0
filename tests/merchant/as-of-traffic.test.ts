// @module-tag long
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordTraffic, type Look, type Step, type Traffic } from './recorded-traffic.ts'

let traffic: Traffic
beforeAll(async () => {
  traffic = await recordTraffic()
})
afterAll(() => traffic.stop())

/** One of everything, so that each GET has content. */
const overture: readonly (readonly [Step, number])[] = [
  ['request', 1],
  ['accept', 0],
  ['captureSome', 7],
  ['attach', 0],
  ['dispute', 1],
  ['changeLogo', 2],
  ['requestWithScope', 0],
  ['accept', 1],
  ['askPermission', 1],
  ['grant', 0],
  ['addShortlink', 1],
  ['scan', 0],
  ['addPos', 2],
  ['addUser', 3],
  ['addLedger', 4],
  ['addApplication', 5],
  ['refund', 0],
  ['closeReport', 0],
  ['work', 0],
  ['settle', 0],
  ['addDestination', 0],
  ['rotateSecret', 0],
  ['work', 0],
]

const asTime = ({ at }: Look): string => new Date(at).toISOString()

/** Responses that differ as of the moment of a snapshot, by path. */
const differences = async (look: Look, asOf: string): Promise<unknown[]> => {
  const found: unknown[] = []
  for (const { answer, ...asked } of look.answers) {
    const then = await traffic.askAsOf(asked, asOf)
    if (JSON.stringify(then) !== JSON.stringify(answer))
      found.push({ path: asked.path, asOf, then, answer })
  }
  return found
}

const expectSameAnswers = async (look: Look): Promise<void> => {
  if (look.isOutdated) return
  expect(await differences(look, asTime(look))).toEqual([])
  if (look.position !== undefined)
    expect(await differences(look, String(look.position))).toEqual([])
}

const earlier = (seeds: readonly number[]): readonly Look[] =>
  seeds.map((seed) => traffic.looks[seed % (traffic.looks.length - 1)] as Look)

test('each GET answers as of a time what it answered then', async () => {
  for (const [step, seed] of overture) await traffic.take(step, seed)
  const [first, ...others] = traffic.looks
  for (const look of [first, others.at(6), others.at(12), others.at(-2)])
    await expectSameAnswers(look as Look)
}, 180_000)

/** Public, and never changing. */
const unchanging = [
  '/merchant/v1/status_code/',
  '/merchant/v1/status_code/{value}/',
  // A signed link is its own credential, and its content is named by its hash.
  '/merchant/v1/log/{sha256}/',
]

test('every GET of merchants is compared, but those whose answer never changes', async () => {
  const answer = await traffic.service.app.fetch(new Request('https://pay.example/openapi.json'))
  const { paths } = (await answer.json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters: any[] } }>>
  }
  const listed = Object.entries(paths).filter(
    ([path, { get }]) => get && path.startsWith('/merchant/v1/'),
  )
  const told = new Set(
    traffic.looks.flatMap(({ answers }) =>
      answers.flatMap(({ template, answer }) => (answer.status < 400 ? [template] : [])),
    ),
  )
  expect([...told, ...unchanging].sort()).toEqual(listed.map(([path]) => path).sort())
  const untaking = listed.filter(
    ([, { get }]) => !get?.parameters.some(({ name }) => name === 'as_of'),
  )
  expect(untaking).toEqual([])
})

const any = 'whatever a merchant does, each GET answers as of any time and position as then'
test(any, { tags: 'night' }, async () => {
  const steps = Object.keys(traffic.steps) as Step[]
  const step = fc.tuple(fc.constantFrom(...steps), fc.nat(9_999))
  const taken = fc.array(step, { minLength: 8, maxLength: 8 })
  const moments = fc.array(fc.nat(9_999), { minLength: 2, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(taken, moments, async (steps, seeds) => {
      for (const [step, seed] of steps) await traffic.take(step, seed)
      for (const look of earlier(seeds)) await expectSameAnswers(look)
    }),
    { numRuns: 4, endOnFailure: true },
  )
  const outdated = traffic.looks.filter(({ isOutdated }) => isOutdated)
  expect(outdated.length).toBeLessThan(traffic.looks.length / 2)
  // Later responses have changed; otherwise equality would prove nothing.
  const [middle] = earlier([20])
  const now = String(await traffic.service.core.store.head())
  expect((await differences(middle as Look, now)).length).toBeGreaterThan(10)
})
