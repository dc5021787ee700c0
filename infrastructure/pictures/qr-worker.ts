import { parentPort } from 'node:worker_threads'
import { yieldToRequests } from '../thread-priority.ts'
import { drawQrCode, type QrRequest, type QrReply } from './qr-code.ts'

parentPort?.on('message', async (asked: QrRequest) => {
  parentPort?.postMessage((await drawQrCode(asked).catch(() => null)) satisfies QrReply)
})

if (parentPort) yieldToRequests('much')
