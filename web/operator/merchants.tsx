import { Hidden, Link, Table, type Row, type Html, Title } from '../ui/components.tsx'
import { z } from 'zod'
import {
  merchantStates,
  type ListedMerchant,
  type MerchantState,
} from '../../projections/merchant-list.ts'
import { searchOf } from '../../http/call.ts'
import { anyText } from '../ui/fields.tsx'
import { type Visits } from '../payer/session.tsx'
import type { Route } from '../../http/route.ts'
import { operatorPath } from './areas.ts'
import { operatorPages, type OperatorNeeds, type OperatorVisitor } from './pages.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export type MerchantListNeeds = OperatorNeeds & {
  /** The newest first. */
  readonly listMerchants: (
    of: { readonly state: MerchantState; readonly part: string },
    before: number,
    limit: number,
  ) => readonly ListedMerchant[]
}

const onPage = 50

const path = operatorPath('merchants')

export const merchantPath = (merchant: string, way = ''): string =>
  operatorPath(`merchants/${encodeURIComponent(merchant)}${way}`)

/** How it stands, in a word. */
export const stateHtml = (
  texts: Catalogue['merchants'],
  { isDisabled, waits }: Pick<ListedMerchant, 'isDisabled' | 'waits'>,
): Html => {
  if (!isDisabled) return <span class="badge good">{texts.open}</span>
  return waits ? (
    <span class="badge warn">{texts.waiting}</span>
  ) : (
    <span class="badge bad">{texts.disabled}</span>
  )
}

type ListQuery = { readonly state: MerchantState; readonly part: string; readonly before: number }

const queryIn = (search: URLSearchParams): ListQuery => {
  const state = search.get('state')
  const before = Number(search.get('before') ?? '')
  return {
    state: merchantStates.find((one) => one === state) ?? 'all',
    part: (search.get('q') ?? '').trim().slice(0, 100),
    before: Number.isSafeInteger(before) && before > 0 ? before : Number.MAX_SAFE_INTEGER,
  }
}

const addressOf = ({ state, part }: ListQuery, changes: Partial<ListQuery>): string => {
  const changed = { state, part, before: Number.MAX_SAFE_INTEGER, ...changes }
  const search = new URLSearchParams()
  if (changed.state !== 'all') search.set('state', changed.state)
  if (changed.part !== '') search.set('q', changed.part)
  if (changed.before < Number.MAX_SAFE_INTEGER) search.set('before', String(changed.before))
  const query = search.toString()
  return query === '' ? path : `${path}?${query}`
}

const findHtml = (texts: Catalogue['merchants'], query: ListQuery): Html => {
  const tab = (state: MerchantState, name: string): Html => (
    <Link
      href={addressOf(query, { state })}
      aria-current={query.state === state ? 'true' : undefined}
      text={name}
    />
  )
  return [
    <nav class="tabs" aria-label={texts.state}>
      {tab('all', texts.all)} {tab('waiting', texts.waiting)} {tab('disabled', texts.disabled)}
    </nav>,
    <form class="find merchants-find" method="get" action={path} role="search">
      {query.state !== 'all' && <Hidden fields={{ state: query.state }} />}
      <div class="find-text">
        <label class="unseen" for="q">
          {texts.search}
        </label>
        <input id="q" name="q" type="search" value={query.part} placeholder={texts.searchHint} />
        <button class="second">{texts.show}</button>
      </div>
    </form>,
  ]
}

const rowHtml = (texts: Catalogue['merchants'], one: ListedMerchant): Row => [
  { kind: 'sum', text: <a href={merchantPath(one.merchant)}>{one.name}</a> },
  { kind: 'is', text: stateHtml(texts, one) },
  { kind: 'what', text: one.merchant },
  { kind: 'whom', text: one.organizationId ?? '' },
  { kind: 'when', text: one.currency },
]

const listHtml = (
  texts: Catalogue['merchants'],
  query: ListQuery,
  found: readonly ListedMerchant[],
): Html => {
  if (found.length === 0) {
    const isNew = query.part === '' && query.state === 'all'
    return <p class="quiet nothing">{isNew ? texts.empty : texts.nothing}</p>
  }
  const rows = found.slice(0, onPage)
  const last = rows.at(-1)
  const more = found.length > onPage && last ? addressOf(query, { before: last.position }) : ''
  const isFurther = query.before < Number.MAX_SAFE_INTEGER
  const heads = [texts.name, texts.state, texts.id, texts.organization, texts.currency]
  const listed = rows.map((one) => rowHtml(texts, one))
  return [
    <Table label={texts.merchants} kind="payments merchants" heads={heads} rows={listed} />,
    !(more === '' && !isFurther) && (
      <p class="older buttons">
        {more !== '' && <Link class="button second" href={more} text={texts.older} />}
        {isFurther && (
          <Link class="button second" href={addressOf(query, {})} text={texts.newest} />
        )}
      </p>
    ),
  ]
}

export const merchantListRoutes = (needs: MerchantListNeeds, visits: Visits): Route[] => {
  const { page } = operatorPages(needs, visits)
  return [
    page(
      {
        path,
        summary: 'The merchants',
        action: 'see_merchants',
        area: 'merchants',
        ownQuery: z.object({
          q: anyText('A part of the name, the id or a number.'),
          state: anyText('`waiting` for approval, or `disabled`.'),
          before: anyText('Opaque: out of the link to the next page.'),
        }),
      },
      async ({ language }: OperatorVisitor, call) => {
        const texts = textsIn[language].merchants
        const query = queryIn(searchOf(call))
        const found = needs.listMerchants(query, query.before, onPage + 1)
        return {
          title: texts.merchants,
          body: [
            <Title text={texts.merchants} />,
            findHtml(texts, query),
            <section class="card flush">{listHtml(texts, query, found)}</section>,
          ],
        }
      },
    ),
  ]
}
