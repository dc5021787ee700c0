import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callbacks } from '../../domain/aggregates.ts'
import { makeHandler } from '../../application/handle.ts'
import { LeaseLost } from '../../application/lease.ts'
import { openStoreOfTest } from './store-of-test.ts'

describe('given a lease', () => {
  const testRequest = { type: 'RequestTest', uri: 'http://receiver/' } as const
  const about = { at: 0, merchant: null, actor: 'daybook', correlationId: 'c' }
  const openHandlers = () => {
    const store = openStoreOfTest()
    const open = () => makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID })
    return { store, one: open(), other: open() }
  }
  const leaseOf = (revision: number, isHeld = () => true) => ({
    ...about,
    lease: { work: 'merchants-1', revision, isHeld },
  })

  test('then each event of its work names it', async () => {
    const { store, one } = openHandlers()
    await one.handle(callbacks, 'test-1', testRequest, leaseOf(7))
    const [event] = await store.readStream('callback-test-1')
    expect(event?.metadata['lease']).toEqual({ work: 'merchants-1', revision: 7 })
  })

  test('when a later holder has appended, then the earlier one cannot', async () => {
    const { store, one, other } = openHandlers()
    await one.handle(callbacks, 'test-1', testRequest, leaseOf(7))
    await other.handle(callbacks, 'test-1', testRequest, leaseOf(8))
    const late = one.handle(callbacks, 'test-1', testRequest, leaseOf(7))
    await expect(late).rejects.toThrow(LeaseLost)
    expect(await store.readStream('callback-test-1')).toHaveLength(2)
    await one.handle(callbacks, 'test-1', testRequest, about)
    await expect(one.handle(callbacks, 'test-1', testRequest, leaseOf(7))).rejects.toThrow(
      LeaseLost,
    )
  })

  test('when it was lost while its work was decided, then nothing is appended', async () => {
    const { store, one } = openHandlers()
    const late = one.handle(
      callbacks,
      'test-1',
      testRequest,
      leaseOf(7, () => false),
    )
    await expect(late).rejects.toThrow('another node may do the work of merchants-1 now')
    expect(await store.readStream('callback-test-1')).toEqual([])
  })
})
