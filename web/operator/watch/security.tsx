import { MoreLink, Quiet, Scroll, Table, type Row, type Html, Title } from '../../ui/components.tsx'
import { z } from 'zod'
import { securityEventTypes, type SecurityEvent } from '../../../application/security-log.ts'
import { searchOf } from '../../../http/call.ts'
import { asked, Choice, Field, type Option } from '../../ui/fields.tsx'
import { shownTime } from '../../ui/money.tsx'
import { operatorPath } from '../areas.ts'
import { type OperatorVisitor, dayField, merchantField, type PageOf } from '../pages.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import { plainText } from '../../../texts/message.ts'

type Line = SecurityEvent & { readonly at: string; readonly times?: number }

type Place = { readonly day: string; readonly before: number }

type Wanted = Readonly<Record<'merchant' | 'type' | 'actor', string | null>>

export type SecurityNeeds = {
  readonly securityPage: (
    wanted: Wanted,
    from: Place | undefined,
    limit: number,
  ) => { readonly lines: readonly Line[]; readonly next: Place | undefined }
}

const onPage = 100

export const securityQuery = z.object({
  merchant: asked('About this merchant.'),
  type: asked('Of this kind, such as `authentication_failed`.'),
  actor: asked('By this one, such as `user:pos1`, or of this kind, such as `payer`.'),
  day: asked('Of this day and before.'),
  before: asked('In the file of the day, before this byte.'),
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
      shownTime(Date.parse(at), visitor.locale),
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

const filterHtml = (wanted: Wanted, from: Place | undefined, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const kinds = securityEventTypes.map((type): Option => [type, kindText(type, visitor)])
  return (
    <form class="choices" method="get" action={operatorPath('security')}>
      <div>
        <Choice
          name="type"
          label={texts.what}
          value={wanted.type ?? ''}
          of={[['', texts.all], ...kinds]}
        />
      </div>
      {merchantField(texts.merchant, wanted.merchant)}
      {dayField(texts.when, from?.day)}
      <div>
        <Field
          name="actor"
          label={texts.by}
          hint={texts.byHint}
          value={wanted.actor ?? ''}
          autocapitalize="none"
        />
      </div>
      <button class="second">{texts.show}</button>
    </form>
  )
}

const searchWith = (wanted: Wanted, next: Place): string => {
  const given = Object.entries(wanted).filter(([, value]) => value !== null) as [string, string][]
  return String(new URLSearchParams([...given, ['day', next.day], ['before', String(next.before)]]))
}

export const securityLogPage: PageOf<SecurityNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].watch
  const search = searchOf(call)
  const given = (name: string) => search.get(name)?.trim() || null
  const wanted = { merchant: given('merchant'), type: given('type'), actor: given('actor') }
  const from = placeIn(search)
  const { lines, next } = needs.securityPage(wanted, from, onPage)
  const heads = [texts.when, texts.what, texts.by, texts.merchant, texts.address]
  const table = <Table kind="grid stacks log" heads={heads} rows={lines.map(rowHtml(visitor))} />
  const more = lines.length < onPage ? texts.lookOn : texts.older
  return {
    title: texts.security,
    body: [
      <Title text={texts.security} />,
      filterHtml(wanted, from, visitor),
      <section class="card">
        {lines.length === 0 ? (
          <Quiet text={texts.noLines} />
        ) : (
          <Scroll label={texts.security}>{table}</Scroll>
        )}
        {next ? (
          <MoreLink href={operatorPath(`security?${searchWith(wanted, next)}`)} text={more} />
        ) : (
          <p class="quiet small">{texts.logStart}</p>
        )}
      </section>,
    ],
  }
}
