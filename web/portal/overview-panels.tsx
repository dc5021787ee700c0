import { Card, Link, Table, type Html, List } from '../ui/components.tsx'
import { staffActor } from '../../domain/merchant/staff.ts'
import { isTheirPos, mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import {
  minorText,
  sizeOf,
  shopTime,
  plainAmounts,
  numberFormat,
  type TimeReader,
} from '../ui/money.tsx'
import { actorNames, type ActorNeeds } from './actors.ts'
import { portalPath } from './areas.ts'
import { callbacksPath } from './developers/callback-list.tsx'
import { newsWords } from './news-words.ts'
import { whereMoneyIs, type NextPayoutNeeds } from './next-payout.tsx'
import type { PortalVisitor } from './page.tsx'
import { type Beside } from './parts.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { columnName, paymentsHref, type OverviewView } from './overview-charts.tsx'
import { isNothing, type Taken, type Numbers } from './overview-numbers.ts'
import { comparedText, stepOf } from './overview-period.tsx'
import type { LobbyVisitor } from '../staff/frame.tsx'
import { filled } from '../ui/words.tsx'
import { problemText } from './problem-texts.ts'
import type { Language } from '../../texts/generated/texts.ts'
import type { Message } from '../../texts/message.ts'

/** An address whose callbacks fail. */
export type FailingAddress = {
  readonly destination: string
  readonly failingSince: Instant | null
  readonly problem: string | null
  readonly restedAt: Instant | null
}

export type AddressTexts = { readonly since: Message<'time'>; readonly rests: string }

export const failingAddresses = (
  found: readonly FailingAddress[],
  { since, rests }: AddressTexts,
  reader: TimeReader & { readonly language: Language },
): Html => (
  <ul class="list">
    {found.map(({ destination, failingSince, problem, restedAt }) => {
      const time = failingSince === null ? undefined : shopTime(failingSince, reader)
      return (
        <li class="row">
          <span>
            <span class="name">{destination}</span>{' '}
            <span class="quiet small">
              {problem ? <>{problemText(problem, reader.language)}&nbsp;·</> : null}{' '}
              {time !== undefined && filled(since, { time })}
            </span>
          </span>
          {restedAt !== null && <b class="badge bad">{rests}</b>}
        </li>
      )
    })}
  </ul>
)

/** What signing up does, and the first steps after it. */
export const signUpBeside = ({ language, isSandbox }: LobbyVisitor): Beside => {
  const [frame, texts] = [textsIn[language].portal, textsIn[language].lobby]
  const { step_tills, step_payment } = textsIn[language].overview
  return [
    [frame.formWhat, [isSandbox ? texts.signUpSandbox : texts.signUpProduction]],
    [frame.formNext, [step_tills, step_payment]],
  ]
}

type Tile = {
  readonly name: string
  readonly of: (taken: Taken) => number
  readonly print: (value: number) => string
  /** What it leaves out. */
  readonly note?: Html
}

const countNote = ({ requested, payments }: Taken, { language, locale }: PortalVisitor): string => {
  const count = numberFormat(locale).format(requested)
  return textsIn[language].overview.ofRequested({
    isPart: payments <= requested ? 'yes' : 'no',
    count,
  })
}

const tilesOf = ({ visitor, numbers }: OverviewView): readonly Tile[] => {
  const { language, locale, me, shop } = visitor
  const texts = textsIn[language].overview
  const count = numberFormat(locale)
  const amount = (minor: number) => minorText(minor, numbers.currency, locale)
  const terms = portalPath(shop.merchant, 'money/terms')
  const note = [texts.feesOf, ' ', <a href={terms}>{texts.feesTerms}</a>]
  const fees: Tile = { name: texts.fees, of: (taken) => taken.fees, print: amount, note }
  return [
    { name: texts.turnover, of: ({ captured }) => captured, print: amount },
    {
      name: texts.payments,
      of: ({ payments }: Taken) => payments,
      print: (one) => count.format(one),
      note: countNote(numbers.total, visitor),
    },
    { name: texts.refunds, of: ({ refunded }) => refunded, print: amount },
    ...(mayDo(me.terms, 'see_money') ? [fees] : []),
  ]
}

type Reader = Pick<PortalVisitor, 'language' | 'locale'>

/** Compared with the time before; nothing where there is nothing to compare with. */
const changeHtml = ({ of, print }: Tile, numbers: Numbers, { language, locale }: Reader): Html => {
  const [now, before] = [of(numbers.total), of(numbers.before)]
  if (before <= 0) return null
  const format = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const
  const change = numberFormat(locale, format).format((now - before) / before)
  const text = textsIn[language].overview.before({ figure: print(before) })
  return (
    <dd class="quiet small">
      <b>{change}</b> {text}
    </dd>
  )
}

/** The turnover of the period and what goes with it; nothing is said of zeros. */
export const tilesHtml = (view: OverviewView): Html => {
  const { visitor, numbers, chosen } = view
  const texts = textsIn[visitor.language].overview
  const { today, total, before } = numbers
  const isShown = ({ of }: Tile, index: number): boolean =>
    index === 0 || of(total) !== 0 || of(before) !== 0
  return (
    <dl class="card lead-figures">
      {tilesOf(view)
        .filter(isShown)
        .map((tile, index) => {
          const { name, of, print: text, note } = tile
          return (
            <div>
              <dt>{name}</dt>
              <dd class={index === 0 ? `amount ${sizeOf(text(of(total)))}` : 'figure'}>
                {text(of(total))}
              </dd>
              {changeHtml(tile, numbers, visitor)}
              {chosen.period.first !== chosen.today && of(today) !== 0 && (
                <dd class="quiet small">
                  {texts.today}: <b>{text(of(today))}</b>
                </dd>
              )}
              {note !== undefined && <dd class="quiet small">{note}</dd>}
              {index === 0 && <dd class="quiet small">{comparedText(chosen, visitor)}</dd>}
            </div>
          )
        })}
    </dl>
  )
}

export type Line = {
  readonly name: Html
  readonly taken: Taken
  /** What it is compared with, if the table says so. */
  readonly before?: Taken
}

export const tableHtml = (
  { visitor, numbers }: OverviewView,
  first: string,
  lines: readonly Line[],
): Html => {
  const { language, locale, me } = visitor
  const texts = textsIn[language].overview
  const showsFees = mayDo(me.terms, 'see_money')
  const amount = plainAmounts(locale, numbers.currency)
  const count = numberFormat(locale)
  const cell = (value: number, text = amount(value)) => ({
    kind: value === 0 ? 'number zero' : 'number',
    text,
  })
  const compares = lines.some(({ before }) => before)
  const names = [
    ...[texts.payments, texts.turnover, ...(compares ? [texts.earlier] : [])],
    ...[texts.refunds, ...(showsFees ? [texts.fees] : [])],
  ]
  const rows = lines.map(({ name, taken, before }) => [
    { head: name },
    cell(taken.payments, count.format(taken.payments)),
    cell(taken.captured),
    ...(before ? [cell(before.captured)] : []),
    cell(taken.refunded),
    ...(showsFees ? [cell(taken.fees)] : []),
  ])
  const heads = [first, ...names.map((number) => ({ number }))]
  return (
    <div class="scroll">
      <Table kind="grid lines takings" heads={heads} rows={rows} />
    </div>
  )
}

/** The numbers of the charts, newest first; columns without any are left out. */
export const columnsTable = (view: OverviewView): Html => {
  const { visitor, numbers, chosen } = view
  const texts = textsIn[visitor.language].overview
  const lines = numbers.columns
    .map((column, index) => ({ column, name: columnName(view, column.from, index) }))
    .filter(({ column }) => !isNothing(column) || !isNothing(column.before))
    .toReversed()
    .map(({ column, name }) => ({
      name: <a href={paymentsHref(view, column)}>{name}</a>,
      taken: column,
      before: column.before,
    }))
  const { total, before } = numbers
  const step = texts[stepOf(chosen.period)]
  return tableHtml(view, step, [...lines, { name: texts.total, taken: total, before }])
}

export const posTable = (view: OverviewView): Html => {
  const { visitor, numbers, posName } = view
  const texts = textsIn[visitor.language].overview
  return tableHtml(
    view,
    texts.pos,
    numbers.pointsOfSale.map(({ posId, ...taken }) => ({
      name: (
        <a href={portalPath(visitor.shop.merchant, `payments?pos=${encodeURIComponent(posId)}`)}>
          {posName(posId)}
        </a>
      ),
      taken,
    })),
  )
}

type Expiring = {
  readonly tid: string
  readonly posId: string
  readonly posTid: string
  readonly currency: string
  readonly amountLeft: number
  readonly additionalAmountLeft: number
  readonly expiresAt: Instant
}

type News = {
  readonly position: number
  readonly type: string
  readonly stream: string
  readonly actor: string
  readonly at: Instant
}

export type PanelNeeds = ActorNeeds &
  NextPayoutNeeds & {
    readonly expiring: (
      merchant: string,
      from: Instant,
      until: Instant,
      limit: number,
    ) => readonly Expiring[]
    readonly failingCallbacks: (merchant: string, limit: number) => readonly FailingAddress[]
    readonly newsAfter: (merchant: string, position: number, limit: number) => readonly News[]
  }

const mostListed = 8

const newsRead = 60

/** Authorisations that expire within a day, if there are any. */
export const expiringHtml = (
  { expiring }: PanelNeeds,
  visitor: PortalVisitor,
  at: Instant,
  posName: (id: string) => string,
): Html => {
  const { shop, me, language, locale } = visitor
  const texts = textsIn[language].overview
  const found = expiring(shop.merchant, at, at + dayMs, 10 * mostListed)
    .filter(({ posId }) => isTheirPos(me.terms, posId))
    .slice(0, mostListed)
  if (found.length === 0) return null
  return (
    <Card title={texts.expiring}>
      <List
        kind="list"
        items={found.map(
          ({ tid, posTid, posId, currency, amountLeft, additionalAmountLeft, expiresAt }) => (
            <a class="row" href={portalPath(shop.merchant, `payments/${tid}`)}>
              <span>
                <span class="name">
                  {posTid} <small class="quiet">{posName(posId)}</small>
                </span>{' '}
                <span class="quiet small">
                  {texts.ends} {shopTime(expiresAt, visitor)}
                </span>
              </span>
              <b>{minorText(amountLeft + additionalAmountLeft, currency, locale)}</b>
            </a>
          ),
        )}
      />
    </Card>
  )
}

const callbacksHtml = ({ failingCallbacks }: PanelNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].overview
  const found = failingCallbacks(visitor.shop.merchant, mostListed)
  if (found.length === 0) return null
  const words = { since: texts.callbackSince, rests: texts.callbackRests }
  const link = (status: 'failed' | 'abandoned') => (
    <Link
      class="lone"
      href={callbacksPath(visitor.shop.merchant, `?status=${status}`)}
      text={texts[`callbacks_${status}`]}
    />
  )
  return [
    failingAddresses(found, words, visitor),
    <p class="buttons">
      {link('failed')} {link('abandoned')}
    </p>,
  ]
}

const newsHtml = async (needs: PanelNeeds, visitor: PortalVisitor): Promise<Html> => {
  const { shop, me, language } = visitor
  // The visit that goes on is not the last one.
  const since = me.visits[1] ?? me.visits[0]
  if (!since) return null
  const words = newsWords(language)
  const nameOf = await actorNames(needs)(shop.merchant, language)
  // What has happened several times in a row is one line, of the last time.
  const found: { text: string; actor: string; at: Instant; count: number }[] = []
  for (const one of needs.newsAfter(shop.merchant, since.position, newsRead)) {
    const word = words(one)
    const isOwn = one.actor === staffActor(me.member)
    if (!word || isOwn || !mayDo(me.terms, word.action)) continue
    const [{ actor, at }, { text }, last] = [one, word, found.at(-1)]
    if (last?.text === text && last.actor === actor) last.count += 1
    else found.push({ text, actor, at, count: 1 })
  }
  if (found.length === 0) return null
  const items = found.slice(0, mostListed).map(async ({ text, at, actor, count }) => (
    <li class="row">
      <span>
        <span class="name">{count === 1 ? text : `${text} (${count})`}</span>{' '}
        <span class="quiet small">
          {await nameOf(actor)} · {shopTime(at, visitor)}
        </span>
      </span>
    </li>
  ))
  return <ul class="list">{await Promise.all(items)}</ul>
}

/** What needs somebody soon, and what has happened; each role sees its own. */
export const panelsHtml = async (needs: PanelNeeds, visitor: PortalVisitor): Promise<Html> => {
  const texts = textsIn[visitor.language].overview
  const may = (action: StaffAction) => mayDo(visitor.me.terms, action)
  const newsNone = visitor.me.visits.length === 0 ? texts.newsFirst : texts.newsNone
  const failing = may('see_developers') ? callbacksHtml(needs, visitor) : null
  const news = await newsHtml(needs, visitor)
  return [
    may('see_money') && whereMoneyIs(needs, visitor),
    failing !== null && <Card title={texts.callbacks}>{failing}</Card>,
    news === null ? (
      <p class="card quiet small">{newsNone}</p>
    ) : (
      <Card title={texts.news}>{news}</Card>
    ),
  ]
}
