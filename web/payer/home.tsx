import { Done, Link, MoreLink, type Html } from '../ui/components.tsx'
import type { PayerViews } from '../../application/payer-views.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { GrantedPermission } from '../../projections/grants.ts'
import type { InboxEntry } from '../../projections/payer-inbox.ts'
import type { Queries } from '../../projections/read-models.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { devicesHtml, type DevicesNeeds } from './devices.tsx'
import { minorText, utcTime } from '../ui/money.tsx'
import { pageAsks } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { linkToOlder, pageIn } from '../ui/paging.tsx'
import { detailsHtml } from './profile.tsx'
import { statusText, sumsOf, type RequestView } from './request.tsx'
import type { SignedIn, Visits } from './session.tsx'
import { doneIn, filled } from '../ui/words.tsx'

export type PayerHomeNeeds = DevicesNeeds &
  Pick<Queries['people'], 'inbox'> & {
    readonly findProfile: (payer: string) => Promise<Profile | undefined>
    readonly findRequest: (tid: string, at: Instant) => Promise<RequestView | undefined>
    readonly findPayerPermission: PayerViews['findPayerPermission']
    /** Permissions granted to applications, newest first. */
    readonly answersOf: (
      payer: string,
      before: number,
      limit: number,
    ) => readonly GrantedPermission[]
    readonly applicationName: (client: string) => string | undefined
    readonly isWithdrawn: (grant: string) => boolean
    readonly shopName: (merchant: string) => string
  }

type Row = {
  readonly href: string
  readonly name: string
  /** The shop's short text. */
  readonly about: string
  readonly when: Html
  readonly status: Html
  readonly beside: string
}

const rowHtml = ({ href, name, about, when, status, beside }: Row): Html => (
  <li>
    <a class="row" href={href}>
      <span>
        {' '}
        <span class="name">{name}</span> {about !== '' && <span class="about">{about}</span>}{' '}
        <span class="quiet small">
          {when} {status !== '' && ['· ', status]}
        </span>{' '}
      </span>
      <b>{beside}</b>
    </a>
  </li>
)

export const payerHomeRoutes = (needs: PayerHomeNeeds, visits: Visits): Route[] => {
  const { page } = payerPages(visits)

  const item = async (visitor: SignedIn, { kind, id }: InboxEntry, at: Instant): Promise<Html> => {
    const { texts, locale } = visitor
    if (kind === 'payment') {
      const view = await needs.findRequest(id, at)
      if (!view) return null
      const { outcome, request, shop } = view
      const { asked, captured, refunded } = sumsOf(outcome)
      const back = refunded > 0 && ` ${minorText(-refunded, outcome.currency, locale)}`
      return rowHtml({
        href: `/payer/payment/${id}`,
        name: shop,
        about: request.text ?? '',
        when: utcTime(outcome.answeredAt ?? outcome.modifiedAt, locale),
        status: outcome.status === 'pending' ? '' : [statusText(texts, view), back],
        beside: minorText(captured || asked, outcome.currency, locale),
      })
    }
    const row = await needs.findPayerPermission(id, at)
    if (!row) return null
    const granted = row.permissions ? texts.statusGranted : texts.statusDeclined
    const isWithdrawn = needs.isWithdrawn(`permission-${id}`)
    const answered = isWithdrawn ? texts.statusWithdrawn : granted
    return rowHtml({
      href: `/payer/permission/${id}`,
      name: needs.shopName(row.request.merchant),
      about: row.request.text ?? texts.asks,
      when: utcTime(row.modifiedAt, locale),
      status: { pending: '', ok: answered, fail: texts.statusExpired }[row.status],
      beside: texts.permission,
    })
  }

  const consentItem = ({ texts, locale }: SignedIn, consent: GrantedPermission): Html => {
    const { client, merchant, grantedAt, isWithdrawn } = consent
    const shop = needs.shopName(merchant)
    return rowHtml({
      href: '/payer/permissions',
      name: needs.applicationName(client) ?? shop,
      about: shop,
      when: utcTime(grantedAt, locale),
      status: isWithdrawn ? texts.statusWithdrawn : texts.statusGranted,
      beside: texts.permission,
    })
  }

  const items = (visitor: SignedIn, rows: readonly InboxEntry[], at: Instant) =>
    Promise.all(rows.map((row) => item(visitor, row, at)))

  const home = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { at } = call
    const { texts } = visitor
    const { payer } = visitor.session
    const search = searchOf(call)
    const hasScanned = search.has('scanned')
    const profile = (await needs.findProfile(payer)) ?? refuse('payer_is_unknown')
    const done = doneIn(search, { saved: texts.saved, 'device-out': texts.deviceIsOut })
    const { rows: waiting, older } = pageIn(call, '/payer/', (before, limit) =>
      needs.inbox.waiting(payer, at, before, limit),
    )
    return visits.show(visitor, {
      title: texts.home,
      refreshAfter: 15,
      body: [
        <h1 class="hello">{filled(texts.hello, { name: profile.name })}</h1>,
        done !== undefined && <Done text={done} />,
        <div class="card" data-refresh="">
          <h2>{texts.waiting}</h2>
          {waiting.length === 0 ? (
            <p class="quiet">{hasScanned ? texts.scannedFirst : texts.empty}</p>
          ) : (
            <ul class="list">{await items(visitor, waiting, at)}</ul>
          )}
          {linkToOlder(visitor, older)}
          <div class="actions">
            <Link class="button second" href="/payer/scan" text={texts.scan} />
          </div>
        </div>,
        <div class="card">
          <h2>{texts.yourDetails}</h2>
          {detailsHtml(visitor, profile)}
          <div class="actions">
            <Link class="button second" href="/payer/profile" text={texts.changeDetails} />
          </div>
        </div>,
        <div class="card">
          <h2>{texts.devices}</h2>
          {devicesHtml(visitor, needs.devicesOf(payer, at))}
        </div>,
        <MoreLink href="/portal/" text={texts.toPortal} />,
      ],
    })
  }

  const history = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts } = visitor
    const { payer } = visitor.session
    const { rows, older } = pageIn(call, '/payer/history', (before, limit) =>
      [...needs.inbox.history(payer, before, limit), ...needs.answersOf(payer, before, limit)]
        .sort((one, other) => other.position - one.position)
        .slice(0, limit),
    )
    const parts = await Promise.all(
      rows.map((row) => ('kind' in row ? item(visitor, row, call.at) : consentItem(visitor, row))),
    )
    return visits.show(visitor, {
      title: texts.history,
      body: (
        <div class="card">
          <h1>{texts.history}</h1>
          {rows.length === 0 ? (
            <p class="quiet">{texts.historyEmpty}</p>
          ) : (
            <ul class="list">{parts}</ul>
          )}
          {linkToOlder(visitor, older)}
        </div>
      ),
    })
  }

  return [
    page({ path: '/payer/', summary: 'What waits for the payer', ...pageAsks.list }, home),
    page(
      { path: '/payer/history', summary: 'What the payer has answered', ...pageAsks.list },
      history,
    ),
  ]
}
