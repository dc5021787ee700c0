import {
  afterAnswer,
  afterOutcome,
  afterSilence,
  during,
  Finding,
  isSuccess,
  type OutcomeReply,
  type Possible,
} from './oracle/books.ts'
import { moneyText } from './oracle/money.ts'
import {
  answered,
  captured,
  made,
  refunded,
  released,
  renewed,
  type Expected,
  type Payment,
  type RequestedPart,
} from './oracle/payment.ts'
import { dispute } from './operator.ts'
import type { Fault, Numbered, Step } from './steps.ts'
import { askSafely, type Known, type Play, type Registered } from './known.ts'
import { refusedUnits } from './receivers.ts'
import { shops, type Shop } from './furnish.ts'
import type { Answered, SentRequest } from './world.ts'

const phones = { alice: '+4799999901', bob: '+4799999902', nobody: '+4711111111' }

type Create = Extract<Step, { readonly do: 'create' }>
const createBody = ({
  n,
  currency,
  amount,
  extra,
  seconds,
  customer,
  shop,
  pos,
}: Create & Numbered) => ({
  pos_id: pos ?? 'till',
  pos_tid: `order-${n}`,
  action: 'auth',
  currency,
  amount: moneyText(currency, amount),
  additional_amount: moneyText(currency, extra),
  allow_credit: false,
  expires_in: seconds,
  customer: phones[customer],
  callback_uri: `https://${shop}.example/hook`,
})

const paymentPath = (tid: string): string => `/merchant/v1/payment_request/${tid}/`

/**
 * Asks as a merchant would whose first request met a fault. Returns what a failing disk let
 * through; else nobody knows.
 */
const askFirst = async (
  play: Play,
  asked: SentRequest,
  fault: Fault,
): Promise<Answered | undefined> => {
  play.faults += 1
  if (typeof fault !== 'object') await askSafely(play, asked)
  else if ('killedAfter' in fault) await play.world.askAndKill(asked, fault.killedAfter)
  else if ('frozenAfter' in fault) await play.world.askAndFreeze(asked, fault.frozenAfter)
  else {
    const { world } = play
    const answer =
      'disk' in fault
        ? await world.askOnDisk(asked, fault.disk)
        : await world.askOnStore(asked, fault.store, fault.ms)
    if (answer.status < 500) return answer
    if (answer.status !== 503)
      throw new Finding('noBug', `a failure below was answered ${answer.status}`)
  }
  return undefined
}

const post = '/merchant/v1/payment_request/'

const create = async (play: Play, step: Create & Numbered): Promise<void> => {
  const { n, shop, currency, seconds, customer } = step
  const body = createBody(step)
  const asked: SentRequest = { method: 'POST', path: post, body, as: shop }
  const from = play.world.now()
  if (step.fault !== undefined) await askFirst(play, asked, step.fault)
  const answer = await askSafely(play, asked)
  const isThere = (one: Registered): boolean => one.shop === shop && one.id === step.pos
  const hasPos = step.pos === undefined || [...play.registered.values()].some(isThere)
  play.tell(`${shop} asks ${customer} for ${body.amount} ${currency} → ${answer.status}`)
  if (answer.status !== (hasPos ? 201 : 400))
    throw new Finding(
      hasPos ? 'made' : 'unknownPos',
      `a payment request was answered ${answer.status}: ${answer.text}`,
    )
  if (answer.status !== 201) return
  const tid = String(answer.body.id)
  if (!answer.location?.endsWith(paymentPath(tid)))
    throw new Finding('made', `Location is ${answer.location} for the id ${tid}`)
  const about = { tid, currency, seconds, requested: { amount: step.amount, extra: step.extra } }
  // A request that met a fault may have been made when it was first sent.
  const span = play.world.span(from)
  const [first, latest] = [made(about, span.from), made(about, span.to)]
  const possible = [{ ...first, expires: { from: first.expires.from, to: latest.expires.to } }]
  const known = customer === 'nobody' ? possible.map(failedAtOnce) : possible
  play.payments.set(n, { n, shop, tid, body, possible: known })
  if (step.fault !== undefined) await read(play, play.payments.get(n) as Known, true)
}

/** Interface 2.4: an identifier that names nobody fails with 4004. */
const failedAtOnce = (payment: Payment): Payment => ({
  ...payment,
  status: 'fail',
  code: 4004,
  callbacks: ['payment_aborted_by_customer'],
})

const createAgain = async (play: Play, known: Known, isChanged: boolean): Promise<void> => {
  const { shop, body, tid } = known
  const sent = isChanged ? { ...body, text: 'another text' } : body
  const answer = await askSafely(play, { method: 'POST', path: post, body: sent, as: shop })
  play.tell(`${shop} posts it again${isChanged ? ' with another text' : ''} → ${answer.status}`)
  const isRight = isChanged
    ? answer.status === 409
    : answer.status === 201 && answer.body.id === tid
  if (!isRight)
    throw new Finding(
      'repeatedPost',
      `the repeated POST was answered ${answer.status} ${answer.text}`,
    )
}

type Expect = (payment: Payment, now: number) => Expected

const isOpen = ({ status }: Payment): boolean => status === 'pending' || status === 'auth'
const hasExpired = ({ callbacks }: Payment): boolean => /expired$/.test(callbacks.at(-1) ?? '')

/** What one node lists or refuses as expired, one whose clock is behind may still take as open. */
export const byAnyClock = ({ world }: Play, before: Possible, after: Possible): Possible =>
  world.nodes.length > 1 && after.some(hasExpired) ? [...after, ...before.filter(isOpen)] : after

const afterStatus = (play: Play, before: Possible, after: Possible, status: number): Possible =>
  isSuccess(status) ? after : byAnyClock(play, before, after)

type Span = { readonly from: number; readonly to: number }

/** What a request may have done at any time of a span. */
const lawfulAfter = (possible: Possible, expect: Expect, { from, to }: Span, status: number) => {
  const at = (now: number) => afterAnswer(possible, (payment) => expect(payment, now), status)
  const [early, late] = [at(from), at(to)]
  return early.map((one, index) => {
    const latest = late[index]?.expires.to ?? one.expires.to
    return { ...one, expires: { ...one.expires, to: latest } }
  })
}

/** Both answers in either order; interface 6: of concurrent changes one may be refused. */
const afterBoth = (
  possible: Possible,
  expect: Expect,
  span: Span,
  [one = 0, other = 0]: readonly number[],
): Possible => {
  const inOrder = (...statuses: readonly number[]) =>
    statuses.reduce((known, status) => lawfulAfter(known, expect, span, status), possible)
  const orders = [
    [one, other],
    [other, one],
    ...(one === 409 ? [[other]] : []),
    ...(other === 409 ? [[one]] : []),
  ]
  const found = orders.flatMap((order) => {
    try {
      return inOrder(...order)
    } catch {
      return []
    }
  })
  if (found.length === 0)
    throw new Finding(
      'partRepeated',
      `two equal requests at once were answered ${one} and ${other}`,
    )
  return found
}

const change = async (
  play: Play,
  known: Known,
  told: string,
  asked: SentRequest,
  expect: Expect,
  fault: Fault | undefined,
): Promise<Answered | undefined> => {
  const { world } = play
  const from = world.now()
  if (fault === 'sent twice at once') {
    play.faults += 1
    const answers = await world.askTogether([asked, asked])
    const statuses = answers.map(({ status }) => status)
    play.tell(`${told}, twice at once → ${statuses.join(' and ')}`)
    const span = world.span(from)
    known.possible = afterBoth(during(known.possible, span), expect, span, statuses)
    return undefined
  }
  if (fault !== undefined) {
    const first = await askFirst(play, asked, fault)
    const span = world.span(from)
    const possible = during(known.possible, span)
    known.possible = first
      ? afterStatus(play, possible, lawfulAfter(possible, expect, span, first.status), first.status)
      : [span.from, span.to].flatMap((now) =>
          afterSilence(possible, (payment) => expect(payment, now)),
        )
    play.tell(`${told}: ${first?.status ?? 'no answer comes'} (${JSON.stringify(fault)})`)
  }
  const again = world.now()
  const answer = await askSafely(play, asked)
  play.tell(`${told} → ${answer.status}`)
  const span = world.span(again)
  const before = during(known.possible, span)
  const after = lawfulAfter(before, expect, span, answer.status)
  known.possible = afterStatus(play, before, after, answer.status)
  return answer
}

export const read = async (play: Play, known: Known, isQuiet = false): Promise<Payment> => {
  const { world } = play
  const from = world.now()
  const { tid, shop } = known
  const path = `${paymentPath(tid)}outcome/`
  const { status, body } = await askSafely(play, { method: 'GET', path, as: shop })
  if (!isQuiet) play.tell(`${shop} reads it → ${body?.status} ${body?.status_code}`)
  if (status !== 200) throw new Finding('fresh', `its outcome was answered ${status}`)
  const possible = during(known.possible, world.span(from))
  const shown = afterOutcome(possible, body as OutcomeReply)
  // An expiry is recorded before an outcome tells of it (4.5): no clock takes an answer after that.
  known.possible = shown
  return shown[0] as Payment
}

export const paymentsOf = async (play: Play, shop: Shop): Promise<readonly Payment[]> => {
  const all: Payment[] = []
  for (const known of play.payments.values())
    if (known.shop === shop)
      all.push(
        known.possible.length === 1
          ? (known.possible[0] as Payment)
          : await read(play, known, true),
      )
  return all
}

const answer = (play: Play, known: Known, step: Extract<Step, { do: 'answer' }>) => {
  const path = `/sandbox/v1/payment_request/${known.tid}/${step.answer}/`
  const [{ requested = { amount: 0 } } = {}] = known.possible
  const funds = refusedUnits.find(
    (units) => requested.amount + ('extra' in requested ? requested.extra : 0) === units * 100,
  )
  const expect: Expect = (payment, now) => answered(payment, step.answer, now, funds)
  const told = `the payer ${step.answer}s`
  return change(play, known, told, { method: 'POST', path, body: {} }, expect, step.fault)
}

const partOf = (currency: string, wanted: RequestedPart, name: string) =>
  wanted === 'everything'
    ? {}
    : {
        amount: moneyText(currency, wanted.amount),
        additional_amount: moneyText(currency, wanted.extra),
        currency,
        [name]: wanted.id,
      }

type Part = Extract<Step, { readonly do: 'capture' | 'refund' }>

const captureOrRefund = async (play: Play, known: Known, step: Part): Promise<void> => {
  const { shop, tid, body } = known
  const { do: action, wanted, fault } = step
  const part = partOf(String(body['currency']), wanted, `${action}_id`)
  const asked: SentRequest = {
    method: 'PUT',
    path: paymentPath(tid),
    body: { action, ...part },
    as: shop,
    isSigned: action === 'refund',
  }
  const report = play.openReport.get(shop) ?? 1
  const expect: Expect = (payment) =>
    action === 'capture' ? captured(payment, wanted, report) : refunded(payment, wanted, report)
  const told = `${shop} ${action}s ${wanted === 'everything' ? 'all' : JSON.stringify(part)}`
  await change(play, known, told, asked, expect, fault)
}

const simple = async (
  play: Play,
  known: Known,
  action: 'release' | 'renew',
  fault: Fault | undefined,
): Promise<void> => {
  const body = { action: action === 'renew' ? 'reauth' : action }
  const asked: SentRequest = { method: 'PUT', path: paymentPath(known.tid), body, as: known.shop }
  const expect: Expect = (payment, now) =>
    action === 'release' ? released(payment) : renewed(payment, now)
  await change(play, known, `${known.shop} ${action}s it`, asked, expect, fault)
}

const refusedReads = async (
  play: Play,
  { tid, shop }: Known,
  kind: 'read as the other shop' | 'refund without a key',
): Promise<void> => {
  const isKey = kind === 'refund without a key'
  const other = shops.find((one) => one !== shop)
  const path = paymentPath(tid)
  const asked: readonly SentRequest[] = isKey
    ? [{ method: 'PUT', path, body: { action: 'refund' }, as: shop }]
    : [
        { method: 'GET', path: `${path}outcome/`, as: other },
        { method: 'PUT', path, body: { action: 'release' }, as: other },
      ]
  for (const one of asked) {
    const { status } = await askSafely(play, one)
    play.tell(`${kind}: ${one.method} → ${status}`)
    if (!(isKey ? [401, 403] : [404]).includes(status))
      throw new Finding(isKey ? 'level' : 'isolated', `${kind} was answered ${status}`)
  }
}

/** In seconds. After three days of failures a callback is given up (13.4). */
export const longestOutage = 3_600

export const endOutages = ({ world }: Play): void => {
  world.receivers.fail(0)
  world.bank.fail(0)
}

/** Moves the clock to the second of its expiry, or one beside it. */
const expire = async (
  play: Play,
  known: Known,
  { seconds, jumps }: Extract<Step, { readonly do: 'expire' }>,
): Promise<void> => {
  const { expires, status } = await read(play, known, true)
  const to = expires.from + seconds * 1000
  if ((status !== 'pending' && status !== 'auth') || to <= play.world.now()) return
  play.tell(`the clock ${jumps ? 'jumps' : 'moves'} to ${seconds} s from its expiry`)
  if (to > play.world.now() + longestOutage * 1000) {
    endOutages(play)
    // A jump over three days would give up what has failed a minute before.
    if (jumps) await play.world.advanceTo(play.world.now() + longestOutage * 1000)
  }
  if (jumps) play.world.machine.jumpClock(to - play.world.now())
  else await play.world.advanceTo(to)
}

type OfPayment = Extract<Numbered, { readonly of: number }>

/** A step about a payment; one whose payment is missing does nothing. */
export const playPayment = async (play: Play, step: OfPayment): Promise<void> => {
  const known = play.payments.get(step.of)
  if (!known) return
  switch (step.do) {
    case 'create again':
      return createAgain(play, known, step.isChanged)
    case 'answer':
      return void (await answer(play, known, step))
    case 'capture':
    case 'refund':
      return captureOrRefund(play, known, step)
    case 'release':
    case 'renew':
      return simple(play, known, step.do, step.fault)
    case 'read':
      return void (await read(play, known))
    case 'read as the other shop':
    case 'refund without a key':
      return refusedReads(play, known, step.do)
    case 'expire':
      return expire(play, known, step)
    case 'dispute':
    case 'close dispute':
      return dispute(play, known, step)
    case 'unregister':
      return
  }
}

export { create, isSuccess }
