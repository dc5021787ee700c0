import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { send } from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { startCommand } from '../../harness/service-process.ts'
import { secretHeaders } from '../../harness/signing.ts'

/** One service, not nodes in its place; its log goes nowhere. */
export const startAlone = async (
  DATA_DIR: string,
  words: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
) => {
  const child = startCommand(['serve', ...words], { DATA_DIR, ...more }, 'pipe')
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stderr!.resume()
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout! })) {
    const address = /^listening on (\S+)$/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout!.resume()
    return { child, ended, address }
  }
  throw new Error('the service ended before it listened')
}

const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')
const clients = 8

/** Runs with the program in a folder. */
export const withProgram = async <Result>(
  folder: string,
  run: () => Promise<Result>,
): Promise<Result> => {
  process.env['DAYBOOK_BUILT'] = join(folder, 'dist')
  try {
    return await run()
  } finally {
    delete process.env['DAYBOOK_BUILT']
  }
}

/**
 * Clients of a sandbox that request, accept and capture payments one after another, each on a
 * connection that it keeps, and repeat nothing.
 */
export const startLoad = (address: string) => {
  let place = address
  const failures: string[] = []
  let [captures, requests] = [0, 0]
  let isStopped = false
  const call = async (agent: Agent, method: string, path: string, body?: object) => {
    requests += 1
    try {
      const answer = await send(agent, place, method, path, { headers, ...(body && { body }) })
      if (answer.status >= 400) failures.push(`${method} ${path}: ${answer.text}`)
      return answer.body
    } catch (error) {
      failures.push(`${method} ${path}: ${String(error)}`)
      return undefined
    }
  }
  const run = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopped && failures.length < 10) {
      const made = await call(agent, 'POST', '/merchant/v1/payment_request/', paymentInput())
      if (made?.id === undefined) continue
      const path = `/merchant/v1/payment_request/${made.id}/`
      await call(agent, 'POST', `/sandbox/v1/payment_request/${made.id}/accept/`)
      for (const capture_id of ['1', '2']) {
        const what = { action: 'capture', capture_id, amount: '1.00', currency: 'NOK' }
        await call(agent, 'PUT', path, what)
        captures += 1
      }
      const outcome = await call(agent, 'GET', `${path}outcome/`)
      if (outcome?.captures?.length !== 2) failures.push(`${path}: ${JSON.stringify(outcome)}`)
    }
    agent.destroy()
  }
  const running = Promise.all(Array.from({ length: clients }, run))
  return {
    /** Resolves after so many more requests. */
    more: async (count: number): Promise<void> => {
      const end = requests + count
      while (requests < end && failures.length < 10) await new Promise(setImmediate)
    },
    /** From now on requests go there. */
    goTo: (address: string): void => void (place = address),
    stop: async () => {
      isStopped = true
      await running
      return { failures, captures, requests }
    },
  }
}
