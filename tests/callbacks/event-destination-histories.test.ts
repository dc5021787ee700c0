import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Receiver } from '../../demo/receiver.ts'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { newFolder } from '../../harness/in-process.ts'
import { advance, authorize, capture } from '../support/shop-process.ts'
import { makeCertificates } from '../process/certificates.ts'

const folder = newFolder()
const certificates = makeCertificates(folder)
let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService({ CALLBACK_CA_FILE: certificates.authority }, folder)
  const { till } = service
  await till('POST', '/merchant/v1/pos/', { id: 'till-2', name: 'Till 2', type: 'store' })
  await till('POST', '/merchant/v1/ledger/', { id: 'other', currency: 'NOK' })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const path = '/merchant/v1/event_destination/'
const poses = ['till-1', 'till-2'] as const
const ledgers = ['default', 'other'] as const
const events = ['payment_authorized', 'payment_captured'] as const

const filter = fc.record({
  events: fc.constantFrom(...['*', ...events].map((event) => [event])),
  ledgers: fc.subarray([...ledgers]),
  pos_ids: fc.subarray([...poses]),
})
type Filter = typeof filter extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  fc.record({ does: fc.constant('pay'), pos: fc.nat(1), ledger: fc.nat(1) }),
  fc.record({ does: fc.constant('capture'), of: fc.nat() }),
  fc.record({ does: fc.constant('replay'), to: fc.nat() }),
)

type Told = {
  readonly tid: string
  readonly seqno: number
  readonly event: string
  readonly pos_id: string
  readonly ledger: string
}

const matches = (one: Filter, { event, ledger, pos_id }: Told): boolean =>
  (one.events.includes('*') || one.events.includes(event)) &&
  (one.ledgers.length === 0 || one.ledgers.includes(ledger as never)) &&
  (one.pos_ids.length === 0 || one.pos_ids.includes(pos_id as never))

/** A destination whose receiver fails as told, and then answers. */
const opened = async (one: Filter, failures: readonly boolean[]) => {
  const accepted: Receiver['arrivals'][number][] = []
  let count = 0
  const receiver = await service.receive({
    tls: certificates.trusted,
    reply: (arrival) => {
      if (failures[count++]) return 500
      accepted.push(arrival)
      return 204
    },
  })
  const { body } = await service.till('POST', path, { uri: receiver.url('/'), ...one })
  return { id: body.id as string, filter: one, receiver, accepted, replayed: 0 }
}

test(
  'each message that matches arrives in order, and again by replay, byte for byte',
  { tags: 'long', timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(filter, fc.array(fc.boolean(), { maxLength: 5 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(step, { minLength: 3, maxLength: 9 }),
        async (wanted, steps) => {
          const since = await advance(service.world, 2)
          const all = await Promise.all(wanted.map((one) => opened(...one)))
          const told: Told[] = []
          for (const one of steps) {
            if ('pos' in one) {
              const about = { pos_id: poses[one.pos]!, ledger: ledgers[one.ledger]! }
              const tid = await authorize(service, about)
              told.push({ tid, seqno: 1, event: 'payment_authorized', ...about })
            } else if ('of' in one && told.length > 0) {
              const { tid, pos_id, ledger } = told[one.of % told.length]!
              const seqno = told.filter((other) => other.tid === tid).length + 1
              expect(await capture(service.till, tid, `c${seqno}`)).toMatchObject({ status: 204 })
              told.push({ tid, seqno, event: 'payment_captured', pos_id, ledger })
            } else if ('to' in one) {
              await advance(service.world, 0)
              const to = all[one.to % all.length]!
              to.replayed = told.length
              await service.till('POST', `${path}${to.id}/replay/`, { since })
            }
          }
          for (let hours = 0; hours < 4; hours += 1) await advance(service.world, 14_000)

          const bodies = new Map<string, Set<string>>()
          for (const { id, filter: one, receiver, accepted, replayed } of all) {
            const arrived = (tid: string) =>
              accepted.filter(({ meta }) => meta.uri?.includes(tid)).map(({ meta }) => meta.seqno)
            const due = told.filter((message) => matches(one, message))
            for (const { tid, seqno } of due) {
              const times = told.slice(0, replayed).some((m) => m.tid === tid && m.seqno === seqno)
              const count = arrived(tid).filter((other) => other === seqno).length
              expect(count).toBeGreaterThanOrEqual(times ? 2 : 1)
            }
            for (const tid of new Set(told.map((message) => message.tid))) {
              const first = [...new Set(arrived(tid))]
              const own = due.filter((message) => message.tid === tid)
              expect(first).toEqual(own.map(({ seqno }) => seqno))
            }
            for (const { meta, body } of receiver.arrivals)
              bodies.set(meta.id, (bodies.get(meta.id) ?? new Set()).add(body))
            await service.owner('DELETE', `${path}${id}/`)
          }
          expect([...bodies.values()].filter(({ size }) => size > 1)).toEqual([])
        },
      ),
      { numRuns: 8 },
    )
  },
)

test('the log holds after all that', async () => {
  const { output } = await operatorHere(service.settings)('audit', 'verify', '--json')
  expect(JSON.parse(output)).toMatchObject({ holds: true, problems: [] })
})
