// Long because an import, its passes and its tally belong together.
import {
  isOf,
  similarMovements,
  type BankFact,
  type Rejection,
} from '../domain/accounting/bank-facts.ts'
import type { EntryProblem } from '../domain/accounting/bank-entry.ts'
import { bankEntries, settlements } from '../domain/aggregates.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Context, Handle } from './handle.ts'
import { receiveFunding, type FundingNeeds } from './receive-funding.ts'
import {
  messageNamed,
  ordersOf,
  planOfMessage,
  recordedIn,
  type MatchNeeds,
  type ImportedOne,
  type MessagePlan,
  type OrderedPayout,
  type StatementEntry,
} from './match-bank-entries.ts'

type Needs = MatchNeeds & {
  readonly funding: FundingNeeds
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly contextOf: (merchant: string | null) => Context
}

/** What a bank file says. */
export type BankSays = {
  readonly entries: readonly StatementEntry[]
  readonly rejections: readonly Rejection[]
}

/** The result of an import; `known` counts entries from earlier imports. */
export type Imported = {
  paid: number
  returned: number
  /** Movements of funding that pay something. */
  received: number
  known: number
  unmatched: number
  /** Unmatched debits, which are not one payout once, and funding that pays nothing. */
  alarms: number
  readonly all: ImportedOne[]
}

type Step = MessagePlan['steps'][number]

const refOf = ({ settlement: { merchant, serial }, currency }: OrderedPayout) => ({
  merchant,
  serial,
  currency,
})

/** Another import was faster; look again. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['conflicting_changes', 'payout_is_paid', 'payout_is_not_paid'].includes(error.code)

const noReason = { code: null, text: null }

/** The fields of an entry that are kept; the reason only if it is about a payout of ours. */
const factOf = (
  { reason, withheld: _, ...entry }: StatementEntry,
  messageId: string | null,
): BankFact => {
  const isOfPayout =
    entry.side === 'credit' && messageId !== null && (reason.code ?? reason.text) !== null
  return isOfPayout ? { ...entry, reason } : entry
}

const commandOf = (step: Step) => {
  const { settlement, currency, messageId, known } = step.order
  const which = { serial: settlement.serial, currency, messageId, known }
  if (step.type === 'refused') {
    const { day, reason } = step.rejection
    return { type: 'ReturnPayout', ...which, day, entry: null, reason } as const
  }
  const { day, id: entry, reason = noReason } = step.fact
  return step.type === 'paid'
    ? ({ type: 'ConfirmPayout', ...which, day, entry } as const)
    : ({ type: 'ReturnPayout', ...which, day, entry, reason } as const)
}

const aboutEntry = (fact: BankFact) => {
  const { endToEndId, messageId, day, side, amount: sum, currency } = fact
  return { endToEndId, messageId, day, side, amount: { sum, currency } }
}

const aboutRejection = ({ endToEndId, paymentId, messageId, day }: Rejection) => ({
  endToEndId: endToEndId ?? paymentId,
  messageId,
  day,
  side: null,
  amount: null,
})

/** The first of several statements in a file tells of an entry; in the others it is known. */
const taken = <Key, Value>(from: Map<Key, Value>, key: Key): Value | undefined => {
  const value = from.get(key)
  from.delete(key)
  return value
}

const nothingImported = (): Imported => ({
  paid: 0,
  returned: 0,
  received: 0,
  known: 0,
  unmatched: 0,
  alarms: 0,
  all: [],
})

/** Collects outcomes; an entry may change several payouts, in several passes. */
const makeTally = () => {
  const changed = new Map<BankFact['id'] | Rejection, Step[]>()
  const subjects = new Map<string, BankFact>()
  const fresh = new Map<string, EntryProblem | null>()
  return {
    step: (step: Step): void => {
      const key = step.type === 'refused' ? step.rejection : step.fact.id
      changed.set(key, [...(changed.get(key) ?? []), step])
      if (step.type !== 'refused') subjects.set(step.fact.id, step.fact)
    },
    /** An entry that no earlier import has recorded; null if it matches. */
    recorded: (fact: BankFact, problem: EntryProblem | null): void => {
      if (problem !== 'known_already' && !fresh.has(fact.id)) fresh.set(fact.id, problem)
    },
    matched: (fact: BankFact): void => {
      if (fresh.has(fact.id)) fresh.set(fact.id, null)
    },
    result: (
      entries: readonly BankFact[],
      rejections: readonly (readonly [Rejection, EntryProblem | null])[],
    ): Imported => {
      const done = nothingImported()
      const tell = (
        about: Pick<ImportedOne, 'endToEndId' | 'messageId' | 'day' | 'side' | 'amount'>,
        steps: readonly Step[],
        problem: EntryProblem | null,
      ): void => {
        const [step] = steps
        const as = step?.type === 'paid' ? 'paid' : 'returned'
        const outcome = problem !== null ? 'unmatched' : step ? as : 'known'
        const payouts = steps.map(({ order }) => order)
        done[outcome] += outcome === 'paid' || outcome === 'returned' ? steps.length : 1
        if (outcome === 'unmatched' && about.side === 'debit') done.alarms += 1
        done.all.push({ ...about, outcome, payouts, problem })
      }
      // Entries of earlier files count where this one explains them.
      const earlier = [...subjects.values()].filter(
        ({ id }) => !entries.some((one) => one.id === id),
      )
      for (const fact of [...entries, ...earlier])
        tell(aboutEntry(fact), taken(changed, fact.id) ?? [], taken(fresh, fact.id) ?? null)
      for (const [one, problem] of rejections)
        tell(aboutRejection(one), changed.get(one) ?? [], problem)
      return done
    },
  }
}

type Tally = ReturnType<typeof makeTally>

const makeRecord = ({ handle, entries, contextOf }: Needs, tally: Tally) => {
  const record = async (
    { id, ...entry }: BankFact,
    outcome: { readonly problem: EntryProblem } | { readonly as: 'paid' | 'returned' },
    payouts: readonly OrderedPayout[],
  ): Promise<boolean> => {
    const known = entries.find(id)
    if (known && (known.match || 'problem' in outcome)) return false
    if (known) tally.matched({ id, ...entry })
    else tally.recorded({ id, ...entry }, 'problem' in outcome ? outcome.problem : null)
    const result =
      'problem' in outcome
        ? outcome
        : { match: { payouts: payouts.map(refOf), as: outcome.as } as const }
    const command = { type: 'RecordEntry', entry, outcome: result } as const
    await handle(bankEntries, id, command, contextOf(null))
    return true
  }

  /** A movement that matches no payout is listed once, whatever file tells it again. */
  const recordUnmatched = async (
    problems: ReadonlyMap<BankFact, EntryProblem>,
    movements: readonly (readonly BankFact[])[],
  ): Promise<boolean> => {
    let isChanged = false
    const peers = new Map<string, Set<string>>()
    for (const movement of movements)
      for (const { id } of movement) {
        const known = peers.get(id) ?? new Set()
        peers.set(id, known)
        for (const peer of movement) if (peer.id !== id) known.add(peer.id)
      }
    const listed = new Set([...problems.keys()].flatMap(({ id }) => (entries.find(id) ? [id] : [])))
    for (const [fact, problem] of problems) {
      if (listed.has(fact.id)) continue
      const isListed = [...(peers.get(fact.id) ?? [])].some((id) => listed.has(id))
      listed.add(fact.id)
      const finding = { problem: isListed ? ('known_already' as const) : problem }
      isChanged = (await record(fact, finding, [])) || isChanged
    }
    return isChanged
  }
  return { record, recordUnmatched }
}

/** Brings a message's payouts, and the list of entries without one, to what the facts say. */
const makeReconcile = (needs: Needs, tally: Tally) => {
  const { handle, caughtUp, contextOf } = needs
  const { record, recordUnmatched } = makeRecord(needs, tally)

  const apply = async ({ steps }: MessagePlan): Promise<void> => {
    const done = new Map<string, number>()
    for (const step of steps) {
      const { merchant, serial } = step.order.settlement
      const key = `${merchant}/${serial}/${step.order.currency}`
      const more = done.get(key) ?? 0
      const command = commandOf(step)
      const now = { ...command, known: command.known + more }
      const { events } = await handle(settlements, merchant, now, contextOf(merchant))
      done.set(key, more + 1)
      if (events.length > 0) tally.step(step)
    }
  }

  const recordAll = async ({ facts, verdicts, movements }: MessagePlan): Promise<boolean> => {
    let isChanged = false
    const unmatched = new Map<BankFact, EntryProblem>()
    for (const fact of facts) {
      const verdict = verdicts.get(fact.id) ?? { problem: 'unknown_payout' as const }
      if (verdict.problem !== undefined) {
        unmatched.set(fact, verdict.problem)
        continue
      }
      const as = fact.side === 'debit' ? 'paid' : 'returned'
      isChanged = (await record(fact, { as }, verdict.orders)) || isChanged
    }
    return (await recordUnmatched(unmatched, movements)) || isChanged
  }

  const mostPasses = 10
  const ofMessage = async (
    messageId: string,
    entries: readonly BankFact[],
    rejections: readonly Rejection[],
  ): Promise<void> => {
    // Again until nothing changes: another process may import other facts of the message now.
    for (let pass = 1; pass <= mostPasses; pass++) {
      await caughtUp()
      const plan = planOfMessage(needs, messageId, entries, rejections)
      try {
        await apply(plan)
      } catch (error) {
        if (!isOvertaken(error) || pass === mostPasses) throw error
        continue
      }
      const isChanged = await recordAll(plan)
      if (!isChanged && plan.steps.length === 0) return
    }
  }
  return { ofMessage, recordUnmatched }
}

/** Groups by a key; what has none comes under null. */
const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string | null) => {
  const groups = new Map<string | null, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/**
 * Records what a bank file says about payouts and funding. The end is the same for every order in
 * which files are imported, and however often.
 */
export const importBankFacts = (needs: Needs) => {
  const { caughtUp } = needs
  const funding = receiveFunding({ ...needs.funding, ...needs })

  return async ({ entries: stated, rejections }: BankSays): Promise<Imported> => {
    await caughtUp()
    const tally = makeTally()
    const { ofMessage, recordUnmatched } = makeReconcile(needs, tally)
    const messages = new Map(stated.map((entry) => [entry.id, messageNamed(needs, entry)]))
    const isFunding = ({ id, account }: StatementEntry): boolean =>
      !messages.get(id) && funding.isOf(account)
    const entries = stated.filter((entry) => !isFunding(entry))
    const facts = entries.map((entry) => factOf(entry, messages.get(entry.id) ?? null))
    const byMessage = grouped(facts, ({ id }) => messages.get(id) ?? null)
    const refusals = grouped(rejections, (one) => messageNamed(needs, one))
    for (const messageId of new Set([...byMessage.keys(), ...refusals.keys()]))
      if (messageId !== null)
        await ofMessage(messageId, byMessage.get(messageId) ?? [], refusals.get(messageId) ?? [])
    // Entries of other payments, of fees and the like.
    const others = byMessage.get(null) ?? []
    const names = new Set(others.flatMap(({ endToEndId }) => endToEndId ?? []))
    const earlier = [...names].flatMap((name) => recordedIn(needs.entries.ofOrder(name)))
    const all = new Map([...earlier, ...others].map((fact) => [fact.id, fact]))
    const problemOf = ({ endToEndId, messageId, paymentId }: BankFact): EntryProblem =>
      (endToEndId ?? messageId ?? paymentId ?? null) === null ? 'names_no_payout' : 'unknown_payout'
    const named = [...all.values()]
    await recordUnmatched(
      new Map(named.map((fact) => [fact, problemOf(fact)])),
      similarMovements(named.filter(({ endToEndId }) => endToEndId !== null)),
    )
    const isKnown = (one: Rejection): boolean => {
      const messageId = messageNamed(needs, one)
      return messageId !== null && ordersOf(needs, messageId).some((order) => isOf(order, one))
    }
    const done = tally.result(
      facts,
      rejections.map((one) => [one, isKnown(one) ? null : 'unknown_payout'] as const),
    )
    for (const one of await funding.receive(stated.filter(isFunding))) {
      done[one.outcome] += 1
      if (one.outcome === 'unmatched') done.alarms += 1
      done.all.push(one)
    }
    return done
  }
}
