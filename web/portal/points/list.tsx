import { Done, Link, Quiet, Table, type Html, Title } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { dayMs, type Instant } from '../../../domain/time.ts'
import { searchOf } from '../../../http/call.ts'
import { unseen } from '../../ui/words.tsx'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.tsx'
import type { PortalPages } from '../pages.ts'
import { keysLink } from './forms.tsx'
import { mostListed, pointsPath, type CodeData, type PointNeeds, type PosData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export const daysOfScans = 14

const posHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['points'],
  all: readonly PosData[],
): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const hrefOf = (id: string) => path(`/pos/${encodeURIComponent(id)}`)
  const rows = all.map(({ id, name, type }) => [
    mayChange ? <a href={hrefOf(id)}>{name}</a> : name,
    <code>{id}</code>,
    texts[`type_${type}`],
  ])
  return (
    <section class="card">
      <div class="head">
        <h2>{texts.pos}</h2>
        {mayChange && <Link class="button" href={path('/new')} text={texts.newPos} />}
      </div>
      {all.length === 0 ? (
        <Quiet text={texts.posNone} />
      ) : (
        <Table
          label={texts.pos}
          kind="grid"
          heads={[texts.name, texts.id, texts.type]}
          rows={rows}
        />
      )}
      {keysLink(visitor)}
    </section>
  )
}

type Counts = ReadonlyMap<string, number>

const codesHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['points'],
  all: readonly CodeData[],
  counts: Counts,
): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const haveStickers = all.some(({ serialNumber }) => serialNumber !== null)
  const sticker = haveStickers ? [texts.sticker] : []
  const heads = [texts.code, ...sticker, { number: texts.scansIn }, unseen(texts.labels)]
  const rows = all.map(({ id, description, serialNumber }) => {
    const labels = [texts.labels, unseen(` ${description ?? id}`)]
    return [
      <a href={path(`/code/${id}`)}>{description ?? id}</a>,
      ...(haveStickers ? [serialNumber] : []),
      { number: counts.get(id) ?? 0 },
      { kind: 'links', text: <a href={path(`/code/${id}/labels`)}>{labels}</a> },
    ]
  })
  return (
    <section class="card">
      <div class="head">
        <h2>{texts.codes}</h2>
        {mayChange && <Link class="button" href={path('/new-code')} text={texts.newCode} />}
      </div>
      {all.length === 0 ? (
        <Quiet text={texts.codesNone} />
      ) : (
        [
          <p class="quiet small">{texts.codesWhat}</p>,
          <Table label={texts.codes} kind="grid" heads={heads} rows={rows} />,
        ]
      )}
    </section>
  )
}

const countsOf = ({ scanCounts }: PointNeeds, merchant: string, at: Instant): Counts => {
  const found = scanCounts.ofCodes(merchant, at - daysOfScans * dayMs, at + dayMs)
  return new Map(found.map(({ shortlink, count }) => [shortlink, count]))
}

export const doneText = (texts: Catalogue['points'], done: string | null): string | undefined =>
  done === 'made' || done === 'changed' || done === 'removed' ? texts[`done_${done}`] : undefined

/** The points of sale of a merchant, and its codes. */
export const pointListRoute = (needs: PointNeeds, { page }: PortalPages): Route =>
  page(
    {
      path: '/portal/:merchant/points-of-sale',
      summary: 'The points of sale and codes of a merchant',
      action: 'see_points_of_sale',
      area: 'pointsOfSale',
    },
    async (visitor, call) => {
      await needs.caughtUp()
      const texts = textsIn[visitor.language].points
      const { merchant } = visitor.shop
      const listed = <Data,>(rows: readonly { readonly data: Data }[]) =>
        rows.map(({ data }) => data)
      const newest = Number.MAX_SAFE_INTEGER
      const all = listed(needs.pointsOfSale.list(merchant, newest, mostListed))
      const codes = listed(needs.shortlinks.list(merchant, newest, mostListed))
      return {
        title: texts.pos,
        body: [
          <Title text={texts.pos} />,
          <Done text={doneText(texts, searchOf(call).get('done'))} />,
          <div class="columns">
            {posHtml(visitor, texts, all.toReversed())}
            {codesHtml(visitor, texts, codes, countsOf(needs, merchant, call.at))}
          </div>,
        ],
      }
    },
  )
