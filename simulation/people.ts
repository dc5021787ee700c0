import {
  availableOf,
  refundableOf,
  type Payment,
  type Pots,
  type RequestedPart,
} from './oracle/payment.ts'
import { currencies } from './accounts.ts'
import { storeFaults } from './event-store.ts'
import { linkPayers } from './names.ts'
import type { Play } from './known.ts'
import { pick, wholeBelow, weighted, type Random } from './random.ts'
import { refusedUnits } from './receivers.ts'
import { linkWays, type Fault, type Step } from './steps.ts'
import { shops } from './furnish.ts'

const usual = {
  create: 20,
  'create again': 3,
  answer: 18,
  capture: 24,
  refund: 9,
  release: 5,
  renew: 2,
  read: 12,
  'read as the other shop': 1,
  'refund without a key': 1,
  expire: 5,
  feed: 0.4,
  'close report': 0.8,
  settle: 0.8,
  register: 2,
  unregister: 1,
  list: 1.5,
  advance: 3,
  dispute: 2,
  'close dispute': 2,
  correct: 0.5,
  transactions: 2,
  payments: 2,
  destination: 0.7,
  'change destination': 1.5,
  pass: 6,
  jump: 0.6,
  restart: 0.5,
  'receivers fail': 0.6,
  'bank fails': 0.6,
  ask: 12,
  act: 24,
  visit: 2,
  'make link': 0.6,
  link: 6,
  code: 4,
}
/** Faults of worlds with several nodes. */
const ofNodes = { kill: 0.5, freeze: 0.3, 'store fails': 0.8 }
type Kind = keyof typeof usual | keyof typeof ofNodes
const visitors = ['carol', 'carol', 'dave'] as const
const answers = ['capture', 'capture', 'answer', 'read', 'release', 'renew'] as const
const faulty: readonly Kind[] = ['jump', 'restart', 'receivers fail', 'bank fails']

type Weights = Readonly<Record<Kind, number>>

/** What a world has: each seed draws which kinds of steps are frequent, rare or absent. */
type Habits = {
  readonly weights: Weights
  /** The share of requests that meet a fault. */
  readonly faults: number
  readonly isSmall: boolean
}

/** Of a world in which a wanderer asks for all routes, and nobody else does anything. */
export const onlyWandering: Habits = {
  weights: {
    ...(Object.fromEntries(
      Object.keys({ ...usual, ...ofNodes }).map((kind) => [kind, 0]),
    ) as Weights),
    ask: 1,
  },
  faults: 0,
  isSmall: false,
}

export const habitsFrom = (random: Random, hasNodes: boolean): Habits => {
  const hasFaults = random() < 0.6
  const weights = Object.entries(usual).map(([kind, weight]) => {
    const isAbsent = faulty.includes(kind as Kind) && (!hasFaults || random() < 0.3)
    const factors = kind === 'act' || kind === 'visit' ? [0.3, 1, 4] : [0.3, 1, 1, 2]
    return [kind, isAbsent ? 0 : weight * pick(random, factors)] as const
  })
  return {
    weights: {
      ...onlyWandering.weights,
      ...Object.fromEntries(weights),
      ...(hasNodes && hasFaults && ofNodes),
    },
    faults: hasFaults ? pick(random, [0.02, 0.1, 0.25]) : 0,
    isSmall: random() < 0.3,
  }
}

const storeFaultFrom = (random: Random) => ({
  fault: pick(random, storeFaults),
  ms: pick(random, [200, 2_000, 8_000, 20_000]),
})

const faultFrom = (random: Random, isIdempotent: boolean, { world }: Play): Fault => {
  const hasNodes = world.nodes.length > 1
  if (hasNodes && random() < 0.4) {
    const { fault: store, ms } = storeFaultFrom(random)
    return random() < 0.2 ? { frozenAfter: wholeBelow(random, 40) } : { store, ms }
  }
  if (!hasNodes && random() < 0.15)
    return {
      disk: pick(random, ['row fails', 'commit fails', 'commit fails, but is done'] as const),
    }
  if (random() < 0.1) return { killedAfter: wholeBelow(random, hasNodes ? 40 : 12) }
  const kind = wholeBelow(random, isIdempotent ? 3 : 2)
  if (kind === 0) return 'answer lost'
  return kind === 1 ? 'sent twice at once' : 'sent twice'
}

const fraction = (random: Random, { amount, extra }: Pots): Pots => ({
  amount: Math.ceil(random() * amount),
  extra: random() < 0.5 ? 0 : Math.ceil(random() * extra),
})

/** A part of what is left, all of it, an earlier one again, or a little too much. */
const wantedFrom = (random: Random, left: Pots, parts: Payment['captures']): RequestedPart => {
  const drawn = random()
  if (drawn < 0.2) return 'everything'
  const earlier = parts.filter(({ id }) => id !== null)
  if (drawn < 0.4 && earlier.length > 0) {
    const { id, amount, extra } = pick(random, earlier)
    const isChanged = random() < 0.3
    return { id: id ?? '', amount: amount + (isChanged ? 1 : 0), extra }
  }
  const id = `part-${parts.length + 1}-${wholeBelow(random, 100)}`
  if (drawn < 0.5) return { id, amount: left.amount + 1, extra: left.extra }
  if (drawn < 0.6) return { id, amount: Math.max(1, left.amount - 1), extra: left.extra + 1 }
  if (drawn < 0.7) return { id, amount: Math.max(1, left.amount), extra: left.extra }
  const part = fraction(random, left)
  return { id, amount: Math.max(1, part.amount), extra: part.extra }
}

const amountFrom = (random: Random): number =>
  random() < 0.03
    ? pick(random, refusedUnits) * 100
    : 1 + wholeBelow(random, pick(random, [20, 5_000, 2_000_000]))

const create = (random: Random, { faults }: Habits, play: Play): Step => {
  const amount = amountFrom(random)
  const removed = random() < 0.03 ? { pos: 'nowhere' } : {}
  const shop = pick(random, shops)
  const own = [...play.registered.values()].filter((one) => one.shop === shop)
  const pos = own.length > 0 && random() < 0.2 ? { pos: pick(random, own).id } : removed
  return {
    do: 'create',
    shop,
    currency: pick(random, ['NOK', 'NOK', ...currencies]),
    amount,
    ...pos,
    extra: random() < 0.7 ? 0 : wholeBelow(random, amount),
    seconds: pick(random, [30, 600, 21_600, 21_600, 604_800]),
    customer: random() < 0.04 ? 'nobody' : pick(random, ['alice', 'bob'] as const),
    ...(random() < faults && { fault: faultFrom(random, true, play) }),
  }
}

const recent = <Item>(random: Random, items: readonly Item[]): Item | undefined =>
  items[items.length - 1 - Math.floor(random() ** 2 * Math.min(items.length, 40))]

const suits = (kind: Kind, payment: Payment | undefined): boolean => {
  if (kind === 'answer') return payment?.status === 'pending'
  if (kind === 'capture' || kind === 'release' || kind === 'renew')
    return payment?.status === 'auth'
  if (kind === 'close dispute') return (payment?.disputes.length ?? 0) > 0
  return (kind !== 'refund' && kind !== 'dispute') || (payment?.captures.length ?? 0) > 0
}

/** A part of what can be disputed, all of it, or a little too much. */
const disputeFrom = (random: Random, payment: Payment) => {
  const { amount, extra } = refundableOf(payment)
  const part = Math.max(1, Math.ceil(random() * (amount + extra)))
  return {
    number: payment.disputes.length + 1,
    gross: pick(random, ['everything', part, part, amount + extra + 1] as const),
    fee: pick(random, [0, 0, 150]),
    isTwice: random() < 0.2,
  }
}

const ofPayment = (
  random: Random,
  kind: Kind,
  { faults }: Habits,
  play: Play,
  before: { readonly n: number; readonly share: number },
): Step | undefined => {
  const all = [...play.payments.values()]
  // Mostly one that it can be done to.
  const suitable = random() < 0.8 ? all.filter((one) => suits(kind, one.possible[0])) : all
  const last = suitable.find(({ n }) => n === before.n)
  const isSame = last !== undefined && random() < before.share
  const known = isSame ? last : recent(random, suitable.length > 0 ? suitable : all)
  const [payment] = known?.possible ?? []
  if (!known || !payment) return undefined
  const of = known.n
  const fault = random() < faults ? { fault: faultFrom(random, false, play) } : {}
  switch (kind) {
    case 'create again':
      return { do: kind, of, isChanged: random() < 0.3 }
    case 'answer':
      return { do: kind, of, answer: random() < 0.85 ? 'accept' : 'decline', ...fault }
    case 'capture':
      return {
        do: kind,
        of,
        wanted: wantedFrom(random, availableOf(payment), payment.captures),
        ...fault,
      }
    case 'refund':
      return {
        do: kind,
        of,
        wanted: wantedFrom(random, refundableOf(payment), payment.refunds),
        ...fault,
      }
    case 'release':
    case 'renew':
      return { do: kind, of, ...fault }
    case 'dispute':
      return { do: kind, of, ...disputeFrom(random, payment) }
    case 'close dispute': {
      const number = 1 + wholeBelow(random, Math.max(1, payment.disputes.length))
      const outcome = pick(random, ['won', 'lost'] as const)
      return { do: kind, of, number, outcome, isTwice: random() < faults }
    }
    case 'expire':
      return { do: kind, of, seconds: pick(random, [-1, 0, 0, 1] as const), jumps: random() < 0.5 }
    case 'read':
    case 'read as the other shop':
    case 'refund without a key':
      return { do: kind, of }
    default:
      return undefined
  }
}

const day = 86_400

/** Seconds until soon after the next midnight, or until the month has ended. */
const advance = (random: Random, now: number): number => {
  const at = new Date(now)
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1)
  const month = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
  const to = pick(random, [
    now + 1000,
    now + 60_000,
    now + 3_600_000,
    midnight,
    midnight + 1,
    month,
  ])
  return Math.min(Math.ceil((to - now) / 1000), 4 * day)
}

/** Long because it lists all that can be done without a payment. */
const ofWorld = (random: Random, kind: Kind, n: number, play: Play): Step | undefined => {
  const shop = pick(random, shops)
  const registered = [...play.registered.values()]
  switch (kind) {
    case 'feed':
    case 'close report':
    case 'settle':
    case 'list':
      return { do: kind, shop }
    case 'register':
      return { do: kind, shop, id: `pos-${n}` }
    case 'correct': {
      const amount = pick(random, [-1, 1]) * (1 + wholeBelow(random, 5_000))
      return {
        do: kind,
        shop,
        currency: pick(random, currencies),
        amount,
        isApproved: random() < 0.8,
      }
    }
    case 'destination': {
      if (play.destinations.size >= 4) return undefined
      const some = ['payment_captured', 'payment_refunded', 'dispute_opened', 'settlement_made']
      const events = random() < 0.5 ? ['*'] : some.slice(wholeBelow(random, 4))
      return { do: kind, shop, events, signature: pick(random, ['hmac', 'rsa'] as const) }
    }
    case 'change destination': {
      const all = [...play.destinations.values()].filter((one) => one.removed === undefined)
      if (all.length === 0) return undefined
      const way = pick(random, ['enable', 'disable', 'replay', 'replay', 'remove'] as const)
      return { do: kind, of: pick(random, all).n, way, seconds: pick(random, [0, 60, 5_000, day]) }
    }
    case 'code': {
      const way = pick(random, [
        'scan',
        'scan',
        'scan',
        'ask',
        'ask',
        'ask',
        'last',
        'abort',
      ] as const)
      const [code, payer] = [wholeBelow(random, 2), pick(random, linkPayers)]
      const [label, seconds] = [pick(random, ['', '7', 'bar']), pick(random, [1, 60, 600])]
      return { do: kind, code, way, payer, label, seconds }
    }
    case 'make link': {
      const stock = pick(random, [null, 1, 1, 2, 3])
      const days = pick(random, [null, null, 0, 1, 5])
      const amount = 1 + wholeBelow(random, 200_000)
      return { do: kind, amount, stock, days, isTwice: random() < 0.3 }
    }
    case 'link': {
      const link = recent(random, [...play.links.values()])?.n
      const [way, payer] = [pick(random, linkWays), pick(random, linkPayers)]
      const stock = pick(random, [null, 1, 2, 4])
      return link === undefined ? undefined : { do: kind, link, way, payer, stock }
    }
    case 'transactions':
      return { do: kind, shop, size: pick(random, [1, 2, 7, 100]) }
    case 'payments': {
      const status = pick(random, ['pending', 'auth', 'ok', 'fail'] as const)
      return { do: kind, shop, size: pick(random, [1, 3, 20]), status }
    }
    case 'unregister':
      return registered.length === 0 ? undefined : { do: kind, of: pick(random, registered).n }
    case 'advance':
      return { do: kind, seconds: advance(random, play.world.now()) }
    case 'pass':
      return { do: kind, ms: pick(random, [1, 25, 300, 5_000]) }
    case 'jump':
      return { do: kind, ms: pick(random, [1, 999, 45_000, 200_000]) }
    case 'kill':
    case 'freeze':
      return { do: kind, steps: wholeBelow(random, 60) }
    case 'store fails':
      return { do: kind, ...storeFaultFrom(random) }
    case 'restart':
      return { do: kind, forgets: random() < 0.4 }
    case 'receivers fail':
    case 'bank fails':
      return { do: kind, share: pick(random, [0, 0.2, 0.6, 1]) }
    default:
      return undefined
  }
}

/** Others who draw steps, and the step before. */
type Others = {
  readonly wander: () => Step
  readonly act: (play: Play) => Step
  readonly before: Step | undefined
}

/** The next step of people in a world, by what they know of it; often about the same payment. */
export const stepFrom = (
  random: Random,
  habits: Habits,
  n: number,
  play: Play,
  { wander, act, before }: Others,
): Step => {
  const last = before && 'of' in before ? before.of : n - 1
  for (;;) {
    // Who sees that it expires, acts at once.
    const hasExpired = before?.do === 'expire' && random() < 0.8
    // What follows from an act would have expired later.
    if (before?.do === 'act' && random() < 0.8) return act(play)
    const kind = hasExpired ? pick(random, answers) : weighted(random, habits.weights)
    if (kind === 'create') return create(random, habits, play)
    if (kind === 'ask') return wander()
    if (kind === 'act') return act(play)
    if (kind === 'visit') {
      const who = pick(random, visitors)
      return { do: kind, who, seed: wholeBelow(random, 1e9), times: 4 + wholeBelow(random, 16) }
    }
    const about = { n: last, share: hasExpired ? 1 : 0.5 }
    const step = ofPayment(random, kind, habits, play, about) ?? ofWorld(random, kind, n, play)
    if (step) return step
  }
}
