import { Card, Link, Quiet, Table, type Row, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type {
  CallbackMessageRow,
  FoldedStatus,
} from '../../../projections/callback-message-table.ts'
import type { Instant } from '../../../domain/time.ts'
import type { CallbackNeeds } from '../../../http/merchant/callback.ts'
import { summaryView } from '../../../http/merchant/callback-reply.ts'
import { dateFormat, shopTime } from '../../ui/money.tsx'
import { linkToOlder } from '../../ui/paging.tsx'
import { filled } from '../../ui/words.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { portalPath } from '../areas.ts'
import {
  actHtml,
  questionHtml,
  callbackWords,
  copyHtml,
  developersPage,
  developersPath,
  textsOf,
} from './parts.tsx'
import { Choice, type Problems, Field } from '../../ui/fields.tsx'
import { problemText } from '../problem-texts.ts'
import { filledText } from '../../../texts/message.ts'

/** The filters of the list, and what each shows. */
export const filters = {
  waiting: ['waiting'],
  failed: ['failing', 'abandoned'],
  abandoned: ['abandoned'],
  delivered: ['delivered'],
  unaddressed: ['unaddressed'],
} as const satisfies Readonly<Record<string, readonly FoldedStatus[]>>

export type CallbackFilter = keyof typeof filters

export const callbackFilters = Object.keys(filters) as [CallbackFilter, ...CallbackFilter[]]

const isFailed = (status: FoldedStatus): boolean =>
  filters.failed.some((failed) => failed === status)

/** Those without an address stand in the feed alone. */
export const addressed = [...filters.waiting, ...filters.failed, ...filters.delivered]

export const kinds: Readonly<Record<FoldedStatus, string>> = {
  waiting: 'warn',
  failing: 'bad',
  abandoned: 'bad',
  delivered: 'good',
  unaddressed: '',
}

/** By the status that the filters go by. */
export const badgeHtml = (status: FoldedStatus, text: string): Html => (
  <b class={`badge ${kinds[status]}`}>{text}</b>
)

/** What has become of a message. */
export const statusBadge = (
  visitor: Pick<PortalVisitor, 'language'>,
  { status }: Pick<CallbackMessageRow, 'status'>,
): Html => {
  const filter = status === 'failing' ? 'failed' : status
  return badgeHtml(status, textsOf(visitor)[`filter_${filter}`])
}

/** Why the last attempt failed, in short. */
export const reasonHtml = (
  visitor: PortalVisitor,
  { httpStatus, problem }: CallbackMessageRow,
): Html => {
  if (httpStatus === null && problem === null) return null
  const text =
    httpStatus === null
      ? problemText(problem ?? '', visitor.language)
      : filledText(textsOf(visitor).answered, { status: String(httpStatus) })
  return <span class="value">{text}</span>
}

/** What was typed, and what is wrong with it. */
type TypedAddress = {
  /** For the test message. */
  readonly typed?: string
  /** As the merchant's own address. */
  readonly typedAddress?: string
  readonly problems?: Problems
}

const placeholder = 'https://shop.example/callback'

const testHtml = (visitor: PortalVisitor, typed: string, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const fields = (
    <Field
      name="uri"
      label={texts.callbackAddress}
      problem={problems['uri']}
      type="url"
      value={typed}
      maxlength={2000}
      required
      autocomplete="off"
      placeholder={placeholder}
    />
  )
  const path = developersPath(visitor.shop.merchant, 'callbacks')
  const act = { path, change: 'test', label: texts.sendTest, fields, kind: '' } as const
  return (
    <Card title={texts.sendTest}>
      <p class="quiet small">{texts.sendTestWhat}</p>
      {actHtml(visitor, act)}
    </Card>
  )
}

/** Where goes what no request has given an address for. */
const ownHtml = (visitor: PortalVisitor, typed: string | undefined, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const { merchant, callbackUri } = visitor.shop
  const fields = (
    <Field
      name="own_uri"
      label={texts.callbackAddress}
      problem={problems['own_uri']}
      value={typed ?? callbackUri ?? ''}
      maxlength={2000}
      autocomplete="off"
      placeholder={placeholder}
    />
  )
  const path = developersPath(merchant, 'callbacks')
  const act = { path, change: 'address', label: texts.save, fields, kind: '' } as const
  return (
    <Card title={texts.ownAddress}>
      <p class="quiet small">{texts.ownAddressWhat}</p>
      {actHtml(visitor, act)}
    </Card>
  )
}

/** The merchant's own address, and a test of any. */
const addressesHtml = (
  visitor: PortalVisitor,
  { typed = '', typedAddress, problems = {} }: TypedAddress,
): Html => (
  <div>
    {ownHtml(visitor, typedAddress, problems)}
    {testHtml(visitor, typed, problems)}
  </div>
)

type Secret = { readonly secret: string; readonly validUntil: Instant | null }

export type CallbackListNeeds = Pick<
  CallbackNeeds,
  'callbackMessages' | 'findQueue' | 'links' | 'attemptsOf' | 'wordCallback' | 'retryCallback'
> & {
  readonly newestOf: (merchant: string) => number
  /** The current one first. */
  readonly findCallbackSecrets: (merchant: string, at: Instant) => Promise<readonly Secret[]>
}

const listedAtOnce = 50

export const callbacksPath = (merchant: string, search = ''): string =>
  developersPath(merchant, `callbacks${search}`)

const rowHtml = (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  row: CallbackMessageRow,
): Row => {
  const { merchant } = visitor.shop
  const { callback_uri: uri } = summaryView(needs, row)
  return [
    shopTime(row.at, visitor),
    {
      head: [
        <a href={callbacksPath(merchant, `/${row.id}`)}>{callbackWords(visitor, row.event)}</a>,
        ' ',
        <code class="value">{row.event}</code>,
      ],
    },
    [statusBadge(visitor, row), ' ', reasonHtml(visitor, row)],
    { kind: `number ${row.attempts === 0 ? 'zero' : ''}`, text: row.attempts },
    { kind: 'dev-long', text: <code>{uri ?? ''}</code> },
  ]
}

const tableHtml = (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  rows: readonly CallbackMessageRow[],
): Html => {
  const texts = textsOf(visitor)
  if (rows.length === 0) return <Quiet text={texts.noCallbacks} />
  return (
    <div class="scroll">
      <Table
        kind="grid lines"
        heads={[
          texts.time,
          texts.event,
          texts.status,
          { number: texts.attempts },
          texts.callbackAddress,
        ]}
        rows={rows.map((row) => rowHtml(needs, visitor, row))}
      />
    </div>
  )
}

const filtersHtml = (visitor: PortalVisitor, current: CallbackFilter | undefined): Html => {
  const texts = textsOf(visitor)
  const path = callbacksPath(visitor.shop.merchant)
  const link = (status: CallbackFilter | undefined) => (
    <Link
      href={`${path}${status === undefined ? '' : `?status=${status}`}`}
      aria-current={status === current ? 'true' : undefined}
      text={texts[`filter_${status ?? 'all'}`]}
    />
  )
  return (
    <nav class="filters" aria-label={texts.status}>
      {link(undefined)} {callbackFilters.map(link)}
    </nav>
  )
}

const hourMs = 3_600_000

/** As many are sent again at once. */
const mostRetried = 1_000

const failedOf = ({ callbackMessages }: CallbackListNeeds, merchant: string) =>
  callbackMessages.list(merchant, filters.failed, Number.MAX_SAFE_INTEGER, mostRetried)

const hourOf = ({ at }: CallbackMessageRow): number => Math.floor(at / hourMs)

/** Messages of an hour since 1970 that failed and have an address, oldest first. */
export const failedInHour = (needs: CallbackListNeeds, merchant: string, hour: number) =>
  failedOf(needs, merchant)
    .filter((row) => hourOf(row) === hour && needs.findQueue(row.subject)?.callbackUri)
    .toReversed()

/** Sends again what failed in an hour, such as when the receiver was down. */
const failedHtml = (needs: CallbackListNeeds, visitor: PortalVisitor): Html => {
  const texts = textsOf(visitor)
  const { merchant, timeZone } = visitor.shop
  const counts = new Map<number, number>()
  for (const row of failedOf(needs, merchant))
    counts.set(hourOf(row), (counts.get(hourOf(row)) ?? 0) + 1)
  if (counts.size === 0) return null
  const day = { day: 'numeric', month: 'short' } as const
  const clock = { hour: 'numeric', minute: '2-digit' } as const
  const format = dateFormat(visitor.locale, { ...day, ...clock, timeZone })
  const hours = [...counts].map(([hour, count]) => {
    const time = format.formatRange(hour * hourMs, (hour + 1) * hourMs)
    return [String(hour), texts.hourOf({ time, count })] as const
  })
  const path = callbacksPath(merchant)
  const fields = <Choice name="hour" label={texts.failedHour} value="" of={hours} />
  return actHtml(visitor, { path, change: 'retry_hour', label: texts.retryHour, fields })
}

const secretHtml = async (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  at: Instant,
  isShown: boolean,
): Promise<Html> => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const path = callbacksPath(merchant)
  const [current, ...earlier] = isShown ? await needs.findCallbackSecrets(merchant, at) : []
  const act = { path, change: 'rotate', label: texts.rotate, kind: 'danger' as const }
  return (
    <Card title={texts.callbackSecret}>
      <p class="quiet small">{texts.callbackSecretWhat}</p>
      {current === undefined ? (
        <p>
          <Link class="button second" href={`${path}?secret`} text={texts.showSecret} />
        </p>
      ) : (
        [
          copyHtml(visitor, 'callback-secret', current.secret),
          ' ',
          earlier.map(({ secret, validUntil }, index) => [
            <p class="quiet small">
              {filled(texts.oldUntil, { time: shopTime(validUntil ?? at, visitor) })}
            </p>,
            copyHtml(visitor, `earlier-${index}`, secret),
          ]),
        ]
      )}{' '}
      {questionHtml(texts.rotate, texts.rotateCallbacksWhat, actHtml(visitor, act))}
    </Card>
  )
}

export type CallbackListQuery = TypedAddress & {
  readonly at: Instant
  readonly status: CallbackFilter | undefined
  readonly before: number
  readonly isSecretShown: boolean
  readonly done?: string | undefined
}

/** The messages of a merchant, the secret that signs them, and a test. */
export const callbackListPage = async (
  needs: CallbackListNeeds,
  visitor: PortalVisitor,
  query: CallbackListQuery,
): Promise<PortalPage> => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const { at, status, before, isSecretShown, done } = query
  const newest = needs.newestOf(shop.merchant)
  const statuses = status === undefined ? addressed : filters[status]
  const found = needs.callbackMessages.list(shop.merchant, statuses, before, listedAtOnce + 1)
  const rows = found.slice(0, listedAtOnce)
  const last = found.length > listedAtOnce ? rows.at(-1) : undefined
  const older = `?before=${last?.place}${status === undefined ? '' : `&status=${status}`}`
  const mayChange = mayDo(me.terms, 'change_callbacks')
  return developersPage(visitor, {
    tab: 'callbacks',
    title: texts.tab_callbacks,
    done,
    status: query.problems === undefined ? 200 : 400,
    follow: portalPath(shop.merchant, `events?after=${newest}`),
    body: [
      <Card title={texts.tab_callbacks}>
        <p class="quiet small">{texts.callbacksWhat}</p>
        {filtersHtml(visitor, status)}
        <div data-part="callbacks">{tableHtml(needs, visitor, rows)}</div>
        {mayChange && statuses.some(isFailed) && failedHtml(needs, visitor)}
        {linkToOlder(visitor, last && callbacksPath(shop.merchant, older))}
      </Card>,
      mayChange && (
        <div class="columns">
          {await secretHtml(needs, visitor, at, isSecretShown)}
          {addressesHtml(visitor, query)}
        </div>
      ),
    ],
  })
}
