import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { yieldToRequests } from '../../infrastructure/threads/thread-priority.ts'
import { performAudit, type AuditFound, type AuditStart } from './perform-audit.ts'

export type AuditReply =
  | { readonly progress: readonly [stage: string, done: number, of: number] }
  | { readonly found: AuditFound }
  | { readonly problem: string }

const run = async (port: MessagePort, given: AuditStart): Promise<void> => {
  if (given.isSlow) yieldToRequests('wholly')
  const send = (reply: AuditReply): void => port.postMessage(reply)
  try {
    send({ found: await performAudit(given, (...progress) => send({ progress })) })
  } catch (error) {
    // Errors lose their class between threads.
    send({ problem: error instanceof Error ? error.message : String(error) })
  }
}

if (parentPort) await run(parentPort, workerData as AuditStart)
