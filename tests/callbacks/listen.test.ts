import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { startCommand } from '../../harness/service-process.ts'

let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService()
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

const root = join(import.meta.dirname, '..', '..')

/** The receiver that the page shows. */
const shownReceiver = (): string => {
  const page = readFileSync(join(root, 'docs', 'callbacks.md'), 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  return code
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const textOf = (child: ChildProcess) => {
  const printed = { text: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.text += text))
  const until = async (part: string): Promise<void> => {
    while (!printed.text.includes(part)) await once(child.stdout!, 'data')
  }
  return { printed, until }
}

test(
  'listen forwards what trigger lets happen to the receiver of the documentation',
  { tags: 'long' },
  async () => {
    const code = shownReceiver()
    expect(code.trim().split('\n').length).toBe(10)
    const { secret } = await service.operator('merchant', 'callback-secret', 'sandbox')
    const port = await freePort()
    const receiver = spawn('node', ['--input-type=module', '-e', code], {
      cwd: root,
      env: { ...process.env, CALLBACK_SECRET: secret, PORT: String(port) },
    })
    onTestFinished(() => void receiver.kill())
    const received = textOf(receiver)
    await received.until('listening')
    const words = ['listen', '--merchant', 'sandbox', '--count', '2']
    const forward = `http://127.0.0.1:${port}/hook`
    const settings = { DATA_DIR: service.folder }
    const listening = startCommand([...words, '--forward', forward], settings, 'pipe')
    onTestFinished(() => void listening.kill())
    const told = textOf(listening)
    await told.until(`callbacks of sandbox go to ${forward}`)
    expect(await service.operator('trigger', 'payment_captured')).toEqual({
      triggered: 'payment_captured',
    })
    const [exit] = await once(listening, 'close')
    expect(exit).toBe(0)
    expect(told.printed.text).toMatch(/payment_authorized {2}payment-\w+ {2}#1 {2}204 in \d+ ms/)
    expect(told.printed.text).toMatch(/payment_captured {2}payment-\w+ {2}#2 {2}204 in \d+ ms/)
    await received.until('payment_captured 100.00')
    const wrong = await fetch(forward, { method: 'POST', body: '{}' })
    expect(wrong.status).toBe(400)
  },
)

test('trigger says which events it knows', async () => {
  await expect(service.operator('trigger', 'payment_lost')).rejects.toThrow(
    /payment_lost is none of payment_authorized, payment_captured/,
  )
})
