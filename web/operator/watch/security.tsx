import { MoreLink, Quiet, Scroll, Table, type Row, type Html, Title } from '../../ui/components.tsx'
import { z } from 'zod'
import { securityEventTypes, type SecurityEvent } from '../../../application/security-log.ts'
import { searchOf } from '../../../http/call.ts'
import { anyText, Choice, Field, type Option } from '../../ui/fields.tsx'
import { utcTime } from '../../ui/money.tsx'
import { operatorPath } from '../areas.ts'
import { type OperatorVisitor, dayField, merchantField, type PageOf } from '../pages.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import { plainText } from '../../../texts/message.ts'

type Line = SecurityEvent & { readonly at: string; readonly times?: number }

type Place = { readonly day: string; readonly before: number }

type Filter = Readonly<Record<'merchant' | 'type' | 'actor', string | null>>

export type SecurityNeeds = {
  readonly securityPage: (
    filter: Filter,
    from: Place | undefined,
    limit: number,
  ) => { readonly lines: readonly Line[]; readonly next: Place | undefined }
}

const onPage = 100

export const securityQuery = z.object({
  merchant: anyText('About this merchant.'),
  type: anyText('Of this kind, such as `authentication_failed`.'),
  actor: anyText('By this one, such as `user:pos1`, or of this kind, such as `payer`.'),
  day: anyText('Of this day and before.'),
  before: anyText('In the file of the day, before this byte.'),
})

const placeIn = (search: URLSearchParams): Place | undefined => {
  const day = search.get('day') ?? ''
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const before = search.get('before') ?? ''
  return { day, before: /^\d{1,15}$/.test(before) ? Number(before) : Number.MAX_SAFE_INTEGER }
}

const kindText = (type: string, { language }: OperatorVisitor): string =>
  plainText(textsIn[language].watch, `seen_${type}`) ??
  plainText(textsIn[language].staff, `seen_${type}`) ??
  type

const rowHtml =
  (visitor: OperatorVisitor) =>
  ({ at, type, actor, merchant, address, about, reason, times }: Line): Row => {
    const texts = textsIn[visitor.language].watch
    const counted =
      times === undefined ? null : <span class="badge">{texts.times({ count: times + 1 })}</span>
    const details = [reason, about].filter((one) => one !== undefined)
    return [
      utcTime(Date.parse(at), visitor.locale),
      [
        kindText(type, visitor),
        ' ',
        counted,
        ' ',
        details.map((one) => (
          <span class="value">
            <code>{one}</code>
          </span>
        )),
      ],
      actor,
      merchant ?? '',
      address ?? '',
    ]
  }

const filterHtml = (filter: Filter, from: Place | undefined, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const kinds = securityEventTypes.map((type): Option => [type, kindText(type, visitor)])
  return (
    <form class="choices" method="get" action={operatorPath('security')}>
      <div>
        <Choice
          name="type"
          label={texts.what}
          value={filter.type ?? ''}
          of={[['', texts.all], ...kinds]}
        />
      </div>
      {merchantField(texts.merchant, filter.merchant)}
      {dayField(texts.when, from?.day)}
      <div>
        <Field
          name="actor"
          label={texts.by}
          hint={texts.byHint}
          value={filter.actor ?? ''}
          autocapitalize="none"
        />
      </div>
      <button class="second">{texts.show}</button>
    </form>
  )
}

const searchWith = (filter: Filter, next: Place): string => {
  const filled = Object.entries(filter).filter(([, value]) => value !== null) as [string, string][]
  return String(
    new URLSearchParams([...filled, ['day', next.day], ['before', String(next.before)]]),
  )
}

export const securityLogPage: PageOf<SecurityNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].watch
  const search = searchOf(call)
  const field = (name: string) => search.get(name)?.trim() || null
  const filter = { merchant: field('merchant'), type: field('type'), actor: field('actor') }
  const from = placeIn(search)
  const { lines, next } = needs.securityPage(filter, from, onPage)
  const heads = [texts.when, texts.what, texts.by, texts.merchant, texts.address]
  const table = <Table kind="grid stacks log" heads={heads} rows={lines.map(rowHtml(visitor))} />
  const more = lines.length < onPage ? texts.lookOn : texts.older
  return {
    title: texts.security,
    body: [
      <Title text={texts.security} />,
      filterHtml(filter, from, visitor),
      <section class="card">
        {lines.length === 0 ? (
          <Quiet text={texts.noLines} />
        ) : (
          <Scroll label={texts.security}>{table}</Scroll>
        )}
        {next ? (
          <MoreLink href={operatorPath(`security?${searchWith(filter, next)}`)} text={more} />
        ) : (
          <p class="quiet small">{texts.logStart}</p>
        )}
      </section>,
    ],
  }
}
