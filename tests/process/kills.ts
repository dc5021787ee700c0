// Kills the service at random moments while events and deliveries run, then checks every callback:
// `npm run kills` (200 times), or `npm run kills -- 20`.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { readLog } from '../../harness/event-log.ts'
import { merchantClient } from '../../harness/merchant-client.ts'
import { paymentInput } from '../../harness/payment-input.ts'
import { newFolder } from '../../harness/running-service.ts'
import { startServiceProcess } from '../../harness/service-process.ts'

const kills = Number(process.argv[2] ?? 200)
const longestLifeMs = 1500
const DATA_DIR = newFolder()
const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
const listPath = '/merchant/v1/payment_request/'

/** How many events of each payment were acknowledged. */
const acknowledged = new Map<string, number>()

const pay = async (address: string, callback_uri: string): Promise<void> => {
  const [till, world] = [merchantClient(address, pos1), merchantClient(address)]
  const input = paymentInput({ pos_tid: randomUUID(), callback_uri })
  const { id } = (await till('POST', listPath, input)).body
  const accepted = await world('POST', `/sandbox/v1/payment_request/${id}/accept/`)
  if (accepted.status === 204) acknowledged.set(id, 1)
  const captured = await till('PUT', `${listPath}${id}/`, { action: 'capture' })
  if (captured.status === 204) acknowledged.set(id, 2)
}

const payUntilKilled = async (address: string, uri: string): Promise<void> => {
  for (;;) await pay(address, uri)
}

const checked = async ({ arrivals }: Receiver) => {
  const problems = arrivals.flatMap(({ problems }) => problems)
  const came = new Map<string, number[]>()
  const times = new Map<string, number>()
  for (const { meta } of arrivals) {
    const count = (times.get(meta.id) ?? 0) + 1
    times.set(meta.id, count)
    const tid = meta.uri?.split('/').at(-3) ?? ''
    if (count === 1) came.set(tid, [...(came.get(tid) ?? []), meta.seqno])
  }
  for (const [tid, events] of acknowledged) {
    const seqnos = came.get(tid) ?? []
    const isComplete = seqnos.length >= events && seqnos.every((seqno, at) => seqno === at + 1)
    if (!isComplete) problems.push(`${tid}: ${events} acknowledged, told ${seqnos.join(', ')}`)
  }
  const recorded = new Map<string, number>()
  for (const { type, stream, data } of await readLog(DATA_DIR))
    if (type === 'CallbackAttempted' && data.result === 'delivered') {
      const id = stream.replace('callback-', '')
      recorded.set(id, (recorded.get(id) ?? 0) + 1)
    }
  for (const [id, count] of times) {
    const known = recorded.get(id) ?? 0
    // Sent again only when its answer was not recorded.
    if (known !== 1) problems.push(`${id}: came ${count} times, recorded ${known} times`)
  }
  const again = [...times.values()].reduce((sum, count) => sum + count - 1, 0)
  return { payments: acknowledged.size, messages: times.size, again, problems }
}

const run = async (): Promise<void> => {
  let receiver: Receiver | undefined
  for (let kill = 0; kill < kills; kill++) {
    const service = await startServiceProcess({ DATA_DIR })
    receiver ??= await startReceiver({ keys: await fetchCallbackKeys(service.address) })
    const uri = receiver.url('/hook')
    const paying = [1, 2].map(() => payUntilKilled(service.address, uri).catch(() => {}))
    await pause(Math.random() * longestLifeMs)
    await service.stop('SIGKILL')
    await Promise.all(paying)
  }
  const last = await startServiceProcess({ DATA_DIR })
  const world = merchantClient(last.address)
  for (let round = 0; round < 4; round++)
    await world('POST', '/sandbox/v1/clock/', { advance_seconds: 60 })
  await last.stop()
  if (!receiver) return
  const result = await checked(receiver)
  await receiver.close()
  rmSync(DATA_DIR, { recursive: true })
  process.stdout.write(`${JSON.stringify({ kills, ...result }, null, 2)}\n`)
  process.exitCode = result.problems.length > 0 ? 1 : 0
}

await run()
