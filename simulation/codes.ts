import { Finding } from './oracle/books.ts'
import {
  countsOf,
  lastOf,
  takenOf,
  takersOf,
  type CodeScan,
  type Listening,
  type Span,
} from './oracle/codes.ts'
import { stall } from './furnish.ts'
import { askSafely, type PlacedCode, type Play } from './known.ts'
import { dayOf, headersOf, nearMs, scanned, signIn } from './links.ts'
import { linkPayers, type LinkPayer } from './names.ts'
import { enter } from './pages.ts'
import type { Numbered, Step } from './steps.ts'
import type { SentRequest } from './world.ts'

const prefix = '/merchant/v1/'
const second = 1_000

/** Whoever asks one after the other has asked in this order, whatever a clock can tell. */
const spanOf = (play: Play, from: number, n: number): Span => {
  const at = n * 1e-6
  if (play.world.nodes.length === 1) return { from: from + at, to: from + at }
  const { from: early, to } = play.world.span(from)
  return { from: early - second, to: to + second }
}

/** 2.3: what a clock decides is a whole second. */
const aged = (play: Play): Span => {
  const { from, to } = play.world.span(play.world.now())
  return { from: from - second, to: to + second }
}

const placed = async (play: Play, number: number): Promise<PlacedCode> => {
  const known = play.codes.get(number)
  if (known) return known
  const body = { description: `Table ${number}` }
  const asked: SentRequest = { method: 'POST', path: `${prefix}shortlink/`, body, as: stall }
  const { id } = (await askSafely(play, asked)).body
  const one: PlacedCode = { id, code: { scans: [], listening: [] } }
  play.codes.set(number, one)
  return one
}

/** Which requests can still be picked up. */
const reread = async (play: Play, one: PlacedCode): Promise<void> => {
  const listening: Listening[] = []
  for (const { tid, at, isOpen: before } of one.code.listening) {
    const path = `${prefix}payment_request/${tid}/outcome/`
    const { body } = await askSafely(play, { method: 'GET', path, as: stall })
    const expires = Date.parse(`${body.date_expires.replace(' ', 'T')}Z`)
    const isNear = Math.abs(expires - play.world.now()) < nearMs
    const isOpen = body.status !== 'pending' ? 'no' : isNear ? 'maybe' : before
    if (isOpen !== 'no') listening.push({ tid, at, isOpen })
  }
  one.code = { ...one.code, listening }
}

const scan = async (play: Play, one: PlacedCode, step: OfCode): Promise<void> => {
  const { payer, label, n } = step
  if (!(await signIn(play, payer))) return
  await reread(play, one)
  const from = play.world.now()
  const [answer] = await scanned(play, [payer], `${one.id}/${label}`)
  if (!answer || answer.status === 401) return
  play.tell(`${payer} scans code ${step.code} → ${answer.status} ${answer.tid}`)
  const takers = takersOf(one.code)
  if (answer.status !== 200 || !takers.some((taker) => taker?.tid === answer.tid))
    throw new Finding(
      'scanTaken',
      `a scan led to ${answer.status} ${answer.tid}, not ${takers.map((taker) => taker?.tid)}`,
    )
  const listening = one.code.listening.filter(({ tid }) => tid !== answer.tid)
  const isFree = answer.tid === undefined
  const made: CodeScan = { payer, label, at: spanOf(play, from, n), isFree }
  one.code = { scans: [...one.code.scans, made], listening }
}

/** Of those who have an app, who sees a request. */
const seenBy = async (play: Play, tid: string): Promise<readonly (LinkPayer | undefined)[]> => {
  const seen: LinkPayer[] = []
  for (const payer of linkPayers) {
    if (!(await signIn(play, payer))) return [undefined, ...linkPayers]
    const headers = headersOf(play.tokens.get(payer))
    const path = `/payer/v1/payment_request/${tid}/`
    const { status } = await askSafely(play, { method: 'GET', path, headers })
    if (status === 200) seen.push(payer)
  }
  return seen.length === 0 ? [undefined] : seen
}

const ask = async (play: Play, one: PlacedCode, step: OfCode): Promise<void> => {
  const { n, seconds } = step
  const from = play.world.now()
  const now = aged(play)
  const about = { pos_id: 'till', pos_tid: `code-${n}`, currency: 'NOK', amount: '10.00' }
  const customer = `shortlink_id:${one.id}`
  const how = { action: 'auth', allow_credit: false, customer, max_scan_age: seconds }
  const body = { ...about, ...how }
  const asked: SentRequest = { method: 'POST', path: `${prefix}payment_request/`, body, as: stall }
  const { status, body: answer } = await askSafely(play, asked)
  const possible = takenOf(one.code, { ...now, to: aged(play).to }, seconds * second)
  const seen = status === 201 ? await seenBy(play, answer.id) : []
  play.tell(`${stall} asks whoever scanned code ${step.code} in ${seconds} s → ${seen.join()}`)
  const found = possible.find((one) => seen.includes(one?.payer as LinkPayer | undefined))
  const isRight = found !== undefined || (possible.includes(undefined) && seen.includes(undefined))
  if (!isRight)
    throw new Finding(
      'scanFound',
      `a request that names a code was answered ${status}, and goes to ${seen.join()}, ` +
        `not to ${possible.map((one) => one?.payer).join()}`,
    )
  const scans = one.code.scans.map((each) => (each === found ? { ...each, isFree: false } : each))
  const at = spanOf(play, from, n)
  const listening = found ? [] : [{ tid: answer.id, at, isOpen: 'yes' as const }]
  one.code = { scans, listening: [...one.code.listening, ...listening] }
}

const last = async (play: Play, one: PlacedCode, { seconds, code }: OfCode): Promise<void> => {
  const now = aged(play)
  const path = `${prefix}shortlink/${one.id}/last_scan/?ttl=${seconds}`
  const { status, body } = await askSafely(play, { method: 'GET', path, as: stall })
  play.tell(`${stall} asks for the last scan of code ${code} → ${status} ${body?.argstring}`)
  const possible = lastOf(one.code, { ...now, to: aged(play).to }, seconds * second)
  const shown = status === 200 ? body.argstring : undefined
  if (![200, 204].includes(status) || !possible.some((each) => each?.label === shown))
    throw new Finding('lastScan', `the last scan is ${status} ${shown}`)
}

type OfCode = Extract<Step, { readonly do: 'code' }> & Numbered

export const playCode = async (play: Play, step: OfCode): Promise<void> => {
  const one = await placed(play, step.code)
  if (step.way === 'scan') return scan(play, one, step)
  if (step.way === 'ask') return ask(play, one, step)
  if (step.way === 'last') return last(play, one, step)
  await reread(play, one)
  const { tid } = one.code.listening.at(-1) ?? {}
  if (tid === undefined) return
  const body = { action: 'release' }
  const path = `${prefix}payment_request/${tid}/`
  const { status } = await askSafely(play, { method: 'PUT', path, body, as: stall })
  play.tell(`${stall} aborts what listens to code ${step.code} → ${status}`)
}

const dayMs = 86_400_000

/** 18.3: what the page of a code says of its scans of the last 14 days. @throws Finding */
export const checkCodes = async (play: Play): Promise<void> => {
  for (const [number, { id, code }] of play.codes) {
    const { text } = await enter(play)(`/portal/${stall}/points-of-sale/code/${id}`)
    const table = text.slice(text.indexOf('Scans by label'))
    const rows = [
      ...table.matchAll(/<th[^>]*>(?:<span[^>]*>)?([^<]*)(?:<\/span>)?<\/th>(.*?)<\/tr>/g),
    ]
    const found = new Map(
      rows.map(([, label = '', cells = '']) => {
        const [, , count] = [...cells.matchAll(/<td[^>]*>([^<]*)</g)].map(([, one]) => one)
        return [label.startsWith('No label') ? '' : label, Number(count)]
      }),
    )
    const first = dayOf(play.world.now() - 13 * dayMs)
    const right = countsOf(code, ({ from }) => dayOf(from) >= first)
    for (const [label, count] of right)
      if (found.get(label) !== count)
        throw new Finding(
          'scanCounts',
          `code ${number} was scanned ${count} times as "${label}", and not ${found.get(label)}`,
        )
  }
}
