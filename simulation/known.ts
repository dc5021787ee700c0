import { Finding, type Possible } from './oracle/books.ts'
import type { Seen } from './oracle/fees.ts'
import type { Correction, Line } from './oracle/lines.ts'
import type { Code } from './oracle/codes.ts'
import type { Sale } from './oracle/links.ts'
import { newNames, type Names } from './names.ts'
import { shops, stall, type Seller, type Shop } from './furnish.ts'
import type { Answered, SentRequest, Who, World } from './world.ts'

/** A payment request that a step has made. */
export type Known = {
  readonly n: number
  readonly shop: Shop
  readonly tid: string
  readonly body: Readonly<Record<string, unknown>>
  possible: Possible
}

export type Registered = { readonly n: number; readonly shop: Shop; readonly id: string }

/** A list that is walked from step to step, while others write. */
export type Walk = {
  next: string | null
  readonly ids: string[]
  readonly right: readonly string[]
}

/** What a shop has read of its lines, by the cursor that it got. */
export type Read = { cursor: string; readonly lines: Line[]; newest?: Walk; payments?: Walk }

/** Attempts are counted from the beginning of the world. */
type Replay = { readonly since: string; readonly attempts: number; readonly until: number }

/** An event destination (13.10) as its merchant knows it. */
export type Destination = {
  readonly n: number
  readonly shop: Shop
  readonly uri: string
  readonly events: readonly string[]
  /** How much of the feed there was before the request, and when it was answered. */
  readonly registered: { readonly from: number; readonly to: number }
  readonly replays: Replay[]
  isEnabled: boolean
  /** When it was removed, in the world's steady milliseconds. */
  removed: number | undefined
}

/** A message of the feed (13.8). */
export type Told = Readonly<Record<'id' | 'event' | 'timestamp' | 'about', string>>

export type Feed = {
  cursor: string
  readonly messages: Told[]
  readonly events: Map<string, string[]>
}

/** A browser without scripts, and the page that it shows. */
export type Browser = {
  readonly cookies: Map<string, string>
  page: { readonly path: string; readonly html: string }
}

/** A payment link (18.1), and what its page must say. */
export type PaymentLink = {
  readonly n: number
  readonly id: string
  readonly text: string
  /** In øre. */
  readonly amount: number
  sale: Sale
}

/** A code of the stall, by the number that steps have for it. */
export type PlacedCode = { readonly id: string; code: Code }

export type Play = {
  readonly world: World
  readonly payments: Map<number, Known>
  readonly registered: Map<number, Registered>
  readonly openReport: Map<Shop, number>
  readonly feeds: Map<Seller, Feed>
  readonly destinations: Map<number, Destination>
  readonly lists: Map<Shop, Read>
  readonly corrections: (Correction & { readonly shop: Shop })[]
  /** How many fee schedules a merchant had when the operator set one. */
  readonly schedules: Map<Who, Seen[]>
  readonly names: Names
  readonly browsers: Map<string, Browser>
  readonly links: Map<number, PaymentLink>
  readonly codes: Map<number, PlacedCode>
  /** Of the apps of those who open payment links. */
  readonly tokens: Map<string, string>
  readonly tell: (line: string) => void
  /** Of commands, whose refusals are in no answer. */
  readonly onRefusal: (text: string) => void
  faults: number
}

export const newPlay = (
  world: World,
  tell: (line: string) => void,
  onRefusal: (text: string) => void,
): Play => ({
  world,
  payments: new Map(),
  registered: new Map(),
  openReport: new Map(shops.map((shop) => [shop, 1])),
  feeds: new Map(
    ([...shops, stall] as const).map((shop) => [
      shop,
      { cursor: '', messages: [], events: new Map() },
    ]),
  ),
  destinations: new Map(),
  lists: new Map(shops.map((shop) => [shop, { cursor: '', lines: [] }])),
  corrections: [],
  schedules: new Map(),
  names: newNames(),
  browsers: new Map(),
  links: new Map(),
  codes: new Map(),
  tokens: new Map(),
  tell,
  onRefusal,
  faults: 0,
})

/** What is recorded from now on. */
export const eventsSince = async ({ world }: Play) => {
  const from = await world.machine.until(world.store.head())
  return () => world.machine.until(world.eventsAfter(from))
}

/** What counts, whatever the answer: a code, a failure to sign in, a visit, a channel's name. */
const counted: readonly string[] = [
  ...['PayerCodeConfirmed', 'PayerSignInFailed', 'ChannelRegistered'],
  ...['StaffVisited', 'OperatorVisited'],
]

/** Interface 6: a 4xx has changed nothing. @throws Finding */
export const askUnchanged = async (play: Play, asked: SentRequest): Promise<Answered> => {
  const since = await eventsSince(play)
  const answer = await askSafely(play, asked)
  if (answer.status < 400) return answer
  const { requestId, status } = answer
  const done = (await since()).filter(
    ({ type, metadata }) => metadata['correlationId'] === requestId && !counted.includes(type),
  )
  if (done.length > 0)
    throw new Finding(
      'unchanged',
      `${asked.method} ${asked.path} was answered ${status}, but there is a ${done[0]?.type}`,
    )
  return answer
}

/** Interface 6: no answer is a bug. @throws Finding */
export const askSafely = async ({ world }: Play, asked: SentRequest): Promise<Answered> => {
  const answer = await world.ask(asked)
  if (answer.status >= 500)
    throw new Finding('noBug', `${asked.method} ${asked.path} was answered ${answer.status}`)
  return answer
}
