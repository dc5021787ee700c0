import { attemptsOf } from '../application/callback-history.ts'
import { messageStatuses, statusOf } from '../projections/callback-message-table.ts'
import { retryMessage } from '../service/callbacks/callback-views.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { group, oneOf, onData, onRows, value, type ValuesOf } from './command.ts'
import { aside } from '../application/machine.ts'

const timeOf = (text: string): number => {
  const at = Date.parse(text)
  return Number.isNaN(at) ? fail(`${text} is not a time such as 2026-11-03T09:00:00Z`) : at
}

const filters = {
  since: value('<time>', 'only messages told since then, such as 2026-11-03T09:00:00Z', timeOf),
  merchant: value('<id>', 'only those of this merchant'),
  status: oneOf('<status>', 'default: waiting and abandoned', messageStatuses),
}

type Filters = ValuesOf<typeof filters>

/** Newest first. Without a status: undelivered messages that have an address. */
const rowsFor = ({ callbacks }: Core, { merchant, status, since = 0 }: Filters) => {
  const { messages, queue } = callbacks
  const unfinished = () =>
    queue
      .unfinished()
      .flatMap(({ waiting, abandoned }) => [...waiting, ...abandoned])
      .flatMap(({ id }) => messages.find(id) ?? [])
      .toSorted((a, b) => b.place - a.place)
  return (status === undefined ? unfinished() : messages.allOf(status)).filter(
    (row) => row.at >= since && (merchant ?? row.merchant) === row.merchant,
  )
}

const printedRow = async (core: Core, row: ReturnType<typeof rowsFor>[number]) => {
  const { id, subject, event, seqno, merchant, at } = row
  const queue = core.callbacks.queue.find(subject)
  const waiting = queue?.waiting.find((one) => one.id === id)
  const attempts = await attemptsOf(core.store)(id)
  return {
    id,
    merchant,
    status: statusOf(row),
    resource: subject,
    event,
    seqno,
    time: new Date(at).toISOString(),
    attempts,
    next_attempt: waiting ? new Date(waiting.nextAttemptAt).toISOString() : null,
    callback_uri: queue?.callbackUri ?? null,
  }
}

const listCallbacks = onRows({
  name: 'list',
  about: 'messages that have not arrived',
  options: filters,
  run: async (core, chosen) => {
    const listed = []
    for (const row of rowsFor(core, chosen)) {
      const { attempts, ...printed } = await printedRow(core, row)
      const last_problem = attempts.at(-1)?.problem ?? null
      listed.push({ ...printed, attempts: attempts.length, last_problem })
    }
    return listed
  },
})

const found = async (core: Core, id: string) => {
  await core.readModels.caughtUp()
  return core.callbacks.messages.find(id) ?? fail(`there is no message ${id}`)
}

const retryOne = async (core: Core, id: string) => {
  const row = await found(core, id)
  await retryMessage(core, true)(row, core.contextOf('operator', row.merchant))
  const { attempts, ...printed } = await printedRow(core, await found(core, id))
  return {
    ...printed,
    attempts: attempts.length,
    ...(printed.callback_uri === null && {
      note: 'there is no address: the message waits for one',
    }),
  }
}

const retry = onData({
  name: 'retry [id]',
  about: 'try a message again now, or all that have not arrived since a time',
  options: filters,
  run: async (core, id, chosen) => {
    if (id !== undefined) return retryOne(core, id)
    if (chosen.since === undefined) return fail('name a message, or a time with --since')
    await core.readModels.caughtUp()
    const rows = rowsFor(core, chosen).toReversed()
    let retried = 0
    for (const row of rows) {
      if ((core.callbacks.queue.find(row.subject)?.callbackUri ?? null) === null) continue
      await retryMessage(core, true)(row, core.contextOf('operator', row.merchant))
      retried += 1
    }
    return { retried, without_address: rows.length - retried }
  },
})

const showOne = onData({
  name: 'show <id>',
  about: 'a message with its attempts, and its bytes',
  run: async (core, id) => {
    const row = await found(core, id)
    const { attempts, ...printed } = await printedRow(core, row)
    const { callbackWire } = await aside(() => import('../service/server.ts'))
    const { message: word } = await callbackWire(core)
    return {
      ...printed,
      attempts: attempts.map((one) => ({
        time: new Date(one.attemptedAt).toISOString(),
        callback_uri: one.uri,
        result: one.result,
        http_status: one.httpStatus,
        problem: one.problem,
        duration_ms: one.durationMs ?? null,
      })),
      body: await word(row, attempts.at(-1)?.uri ?? printed.callback_uri ?? 'https:'),
    }
  },
})

/** The operator's commands for callbacks (interface 14). */
export const callbackCommands = group('callbacks', 'callback messages', [
  listCallbacks,
  showOne,
  retry,
])
