import { rmSync } from 'node:fs'
import type { CallbackOptions } from '../../client/index.ts'
import { startCallbackService } from '../support/callback-service.ts'

/** A callback as received. */
export type Message = { readonly headers: Record<string, string>; readonly body: string }

/** A service, the secret that signs its callbacks, and a callback it has sent. */
export const startServiceWithCallback = async () => {
  const service = await startCallbackService()
  const { secret } = await service.operator('merchant', 'callback-secret', 'sandbox')
  const callTo = (callback_uri: string) =>
    service.world('POST', '/sandbox/v1/callback/', { callback_uri })
  const receiver = await service.receive()
  await callTo(receiver.url('/'))
  await receiver.until((arrivals) => arrivals.length > 0)
  const { headers, body } = receiver.arrivals[0]!
  const genuine: Message = { headers, body }
  return {
    address: service.address,
    secret: secret as string,
    genuine,
    callTo,
    trust: (more: Partial<CallbackOptions> = {}): CallbackOptions => ({
      ...{ merchant: 'sandbox', secret, seen: new Set<string>() },
      ...more,
    }),
    stop: async (): Promise<void> => {
      await service.stop()
      rmSync(service.folder, { recursive: true })
    },
  }
}

export type ServiceWithCallback = Awaited<ReturnType<typeof startServiceWithCallback>>
