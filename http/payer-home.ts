import { html } from 'hono/html'
import { payments } from '../application/aggregates.ts'
import { streamOf, type Context } from '../application/handle.ts'
import type { Revoker } from '../domain/grant.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { GrantedPermission } from '../projections/grants.ts'
import type { InboxRow } from '../projections/payer-inbox.ts'
import type { PermissionOutcome } from '../projections/permissions.ts'
import type { Html } from './page.ts'
import { shownAmount, shownTime } from './payer-money.ts'
import type { ShownRequest } from './payer-request.ts'
import { contextOfPayer } from './payer-sign-in.ts'
import {
  anyForm,
  fieldOf,
  hiddenFields,
  problemNote,
  type SignedIn,
  type Visits,
} from './payer-session.ts'
import { route, searchOf, type Call, type RawReply, type Route } from './route.ts'

export type PayerHomeNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly inbox: {
    waiting(payer: string): readonly InboxRow[]
    history(payer: string, before: number, limit: number): readonly InboxRow[]
  }
  readonly findRequest: (tid: string, at: Instant) => ShownRequest | undefined
  readonly permissionOf: (rid: string, at: Instant) => PermissionOutcome | undefined
  readonly shopName: (merchant: string) => string
  readonly grantsOf: (payer: string) => readonly GrantedPermission[]
  /** What an application is called; undefined for a merchant's own id. */
  readonly applicationName: (client: string) => string | undefined
  readonly revokeGrant: (grant: string, by: Revoker, context: Context) => Promise<void>
  /**
   * Where to go with what a code says: a page of this service, or undefined when it is none of ours. Scanning may be
   * told to others, so it is done in the payer's name.
   */
  readonly scan: (text: string, payer: string, context: Context) => Promise<string | undefined>
}

const group = 'Pages'
const pageTypes = ['text/html']
const historyPage = 50

const idIn = (stream: string): string => stream.slice(stream.indexOf('-') + 1)

/** Where payers find what waits for them, what they did, and who knows what about them. */
export const payerHomeRoutes = (needs: PayerHomeNeeds, visits: Visits): Route[] => {
  const item = ({ texts, locale }: SignedIn, { stream }: InboxRow, at: Instant): Html | '' => {
    const id = idIn(stream)
    if (stream.startsWith(streamOf(payments, ''))) {
      const shown = needs.findRequest(id, at)
      if (!shown) return ''
      const { outcome, shop } = shown
      const status = { auth: '', ok: '', pending: '', fail: texts.statusFail }[outcome.status]
      const sum = shownAmount(outcome.amount + outcome.additionalAmount, outcome.currency, locale)
      return html`<li>
        <a class="row" href="/payer/payment/${id}">
          <span>
            ${shop}<br /><span class="quiet small"
              >${shownTime(outcome.modifiedAt, locale)}
              ${status === '' ? '' : html`· ${status}`}</span
            >
          </span>
          <b>${sum}</b>
        </a>
      </li>`
    }
    const row = needs.permissionOf(id, at)
    if (!row) return ''
    const granted = row.permissions ? texts.statusGranted : texts.statusDeclined
    const status = { pending: '', ok: granted, fail: texts.statusFail }[row.status]
    return html`<li>
      <a class="row" href="/payer/permission/${id}">
        <span>
          ${needs.shopName(row.merchant)} ${texts.asks}<br /><span class="quiet small"
            >${shownTime(row.modifiedAt, locale)} ${status === '' ? '' : html`· ${status}`}</span
          >
        </span>
        <b aria-hidden="true">›</b>
      </a>
    </li>`
  }

  const home = async (visitor: SignedIn, at: Instant): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts } = visitor
    const waiting = needs.inbox
      .waiting(visitor.session.payer)
      .filter(({ expiresAt }) => at < expiresAt)
    return visits.show(visitor, {
      title: texts.waiting,
      refreshAfter: 15,
      body: html`<div class="card">
        <h1>${texts.waiting}</h1>
        ${
          waiting.length === 0
            ? html`<p class="quiet">${texts.empty}</p>`
            : html`<ul class="list">
                ${waiting.map((row) => item(visitor, row, at))}
              </ul>`
        }
        <div class="actions"><a class="button second" href="/payer/scan">${texts.scan}</a></div>
      </div>`,
    })
  }

  const history = async (visitor: SignedIn, call: Call): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts } = visitor
    const before = Number(searchOf(call).get('before'))
    const from = Number.isSafeInteger(before) && before > 0 ? before : Number.MAX_SAFE_INTEGER
    const rows = needs.inbox.history(visitor.session.payer, from, historyPage)
    const last = rows.length === historyPage ? rows.at(-1) : undefined
    return visits.show(visitor, {
      title: texts.history,
      body: html`<div class="card">
        <h1>${texts.history}</h1>
        ${
          rows.length === 0
            ? html`<p class="quiet">${texts.historyEmpty}</p>`
            : html`<ul class="list">
                ${rows.map((row) => item(visitor, row, call.at))}
              </ul>`
        }
        ${
          last
            ? html`<p><a href="/payer/history?before=${last.position}">${texts.continue}</a></p>`
            : ''
        }
      </div>`,
    })
  }

  const permissions = async (visitor: SignedIn): Promise<RawReply> => {
    await needs.caughtUp()
    const { texts, csrf, locale } = visitor
    const live = needs.grantsOf(visitor.session.payer).filter(({ isRevoked }) => !isRevoked)
    return visits.show(visitor, {
      title: texts.permissions,
      body: html`<div class="card">
        <h1>${texts.permissions}</h1>
        ${live.length === 0 ? html`<p class="quiet">${texts.permissionsEmpty}</p>` : ''}
        <ul class="list">
          ${live.map(
            ({ grant, merchant, client, scope, grantedAt }) =>
              html`<li>
                <form class="row" method="post" action="/payer/permissions">
                  <div>
                    ${needs.shopName(merchant)}
                    ${
                      needs.applicationName(client) === undefined
                        ? ''
                        : html`<span class="quiet">– ${needs.applicationName(client)}</span>`
                    }
                    <ul class="small">
                      ${scope.map((name) => html`<li>${texts[`scope_${name}`]}</li>`)}
                    </ul>
                    <span class="quiet small">${texts.since} ${shownTime(grantedAt, locale)}</span>
                  </div>
                  ${hiddenFields({ csrf, grant })}
                  <button class="second">${texts.withdraw}</button>
                </form>
              </li>`,
          )}
        </ul>
      </div>`,
    })
  }

  const withdraw = async (visitor: SignedIn, call: Call, grant: string): Promise<void> => {
    await needs.caughtUp()
    const { payer } = visitor.session
    const own = needs.grantsOf(payer).find((granted) => granted.grant === grant)
    if (!own) return refuse('resource_is_unknown')
    await needs.revokeGrant(grant, 'payer', contextOfPayer(call, payer, own.merchant))
  }

  const scanForm = (visitor: SignedIn, scanned: string, problem?: string): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.scan,
      status: problem === undefined ? 200 : 404,
      body: html`<form class="card" method="post" action="/payer/scan">
        <h1>${texts.scan}</h1>
        ${problemNote(problem)} ${hiddenFields({ csrf })}
        <p>${texts.scanHint}</p>
        <label for="text">${texts.scanned}</label>
        <input
          id="text"
          name="text"
          autocomplete="off"
          maxlength="2048"
          required
          value="${scanned}"
        />
        <div class="actions"><button>${texts.continue}</button></div>
      </form>`,
    })
  }

  const get = (
    path: string,
    summary: string,
    work: (v: SignedIn, call: Call) => Promise<RawReply>,
  ) =>
    route({
      method: 'GET',
      path,
      access: 'OPEN',
      group,
      summary,
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) => visits.signedInPage(call, (visitor) => work(visitor, call)),
    })

  return [
    get('/payer/', 'What waits for the payer', (visitor, { at }) => home(visitor, at)),
    get('/payer/history', 'What the payer has answered', history),
    get('/payer/permissions', 'Who knows what about the payer', (visitor) => permissions(visitor)),
    route({
      method: 'POST',
      path: '/payer/permissions',
      access: 'OPEN',
      group,
      summary: 'Withdraw a permission',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) =>
        visits.signedInPage(call, async (visitor) => {
          visits.checkForm(call, visitor, call.body)
          await withdraw(visitor, call, fieldOf(call.body, 'grant'))
          return visits.go(visitor, '/payer/permissions')
        }),
    }),
    get('/payer/scan', 'Scan a code', (visitor, call) =>
      scanForm(visitor, searchOf(call).get('text') ?? ''),
    ),
    route({
      method: 'POST',
      path: '/payer/scan',
      access: 'OPEN',
      group,
      summary: 'Go where a code leads',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) =>
        visits.signedInPage(call, async (visitor) => {
          visits.checkForm(call, visitor, call.body)
          const { payer } = visitor.session
          const context = contextOfPayer(call, payer)
          const text = fieldOf(call.body, 'text')
          const path = await needs.scan(text, payer, context)
          return path === undefined
            ? scanForm(visitor, text, visitor.texts.error)
            : visits.go(visitor, path)
        }),
    }),
  ]
}
