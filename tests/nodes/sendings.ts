import { workOfMerchant } from '../../domain/leases.ts'
import { groupBy, type Arrived, type History, type Leases, type Logged } from './history.ts'

/** How long messages may still arrive after their sender observed the loss of its lease, in ms. */
const underWayMs = 3_000

/** A period in which one process holds a lease; times are of the shared machine. */
type Holding = {
  readonly work: string
  readonly revision: number
  readonly process: string
  readonly from: number
  until: number
  /** Set if another process took it; a lease given up was not lost. */
  lostAt?: number
  /** When the process renewed its leases for the first time after that. */
  knownAt: number
}

/** All holdings, from the lease stream. */
const holdingsIn = (leases: readonly Leases[]): readonly Holding[] => {
  const all: Holding[] = []
  for (const { position, at, by, nodes } of leases) {
    for (const one of all) {
      const isLost = one.lostAt !== undefined
      if (isLost && one.process === by) one.knownAt = Math.min(one.knownAt, at)
      if (one.until < Infinity || nodes[one.process]?.does[one.work] === one.revision) continue
      one.until = at
      if (one.process !== by) one.lostAt = position
    }
    for (const [process, { does }] of Object.entries(nodes))
      for (const [work, revision] of Object.entries(does))
        if (!all.some((one) => one.work === work && one.revision === revision))
          all.push({ work, revision, process, from: at, until: Infinity, knownAt: Infinity })
  }
  return all
}

/** A message with all its arrivals and records. */
type Message = {
  readonly id: string
  readonly arrivals: readonly Arrived[]
  readonly toldAt: number
  readonly records: readonly Logged[]
  readonly work: string
}

const messagesIn = ({ arrived, log }: History): readonly Message[] => {
  const events = new Map(log.map((event) => [event.id, event]))
  const records = groupBy(
    log.filter(({ type }) => type === 'CallbackAttempted'),
    ({ stream }) => stream.replace('callback-', ''),
  )
  return [...groupBy(arrived, ({ id }) => id)].map(([id, arrivals]) => {
    const [told, own = []] = [events.get(id), records.get(id)]
    const work = own[0]?.lease?.work ?? workOfMerchant(told?.merchant ?? null)
    return { id, arrivals, toldAt: told?.position ?? Infinity, records: own, work }
  })
}

const recordsWith = ({ records }: Message, result: string): readonly Logged[] =>
  records.filter(({ data }) => data['result'] === result)

/** Whether it may have been in flight when the lease was lost: announced before, recorded later. */
const wasUnderWay = (message: Message, { work, lostAt = -1 }: Holding): boolean =>
  work === message.work &&
  message.toldAt < lostAt &&
  recordsWith(message, 'delivered').every(({ position }) => position > lostAt)

/** Each process's address, from messages that arrived and were recorded once. */
const addressesOf = (messages: readonly Message[], holdings: readonly Holding[]) => {
  const addresses = new Map<string, string>()
  for (const { arrivals, records } of messages) {
    const [lease, address] = [records[0]?.lease, arrivals[0]?.node]
    if (arrivals.length > 1 || records.length > 1 || !lease || !address) continue
    const holding = holdings.find(
      ({ work, revision }) => work === lease.work && revision === lease.revision,
    )
    if (holding) addresses.set(holding.process, address)
  }
  return addresses
}

/** The facts a problem is judged by. */
const evidence = ({ arrivals, records, work }: Message, holdings: readonly Holding[]): string => {
  const first = arrivals[0]?.at ?? 0
  const came = arrivals.map(({ at, node }) => `${at - first} ms ${node}`)
  const told = records.map(
    ({ at, data, lease }) => `${at - first} ms ${data['result']} by ${lease?.revision}`,
  )
  const held = holdings
    .filter((one) => one.work === work && one.until > first - 20_000)
    .map(({ process, revision, from, until, lostAt }) => {
      const end = lostAt === undefined ? 'until' : 'lost at'
      return `${process} ${revision} from ${from - first} ${end} ${until - first} ms`
    })
  return `(came ${came.join(', ')}; recorded ${told.join(', ')}; ${work}: ${held.join(', ')})`
}

/**
 * Messages sent without a lease, and messages repeated for another reason than a lost lease: then
 * one of each resource may have been in flight.
 */
export const wrongSendings = (history: History): string[] => {
  const holdings = holdingsIn(history.leases)
  const messages = messagesIn(history)
  const addresses = addressesOf(messages, holdings)
  const problems: string[] = []
  const excused = new Set<string>()

  const mayHaveSent = (message: Message, { node, at }: Arrived) =>
    holdings.some((one) => {
      const address = addresses.get(one.process)
      if (one.work !== message.work || one.from > at) return false
      if (node !== null && address !== undefined && address !== node) return false
      return at <= one.until || (wasUnderWay(message, one) && at <= one.knownAt + underWayMs)
    })

  for (const message of messages) {
    const { id, arrivals } = message
    const told = `${id} of ${arrivals[0]?.subject}`
    for (const arrival of arrivals)
      if (!mayHaveSent(message, arrival)) {
        const why = evidence(message, holdings)
        problems.push(`message ${told} was sent by ${arrival.node} without its lease ${why}`)
      }
    const again = arrivals.length - 1 - recordsWith(message, 'failed').length
    const excuses = holdings
      .filter((one) => wasUnderWay(message, one) && arrivals.some(({ at }) => at >= one.until))
      .map(({ work, revision }) => `${work} ${revision} ${arrivals[0]?.subject}`)
      .filter((excuse) => !excused.has(excuse))
    for (const excuse of excuses.slice(0, Math.max(0, again))) excused.add(excuse)
    if (again > excuses.length)
      problems.push(`message ${told} came again ${evidence(message, holdings)}`)
  }
  return problems
}
