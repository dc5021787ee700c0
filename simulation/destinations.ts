import { Finding } from './oracle/books.ts'
import { readFeed } from './feed.ts'
import { askSafely, type Destination, type Play, type Told } from './known.ts'
import type { Numbered, Step } from './steps.ts'
import type { SentRequest } from './world.ts'

const path = '/merchant/v1/event_destination/'
/** An attempt that began before a destination was removed arrives within this (13.10). */
const underWayMs = 1_000

const matches = ({ events }: Destination, { event }: Told): boolean =>
  events.includes('*') || events.includes(event)

const ask = async (play: Play, told: string, asked: SentRequest, right: number) => {
  const { status, text } = await askSafely(play, asked)
  play.tell(`${asked.as} ${told} → ${status}`)
  if (status !== right) throw new Finding('destination', `${told} was answered ${status}: ${text}`)
}

const register = async (
  play: Play,
  { n, shop, events, signature }: Extract<Step, { do: 'destination' }> & Numbered,
): Promise<void> => {
  const uri = `https://${shop}.example/events-${n}`
  const body = { id: `events-${n}`, uri, events, signature }
  const from = await readFeed(play, shop)
  await ask(play, `adds ${uri} for ${events}`, { method: 'POST', path, body, as: shop }, 201)
  const registered = { from: from.length, to: (await readFeed(play, shop)).length }
  const about = { n, shop, uri, events, registered, replays: [] }
  play.destinations.set(n, { ...about, isEnabled: true, removed: undefined })
}

export const enable = async (play: Play, one: Destination, enabled: boolean): Promise<void> => {
  const asked: SentRequest = {
    method: 'PUT',
    path: `${path}events-${one.n}/`,
    body: { enabled },
    as: one.shop,
  }
  await ask(play, `${enabled ? 'enables' : 'disables'} ${one.uri}`, asked, 204)
  one.isEnabled = enabled
}

const replay = async (play: Play, one: Destination, seconds: number): Promise<void> => {
  const { shop, uri, n } = one
  const at = new Date(play.world.now() - seconds * 1000)
  const since = at.toISOString().slice(0, 19).replace('T', ' ')
  const until = (await readFeed(play, shop)).length
  // One asked for while another is under way joins it, and does not send again what that has sent.
  const attempts = one.replays.at(-1)?.attempts ?? play.world.attempts.length
  const asked: SentRequest = { method: 'POST', path: `${path}events-${n}/replay/`, body: { since } }
  await ask(play, `replays ${uri} since ${since}`, { ...asked, as: shop }, 204)
  one.replays.push({ since, attempts, until })
}

const remove = async (play: Play, one: Destination): Promise<void> => {
  const asked: SentRequest = { method: 'DELETE', path: `${path}events-${one.n}/`, as: one.shop }
  await ask(play, `removes ${one.uri}`, { ...asked, isSigned: true }, 204)
  one.removed = play.world.steady()
}

type Of = Extract<Step, { do: 'destination' | 'change destination' }>

export const playDestination = async (play: Play, step: Of & Numbered): Promise<void> => {
  if (step.do === 'destination') return register(play, step)
  const one = play.destinations.get(step.of)
  if (!one || one.removed !== undefined) return
  if (step.way === 'remove') return remove(play, one)
  if (step.way === 'replay') return replay(play, one, step.seconds)
  return enable(play, one, step.way === 'enable')
}

/** All that matches was taken, in order for each payment, and again where it was replayed. */
export const checkDestination = (play: Play, one: Destination, feed: readonly Told[]): void => {
  const { uri, registered, replays, removed } = one
  const attempts = play.world.attempts.map((attempt, at) => ({ ...attempt, at }))
  const own = attempts.filter((attempt) => attempt.uri === uri)
  const late = removed !== undefined && own.find(({ time }) => time > removed + underWayMs)
  if (late) throw new Finding('destination', `${uri} got ${late.body} after it was removed`)
  const places = new Map(feed.map(({ id }, place) => [id, place]))
  const taken = new Map<string, number>()
  for (const { id, at, isTaken } of own) {
    const place = places.get(id)
    const message = place === undefined ? undefined : feed[place]
    const isDue = replays.length > 0 || (place ?? -1) >= registered.from
    if (!message || !matches(one, message) || !isDue)
      throw new Finding('destination', `${uri} got ${message?.event}, which is not for it`)
    // Of a replay from between both, which does not wait for what is tried again (13.10).
    const isReplayedWithout = (earlier: Told): boolean =>
      replays.some(
        ({ since, attempts }) =>
          at >= attempts && message.timestamp >= since && earlier.timestamp < since,
      )
    const skipped = feed.find(
      (earlier, from) =>
        from >= registered.to &&
        from < (place ?? 0) &&
        earlier.about === message.about &&
        matches(one, earlier) &&
        !taken.has(earlier.id) &&
        !isReplayedWithout(earlier),
    )
    if (skipped) throw new Finding('callbackOrder', `${uri} got ${id} before ${skipped.id}`)
    if (isTaken) taken.set(id, at)
  }
  if (removed !== undefined) return
  const isMissing = (message: Told, place: number): boolean => {
    const isReplayed = (since: string, until: number) => place < until && message.timestamp >= since
    const from = Math.max(
      place >= registered.to ? 0 : -1,
      ...replays.flatMap((r) => (isReplayed(r.since, r.until) ? [r.attempts] : [])),
    )
    return matches(one, message) && from >= 0 && (taken.get(message.id) ?? -1) < from
  }
  const missing = feed.find(isMissing)
  if (missing) throw new Finding('destination', `${uri} did not get ${missing.event} ${missing.id}`)
}
