// Kills the service at random moments during events and deliveries, then checks every callback:
// `npm run kills` (200 times), or `npm run kills -- 20`.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startReceiver, type Arrival, type Receiver } from '../../demo/receiver.ts'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { readLog } from '../support/event-log.ts'
import { merchantClient } from '../../harness/merchant-client.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { newFolder } from '../../harness/in-process.ts'
import { startServiceProcess } from '../../harness/service-process.ts'

const kills = Number(process.argv[2] ?? 200)

const longestLifeMs = 1500

const DATA_DIR = newFolder()

const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }

const listPath = '/merchant/v1/payment_request/'

/** Number of acknowledged events per payment. */
const acknowledged = new Map<string, number>()

/** Start time of each process, and the processes in which each message arrived. */
const starts: number[] = []

const cameIn = new Map<string, number[]>()

const processAt = (time: number): number => starts.findLastIndex((start) => start <= time)

const start = () => {
  starts.push(Date.now())
  return startServiceProcess({ DATA_DIR })
}

const noteArrival = ({ meta }: Arrival): number => {
  cameIn.set(meta.id, [...(cameIn.get(meta.id) ?? []), starts.length - 1])
  return 204
}

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

/** Acknowledged events without a callback, or with one out of order. */
const unannounced = (arrivals: readonly Arrival[]): string[] => {
  const told = new Map<string, Set<number>>()
  for (const { meta } of arrivals) {
    const tid = meta.uri?.split('/').at(-3) ?? ''
    told.set(tid, (told.get(tid) ?? new Set()).add(meta.seqno))
  }
  return [...acknowledged].flatMap(([tid, events]) => {
    const seqnos = [...(told.get(tid) ?? [])]
    const isComplete = seqnos.length >= events && seqnos.every((seqno, at) => seqno === at + 1)
    return isComplete ? [] : `${tid}: ${events} acknowledged, told ${seqnos.join(', ')}`
  })
}

/** Messages that arrived again although their result was recorded, or whose record differs. */
const wronglyRepeated = async (): Promise<string[]> => {
  const recordedIn = new Map<string, number[]>()
  for (const { type, stream, data } of await readLog(DATA_DIR))
    if (type === 'CallbackAttempted' && data.result === 'delivered') {
      const id = stream.replace('callback-', '')
      recordedIn.set(id, [...(recordedIn.get(id) ?? []), processAt(data.attemptedAt)])
    }
  return [...cameIn].flatMap(([id, came]) => {
    // Once for each process killed before it could record the result.
    const isOnceEach = new Set(came).size === came.length
    const recorded = recordedIn.get(id) ?? []
    if (isOnceEach && recorded.length === 1 && recorded[0] === came.at(-1)) return []
    return `${id}: came in processes ${came.join(', ')}, recorded in ${recorded.join(', ')}`
  })
}

const checked = async ({ arrivals }: Receiver) => {
  const doubted = arrivals.flatMap(({ problems }) => problems)
  return {
    payments: acknowledged.size,
    messages: cameIn.size,
    again: arrivals.length - cameIn.size,
    problems: [...doubted, ...unannounced(arrivals), ...(await wronglyRepeated())],
  }
}

const run = async (): Promise<void> => {
  let receiver: Receiver | undefined
  for (let kill = 0; kill < kills; kill++) {
    const service = await start()
    receiver ??= await startReceiver({
      keys: await fetchCallbackKeys(service.address),
      reply: noteArrival,
    })
    const uri = receiver.url('/hook')
    const paying = [1, 2].map(() => payUntilKilled(service.address, uri).catch(() => {}))
    await pause(Math.random() * longestLifeMs)
    await service.stop('SIGKILL')
    await Promise.all(paying)
    if ((kill + 1) % 10 === 0) process.stderr.write(`${kill + 1} of ${kills}\n`)
  }
  const last = await start()
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
