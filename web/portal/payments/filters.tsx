import { type InputAttributes, Field } from '../../ui/fields.tsx'
import { Choice, type Option } from '../../ui/fields.tsx'
import { Hidden, Link, type Html } from '../../ui/components.tsx'
import type { Instant } from '../../../domain/time.ts'
import {
  addressOf,
  usualDays,
  shortcuts,
  statuses,
  type FilterQuery,
  type Days,
  type Filters,
} from './query.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type FilterView = {
  readonly texts: Catalogue['payments']
  /** Of the list. */
  readonly path: string
  readonly filters: Filters
  readonly problems: FilterQuery['problems']
  /** By whose clocks a day begins. */
  readonly timeZone: string
  readonly at: Instant
  /** Id and name of those to choose from. */
  readonly pointsOfSale: readonly (readonly [id: string, name: string])[]
}

const states = {
  pending: 'waiting',
  auth: 'reserved',
  ok: 'paid',
  refunded: 'refunded',
  fail: 'failed',
} as const satisfies Readonly<Record<(typeof statuses)[number], string>>

/** A link for each status, which keeps the other filters. */
export const tabsHtml = ({ texts, path, filters }: FilterView): Html => {
  const tab = (status: string, name: string): Html => (
    <Link
      href={addressOf(path, filters, { status })}
      aria-current={filters.status === status ? 'true' : undefined}
      text={name}
    />
  )
  return (
    <nav class="tabs" aria-label={texts.status}>
      {tab('', texts.all)} {statuses.map((status) => tab(status, texts[`state_${states[status]}`]))}
    </nav>
  )
}

const anyDay: Days = { since: '', until: '' }

/** Days and orders that are often asked for, as links which keep the other filters. */
export const shortcutsHtml = ({ texts, path, filters, timeZone, at }: FilterView): Html => {
  const link = (name: string, changes: Partial<Filters>): Html => {
    const isCurrent = Object.entries({ ...filters, ...changes }).every(
      ([key, value]) => filters[key as keyof Filters] === value,
    )
    return (
      <Link
        href={addressOf(path, filters, changes)}
        aria-current={isCurrent ? 'true' : undefined}
        text={name}
      />
    )
  }
  const days = usualDays(timeZone, at)
  return (
    <div class="shortcuts">
      <nav aria-label={texts.day}>
        {link(texts.anyDay, anyDay)} {shortcuts.map((name) => link(texts[name], days[name]))}
      </nav>
      <nav aria-label={texts.sort}>
        {link(texts.newest, { sort: '' })} {link(texts.largest, { sort: 'largest' })}
      </nav>
    </div>
  )
}

type Filter = {
  readonly name: keyof Filters
  readonly label: string
  readonly attributes: InputAttributes
}

const fieldHtml = ({ texts, filters, problems }: FilterView, field: Filter): Html => {
  const { name, label, attributes } = field
  const problem = problems[name]
  const wrong = problem && texts[problem]
  return (
    <div>
      <Field name={name} label={label} value={filters[name]} problem={wrong} {...attributes} />
    </div>
  )
}

const choiceHtml = (name: keyof Filters, label: string, chosen: string, of: readonly Option[]) => (
  <div>
    <Choice name={name} label={label} value={chosen} of={of} />
  </div>
)

const moreNames = ['pos', 'since', 'until', 'least', 'most', 'sort'] as const

/** The search, and the other filters below it, open when one is wrong. */
export const filtersHtml = (view: FilterView): Html => {
  const { texts, path, filters, pointsOfSale } = view
  const set = moreNames.filter((name) => filters[name] !== '').length
  const amount = { inputmode: 'decimal', autocomplete: 'off' } as const
  const known = pointsOfSale.some(([id]) => id === filters.pos)
  const others: readonly Option[] =
    filters.pos === '' || known ? pointsOfSale : [...pointsOfSale, [filters.pos, filters.pos]]
  return (
    <form class="find" method="get" action={path} role="search">
      {filters.status !== '' && <Hidden fields={{ status: filters.status }} />}
      <div class="find-text">
        <label class="unseen" for="q">
          {texts.search}
        </label>
        <input id="q" name="q" type="search" value={filters.q} placeholder={texts.searchHint} />
        <button class="second">{texts.show}</button>
      </div>
      <details open={Object.keys(view.problems).length > 0}>
        <summary>
          {texts.filters}
          {set > 0 && [' ', <span class="count">{set}</span>]}
        </summary>
        <div>
          <div class="find-more">
            {fieldHtml(view, {
              name: 'since',
              label: texts.sinceDay,
              attributes: { type: 'date' },
            })}
            {fieldHtml(view, {
              name: 'until',
              label: texts.untilDay,
              attributes: { type: 'date' },
            })}
            {fieldHtml(view, { name: 'least', label: texts.amountFrom, attributes: amount })}
            {fieldHtml(view, { name: 'most', label: texts.amountTo, attributes: amount })}
            {choiceHtml('pos', texts.pos, filters.pos, [['', texts.allPos], ...others])}
            {choiceHtml('sort', texts.sort, filters.sort, [
              ['', texts.newest],
              ['largest', texts.largest],
            ])}
          </div>
          <div class="find-go">
            <button class="second">{texts.show}</button>
            <a href={path}>{texts.clear}</a>
          </div>
        </div>
      </details>
    </form>
  )
}
