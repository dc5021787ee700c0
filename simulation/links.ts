import { sandboxPayers } from '../service/sandbox/sandbox-data.ts'
import { codeAt } from '../infrastructure/people/one-time-codes.ts'
import { attribute } from '../harness/html.ts'
import { Finding, isSuccess } from './oracle/books.ts'
import { afterScans, heldOf, isLawful, type Sale, type Scanned } from './oracle/links.ts'
import { moneyText } from './oracle/money.ts'
import type { Rule } from './oracle/rules.ts'
import { stall, timeZones } from './furnish.ts'
import { askSafely, askUnchanged, type PaymentLink, type Play } from './known.ts'
import { dateIn } from './lists.ts'
import { linkPayers, onlooker, people, type LinkPayer } from './names.ts'
import { base } from './node.ts'
import { enter, foundIn } from './pages.ts'
import type { Numbered, Step } from './steps.ts'
import { browserOf, visit } from './visitors.ts'
import type { Answered, SentRequest } from './world.ts'

const payers: Readonly<
  Record<LinkPayer, Readonly<Record<'phone' | 'pin' | 'codeSecret', string>>>
> = {
  ...sandboxPayers,
  [onlooker]: { ...people[onlooker], codeSecret: people[onlooker].secret },
}
const portal = `/portal/${stall}`
const pathOf = ({ id }: PaymentLink): string => `${portal}/links/${id}`
const wrong = (rule: Rule, { n, sale }: PaymentLink, what: string): never => {
  throw new Finding(rule, `link ${n}, of which there is ${JSON.stringify(sale)}: ${what}`)
}

/** Sends the form of a page that has this in it, as often as asked; undefined if there is none. */
const submit = async (
  play: Play,
  path: string,
  mark: string,
  typed: Readonly<Record<string, string>>,
  times = 1,
): Promise<readonly string[] | undefined> => {
  const { text, status } = await enter(play)(path)
  if (status !== 200) throw new Finding('portal', `${path} was answered ${status}`)
  const [form] = [...text.matchAll(/(<form[^>]*>)[\s\S]*?<\/form>/g)].filter(([one]) =>
    one.includes(mark),
  )
  if (!form) return undefined
  const hidden = [...form[0].matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(
    ([tag]) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''] as const,
  )
  const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...typed }).toString()
  const ends: string[] = []
  for (let time = 0; time < times; time += 1) {
    await visit(play, onlooker, 'POST', attribute(form[1] ?? '', 'action') ?? '', body)
    ends.push(browserOf(play, onlooker).page.path)
  }
  return ends
}

const dateOf = dateIn(timeZones[stall])
export const dayOf = (at: number): string => dateOf(new Date(at).toISOString().slice(0, 19))
const daysOf = (play: Play, from: number) => {
  const span = play.world.span(from)
  return { from: dayOf(span.from), to: dayOf(span.to) }
}

/** Makes one with a form that may be sent twice. */
export const makeLink = async (
  play: Play,
  { n, amount, stock, days, isTwice }: Extract<Step, { readonly do: 'make link' }> & Numbered,
): Promise<void> => {
  const text = `Sale ${n}`
  const lastDay = days === null ? null : dayOf(play.world.now() + days * 86_400_000)
  const shown = moneyText('NOK', amount)
  const typed = { text, amount: shown, until: lastDay ?? '', stock: `${stock ?? ''}` }
  const ends = await submit(play, `${portal}/new-link`, 'attempt', typed, isTwice ? 2 : 1)
  const ids = ends?.map((path) => /links\/(\w+)\?done=made/.exec(path)?.[1]) ?? []
  const [id] = ids
  play.tell(`${onlooker} makes a payment link of ${typed.amount}, ${stock} until ${lastDay}`)
  if (id === undefined || ids.some((one) => one !== id))
    throw new Finding('linkTaken', `a link was made, and led to ${ends?.join()}`)
  const sale: Sale = { stock, lastDay, isEnded: false, taken: [] }
  play.links.set(n, { n, id, text, amount, sale })
}

/** In ms: an expiry is by the clock of whichever node looks. */
export const nearMs = 2_000

/** What has become of its requests. */
const reread = async (play: Play, link: PaymentLink): Promise<void> => {
  const taken: Sale['taken'][number][] = []
  for (const { payer, tid } of link.sale.taken) {
    const path = `/merchant/v1/payment_request/${tid}/outcome/`
    const { status, body } = await askSafely(play, { method: 'GET', path, as: stall })
    if (status !== 200) throw new Finding('fresh', `${path} was answered ${status}`)
    const expires = Date.parse(`${body.date_expires.replace(' ', 'T')}Z`)
    const isNear = Math.abs(expires - play.world.now()) < nearMs
    const waits = isNear ? (['waits', 'gone'] as const) : (['waits'] as const)
    const ended = body.status === 'fail' ? (['gone'] as const) : (['paid'] as const)
    const may = body.status === 'pending' ? waits : ended
    taken.push({ payer, tid, may })
  }
  link.sale = { ...link.sale, taken }
}

export const headersOf = (token: string | undefined) => ({ Authorization: `Bearer ${token}` })

/** An app of a payer; signs in again when it must, and answers whether that works. */
export const signIn = async (play: Play, payer: LinkPayer): Promise<boolean> => {
  const headers = headersOf(play.tokens.get(payer))
  const asked: SentRequest = {
    method: 'GET',
    path: '/payer/v1/profile/',
    headers,
    from: '192.0.2.5',
  }
  if (play.tokens.has(payer) && (await askSafely(play, asked)).status === 200) return true
  play.world.machine.jumpClock(30_000)
  const { phone, pin, codeSecret } = payers[payer]
  const code = codeAt(codeSecret, play.world.clock())
  const body = { phone: `+${phone.replace('+', '')}`, pin, code }
  const session = { method: 'POST', path: '/payer/v1/session/', body, from: '192.0.2.5' }
  const answer = await askUnchanged(play, session)
  if (isSuccess(answer.status)) play.tokens.set(payer, answer.body.token)
  return isSuccess(answer.status)
}

const scannedOf = ({ status, body }: Answered): Scanned => {
  const [, tid] = /\/payer\/payment\/(\w+)$/.exec(body?.uri ?? '') ?? []
  return { status, ...(tid !== undefined && { tid }) }
}

/** 18.1: it is as the link says, and its own payer's alone. */
const checkRequest = async (play: Play, link: PaymentLink, tid: string, payer: LinkPayer) => {
  const path = `/merchant/v1/payment_request/${tid}/`
  const { status, body } = await askSafely(play, { method: 'GET', path, as: stall })
  const shown = [status, body?.pos_id, body?.customer, body?.text, body?.amount, body?.currency]
  const amount = moneyText('NOK', link.amount)
  const right = [200, 'portal', `shortlink_id:${link.id}`, link.text, amount, 'NOK']
  if (shown.join() !== right.join()) wrong('linkOwn', link, `${tid} is ${shown.join()}`)
  const other = linkPayers.find((one) => one !== payer && play.tokens.has(one))
  if (other === undefined) return
  const headers = headersOf(play.tokens.get(other))
  const seen = { method: 'GET', path: `/payer/v1/payment_request/${tid}/`, headers }
  const { status: answer } = await askSafely(play, seen)
  if (![404, 401].includes(answer)) wrong('linkOwn', link, `${other} asks for ${tid}: ${answer}`)
}

/** What scans of a code that are sent at once are answered. */
export const scanned = async (
  play: Play,
  who: readonly LinkPayer[],
  code: string,
): Promise<readonly Scanned[]> => {
  const body = { text: `${base}/s/${code}` }
  const asked = who.map((payer): SentRequest => {
    const headers = headersOf(play.tokens.get(payer))
    return { method: 'POST', path: '/payer/v1/scan/', body, headers, from: '192.0.2.5' }
  })
  return (await play.world.askTogether(asked)).map(scannedOf)
}

const scans = async (play: Play, link: PaymentLink, who: readonly LinkPayer[]) => {
  const answers = await scanned(play, who, `${link.id}/`)
  const told = answers.map(({ status, tid = '' }, at) => `${who[at]}: ${status} ${tid}`).join(', ')
  play.tell(`link ${link.n} is opened → ${told}`)
  return { told, all: answers.map((one, at) => [who[at] ?? '', one] as const) }
}

/** 7.1: codes of a merchant that the operator has disabled cannot be scanned. */
const scanDisabled = async (play: Play, link: PaymentLink, payer: LinkPayer): Promise<void> => {
  if (!(await signIn(play, payer))) return
  await play.world.command('ann', ['merchant', 'disable', stall])
  const { told, all } = await scans(play, link, [payer])
  await play.world.command('ann', ['merchant', 'enable', stall])
  if (![409, 401].includes(all[0]?.[1].status ?? 0)) wrong('disabled', link, told)
}

/** Payers open it, all at once. */
const scan = async (
  play: Play,
  link: PaymentLink,
  wanted: readonly LinkPayer[],
  isSettled = false,
): Promise<void> => {
  const who: LinkPayer[] = []
  for (const payer of wanted) if (await signIn(play, payer)) who.push(payer)
  await reread(play, link)
  const from = play.world.now()
  const { told, all } = await scans(play, link, who)
  // A session may have ended meanwhile.
  if (all.some(([, { status }]) => status === 401)) return
  const before = link.sale.taken
  const sale = afterScans(link.sale, all, daysOf(play, from), isSettled)
  link.sale = sale ?? wrong(all.length > 1 ? 'linkHeld' : 'linkEnded', link, told)
  for (const { tid, payer } of link.sale.taken.slice(before.length))
    await checkRequest(play, link, tid, payer as LinkPayer)
}

/** Opened in a browser it shows what is sold, or why it is not; nothing is requested. */
const look = async (play: Play, link: PaymentLink): Promise<void> => {
  await reread(play, link)
  const from = play.world.now()
  const { status, text } = await enter(play)(`/s/${link.id}/`)
  play.tell(`${onlooker} looks at link ${link.n} → ${status}`)
  const own = link.sale.taken.filter(({ payer }) => payer === onlooker).map(({ tid }) => tid)
  const days = daysOf(play, from)
  const isRight = [...own, 'new'].some((tid) =>
    isLawful(link.sale, onlooker, { status, ...(status === 200 && { tid }) }, days),
  )
  if (!isRight) wrong('linkEnded', link, `its page was answered ${status}`)
  if (status === 200 && !text.includes(link.text)) wrong('linkOwn', link, 'its text is not there')
}

const requestOf = (tid: string, way: 'accept' | 'decline' | 'release' | 'refund'): SentRequest => {
  if (way === 'accept' || way === 'decline')
    return { method: 'POST', path: `/sandbox/v1/payment_request/${tid}/${way}/`, body: {} }
  const path = `/merchant/v1/payment_request/${tid}/`
  return { method: 'PUT', path, body: { action: way }, as: stall, isSigned: way === 'refund' }
}

/** What somebody does about a link; one that is missing gets nothing done. */
export const playLink = async (
  play: Play,
  { link: of, way, payer, stock }: Extract<Step, { readonly do: 'link' }>,
): Promise<void> => {
  const link = play.links.get(of)
  if (!link) return
  if (way === 'open') return scan(play, link, [payer])
  if (way === 'open together') return scan(play, link, [...linkPayers, payer])
  if (way === 'look') return look(play, link)
  if (way === 'disabled') return scanDisabled(play, link, payer)
  if (way === 'stock' || way === 'end') {
    const typed = way === 'stock' ? { stock: `${stock ?? ''}` } : {}
    const ends = await submit(play, pathOf(link), `value="${way}"`, typed)
    play.tell(`${onlooker} changes link ${of}: ${way} ${stock} → ${ends?.join()}`)
    if (!ends?.every((path) => path.endsWith('?done=changed')))
      return link.sale.isEnded ? undefined : wrong('linkEnded', link, 'it cannot be changed')
    link.sale = { ...link.sale, ...(way === 'end' ? { isEnded: true } : { stock }) }
    return
  }
  const some = link.sale.taken.filter((one) => one.payer === payer).at(-1)
  if (!some) return
  const { status } = await askUnchanged(play, requestOf(some.tid, way))
  play.tell(`${way} what ${payer} takes of link ${of} → ${status}`)
}

const cellsOf = (row: string): string =>
  [...row.matchAll(/<td[^>]*>([^<]*)</g)].map(([, one]) => one).join()

/** When all is due and done: what pages and lists say of each, and who gets one. @throws Finding */
export const checkLinks = async (play: Play): Promise<void> => {
  const how = { amount: 12_345, stock: 1, days: null, isTwice: false }
  if (play.links.size === 0) await makeLink(play, { do: 'make link', n: -1, ...how })
  for (const { n, sale } of play.links.values()) {
    const about = { do: 'link', link: n, payer: 'alice', stock: sale.stock } as const
    for (const way of ['open', 'decline'] as const) await playLink(play, { ...about, way })
  }
  // What ends is given back within seconds.
  await play.world.advanceTo(play.world.now() + 60_000)
  await play.world.machine.pass(5_000)
  for (const link of play.links.values()) {
    await scan(play, link, ['bob'], true)
    await reread(play, link)
    const { taken, stock, isEnded, lastDay } = link.sale
    const { least: held } = heldOf(link.sale)
    const left = stock === null ? '∞' : `${Math.max(0, stock - held)}`
    const isOver = isEnded || (lastDay !== null && daysOf(play, play.world.now()).from > lastDay)
    const standing = isOver ? 'Ended' : left === '0' ? 'Sold out' : 'Open'
    const { text: list } = await enter(play)(`${portal}/links`)
    const [, row = ''] = new RegExp(`>${link.text}</a></th>([\\s\\S]*?)</tr>`).exec(list) ?? []
    const shown = cellsOf(row).split(',').slice(-3).join()
    if (shown !== [held, left, standing].join()) wrong('linkHeld', link, `its row says ${shown}`)
    const { text: page } = await enter(play)(pathOf(link))
    const [paid] = foundIn(page, /<dt>Paid<\/dt><dd[^>]*>([^<]*)</g)
    const count = taken.filter(({ may }) => may.includes('paid')).length
    if (paid !== `${count}`) wrong('linkHeld', link, `its page says that ${paid} are paid`)
    const customer = encodeURIComponent(`shortlink_id:${link.id}`)
    const path = `/merchant/v1/payments/?customer=${customer}&size=1000`
    const { body } = await askSafely(play, { method: 'GET', path, as: stall })
    const tids = body.payments.map(({ tid }: { readonly tid: string }) => tid)
    const right = taken.map(({ tid }) => tid)
    if (tids.toSorted().join() !== right.toSorted().join())
      wrong('linkOwn', link, `its payments are listed as ${tids.join()}`)
    const open = body.payments.filter((one: { readonly status: string }) => one.status === 'auth')
    if (open.length > 0) wrong('linkOwn', link, `${open[0].tid} is not captured`)
  }
}
