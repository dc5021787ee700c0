import { parentPort } from 'node:worker_threads'
import { yieldToRequests } from '../threads/thread-priority.ts'
import { endThread } from '../worker.ts'
import { drawQrCode, type QrRequest, type QrReply } from './qr-code.ts'

const answer = (reply: QrReply): void => parentPort?.postMessage(reply)

parentPort?.on('message', (asked: QrRequest) => {
  drawQrCode(asked)
    .then(answer, () => answer(null))
    .catch(endThread)
})

if (parentPort) yieldToRequests('much')
