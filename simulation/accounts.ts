import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { during, Finding, sumsOf, checkTotals } from './oracle/books.ts'
import { minorOf } from './oracle/money.ts'
import type { Payment } from './oracle/payment.ts'
import { create, endOutages, longestOutage, paymentsOf, playPayment, read } from './play.ts'
import { playAct } from './acts.ts'
import { playVisit } from './visitors.ts'
import { checkDestination, enable, playDestination } from './destinations.ts'
import { feed, readFeed, resourceOf, tellsSo } from './feed.ts'
import { askSafely, type Play } from './known.ts'
import { checkCodes, playCode } from './codes.ts'
import { checkLinks, makeLink, playLink } from './links.ts'
import { findPayments, readLines } from './lists.ts'
import { correct } from './operator.ts'
import { checkPages } from './pages.ts'
import { checkJournal, checkReads, checkWritten } from './reads.ts'
import type { Numbered, Step } from './steps.ts'
import { isShop, shops, stall, type Shop } from './furnish.ts'
import type { SentRequest } from './world.ts'

const get = async (play: Play, shop: Shop, path: string, about: Rule = 'fresh') => {
  const { status, body } = await askSafely(play, { method: 'GET', path, as: shop })
  if (status !== 200) throw new Finding(about, `${path} was answered ${status}`)
  return body
}
type Rule = Finding['rule']

const equals = (rule: Rule, what: string, found: unknown, right: unknown): void => {
  if (found !== right) throw new Finding(rule, `${what} is ${found} and should be ${right}`)
}

/** All entries of a list; interface 1.2: a hundred a page. */
const walk = async (play: Play, shop: Shop, path: string): Promise<readonly string[]> => {
  const uris: string[] = []
  for (let next: string | null = path; next !== null;) {
    const page = await get(play, shop, next, 'lists')
    if (page.uris.length > 100) throw new Finding('lists', `a page has ${page.uris.length} entries`)
    uris.push(...page.uris)
    next = page.next
  }
  return uris
}

type SummaryReply = Readonly<Record<'currency' | 'gross' | 'net', string>> & {
  readonly fees: readonly { readonly amount: string }[]
}

/** Of corrections (10.2), which no payment has. */
const correctedIn = (play: Play, shop: Shop, currency: string, report?: number): number =>
  play.corrections
    .filter((one) => one.shop === shop && one.currency === currency)
    .filter((one) => report === undefined || one.report === report)
    .reduce((sum, { amount }) => sum + amount, 0)

const grossOf = (summary: readonly SummaryReply[], currency: string): number =>
  summary
    .filter((entry) => entry.currency === currency)
    .reduce((sum, { gross }) => sum + minorOf(currency, gross), 0)

export const currencies = ['NOK', 'JPY', 'KWD'] as const

const checkNet = ({ currency, gross, net, fees }: SummaryReply): void => {
  const minor = (text: string) => minorOf(currency, text)
  const charged = fees.reduce((sum, { amount }) => sum + minor(amount), 0)
  equals('net', `net of ${currency}`, minor(net), minor(gross) - charged)
}

/** The summary of a closed report against the lines that were open with it. @throws Finding */
const checkReport = async (play: Play, shop: Shop, number: number): Promise<void> => {
  const report = await get(play, shop, `/merchant/v1/ledger/default/report/${number}/`)
  equals('closedReport', `report ${number}`, report.status, 'closed')
  const payments = await paymentsOf(play, shop)
  report.report_summary.forEach(checkNet)
  const all = currencies.map((currency) => sumsOf(payments, currency, number))
  for (const [at, { gross }] of all.entries()) {
    const currency = currencies[at] ?? ''
    const what = `gross of ${currency} in report ${number}`
    const right = gross + correctedIn(play, shop, currency, number)
    equals('openReport', what, grossOf(report.report_summary, currency), right)
  }
  for (const kind of ['captures', 'refunds'] as const) {
    const found = report[kind === 'captures' ? 'payment_capture_count' : 'payment_refund_count']
    const right = all.reduce((sum, sums) => sum + sums[kind], 0)
    equals('openReport', `the number of ${kind} in report ${number}`, found, right)
  }
}

const closeReport = async (play: Play, shop: Shop): Promise<void> => {
  const number = play.openReport.get(shop) ?? 1
  const path = `/merchant/v1/ledger/default/report/${number}/`
  const { status } = await askSafely(play, { method: 'PUT', path, body: {}, as: shop })
  play.tell(`${shop} closes report ${number} → ${status}`)
  equals('closedReport', 'the answer', status, 204)
  play.openReport.set(shop, number + 1)
  await play.world.advanceTo(play.world.now() + 1000)
  await checkReport(play, shop, number)
}

/** Interface 10: each line is in exactly one settlement. @throws Finding */
const settle = async (play: Play, shop: Shop): Promise<void> => {
  const body = { merchant: shop }
  const sent: SentRequest = { method: 'POST', path: '/sandbox/v1/settlement/', body }
  const { status } = await askSafely(play, sent)
  play.tell(`the operator settles ${shop} → ${status}`)
  equals('settledOnce', 'the answer', status, 204)
  const sums = new Map<string, number>()
  for (const uri of await walk(play, shop, '/merchant/v1/settlement/')) {
    const { settlement_summary: summary } = await get(play, shop, uri)
    summary.forEach(checkNet)
    for (const currency of currencies)
      sums.set(currency, (sums.get(currency) ?? 0) + grossOf(summary, currency))
  }
  const payments = await paymentsOf(play, shop)
  for (const currency of currencies) {
    const { gross } = sumsOf(payments, currency, 'all')
    const right = gross + correctedIn(play, shop, currency)
    equals('settledOnce', `gross of all settlements in ${currency}`, sums.get(currency) ?? 0, right)
  }
}

const posPath = '/merchant/v1/pos/'

const register = async (
  play: Play,
  { n, shop, id }: Extract<Step, { do: 'register' }> & Numbered,
) => {
  const body = { id, name: `POS ${id}`, type: 'store' }
  const { status } = await askSafely(play, { method: 'POST', path: posPath, body, as: shop })
  play.tell(`${shop} makes the point of sale ${id} → ${status}`)
  equals('made', 'the answer', status, 201)
  play.registered.set(n, { n, shop, id })
}

const unregister = async (play: Play, of: number): Promise<void> => {
  const known = play.registered.get(of)
  if (!known) return
  const { shop, id } = known
  const asked: SentRequest = {
    method: 'DELETE',
    path: `${posPath}${id}/`,
    as: shop,
    isSigned: true,
  }
  const { status } = await askSafely(play, asked)
  play.tell(`${shop} removes the point of sale ${id} → ${status}`)
  equals('level', 'the answer', status, 204)
  play.registered.delete(of)
  const gone = await askSafely(play, { method: 'GET', path: `${posPath}${id}/`, as: shop })
  equals('fresh', 'the answer for what was removed', gone.status, 404)
}

const list = async (play: Play, shop: Shop): Promise<void> => {
  const uris = await walk(play, shop, posPath)
  const own = [...play.registered.values()].filter((one) => one.shop === shop)
  const right = [...own.map(({ id }) => `${posPath}${id}/`).toReversed(), `${posPath}till/`]
  play.tell(`${shop} lists its points of sale → ${uris.length}`)
  equals('walk', 'the list of points of sale', uris.join(), right.join())
}

const signIn =
  'nobody POST /payer/v1/session/ {"phone":"+4799999901","pin":"1234","code":"{code:alice}"}' +
  ' -> alice=token'

/** 12: what waits for an answer of a payer, and what has got one. @throws Finding */
const checkInbox = async (play: Play): Promise<void> => {
  const { world, names } = play
  await playAct(play, { do: 'act', act: signIn, seed: 0, n: 0 })
  const headers = { Authorization: `Bearer ${String(names.get('alice')?.at(-1))}` }
  const from = world.now()
  const listed = async (name: 'request' | 'history'): Promise<readonly string[] | undefined> => {
    const uris: string[] = []
    for (let path = `/payer/v1/${name}/`; path !== null;) {
      const { status, body } = await askSafely(play, { method: 'GET', path, headers })
      if (status !== 200) return undefined
      uris.push(...body.uris)
      path = body.next
    }
    return uris.map((uri) => uri.split('/').at(-2) ?? '')
  }
  const [waiting, history] = [await listed('request'), await listed('history')]
  if (!waiting || !history) return
  const own = [...play.payments.values()].filter(({ body }) => body['customer'] === '+4799999901')
  for (const known of own) {
    const possible = during(known.possible, world.span(from))
    const isNever = possible.every(({ status }) => status !== 'pending')
    const isSo = possible.every(({ status }) => status === 'pending')
    const isShown = waiting.includes(known.tid)
    if (isShown ? isNever : isSo)
      throw new Finding('inbox', `payment ${known.n} waits for alice: ${isShown}`)
    const isAnswered = ({ code, callbacks }: Payment): boolean =>
      code === 5006 || callbacks.includes('payment_authorized')
    const isPast = history.includes(known.tid)
    if (isPast ? isSo : possible.every(isAnswered))
      throw new Finding('inbox', `alice has answered payment ${known.n}: ${isPast}`)
  }
  play.tell(`alice sees what waits → ${waiting.length}`)
}

/** A restart; without its read models the service folds them again. */
const restart = async (play: Play, forgets: boolean): Promise<void> => {
  play.faults += 1
  play.tell(`the service restarts${forgets ? ' without its read models' : ''}`)
  await play.world.restart((folder) => {
    if (forgets) rmSync(join(folder, 'read-models'), { recursive: true, force: true })
  })
}

const ask = async (play: Play, step: Extract<Step, { do: 'ask' }>): Promise<void> => {
  const { method, path, as, isSigned, type, body } = step
  const headers = type === undefined ? {} : { 'Content-Type': type }
  const asked: SentRequest = { method, path, body, as, isSigned, headers }
  const answer = await askSafely(play, asked)
  play.tell(
    `${as ?? 'somebody'}: ${method} ${path} ${(body ?? '').slice(0, 200)} → ${answer.status}`,
  )
  await checkWritten(play, asked, answer)
}

/**
 * @throws Finding, or another Error that the service has thrown
 * Long because it lists all steps.
 */
export const playStep = async (play: Play, step: Numbered): Promise<void> => {
  const { world } = play
  switch (step.do) {
    case 'create':
      return create(play, step)
    case 'unregister':
      return unregister(play, step.of)
    case 'feed':
      return feed(play, step.shop)
    case 'close report':
      return closeReport(play, step.shop)
    case 'settle':
      return settle(play, step.shop)
    case 'register':
      return register(play, step)
    case 'correct':
      return correct(play, step)
    case 'destination':
    case 'change destination':
      return playDestination(play, step)
    case 'transactions':
      return readLines(play, step)
    case 'payments':
      return findPayments(play, step)
    case 'list':
      await checkInbox(play)
      return list(play, step.shop)
    case 'advance':
      play.tell(`the clock moves by ${step.seconds} s`)
      if (step.seconds > longestOutage) endOutages(play)
      return void (await world.advanceTo(world.now() + step.seconds * 1000))
    case 'pass':
      return world.machine.pass(step.ms)
    case 'jump':
      play.faults += 1
      play.tell(`the clock of the machine jumps by ${step.ms} ms`)
      return world.machine.jumpClock(step.ms)
    case 'restart':
      return restart(play, step.forgets)
    case 'kill':
    case 'freeze':
      play.faults += 1
      play.tell(`a node: ${step.do}`)
      return world.disturb(step.do, step.steps)
    case 'store fails':
      play.faults += 1
      play.tell(`the event store: ${step.fault} for ${step.ms} ms`)
      return world.failStore(step.fault, step.ms)
    case 'receivers fail':
      play.tell(`of callbacks a share of ${step.share} fails`)
      return world.receivers.fail(step.share)
    case 'bank fails':
      play.tell(`of what the bank is told a share of ${step.share} fails`)
      return world.bank.fail(step.share)
    case 'make link':
      return makeLink(play, step)
    case 'code':
      return playCode(play, step)
    case 'link':
      return playLink(play, step)
    case 'ask':
      return ask(play, step)
    case 'act':
      return playAct(play, step)
    case 'visit':
      return playVisit(play, step)
    default:
      return playPayment(play, step)
  }
}

const withoutClaims = (body: string): string => {
  const { object, ...rest } = JSON.parse(body)
  return JSON.stringify({ ...rest, object: { ...object, user_info: null } })
}

/** In order for each resource, with the same bytes each time, and each event taken. */
const checkCallbacks = (play: Play): void => {
  const bodies = new Map<string, string>()
  const taken = new Map<string, string[]>()
  for (const { id, uri, body, isTaken } of play.world.attempts) {
    const { meta } = JSON.parse(body)
    // 13.2: the settlements of a merchant count as one resource.
    const queue = uri.includes('/events-') ? uri : ''
    const about = `${queue} ${meta.merchant_id} ${resourceOf(meta.uri)}`
    const withoutLinks = body.replaceAll(/"attachment_uri":"[^"]*",?/g, '')
    const earlier = bodies.get(id) ?? withoutLinks
    // 17.4: whoever was erased or has withdrawn consent since has no claims.
    if (earlier !== withoutLinks && withoutClaims(earlier) !== withoutLinks)
      throw new Finding('callbackBytes', `${meta.event} of ${about} was sent with other bytes`)
    bodies.set(id, withoutLinks)
    // What has no address counts in `seqno`, and only shops always give one.
    if (!isShop(meta.merchant_id)) continue
    const events = taken.get(about) ?? []
    if (!uri.includes('/events-') && meta.seqno > events.length + 1)
      throw new Finding('callbackOrder', `message ${meta.seqno} of ${about} came too early`)
    if (isTaken && meta.seqno === events.length + 1) taken.set(about, [...events, meta.event])
  }
  for (const { tid, possible, n } of play.payments.values()) {
    const [uri = ''] = [...taken.keys()].filter((one) => one.includes(tid) && one.startsWith(' '))
    const events = taken.get(uri) ?? []
    const right = possible[0] as Payment
    const isAll = tellsSo(events, right) && events.length === right.callbacks.length
    const told = isAll ? right.callbacks : events
    equals('callbackDue', `what the receiver of payment ${n} took`, `${told}`, `${right.callbacks}`)
  }
}

/** How often the clock moves until all that is due must be done. */
const patience = { times: 16, hours: 5 }

const letPass = async ({ world }: Play, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await world.advanceTo(world.now() + patience.hours * 3_600_000)
    await world.machine.pass(1_000)
  }
}

/** Of the sandbox nobody has predicted what there is, but what is read still adds up. */
const checkAllReads = async (play: Play): Promise<void> => {
  await play.world.command('ann', ['merchant', 'enable', 'sandbox'])
  // Some payouts of each world are due, others ordered, paid or returned.
  const due = ['ann settle sandbox --pain001 {folder}/payouts-{n}.xml', 'bank paid']
  const acts = [...due, 'bank returned', ...due].slice(0, play.payments.size % 6)
  for (const [at, act] of acts.entries())
    await playAct(play, { do: 'act', act, seed: at, n: 1e6 + at })
  // What was folded one by one is the same when all of it is folded again.
  if (play.payments.size % 2 === 0) await restart(play, true)
  await checkLinks(play)
  await checkCodes(play)
  const seen = []
  for (const as of [...shops, stall, 'sandbox'] as const) seen.push(await checkReads(play, as))
  const all = seen.flatMap((one) => one ?? [])
  // A merchant whose users are gone cannot be read, and the journal is that of all.
  if (all.length === seen.length)
    await checkJournal(
      play,
      all.flatMap(({ lines }) => lines),
    )
  const [ofStall, sandbox] = seen.slice(-2)
  const disputes = all.flatMap((one) => one.disputes)
  if (sandbox) await checkPages(play, { ...sandbox, disputes, ofStall: ofStall?.lines ?? [] })
}

/** When faults have ended, all that is due is done, and all books agree. @throws Finding */
export const checkEnd = async (play: Play): Promise<void> => {
  const { world } = play
  play.tell('all faults end')
  endOutages(play)
  for (const one of play.destinations.values())
    if (!one.isEnabled && one.removed === undefined) await enable(play, one, true)
  await letPass(play, patience.times)
  for (const known of play.payments.values()) {
    const payment = await read(play, known, true)
    checkTotals(payment, (kind) => world.bank.moved(payment.tid, kind))
  }
  for (const shop of shops) {
    await feed(play, shop)
    for (const status of ['pending', 'auth', 'ok', 'fail'] as const)
      await findPayments(play, { do: 'payments', shop, size: 100, status })
    await readLines(play, { do: 'transactions', shop, size: 100 })
    await list(play, shop)
    await closeReport(play, shop)
    for (let number = 1; number < (play.openReport.get(shop) ?? 1); number += 1)
      await checkReport(play, shop, number)
    await settle(play, shop)
  }
  await checkAllReads(play)
  await letPass(play, 1)
  // Some may have expired since they were read.
  for (const known of play.payments.values()) await read(play, known, true)
  checkCallbacks(play)
  for (const one of play.destinations.values())
    checkDestination(play, one, await readFeed(play, one.shop))
}
