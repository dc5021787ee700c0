// A service in this process whose merchant `sandbox` receives callbacks.
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { merchantClient, type Credentials } from '../../harness/merchant-client.ts'
import { operatorHere } from '../../harness/operator.ts'

type Environment = Parameters<typeof startInProcess>[0]

/** With clients of the sandbox's till, its owner and nobody, and the operator's commands. */
export const startCallbackService = async (environment: Environment = {}, folder?: string) => {
  const server = await startInProcess({ LOG_LEVEL: 'error', ...environment }, folder)
  const { address, settings } = server
  const pem = readFileSync(join(server.folder, 'sandbox-admin-key.pem'), 'utf8')
  const key = createPrivateKey(pem)
  const keys = await fetchCallbackKeys(address)
  const receivers: Receiver[] = []
  const command = operatorHere(settings)
  return {
    ...server,
    keys,
    till: merchantClient(address, {
      merchant: 'sandbox',
      user: 'pos1',
      secret: 'sandbox-secret',
    }),
    owner: merchantClient(address, { merchant: 'sandbox', user: 'admin', key }),
    world: merchantClient(address),
    clientOf: (credentials: Credentials) => merchantClient(address, credentials),
    receive: async (options: Partial<Parameters<typeof startReceiver>[0]> = {}) => {
      const receiver = await startReceiver({ keys, ...options })
      receivers.push(receiver)
      return receiver
    },
    operator: async (...words: string[]): Promise<any> => {
      const { output, errors } = await command('--json', ...words)
      if (errors !== '') throw new Error(errors)
      return JSON.parse(output)
    },
    stop: async (): Promise<void> => {
      for (const receiver of receivers) await receiver.close()
      await server.stop()
    },
  }
}

export type CallbackService = Awaited<ReturnType<typeof startCallbackService>>
