import { Finding, during } from './oracle/books.ts'
import {
  checkBalances,
  checkDays,
  checkLines,
  isListedSo,
  type Day,
  type Line,
  type Listed,
} from './oracle/lines.ts'
import { askSafely, type Play, type Read, type Walk } from './known.ts'
import { byAnyClock, paymentsOf } from './play.ts'
import type { Step } from './steps.ts'
import { timeZones, type Shop } from './furnish.ts'

const page = async (play: Play, shop: Shop, path: string) => {
  const { status, body } = await askSafely(play, { method: 'GET', path, as: shop })
  if (status !== 200) throw new Finding('cursor', `${path} was answered ${status}`)
  return body
}

/** The order of what several nodes have made is that of their clocks. */
const endWalk = ({ ids, right }: Walk, isByClocks = false): void => {
  const told = (list: readonly string[]) => (isByClocks ? list.toSorted() : list).join()
  if (told(ids) !== told(right))
    throw new Finding('cursor', `a walk found ${ids.join()}, and ${right.join()} is right`)
}

const linesPath = '/merchant/v1/transaction/'

/** Lines since the last time, from the cursor that was given then. */
const readOn = async (play: Play, shop: Shop, read: Read, size: number): Promise<void> => {
  const cursor = read.cursor === '' ? '' : `&cursor=${encodeURIComponent(read.cursor)}`
  let path: string | null = `${linesPath}?size=${size}${cursor}`
  while (path !== null) {
    const { transactions, next, next_since: since } = await page(play, shop, path)
    for (const line of transactions) {
      if (read.lines.some(({ id }) => id === line.id))
        throw new Finding('cursor', `line ${line.id} came twice`)
      read.lines.push(line)
    }
    if ((next === null) === (since === null))
      throw new Finding('nextSince', `next is ${next} and next_since ${since}`)
    path = next
    read.cursor = since ?? read.cursor
  }
}

/** One page of a walk from the newest line; later lines are none of it. */
const walkNewest = async (play: Play, shop: Shop, read: Read, size: number): Promise<void> => {
  const walk = (read.newest ??= {
    next: `${linesPath}?order=newest&size=${size}`,
    ids: [],
    right: read.lines.map(({ id }) => id).toReversed(),
  })
  if (walk.next === null) return
  const { transactions, next } = await page(play, shop, walk.next)
  walk.ids.push(...transactions.map(({ id }: Line) => id))
  walk.next = next
  if (next !== null) return
  delete read.newest
  endWalk(walk)
}

export const dateIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  return (date: string): string => format.format(Date.parse(`${date.replace(' ', 'T')}Z`))
}

export const readLines = async (
  play: Play,
  { shop, size }: Extract<Step, { do: 'transactions' }>,
): Promise<void> => {
  const read = play.lists.get(shop) as Read
  await readOn(play, shop, read, size)
  play.tell(`${shop} reads its lines, ${size} at a time → ${read.lines.length}`)
  const own = play.corrections.filter((one) => one.shop === shop)
  checkLines(read.lines, await paymentsOf(play, shop), own)
  checkBalances(read.lines)
  await walkNewest(play, shop, read, size)
  const days: Day[] = []
  for (let path: string | null = `${linesPath}days/?size=${size}`; path !== null;) {
    const found: { days: Day[]; next: string | null } = await page(play, shop, path)
    days.push(...found.days)
    path = found.next
  }
  checkDays(days, read.lines, dateIn(timeZones[shop]))
}

const paymentsPath = '/merchant/v1/payments/'

/** Each payment may be as it is listed. @throws Finding */
const checkListed = (play: Play, listed: readonly Listed[], from: number): void => {
  const byTid = new Map([...play.payments.values()].map((known) => [known.tid, known]))
  for (const one of listed) {
    const known = byTid.get(one.tid)
    const possible = known && during(known.possible, play.world.span(from))
    const lawful = possible?.filter(isListedSo(one)) ?? []
    if (!known || lawful.length === 0)
      throw new Finding('payments', `it is listed as ${JSON.stringify(one)}`)
    known.possible = byAnyClock(play, possible ?? [], lawful)
  }
}

/** One page of a walk over all payments, and those of one status at once. */
export const findPayments = async (
  play: Play,
  { shop, size, status }: Extract<Step, { do: 'payments' }>,
): Promise<void> => {
  const read = play.lists.get(shop) as Read
  const own = [...play.payments.values()].filter((known) => known.shop === shop)
  const walk = (read.payments ??= {
    next: `${paymentsPath}?size=${size}`,
    ids: [],
    right: own.map(({ tid }) => tid).toReversed(),
  })
  const from = play.world.now()
  const { payments, next } = await page(play, shop, walk.next ?? '')
  checkListed(play, payments, from)
  walk.ids.push(...payments.map(({ tid }: Listed) => tid))
  walk.next = next
  play.tell(`${shop} finds payments, ${size} at a time → ${walk.ids.length}`)
  if (next === null) {
    delete read.payments
    endWalk(walk, play.world.nodes.length > 1)
  }
  const at = play.world.now()
  const found = await page(play, shop, `${paymentsPath}?status=${status}&size=1000`)
  checkListed(play, found.payments, at)
  const tids = new Set(found.payments.map(({ tid }: Listed) => tid))
  for (const known of own) {
    const possible = during(known.possible, play.world.span(at))
    const isMissing = !tids.has(known.tid) && possible.every((one) => one.status === status)
    if (isMissing || (tids.has(known.tid) && !possible.some((one) => one.status === status)))
      throw new Finding('payments', `of ${status} payments, payment ${known.n} is wrong`)
  }
}
