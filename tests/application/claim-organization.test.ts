import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimAgain, claimOrganization } from '../../application/claim-organization.ts'
import { makeHandler } from '../../application/handle.ts'
import { merchants } from '../../domain/aggregates.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { timedUuid } from '../../infrastructure/event-store/event-ids.ts'
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
    const needs = { handle, find, holderOfOrganization: () => undefined }
    const contextOf = (merchant: string, at = morning) => ({
      ...{ at, merchant, actor: 'operator', correlationId: merchant },
    })
    return {
      claim: (merchant: string, organizationId = number, at = morning) =>
        claimOrganization(needs)(merchant, organizationId, contextOf(merchant, at)),
      claimAgain: (merchant: string) => claimAgain(needs)(merchant, contextOf(merchant)),
      register: (id: string, organizationId: string | null = number) => {
        const about = { id, organizationId, businessName: id, currency: 'NOK', lookupIds: [] }
        const data = newMerchant({ ...about, netmask: null, hasSignedUp: true })
        return handle(merchants, id, { type: 'Register', data }, contextOf(id))
      },
      command: (id: string, type: 'AwaitApproval' | 'Disable' | 'Approve') =>
        handle(merchants, id, { type }, contextOf(id)),
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
  await other.claim('second')
  await other.register('second')
  await expect(one.claimAgain('first')).rejects.toMatchObject(taken)
  await other.command('second', 'AwaitApproval')
  await other.command('second', 'Disable')
  await one.claimAgain('first')
  await expect(other.claimAgain('second')).resolves.toBeUndefined()
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
