import { Finding } from './oracle/books.ts'
import type { Line } from './oracle/lines.ts'
import { minorOf, moneyText } from './oracle/money.ts'
import {
  checkBalance,
  checkEntries,
  fitting,
  postingsOf,
  type Entry,
  type Filter,
} from './oracle/reads.ts'
import type { Rule } from './oracle/rules.ts'
import { stall, timeZones } from './furnish.ts'
import type { Play } from './known.ts'
import { dateIn } from './lists.ts'
import { onlooker, people } from './names.ts'
import { pick, randomFrom, type Random } from './random.ts'
import { goOn, open } from './visitors.ts'
import type { Answered, Who } from './world.ts'

/** Who reads all pages of the sandbox's shop and of the operator, and does nothing else. */
export const enter = (play: Play) => {
  const random = randomFrom(play.payments.size, 9)
  const isOutside = ({ text }: Answered): boolean => /name="(?:pin|challenge)"/.test(text)
  return async (path: string): Promise<Answered> => {
    let answer = await open(play, onlooker, path)
    for (let times = 0; times < 8 && isOutside(answer); times += 1)
      answer = await goOn(play, onlooker, random, true)
    // Signing in leads to where it was asked for, but to no file.
    if (answer.status === 200 && !answer.type.includes('csv') && path.includes('.csv'))
      answer = await open(play, onlooker, path)
    if (isOutside(answer)) throw new Finding('portal', `${onlooker} cannot sign in for ${path}`)
    return answer
  }
}

const reader = (play: Play) => {
  const go = enter(play)
  return async (path: string): Promise<string> => {
    const { status, text } = await go(path)
    if (status !== 200)
      throw new Finding('portal', `${onlooker} opened ${path}, and was answered ${status}`)
    return text
  }
}
type Reader = ReturnType<typeof reader>

/** What a pattern finds in the contents of a page, each once. */
export const foundIn = (html: string, pattern: RegExp): readonly string[] => {
  const main = html.slice(html.indexOf('<main'))
  const found = [...main.matchAll(pattern)].map(([, one = '']) => one)
  return [...new Set(found.map((one) => decodeURIComponent(one.replaceAll('&amp;', '&'))))]
}

const equal = (rule: Rule, what: string, found: readonly string[], right: readonly string[]) => {
  if (found.join() !== right.join())
    throw new Finding(rule, `${what} shows ${found.join() || 'nothing'}, and not ${right.join()}`)
}

const shop = '/portal/sandbox/'
const tidsIn = (html: string) => foundIn(html, /href="\/portal\/sandbox\/payments\/(\w+)"/g)

/** All of a list whose pages lead to the next one by this parameter. */
const allOf = async (see: Reader, path: string, pattern: RegExp, next: string) => {
  const all: string[] = []
  for (let at: string | undefined = path; at !== undefined;) {
    const html = await see(at)
    all.push(...foundIn(html, pattern))
    at = foundIn(html, new RegExp(`href="([^"]*[?;&]${next}=[^"]*)"`, 'g'))[0]
  }
  return all
}

const amountOf = ({ currency, amount }: Entry): number => minorOf(`${currency}`, `${amount}`)
const byLargest = (payments: readonly Entry[]): readonly Entry[] =>
  payments.toSorted((one, other) => amountOf(other) - amountOf(one))

/** A filter of the list, and whether a payment fits; its days are those of UTC here. */
type Filtered = readonly [query: string, fits: (payment: Entry) => boolean]

const filtersOf = (some: Entry, other: Entry): readonly Filtered[] => {
  const day = ({ date_created: date }: Entry): string => String(date).slice(0, 10)
  const same =
    (name: string) =>
    (one: Entry): boolean =>
      fitting([one], [[name, String(some[name])]] satisfies Filter, 'tid').length > 0
  return [
    [`status=${some['status']}`, same('status')],
    ['status=refunded', ({ refunded }) => Number(refunded) > 0],
    [`pos=${some['pos_id']}`, same('pos_id')],
    [`since=${day(some)}`, (one) => day(one) >= day(some)],
    [`until=${day(other)}`, (one) => day(one) <= day(other)],
    [`least=${some['amount']}`, (one) => amountOf(one) >= amountOf(some)],
    [`most=${other['amount']}`, (one) => amountOf(one) <= amountOf(other)],
    [`least=${some['amount']}&most=${some['amount']}`, (one) => amountOf(one) === amountOf(some)],
    [`q=${some['tid']}`, same('tid')],
    [`q=${encodeURIComponent(`${some['pos_tid']}`)}`, same('pos_tid')],
  ]
}

const tidOf = (line: string): string => line.split(',')[0] ?? ''
const tidsOf = (payments: readonly Entry[]) => payments.map(({ tid }) => `${tid}`)

/** 18.1: the portal finds what the interface lists, by filters alone and together. */
const checkList = async (see: Reader, random: Random, payments: readonly Entry[]) => {
  const ofKrone = payments.every(({ currency }) => currency === 'NOK')
  const all = await allOf(
    see,
    `${shop}payments`,
    /href="\/portal\/sandbox\/payments\/(\w+)"/g,
    'behind',
  )
  equal('portal', 'the list of payments', all, tidsOf(payments))
  if (payments.length === 0) return
  for (let times = 0; times < 16; times += 1) {
    const drawn = filtersOf(pick(random, payments), pick(random, payments)).filter(
      ([query]) => ofKrone || !/^(?:least|most)/.test(query),
    )
    const [first, second] = [pick(random, drawn), pick(random, drawn)]
    const isAlone = first[0].startsWith('q=') || second[0].startsWith('q=') || times % 3 === 0
    const some = isAlone || first[0] === second[0] ? [first] : [first, second]
    // Of a name that stands twice in an address nobody says which one counts.
    const names = some.flatMap(([query]) => [...new URLSearchParams(query).keys()])
    if (new Set(names).size < names.length) continue
    const isLargest = ofKrone && random() < 0.4
    const query = [...some.map(([one]) => one), ...(isLargest ? ['sort=largest'] : [])].join('&')
    const right = payments.filter((one) => some.every(([, fits]) => fits(one)))
    const text = await see(`${shop}payments.csv?${query}`)
    const found = text.trim().split(/\r?\n/).slice(1).map(tidOf)
    equal('portal', `with ${query} the file`, found, tidsOf(isLargest ? byLargest(right) : right))
  }
}

const mostFound = 20

/** 18.1: what the search has to find, and, unless texts may have it, all that it may find. */
const checkSearch = async (see: Reader, random: Random, payments: readonly Entry[]) => {
  if (payments.length === 0) return
  const some = pick(random, payments)
  const order = `${some['pos_tid']}`
  const part = order.slice(0, Math.max(2, order.length - 1)).toLowerCase()
  const start = `${some['tid']}`.slice(0, 9)
  const amount = `${some['amount']}`
  const searches: readonly (readonly [string, (one: Entry) => boolean, boolean])[] = [
    [part, (one) => `${one['pos_tid']}`.toLowerCase().includes(part), part.includes('-')],
    [start, (one) => `${one['tid']}`.startsWith(start), true],
    [amount, (one) => one['amount'] === amount && one['currency'] === 'NOK', false],
  ]
  for (const [text, fits, isExact] of searches) {
    const found = tidsIn(await see(`${shop}search?q=${encodeURIComponent(text)}`))
    const right = tidsOf(payments.filter(fits))
    const missing = right.filter((tid) => !found.includes(tid))
    const isWhole = right.length <= mostFound && found.length < mostFound
    if (isWhole && (missing.length > 0 || (isExact && found.length > right.length)))
      throw new Finding('search', `"${text}" finds ${found.join()}, and not ${right.join()}`)
  }
}

/** 18: what was captured in some days of a shop, by currency. */
const checkTurnover = async (
  see: Reader,
  random: Random,
  { merchant, zone, lines }: { merchant: Who; zone: string; lines: readonly Line[] },
) => {
  const dayOf = dateIn(zone)
  const captures = lines.filter(({ kind }) => kind === 'capture')
  if (captures.length === 0) return
  for (let times = 0; times < 4; times += 1) {
    const [some, other] = [pick(random, captures), pick(random, captures)]
    const days = [some, other].map(({ date }) => dayOf(date)).toSorted()
    const [since = '', until = ''] = days
    const { currency } = some
    const html = await see(
      `/portal/${merchant}/?since=${since}&until=${until}&currency=${currency}`,
    )
    const [shown = ''] = foundIn(html, /<dt>Turnover<\/dt><dd[^>]*>([^<]*)</g)
    const sum = captures
      .filter((one) => one.currency === currency)
      .filter(({ date }) => since <= dayOf(date) && dayOf(date) <= until)
      .reduce((total, { gross }) => total + minorOf(currency, gross), 0)
    const number = shown.replaceAll(/[^\d.]/g, '')
    equal('turnover', `${since} to ${until}`, [number], [moneyText(currency, sum)])
  }
}

const entriesPath = '/operator/journal/entries'

/** 20.2: entries of the journal by each filter, as a file and on pages, and their sums. */
const checkJournalPages = async (see: Reader, random: Random, merchants: readonly Entry[]) => {
  const postings = async (query: string) => postingsOf(await see(`${entriesPath}.csv?${query}`))
  const all = await postings('')
  checkEntries(all)
  const positions = (some: typeof all) => [...new Set(some.map(({ position }) => position))]
  for (let times = 0; times < 4 && all.length > 0; times += 1) {
    const [some, other] = [pick(random, all), pick(random, all)]
    const ofName = merchants.filter((one) => one['business_name'] === some.payee)
    const merchant = ofName.length === 1 ? ofName[0]?.['id'] : 'nobody'
    const filters = [
      [`account=${some.account}`, (one) => one.account === some.account],
      [`merchant=${merchant}`, (one) => merchant !== 'nobody' && one.payee === some.payee],
      [`day=${other.day}`, (one) => one.day === other.day],
      [`until=${other.day}`, (one) => one.day <= other.day],
    ] satisfies (readonly [string, (one: (typeof all)[number]) => boolean])[]
    const [first, second] = [filters[times % 2], filters[2 + Math.floor(random() * 2)]]
    const drawn = [first, second].flatMap((one) => (one && random() < 0.7 ? [one] : []))
    const query = drawn.map(([one]) => one).join('&')
    const right = positions(all).filter((position) =>
      drawn.every(([, fits]) => all.some((one) => one.position === position && fits(one))),
    )
    equal('entries', `${query} of the file`, positions(await postings(query)), right)
    const shown = /href="\/operator\/events\/(\d+)">Event/g
    equal('entries', query, await allOf(see, `${entriesPath}?${query}`, shown, 'before'), right)
    const balance = await see(`/operator/journal?day=${other.day}`)
    checkBalance(
      balance.slice(balance.indexOf('<main')),
      all.filter((one) => one.day <= other.day),
    )
  }
}

/** 20.1: merchants by a part of their names, the newest first. */
const checkMerchants = async (see: Reader, random: Random, merchants: readonly Entry[]) => {
  const all = merchants.toReversed()
  const some = pick(random, all)
  const part = `${random() < 0.5 ? some['id'] : some['business_name']}`.slice(1).toLowerCase()
  const isNamed = (one: Entry): boolean =>
    [one['id'], one['business_name'], one['organization_id']].some((text) =>
      String(text ?? '')
        .toLowerCase()
        .includes(part),
    )
  const listed = (query: string) =>
    allOf(
      see,
      `/operator/merchants${query}`,
      /<td class="sum"><a href="\/operator\/merchants\/([^"]+)"/g,
      'before',
    )
  // They are disabled, too, and have a list of their own.
  const waiting = await listed('?state=waiting')
  const isDisabled = ({ id, enabled }: Entry) => enabled === false && !waiting.includes(`${id}`)
  const searches = [
    ['', all],
    [`?q=${encodeURIComponent(part)}`, all.filter(isNamed)],
    ['?state=disabled', all.filter(isDisabled)],
  ] as const
  for (const [query, right] of searches)
    equal(
      'merchants',
      `the operator's list ${query}`,
      await listed(query),
      right.map(({ id }) => `${id}`),
    )
}

/** 20.2: the open disputes of all merchants, the next deadline first. */
const checkOpenDisputes = async (see: Reader, disputes: readonly Entry[]) => {
  const html = await see('/operator/disputes')
  const main = html.slice(html.indexOf('<main'))
  const found = [...main.matchAll(/href="\/operator\/payment\?tid=(\w+)"/g)].map(([, tid]) => tid)
  const right = disputes
    .filter(({ state }) => state === 'open' || state === 'evidence_sent')
    .toSorted((one, other) => (`${one['due']}` < `${other['due']}` ? -1 : 1))
  const dueOf = (tid: string | undefined) =>
    right.filter((one) => one['tid'] === tid).map(({ due }) => `${due}`)
  equal('openDisputes', 'the list', found.toSorted().map(String), tidsOf(right).toSorted())
  const dues = found.flatMap((tid) => dueOf(tid).slice(0, 1))
  if (new Set(found).size === found.length)
    equal('openDisputes', 'the order of deadlines', dues, dues.toSorted())
}

/** 20.2: payouts in each state by the bank's day, and their sums. */
const checkPayoutPages = async (play: Play, see: Reader, random: Random) => {
  for (const status of ['due', 'returned', 'ordered', 'paid']) {
    const { printed } = await play.world.command('ann', ['payouts', '--status', status])
    const all: readonly Entry[] = printed ?? []
    if (all.length === 0) continue
    const of = { paid: 'paid_on', returned: 'returned_on' }[status] ?? 'payout_day'
    const dayOf = ({ [of]: day }: Entry): string => `${day}`
    const some = pick(random, all)
    const filters = [
      ['', () => true],
      [`&merchant=${some['merchant']}`, ({ merchant }) => merchant === some['merchant']],
      [`&day=${dayOf(some)}`, (one) => dayOf(one) === dayOf(some)],
    ] satisfies (readonly [string, (one: Entry) => boolean])[]
    for (const [query, fits] of filters) {
      const right = all.filter(fits)
      const what = `${status} payouts${query}`
      const path = `/operator/payouts?status=${status}${query}`
      const html = (await see(path)).replaceAll(',', '').replaceAll('¥', 'JPY ')
      const rows = /<a href="[^"]*">([^<]+<\/a><\/td><td class="number"[^>]*><b>[^<]*)<\/b>/g
      const named = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
      const found = [...html.matchAll(rows)].map(([, row = '']) => named(row))
      const shown = ({ settlement_id: id, currency, amount }: Entry): string =>
        named(`${id} ${currency} ${amount}`)
      if (right.length > mostPayouts) continue
      equal('payouts', what, found.toSorted(), right.map(shown).toSorted())
      const days = found.map((row) => dayOf(right.find((one) => shown(one) === row) ?? {}))
      equal('payouts', `the order of ${what}`, days, days.toSorted().toReversed())
    }
  }
}

/** Of a page. */
const mostPayouts = 50

type Known = {
  readonly payments: readonly Entry[]
  readonly lines: readonly Line[]
  readonly disputes: readonly Entry[]
  readonly ofStall: readonly Line[]
}

/** What pages say of what the interface has told of the sandbox and of all. @throws Finding */
export const checkPages = async (play: Play, { payments, lines, disputes, ofStall }: Known) => {
  const { phone } = people[onlooker]
  await play.world.command('ann', ['staff', 'add', 'sandbox', phone, '--role', 'owner'])
  await play.world.command('ann', ['operator', 'add', phone, '--role', 'admin'])
  const random = randomFrom(lines.length, 10)
  const see = reader(play)
  await checkList(see, random, payments)
  await checkSearch(see, random, payments)
  await checkTurnover(see, random, { merchant: 'sandbox', zone: 'UTC', lines })
  await checkTurnover(see, random, { merchant: stall, zone: timeZones[stall], lines: ofStall })
  const merchants = (await play.world.command('ann', ['merchant', 'list'])).printed ?? []
  await checkJournalPages(see, random, merchants)
  await checkMerchants(see, random, merchants)
  await checkOpenDisputes(see, disputes)
  await checkPayoutPages(play, see, random)
}
