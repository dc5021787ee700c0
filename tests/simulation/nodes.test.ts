// @module-tag night
import { expect, test } from 'vitest'
import { shops } from '../../simulation/furnish.ts'
import { simulate } from '../../simulation/simulate.ts'
import type { World } from '../../simulation/world.ts'

type Row = Readonly<Record<string, unknown>>

/** What differs between two worlds of one seed: ids, their order, times, and places in the log. */
const isOfWorld = (name: string): boolean =>
  /(^|_)(id|tid|rid|uris?)$|date|^time|^log_range$|^checkpoint$/.test(name)

const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value as Row).filter(([name]) => !isOfWorld(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutIds(field)]))
}

const rows = async ({ ask }: World, as: (typeof shops)[number], path: string, name: string) => {
  const { status, body } = await ask({ method: 'GET', path, as })
  expect(status).toBe(200)
  return body[name] as readonly Row[]
}

/** What the interface says of both shops. */
const pictureOf = async (world: World): Promise<string[]> => {
  const all: unknown[] = []
  for (const shop of shops) {
    const payments = await rows(world, shop, '/merchant/v1/payments/?size=1000', 'payments')
    for (const { tid, pos_tid: order } of payments) {
      const path = `/merchant/v1/payment_request/${tid}/outcome/`
      all.push([shop, order, (await world.ask({ method: 'GET', path, as: shop })).body])
    }
    const lines = await rows(world, shop, '/merchant/v1/transaction/?size=1000', 'transactions')
    const uris = (await rows(world, shop, '/merchant/v1/settlement/', 'uris')) as unknown
    for (const path of uris as readonly string[])
      all.push([shop, (await world.ask({ method: 'GET', path, as: shop })).body])
    all.push(...payments.map((one) => [shop, one]), ...lines.map((line) => [shop, line]))
  }
  return all.map((one) => JSON.stringify(withoutIds(one))).toSorted()
}

test('nodes on an event store end with the payments, lines and settlements of a file', async () => {
  const seed = 42
  const pictures: string[][] = []
  const atEnd = async (world: World) => void pictures.push(await pictureOf(world))
  const one = await simulate({ seed, steps: 50, atEnd })
  const three = await simulate({ seed, nodes: 3, steps: one.steps, atEnd })
  expect([one.failure, three.failure, one.faults, three.faults]).toEqual([
    undefined,
    undefined,
    0,
    0,
  ])
  expect(pictures[0]?.length).toBeGreaterThan(15)
  expect(pictures[1]).toEqual(pictures[0])
})
