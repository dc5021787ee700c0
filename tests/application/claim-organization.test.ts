import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimAgain, claimOrganization } from '../../application/merchants.ts'
import { makeHandler } from '../../application/handle.ts'
import { merchants, organizations } from '../../domain/aggregates.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { isEnabled } from '../../domain/register.ts'
import { timedUuid } from '../../infrastructure/event-store/event-entry.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

const morning = Date.UTC(2026, 0, 5, 8)

const hour = 3_600_000

const number = '987654321'

/** Processes with one log, which know of merchants only what its streams say. */
const processesOf = (count: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-claims-'))
  const stores = Array.from({ length: count }, () =>
    openSqliteEventStore(join(folder, 'events.sqlite')),
  )
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true })
  })
  return stores.map((store) => {
    const { handle, find } = makeHandler({
      store,
      eventId: (stream, revision, command, at) => timedUuid(`${stream}/${revision}/${command}`, at),
      commandId: randomUUID,
    })
    let turn = async (): Promise<void> => {}
    const inTurn =
      <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        await turn()
        return work(...given)
      }
    const needs = {
      handle: inTurn(handle as (...given: readonly never[]) => Promise<unknown>) as typeof handle,
      find: inTurn(find as (...given: readonly never[]) => Promise<unknown>) as typeof find,
      holderOfOrganization: () => undefined,
    }
    const contextOf = (merchant: string, at = morning) => ({
      ...{ at, merchant, actor: 'operator', correlationId: merchant },
    })
    return {
      find,
      /** Waits before each look at the store and each append. */
      setTurns: (next: () => Promise<void>): void => {
        turn = next
      },
      claim: (merchant: string, organizationId = number, at = morning) =>
        claimOrganization(needs)(merchant, organizationId, contextOf(merchant, at)),
      claimAgain: (merchant: string) => claimAgain(needs)(merchant, contextOf(merchant)),
      register: (id: string, organizationId: string | null = number) => {
        const about = { id, organizationId, businessName: id, currency: 'NOK', lookupIds: [] }
        const data = newMerchant({ ...about, netmask: null, hasSignedUp: true })
        return needs.handle(merchants, id, { type: 'Register', data }, contextOf(id))
      },
      command: (id: string, type: 'AwaitApproval' | 'Disable' | 'Approve' | 'Enable') =>
        needs.handle(merchants, id, { type }, contextOf(id)),
    }
  })
}

const taken = { code: 'organization_is_claimed' }

test('of two processes that sign up a number at once, one makes a merchant', async () => {
  const processes = processesOf(2)
  const signUps = await Promise.allSettled(
    processes.map(async ({ claim, register }, n) => {
      await claim(`shop-${n}`)
      await register(`shop-${n}`)
    }),
  )
  const refused = signUps.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused).toMatchObject([taken])
})

test('a merchant that was turned down comes back only while its number is free', async () => {
  const [one, other] = processesOf(2)
  if (!one || !other) return expect.unreachable()
  await one.claim('first')
  await one.register('first')
  await one.command('first', 'AwaitApproval')
  await one.command('first', 'Disable')
  await one.claimAgain('first')
  await other.claim('second', number, morning + hour + 1)
  await other.register('second')
  await expect(one.claimAgain('first')).rejects.toMatchObject(taken)
  await other.command('second', 'AwaitApproval')
  await other.command('second', 'Disable')
  await one.claimAgain('first')
  // The first one is about to be enabled.
  await expect(other.claimAgain('second')).rejects.toMatchObject(taken)
})

/** All orders of so many steps of two. */
const ordersOf = (a: number, b: number): string[] => {
  if (a === 0 || b === 0) return ['a'.repeat(a) + 'b'.repeat(b)]
  return [
    ...ordersOf(a - 1, b).map((order) => `a${order}`),
    ...ordersOf(a, b - 1).map((order) => `b${order}`),
  ]
}

/** Runs two pieces of work step by step, in the order of the letters, then to their ends. */
const interleaved = async (
  order: string,
  works: Readonly<Record<'a' | 'b', (turn: () => Promise<void>) => Promise<void>>>,
): Promise<void> => {
  const waiting: Partial<Record<string, () => void>> = {}
  const ended = new Set<string>()
  let changed = () => {}
  const all = (['a', 'b'] as const).map((name) =>
    works[name](
      () =>
        new Promise((resolve) => {
          waiting[name] = resolve
          changed()
        }),
    ).then(
      () => (ended.add(name), changed()),
      () => (ended.add(name), changed()),
    ),
  )
  const isQuiet = () => ['a', 'b'].every((name) => ended.has(name) || waiting[name])
  const quiet = (): Promise<void> =>
    new Promise((resolve) => {
      changed = () => void (isQuiet() && resolve())
      changed()
    })
  for (const name of order + 'ab'.repeat(order.length)) {
    await quiet()
    const go = waiting[name]
    waiting[name] = undefined
    go?.()
  }
  await Promise.all(all)
}

test(
  'in any order of coming back and claiming, one merchant has the number',
  { tags: 'long' },
  async () => {
    for (const order of ordersOf(4, 4)) {
      const [one, other] = processesOf(2)
      if (!one || !other) return expect.unreachable()
      await one.claim('first')
      await one.register('first')
      await one.command('first', 'AwaitApproval')
      await one.command('first', 'Disable')
      await interleaved(order, {
        a: async (turn) => {
          one.setTurns(turn)
          await one.claimAgain('first')
          await one.command('first', 'Enable')
        },
        b: async (turn) => {
          other.setTurns(turn)
          await other.claim('second')
          await other.register('second')
        },
      })
      const isBack = isEnabled(await one.find(merchants, 'first', 'log'))
      const isMade = isEnabled(await one.find(merchants, 'second', 'log'))
      expect([order, isBack, isMade]).toEqual([order, !isMade, isMade])
      const { merchant } = await one.find(organizations, number, 'log')
      expect([order, merchant]).toEqual([order, isMade ? 'second' : 'first'])
    }
  },
)

test('a number that was reserved to come back is free an hour later', async () => {
  const [one, other] = processesOf(2)
  if (!one || !other) return expect.unreachable()
  await one.claim('first')
  await one.register('first')
  await one.command('first', 'AwaitApproval')
  await one.command('first', 'Disable')
  await one.claimAgain('first')
  await expect(other.claim('second')).rejects.toMatchObject(taken)
  await other.claim('second', number, morning + hour + 1)
})

test('a number is free an hour after a claim whose merchant does not have it', async () => {
  const [one, other] = processesOf(2)
  if (!one || !other) return expect.unreachable()
  await one.claim('first')
  await expect(other.claim('second')).rejects.toMatchObject(taken)
  await expect(other.claim('second', '987-654 321')).rejects.toMatchObject(taken)
  await one.register('first', '123456789')
  await expect(other.claim('second')).rejects.toMatchObject(taken)
  await other.claim('second', number, morning + hour + 1)
})
