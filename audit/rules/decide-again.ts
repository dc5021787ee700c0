import type { Causes, Facts, Circumstances } from './causes.ts'
import type { Decider } from '../../domain/decider.ts'
import { schemaVersion, type EventType, type Recorded } from '../../domain/events.ts'
import { jsonEquals } from '../../domain/json-equality.ts'
import { Refusal } from '../../domain/refusal.ts'
import { idIn } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'

type Decided = { readonly type: string; readonly data: object }

/** An event, and its data as stored, before upcasts. */
export type Judged = { readonly event: Recorded; readonly stored: object }

export type Judge = {
  readonly decider: Decider<unknown, Decided, unknown>
  readonly causes: Causes<unknown, Decided, unknown>
}

/** How many events a command explains, or why it explains none. */
export type Verdict = { readonly explained: number } | { readonly problem: string }

const isOld = ({ event: { type, metadata } }: Judged): boolean =>
  metadata.schema < schemaVersion(type as EventType)

/** Members that old logs lack, or compute differently. */
const notCompared: Partial<Record<string, readonly string[]>> = {
  AuthorizationAllowed: ['client'],
}
const notComparedIfOld: Partial<Record<string, readonly string[]>> = { SettlementMade: ['payouts'] }

type Fields = Readonly<Record<string, unknown>>

const time = (at: Instant): string => new Date(at).toISOString()

const amounts = ['amount', 'additionalAmount', 'fee', 'interchange', 'vat']

const say = (value: unknown, name: string): string => {
  if (typeof value === 'number' && name.endsWith('At')) return time(value)
  if (typeof value === 'number' && amounts.includes(name)) return `${value} minor units`
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** The innermost member that differs, with both values. */
const differenceIn = (recorded: unknown, decided: unknown, path: string): string => {
  const isGroup = (value: unknown): value is Fields => typeof value === 'object' && value !== null
  if (isGroup(recorded) && isGroup(decided))
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(decided)]))
      if (!jsonEquals(recorded[name], decided[name]))
        return differenceIn(recorded[name], decided[name], path === '' ? name : `${path}.${name}`)
  const name = path.split('.').at(-1) ?? path
  return `its ${path} is ${say(recorded, name)}, and by the rules it is ${say(decided, name)}`
}

/** For an event of an older version, compares only the members that both versions have. */
const problemWith = (judged: Judged, decided: Decided): string | undefined => {
  const { type } = judged.event
  if (decided.type !== type) return `by the rules ${decided.type} comes here, not ${type}`
  const recorded = judged.event.data as Fields
  if (jsonEquals(recorded, decided.data)) return undefined
  const left = { ...recorded }
  const again = { ...(decided.data as Fields) }
  const skipped = (name: string): boolean =>
    isOld(judged)
      ? !(name in judged.stored && name in again) || !!notComparedIfOld[type]?.includes(name)
      : !(name in recorded) && !!notCompared[type]?.includes(name)
  for (const name of [...Object.keys(left), ...Object.keys(again)].filter(skipped)) {
    delete left[name]
    delete again[name]
  }
  return jsonEquals(left, again) ? undefined : differenceIn(left, again, '')
}

/** Why a command that returns no event cannot have led to one. */
const nothingDecided = ({ event: { data, metadata } }: Judged): string => {
  const { expiredAt } = data as { readonly expiredAt?: Instant }
  if (expiredAt !== undefined && metadata.at < expiredAt)
    return `it was recorded at ${time(metadata.at)}, before the time of expiry, ${time(expiredAt)}`
  return `by the rules nothing happens at ${time(metadata.at)}: it is too early, or a repetition`
}

const verdictOf = (events: readonly Judged[], decided: readonly Decided[]): Verdict => {
  const [first] = events
  if (!first) return { explained: 0 }
  if (decided.length === 0)
    return isOld(first) ? { explained: 1 } : { problem: nothingDecided(first) }
  for (const [index, one] of decided.entries()) {
    const judged = events[index]
    if (!judged)
      return { problem: `by the rules ${one.type} was recorded with it, and is not there` }
    const problem = problemWith(judged, one)
    if (problem !== undefined) return { problem }
  }
  return { explained: decided.length }
}

/** The commands that may have led to the first of these events, or why none can. */
const commandsFor = (
  { causes }: Pick<Judge, 'causes'>,
  state: unknown,
  [first, ...next]: readonly [Recorded, ...Recorded[]],
  facts: Facts,
): readonly unknown[] | string => {
  const { type, data, stream, metadata } = first
  const circumstances: Circumstances<Decided, unknown> = {
    id: idIn(stream),
    at: metadata.at,
    merchant: metadata.merchant,
    state,
    next,
    facts,
  }
  const cause = causes[type] as (
    data: object,
    circumstances: Circumstances<Decided, unknown>,
  ) => unknown[] | string
  return cause(data, circumstances)
}

/** The same event as `decide` returns it with other facts; undefined if it returns another type. */
export const decideOtherwise = (
  judge: Judge,
  state: unknown,
  event: Recorded,
  facts: Facts,
): Decided | undefined => {
  const commands = commandsFor(judge, state, [event], facts)
  const [command] = typeof commands === 'string' ? [] : commands
  if (command === undefined) return undefined
  try {
    const [first] = judge.decider.decide(command, state, event.metadata.asked)
    return first?.type === event.type ? first : undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return undefined
  }
}

/**
 * Whether `decide` returns the next events of a stream, given the state before them and the time in
 * their metadata. The events were recorded at one moment, possibly by several commands.
 */
export const decideAgain = (
  judge: Judge,
  state: unknown,
  events: readonly Judged[],
  facts: Facts,
): Verdict => {
  const [first, ...next] = events
  if (!first) return { explained: 0 }
  const recorded = [first.event, ...next.map(({ event }) => event)] as const
  const commands = commandsFor(judge, state, recorded, facts)
  if (typeof commands === 'string') return { problem: commands }
  let problem: string | undefined
  for (const command of commands)
    try {
      const verdict = verdictOf(
        events,
        judge.decider.decide(command, state, first.event.metadata.asked),
      )
      if ('explained' in verdict) return verdict
      problem ??= verdict.problem
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      problem ??= `the rules refuse it: ${error.message}`
    }
  return { problem: problem ?? 'nothing that can be asked for leads to it' }
}
