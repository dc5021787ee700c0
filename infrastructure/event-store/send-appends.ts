import {
  StoreUnavailable,
  WrongExpectedRevision,
  type Position,
} from '../../application/event-store.ts'
import { unavailable } from '../unavailable.ts'
import type { Answers, Failure, Reply, Request } from './commit-worker.ts'
import type { Append, Waiting } from './group-commits.ts'
import type { StartWriting, Writing } from './writing-thread.ts'

const requestOf = (appends: readonly Append[]): Request => {
  const request: Exclude<Request, 'end'>[number][] = []
  for (const { stream, rows, expected } of appends) {
    request.push(stream, expected, rows.length)
    for (const { id, type, data, metadata } of rows)
      request.push(id.toString('latin1'), type, data, metadata)
  }
  return request
}

const fail = ({ stream, reject }: Waiting, failure: Failure): void => {
  if ('problem' in failure) reject(new StoreUnavailable(failure.problem))
  else reject(new WrongExpectedRevision(stream, failure.expected, failure.actual))
}

/** Sends appends to the writer thread, which replies in order. */
export const sendAppends = (
  start: StartWriting,
  answered: (end: Position) => void,
  onEnd: () => void,
) => {
  /** In flight. */
  let sent: (readonly Waiting[])[] = []
  let writing: Writing | undefined

  const onAnswers = (answers: Answers): void => {
    let end = 0
    let at = 0
    for (const waiting of sent.shift() ?? []) {
      const answer = answers[at++] as Answers[number]
      if (typeof answer === 'object') fail(waiting, answer)
      else {
        const position = answers[at++] as Position
        end = Math.max(end, position)
        waiting.resolve({ revision: answer, position })
      }
    }
    answered(end)
  }

  const started = (): Writing => {
    let problem = 'the thread that writes the event log has ended'
    const onReply = (reply: Reply): void => {
      if ('problem' in reply) ({ problem } = reply)
      else onAnswers(reply)
    }
    const ended = (): void => {
      writing = undefined
      const lost = sent.flat()
      sent = []
      // Some of it may be committed: callers, notified now that it may be lost, can read it.
      onEnd()
      for (const waiting of lost) fail(waiting, { problem })
    }
    return start(onReply, ended, (told) => (problem = told))
  }

  return {
    begin: (): Writing => (writing ??= started()),
    send: (appends: readonly Waiting[]): void => {
      try {
        writing ??= started()
        writing.post(requestOf(appends))
        sent.push(appends)
      } catch (error) {
        // There may be no memory for a thread.
        for (const { reject } of appends) reject(unavailable(error))
      }
    },
    isAnythingSent: (): boolean => sent.length > 0,
    end: async (): Promise<void> => writing?.end(),
  }
}
