import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientOptions } from '../../client/index.ts'
import { startCallbackService } from '../support/callback-service.ts'
import { startTroubledProxy, type Trouble } from './troubled-proxy.ts'

/** A service behind a disturbing proxy, and clients whose pauses take no time. */
export const startTroubledShop = async () => {
  const proxy = await startTroubledProxy()
  const service = await startCallbackService({ PUBLIC_URL: proxy.address })
  proxy.forwardTo(service.address)
  const pauses: number[] = []
  let now = Date.now()
  const clock = {
    now: () => now,
    pause: async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      pauses.push(milliseconds)
      now += milliseconds
    },
    random: () => 0.5,
  }
  const tillWith = (more: Partial<ClientOptions> = {}): Client => {
    const pos1 = { user: 'pos1', secret: 'sandbox-secret' }
    return new Client({ url: proxy.address, merchant: 'sandbox', clock, ...pos1, ...more })
  }
  const key = readFileSync(join(service.folder, 'sandbox-admin-key.pem'), 'utf8')
  return {
    proxy,
    /** Durations of the clients' pauses. */
    pauses: pauses as readonly number[],
    till: tillWith(),
    tillWith,
    owner: tillWith({ user: 'admin', secret: undefined, key }),
    /** Disturbs the next requests; returns what passes from now on. */
    meeting: (...troubles: readonly Trouble[]) => {
      pauses.length = 0
      now = Date.now()
      return proxy.trouble(...troubles)
    },
    stop: async (): Promise<void> => {
      proxy.close()
      await service.stop()
      rmSync(service.folder, { recursive: true })
    },
  }
}

export type TroubledShop = Awaited<ReturnType<typeof startTroubledShop>>
