import type { Command } from 'commander'
import { callbacks } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import type { WithCore } from './with-core.ts'

const attemptsOf = async ({ store }: Core, id: string) =>
  (await store.readStream(streamOf(callbacks, id)))
    .map(parseEvent)
    .filter((event) => event.type === 'CallbackAttempted')

/** The problem of the last attempt. */
const problemOf = async (core: Core, id: string): Promise<string | null> => {
  const last = (await attemptsOf(core, id)).at(-1)
  return last?.data.problem ?? null
}

const unfinishedCallbacks = async (core: Core) => {
  await core.readModels.caughtUp()
  const messages = core.callbacks.queue
    .unfinished()
    .flatMap((row) =>
      [
        ...row.waiting.map((message) => ({ status: 'waiting', ...message })),
        ...row.abandoned.map((message) => ({ status: 'abandoned', ...message })),
      ].map((message) => ({ ...message, resource: row.subject, uri: row.callbackUri })),
    )
  const listed = []
  for (const { id, event, seqno, attempts, status, nextAttemptAt, resource, uri } of messages)
    listed.push({
      id,
      status,
      resource,
      event,
      seqno,
      attempts,
      last_problem: attempts > 0 ? await problemOf(core, id) : null,
      next_attempt: status === 'waiting' ? new Date(nextAttemptAt).toISOString() : null,
      callback_uri: uri,
    })
  return listed
}

/** Retries a message that was tried before, delivered or not. */
const retryCallback = async (core: Core, id: string) => {
  const {
    handle,
    callbacks: { queue },
    readModels,
    contextOf,
    now,
  } = core
  const attempts = await attemptsOf(core, id)
  const last = attempts.at(-1)
  if (!last) return fail(`no message ${id} has been attempted`)
  const { subject, revision, event, seqno } = last.data
  const message = { subject, revision, event, seqno }
  const context = contextOf('operator', last.metadata.merchant)
  await handle(callbacks, id, { type: 'RequestRetry', at: now(), message }, context)
  await readModels.caughtUp()
  const callbackUri = queue.find(subject)?.callbackUri ?? null
  return {
    id,
    resource: subject,
    event,
    attempts: attempts.length,
    callback_uri: callbackUri,
    ...(callbackUri === null && { note: 'there is no address: the message waits for one' }),
  }
}

export const addCallbackCommands = (program: Command, withCore: WithCore): void => {
  const callback = program.command('callbacks').description('callback messages')
  callback
    .command('list')
    .description('messages that have not arrived')
    .action(withCore(unfinishedCallbacks))
  callback.command('retry <id>').description('try again now').action(withCore(retryCallback))
}
