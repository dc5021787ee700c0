import { customerKeyOf } from '../../domain/people/sealed-name.ts'
import { groupBy, type Asked, type History, type Logged } from './history.ts'
import { wrongSendings } from './sendings.ts'

const isAcknowledged = ({ status }: Asked): boolean =>
  status !== null && status >= 200 && status < 300

const isRefused = ({ status }: Asked): boolean => status !== null && status >= 400 && status < 500

/** Reads that lack what was acknowledged, or shown by an earlier read, before they started. */
const staleReads = ({ asked }: History): string[] => {
  const problems: string[] = []
  for (const [tid, ofPayment] of groupBy(asked, ({ tid }) => tid)) {
    if (tid === '') continue
    const known = ofPayment.filter(isAcknowledged).flatMap(({ kind, part, shown, node, end }) => {
      if (kind === 'capture' && part !== undefined) return [{ part, end, by: node }]
      return (shown ?? []).map((part) => ({ part, end, by: `a read at ${node}` }))
    })
    const reads = ofPayment.filter((one) => one.kind === 'read' && isAcknowledged(one))
    for (const read of reads)
      for (const { part, end, by } of known)
        if (end <= read.start && !read.shown?.includes(part))
          problems.push(`${read.node} does not show capture ${part} of ${tid}, told by ${by}`)
  }
  return problems
}

const captureOf = ({ data }: Logged): string => String(data['captureId'])

/** Acknowledged requests that are missing from the log, or in it twice. */
const lostOrDoubled = ({ asked, log }: History): string[] => {
  const problems: string[] = []
  const captures = groupBy(
    log.filter(({ type, data }) => type === 'PaymentCaptured' && data['captureId'] !== null),
    (event) => `${event.stream} ${captureOf(event)}`,
  )
  for (const [name, events] of captures)
    if (events.length > 1) problems.push(`capture ${name} stands ${events.length} times in the log`)
  for (const { kind, tid, part } of asked.filter(isAcknowledged)) {
    if (kind === 'capture' && !captures.has(`payment-${tid} ${part}`))
      problems.push(`capture ${part} of ${tid} was acknowledged and is lost`)
  }
  const streams = new Set(log.map(({ stream }) => stream))
  for (const { kind, tid } of asked.filter(isAcknowledged))
    if (kind === 'request' && !streams.has(`payment-${tid}`))
      problems.push(`payment ${tid} was acknowledged and is lost`)
  const requests = log.filter(({ type }) => type === 'CallbackTestRequested')
  for (const [id, events] of groupBy(requests, ({ correlationId }) => correlationId))
    if (events.length > 1) problems.push(`request ${id} was recorded ${events.length} times`)
  return problems
}

/** Messages recorded as delivered more often than they arrived. */
const recordedTwice = ({ arrived, log }: History): string[] => {
  const came = groupBy(arrived, ({ id }) => id)
  const delivered = log.filter(
    ({ type, data }) => type === 'CallbackAttempted' && data['result'] === 'delivered',
  )
  return [...groupBy(delivered, ({ stream }) => stream)].flatMap(([stream, events]) => {
    const arrivals = came.get(stream.replace('callback-', ''))?.length ?? 0
    const told = `came ${arrivals} times and is recorded ${events.length} times`
    return events.length > arrivals ? [`message ${stream} ${told}`] : []
  })
}

/** Refused requests that took effect. */
const refusedButDone = ({ asked, log }: History): string[] => {
  const done = groupBy(log, ({ correlationId }) => correlationId)
  return asked.filter(isRefused).flatMap(({ kind, status, requestId, tid }) => {
    const [event] = done.get(requestId ?? '') ?? []
    return event
      ? [`${kind} of ${tid} was answered ${status}, and is ${event.type} in the log`]
      : []
  })
}

/** Streams with gaps, and duplicate events. */
const brokenLog = ({ log }: History): string[] => {
  const problems: string[] = []
  for (const [stream, events] of groupBy(log, ({ stream }) => stream))
    for (const [index, { revision }] of events.entries())
      if (revision !== index) problems.push(`${stream} has revision ${revision} at place ${index}`)
  for (const [id, events] of groupBy(log, ({ id }) => id))
    if (events.length > 1) problems.push(`event ${id} stands ${events.length} times in the log`)
  return problems
}

/** Resources whose messages first arrived in the wrong order. */
const disordered = ({ arrived }: History): string[] => {
  const problems: string[] = []
  for (const [subject, arrivals] of groupBy(arrived, (one) => one.subject)) {
    const firsts = [...new Map(arrivals.toReversed().map((one) => [one.id, one])).values()]
    const seqnos = firsts.toSorted((a, b) => a.at - b.at).map(({ seqno }) => seqno)
    const isRight = seqnos.every((seqno, index) => seqno === index + 1)
    if (!isRight) problems.push(`messages of ${subject} came as ${seqnos.join(', ')}`)
  }
  return problems
}

const telling = new Set(['PaymentAuthorized', 'PaymentCaptured', 'CallbackTestRequested'])

/** Events without a callback. */
const unannounced = ({ arrived, log }: History): string[] => {
  const told = new Set(arrived.map(({ id }) => id))
  return log
    .filter(({ type, id }) => telling.has(type) && !told.has(id))
    .map(({ type, stream, id }) => `nobody was told ${type} of ${stream}, ${id}`)
}

/** Customers with several persons in the vault, or with somebody else's id. */
const mistakenPeople = ({ asked, log }: History): string[] => {
  const numbers = new Map(
    asked.flatMap(({ kind, tid, customer }) =>
      kind === 'request' && customer !== undefined ? [[`payment-${tid}`, customer]] : [],
    ),
  )
  const named = log.flatMap(({ type, stream, data }) => {
    const number = type === 'PaymentRequested' ? numbers.get(stream) : undefined
    const { customer } = (data['request'] ?? {}) as { readonly customer?: string }
    return number === undefined ? [] : [{ number, person: customerKeyOf(customer ?? '') }]
  })
  const problems: string[] = []
  for (const [number, ofNumber] of groupBy(named, (one) => one.number)) {
    const people = new Set(ofNumber.map(({ person }) => person))
    if (people.size > 1) problems.push(`${number} is ${people.size} people`)
  }
  for (const [person, ofPerson] of groupBy(named, (one) => one.person)) {
    const others = new Set(ofPerson.map(({ number }) => number))
    if (others.size > 1) problems.push(`person ${person} is ${[...others].join(' and ')}`)
  }
  return problems
}

export const problemsIn = (history: History): string[] =>
  [
    ...[staleReads, lostOrDoubled, refusedButDone, brokenLog],
    ...[recordedTwice, wrongSendings, disordered, unannounced, mistakenPeople],
  ].flatMap((check) => check(history))
