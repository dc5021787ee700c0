import { Finding, isSuccess } from './oracle/books.ts'
import { checkFees, type Schedule } from './oracle/fees.ts'
import { checkBalances, checkDays, type Line } from './oracle/lines.ts'
import { minorOf } from './oracle/money.ts'
import {
  checkDisputes,
  checkEcho,
  checkFunding,
  checkMessages,
  checkPaid,
  checkPayouts,
  checkReceipt,
  checkSummary,
  fitting,
  type Entry,
  type Filter,
  type Of,
  type Payout,
} from './oracle/reads.ts'
import { askSafely, type Play } from './known.ts'
import { isShop, timeZones, type Seller } from './furnish.ts'
import { readFeed } from './feed.ts'
import { paymentsOf } from './play.ts'
import { dateIn } from './lists.ts'
import type { Answered, SentRequest, Who } from './world.ts'

/** All entries of a list; undefined if who asks may not ask any more. */
const walkOf =
  (play: Play, as: Who) =>
  async (first: string, name: string): Promise<any[] | undefined> => {
    const all: any[] = []
    for (let path: string | null = first; path !== null;) {
      const { status, body } = await askSafely(play, { method: 'GET', path, as })
      if (status !== 200) return undefined
      all.push(...body[name])
      path = body.next
    }
    return all
  }
type Walk = ReturnType<typeof walkOf>

/** A list by name, where it is, what tells its entries apart, and what it can be asked for. */
type Filtered = readonly [name: string, path: string, id: string, date: string, by: string]

const prefix = '/merchant/v1/'
const lists: readonly Filtered[] = [
  [
    ...(['transactions', `${prefix}transaction/`, 'id', 'date'] as const),
    'ledger report pos_id kind currency tid pos_tid capture_id refund_id settlement_id since until',
  ],
  [
    ...(['payments', `${prefix}payments/`, 'tid', 'date_created'] as const),
    'pos_id pos_tid status customer since until',
  ],
]

/** Each filter by what an entry has, alone and together with the one before, on small pages. */
const checkFilters = async (
  walk: Walk,
  [name, path, id, date, by]: Filtered,
  all: readonly Entry[],
): Promise<void> => {
  let before: Filter = []
  for (const [at, parameter] of by.split(' ').entries()) {
    const usable = all.filter((entry) => parameter in entry && entry[parameter] !== null)
    const isDate = parameter === 'since' || parameter === 'until'
    const entry = (isDate ? all : usable)[(all.length * (at + 3)) % (usable.length + 1)]
    if (!entry) continue
    const filter: Filter = [[parameter, String(entry[isDate ? date : parameter])]]
    for (const wanted of [filter, [...before, ...filter]]) {
      const right = fitting(all, wanted, date).map((one) => one[id])
      const size = Math.max(1, Math.ceil(right.length / 2))
      const order = name === 'transactions' && at % 2 === 0 ? '&order=newest' : ''
      const query = new URLSearchParams(wanted.map(([...one]) => one))
      const found = (await walk(`${path}?${query}&size=${size}${order}`, name)) ?? []
      const ids = found.map((one) => one[id])
      if (order !== '') ids.reverse()
      if (ids.join() !== right.join())
        throw new Finding(
          name === 'payments' ? 'payments' : 'transactions',
          `${path}?${query}${order} finds ${ids.join()}, and ${right.join()} is right`,
        )
    }
    before = filter
  }
}

/** 8.8: sums of days of a part of the lines. */
const checkPartOfDays = async (walk: Walk, lines: readonly Line[], zone: string): Promise<void> => {
  const [first, last] = [lines[Math.floor(lines.length / 3)], lines.at(-1)]
  if (!first || !last) return
  const filters: Filter[] = [
    [['currency', first.currency]],
    [['since', first.date]],
    [
      ['ledger', last.ledger ?? 'default'],
      ['until', last.date],
    ],
  ]
  for (const filter of filters) {
    const query = new URLSearchParams(filter.map(([...one]) => one))
    const days = await walk(`${prefix}transaction/days/?${query}&order=newest&size=3`, 'days')
    checkDays(days?.toReversed() ?? [], fitting(lines, filter, 'date'), dateIn(zone))
  }
}

/** 8.2: a report begins in the log where the one before ended, and so does a settlement. */
const checkRanges = (what: string, oldestFirst: readonly any[]): void => {
  let end = 0
  for (const { log_range: range, checkpoint } of oldestFirst) {
    if (!range) continue
    if ((end > 0 && range.from !== end) || checkpoint.size !== range.to || range.to < range.from)
      throw new Finding('ranges', `a ${what} has ${range.from} to ${range.to}, and ${end} was last`)
    end = range.to
  }
}

const get = async (play: Play, as: Who, path: string): Promise<any> =>
  (await askSafely(play, { method: 'GET', path, as })).body

/** 14.3: there is none before a checkpoint covers it. */
const checkReceiptOf = async (play: Play, as: Who, path: string, lines?: readonly Line[]) => {
  const asked = { method: 'GET', path: `${path}proof/`, as }
  const { status, body, text } = await askSafely(play, asked)
  if (status === 200) checkReceipt(asked.path, body ?? JSON.parse(text), lines)
}

const checkReports = async (play: Play, as: Who, walk: Walk, lines: readonly Line[]) => {
  for (const ledger of (await walk(`${prefix}ledger/`, 'uris')) ?? []) {
    const name = decodeURIComponent(ledger.split('/').at(-2))
    const reports: any[] = []
    for (const uri of (await walk(`${ledger}report/`, 'uris')) ?? []) {
      const report = await get(play, as, uri)
      const own = lines.filter((line) => line.ledger === name && line.report === report.id)
      checkSummary(uri, report.report_summary, own)
      for (const kind of ['capture', 'refund']) {
        const right = own.filter((line) => line.kind === kind).length
        if (report[`payment_${kind}_count`] !== right)
          throw new Finding('summary', `${uri} counts other than ${right} times ${kind}`)
      }
      await checkReceiptOf(play, as, uri, own)
      reports.unshift(report)
    }
    checkRanges('report', reports)
  }
}

const checkSettlements = async (play: Play, as: Who, walk: Walk, lines: readonly Line[]) => {
  const settlements: any[] = []
  for (const uri of (await walk(`${prefix}settlement/`, 'uris')) ?? []) {
    const one = await get(play, as, uri)
    const own = lines.filter((line) => line.settlement_id === one.settlement_id)
    checkSummary(uri, one.settlement_summary, own)
    await checkReceiptOf(play, as, uri, own)
    settlements.unshift(one)
  }
  checkRanges('settlement', settlements)
  const payouts: (Payout & Of)[] = settlements.flatMap((one) =>
    one.payout_details.map((of: Payout) => ({ ...of, settlement_id: one.settlement_id })),
  )
  checkPayouts(payouts, as !== 'sandbox')
  const ordered: any[] = []
  for (const status of ['due', 'ordered', 'paid', 'returned']) {
    const { printed } = await play.world.command('ann', ['payouts', '--status', status])
    ordered.push(...(printed ?? []).filter(({ merchant }: Entry) => merchant === as))
  }
  checkPaid(payouts, lines, ordered)
}

/** 13.7 */
const checkMessagesOf = async (play: Play, shop: Seller, walk: Walk): Promise<void> => {
  const path = `${prefix}callback/`
  const sent = play.world.attempts.filter(({ uri }) => !uri.includes('/events-'))
  const messages = (await walk(path, 'callbacks')) ?? []
  const attemptsOf = (id: string): number => sent.filter((one) => one.id === id).length
  await readFeed(play, shop)
  checkMessages(messages, play.feeds.get(shop)?.messages ?? [], attemptsOf)
  for (const status of ['delivered', 'unaddressed', 'waiting', 'abandoned']) {
    const found = (await walk(`${path}?status=${status}`, 'callbacks')) ?? []
    const right = messages.filter((one) => one.status === status)
    if (found.map(({ id }) => id).join() !== right.map(({ id }) => id).join())
      throw new Finding('messages', `${found.length} are ${status}, and ${right.length} say so`)
  }
  const some = messages[Math.floor(messages.length / 2)]
  if (!some?.resource) return
  const about = await walk(`${path}?resource=${encodeURIComponent(some.resource)}`, 'callbacks')
  const right = messages.filter(({ resource }) => resource === some.resource)
  if (JSON.stringify(about) !== JSON.stringify(right))
    throw new Finding('messages', `of ${some.resource} ${about?.length} are found`)
  const { attempts, body } = await get(play, shop, `${path}${some.id}/`)
  const withoutLinks = (text: string) => text.replaceAll(/"attachment_uri":"[^"]*",?/g, '')
  const first = sent.find(({ id }) => id === some.id)
  const isSame = !first || withoutLinks(first.body) === withoutLinks(body)
  if (!isSame || attempts.length !== some.attempts)
    throw new Finding('messages', `${some.id} has ${attempts.length} attempts, its body: ${body}`)
}

export const feesOf = async ({ world }: Play, merchant: Who): Promise<readonly Schedule[]> =>
  (await world.command('ann', ['fees', 'list', merchant])).printed ?? []

/** Of payments, the newest. */
const mostReceipts = 6

type Seen = Readonly<Record<'disputes' | 'payments', readonly Entry[]>> & {
  readonly lines: readonly Line[]
}

/** What all reads say of a merchant together; undefined if nobody may ask. @throws Finding */
export const checkReads = async (play: Play, as: Who): Promise<Seen | undefined> => {
  const walk = walkOf(play, as)
  const all = new Map<string, any[]>()
  for (const filtered of lists) {
    const [name, path] = filtered
    const entries = await walk(`${path}?size=1000`, name)
    if (!entries) return undefined
    all.set(name, entries)
    await checkFilters(walk, filtered, entries)
  }
  const lines: readonly Line[] = all.get('transactions') ?? []
  checkBalances(lines)
  checkFees(lines, await feesOf(play, as), play.schedules.get(as) ?? [])
  await checkPartOfDays(walk, lines, as === 'sandbox' ? 'UTC' : timeZones[as])
  await checkReports(play, as, walk, lines)
  await checkSettlements(play, as, walk, lines)
  for (const { tid } of (all.get('payments') ?? []).slice(0, mostReceipts))
    await checkReceiptOf(play, as, `${prefix}payment_request/${tid}/`)
  const disputes = (await walk(`${prefix}dispute/`, 'disputes')) ?? []
  if (as !== 'sandbox') await checkMessagesOf(play, as, walk)
  if (isShop(as)) checkDisputes(disputes, await paymentsOf(play, as))
  return { lines, disputes, payments: all.get('payments') ?? [] }
}

/** 10: what no settlement has taken is what the journal owes to merchants. @throws Finding */
export const checkJournal = async (play: Play, lines: readonly Line[]): Promise<void> => {
  const { code, errors, printed } = await play.world.command('ann', ['status'])
  const balances: readonly Entry[] = printed?.trial_balance ?? []
  const days = await play.world.command('ann', ['funding', 'days', '--days', '999'])
  checkFunding(days.printed ?? [], lines, dateIn(timeZones['shop-b']))
  if (code !== 0) throw new Finding('journal', `the status of the service is ${code}: ${errors}`)
  for (const { currency, ...own } of balances) {
    const minor = (name: string): number => minorOf(String(currency), String(own[name] ?? '0'))
    const of = lines.filter((line) => line.currency === currency)
    const sum = (some: readonly Line[], name: 'net' | 'gross' | 'interchange'): number =>
      some.reduce((total, line) => total + minorOf(line.currency, line[name]), 0)
    const right = {
      merchant_payable: -sum(
        of.filter((line) => line.settlement_id === null),
        'net',
      ),
      corrections: sum(
        of.filter((line) => line.kind === 'correction'),
        'gross',
      ),
      interchange: -sum(of, 'interchange'),
      imbalance: 0,
    }
    for (const [name, amount] of Object.entries(right))
      if (minor(name) !== amount)
        throw new Finding(
          'journal',
          `${name} in ${String(currency)} is ${own[name]}, not ${amount}`,
        )
  }
}

const registers = /^\/merchant\/v1\/(?:pos|shortlink|ledger|user|event_destination|application)\//

/** What was written before: the same POST again answers as the first did, and changes nothing. */
const written = new WeakMap<Play, Set<string>>()

/** 1.2: what a register was given is there, and what was removed is not. @throws Finding */
export const checkWritten = async (
  play: Play,
  asked: SentRequest,
  answer: Answered,
): Promise<void> => {
  const { method, path, as, body } = asked
  const [, , , , id] = path.split('/')
  if (as === undefined || !registers.test(path) || !isSuccess(answer.status)) return
  if (path.split('/').length !== (method === 'POST' ? 5 : 6)) return
  const at = method === 'POST' ? `${path}${answer.body?.id}/` : path
  if (method === 'GET' || id === undefined) return
  const { status, body: shown } = await askSafely(play, { method: 'GET', path: at, as })
  const isGone = method === 'DELETE' && !path.includes('/ledger/')
  // A user may just have lost what it may do.
  if (status === 401 || status === 403 || status === 429) return
  if (status !== (isGone ? 404 : 200))
    throw new Finding('fresh', `after ${method} ${path}, ${at} was answered ${status}`)
  if (method === 'DELETE' && !isGone && shown.enabled !== false)
    throw new Finding('written', `after ${method} ${path} it is enabled`)
  const sent = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body
  const known = written.get(play) ?? new Set()
  written.set(play, known)
  // 3.8: the same signature again has no second effect.
  const second = Math.floor(play.world.clock() / 1000) - (asked.secondsAgo ?? 0)
  const signature = [method, path, JSON.stringify(body), second].join(' ')
  const isAgain =
    (method === 'POST' && known.has(at)) || (asked.isSigned === true && known.has(signature))
  known.add(at).add(signature)
  if (status === 200 && !isAgain && sent && typeof sent === 'object')
    checkEcho(at, sent as Entry, shown)
}
