import type { Instant } from '../../domain/time.ts'
import type { Recorded } from '../../domain/events.ts'
import { historyOf } from '../../application/find-state.ts'
import type { ExplainNeeds } from './needs.ts'
import { currencyOf, eventInWords, whoCaused, whyCaused } from './event-words.ts'
import { callbackNameOf, displayMessageId, isDisplayed } from '../../domain/callback-names.ts'
import { callbacks } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import { formatDateTime } from '../../application/date-time.ts'

/** A number that an event changed, formatted. */
export type NumberChange = { readonly name: string; readonly from: string; readonly to: string }

/** A notification about an event, and the response. */
export type Told = { readonly at: Instant | null; readonly says: string }

/** An event in plain words. */
export type Entry = {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly at: Instant
  readonly who: string
  readonly why: string
  readonly says: string
  readonly numbers: readonly NumberChange[]
  readonly told: readonly Told[]
  /** The report and settlement that include its line. */
  readonly counted: readonly string[]
}

export type NamedNumber = {
  readonly name: string
  readonly currency: string
  readonly value: string
}

export type Story = {
  readonly title: string
  readonly says: readonly string[]
  readonly entries: readonly Entry[]
  /** Number of entries left out. */
  readonly more: number
  /** Each can be traced to its events. */
  readonly numbers: readonly NamedNumber[]
}

/** What an event adds to a number. */
export type Part = {
  readonly position: number
  readonly stream: string
  readonly at: Instant
  readonly says: string
  readonly amount: string
  /** Amount in minor units. */
  readonly minor: string
}

/** A number, and the events that add up to it. */
export type SumOfParts = {
  readonly name: string
  readonly currency: string
  readonly value: string
  readonly parts: readonly Part[]
  /** Parts that are not listed because there are too many. */
  readonly others?: { readonly count: number; readonly amount: string }
  /**
   * Whether it equals what the service recorded or answers; null if there is nothing to compare.
   */
  readonly agrees: boolean | null
  readonly says: string
}

export type Needs = Pick<ExplainNeeds, 'store' | 'openAddress' | 'texts'>

export const attempts = async ({ store, texts }: Needs, message: string): Promise<Told[]> => {
  const told: Told[] = []
  for await (const events of historyOf(store, streamOf(callbacks, message)))
    for (const event of events)
      told.push({ at: event.metadata.at, says: eventInWords(event, '', texts) })
  return told
}

/** Who was told of an event, when, and what they answered. */
export const toldOf = async (
  needs: Needs,
  { id, type, metadata }: Recorded,
): Promise<readonly Told[]> => {
  const name = callbackNameOf(type, metadata.schema)
  const told = name === undefined ? [] : await attempts(needs, id)
  const displayed = isDisplayed(type) ? await attempts(needs, displayMessageId(id)) : []
  if (name !== undefined && told.length === 0)
    return [{ at: null, says: needs.texts.callbackNotSent({ event: name }) }, ...displayed]
  return [...told, ...displayed]
}

/** Maximum number of entries in a story; the others are only counted. */
export const mostEntries = 200

export type More = Partial<Pick<Entry, 'numbers' | 'counted' | 'told'>> & {
  readonly currency?: string
}

/** An event as a story entry, including the notifications about it. */
export const entryOf = async (
  needs: Needs,
  event: Recorded,
  { currency, numbers = [], counted = [], told }: More = {},
): Promise<Entry> => {
  const { store, openAddress, texts } = needs
  const { position, stream, revision, id, type, metadata } = event
  return {
    position,
    stream,
    revision,
    id,
    type,
    at: metadata.at,
    who: whoCaused(event, openAddress, texts),
    why: whyCaused(event, texts),
    says: eventInWords(event, currency ?? (await currencyOf(store, event)), texts),
    told: told ?? (await toldOf(needs, event)),
    numbers,
    counted,
  }
}

/** The event of a stream at a position of the log. */
export const eventAt = async (
  { store }: Pick<ExplainNeeds, 'store'>,
  { stream, position }: { readonly stream: string; readonly position: number },
): Promise<Recorded | undefined> => {
  for await (const events of historyOf(store, stream)) {
    const found = events.find((event) => event.position === position)
    if (found) return found
  }
  return undefined
}

export const indented = (lines: readonly string[]): string[] => lines.map((one) => `    ${one}`)

export const entryInWords = (entry: Entry): readonly string[] => {
  const { position, at, says, who, why, numbers, told, counted, type } = entry
  const changes = numbers.map(({ name, from, to }) => `${name} ${from} -> ${to}`)
  return [
    `${formatDateTime(at)}  event ${position}  ${type}: ${says}`,
    ...indented([
      `by ${who}`,
      `why: ${why}`,
      ...(changes.length > 0 ? [`changes ${changes.join(', ')}`] : []),
      ...(counted.length > 0 ? [`counted in ${counted.join(', ')}`] : []),
      ...told.map(
        (one) => `told ${one.at === null ? '' : `${formatDateTime(one.at)} `}${one.says}`,
      ),
    ]),
  ]
}

export const storyInWords = ({ title, says, entries, more, numbers }: Story): string =>
  [
    title,
    ...indented(says),
    ...entries.flatMap(entryInWords),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(numbers.length > 0 ? ['numbers (--number <name> tells what adds up to one):'] : []),
    ...indented(numbers.map(({ name, currency, value }) => `${name} ${value} ${currency}`)),
    '',
  ].join('\n')

export const verdictOf = ({ agrees, says }: SumOfParts): string =>
  agrees === null ? says : `${agrees ? 'it adds up' : 'IT DOES NOT ADD UP'}: ${says}`

export const sumInWords = (title: string, sum: SumOfParts): string => {
  const { name, currency, value, parts, others } = sum
  const all = [...parts.map(({ amount }) => amount), others?.amount ?? '', value]
  const width = Math.max(...all.map(({ length }) => length))
  const row = (amount: string, text: string) => `${amount.padStart(width + 2)}  ${text}`
  return [
    `${name} of ${title}, in ${currency}`,
    ...parts.map(({ amount, at, position, says }) =>
      row(amount, `${formatDateTime(at)}  event ${position}  ${says}`),
    ),
    ...(others ? [row(others.amount, `${others.count} more lines together`)] : []),
    row(value, '='),
    verdictOf(sum),
    '',
  ].join('\n')
}
