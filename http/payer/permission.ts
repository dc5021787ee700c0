import { html } from 'hono/html'
import type { Context } from '../../application/handle.ts'
import { scopes, type Scope } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { PermissionOutcome } from '../../projections/permissions.ts'
import { ridParams } from '../addresses.ts'
import { contextOfPayer, type Call } from '../call.ts'
import { RequestError } from '../errors.ts'
import { fieldOf, fieldsOf, type Fields, type FormOf } from '../forms.ts'
import type { RawReply, Route } from '../route.ts'
import { shownTime } from './money.ts'
import type { Html } from './page.ts'
import { pageAsks, permissionForm } from './page-asks.ts'
import { payerPages } from './pages.ts'
import { reasonOf } from './request.ts'
import { hiddenFields, type SignedIn, type Visitor, type Visits } from './session.ts'

export type PayerPermissionNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly permissionOf: (rid: string, at: Instant) => PermissionOutcome | undefined
  readonly shopName: (merchant: string) => string
  readonly grantPermission: (
    rid: string,
    payer: string,
    scope: readonly Scope[] | null,
    context: Context,
  ) => Promise<void>
  readonly declinePermission: (rid: string, payer: string, context: Context) => Promise<void>
}

/** The request as its payer may see it: what is for somebody else does not exist. @throws Refusal */
export const permissionFor =
  ({ caughtUp, permissionOf }: PayerPermissionNeeds) =>
  async (rid: string, payer: string, at: Instant): Promise<PermissionOutcome> => {
    await caughtUp()
    const found = permissionOf(rid, at)
    return found?.payer === payer ? found : refuse('resource_is_unknown')
  }

/** The scopes that a payer has ticked, each once; what is no scope is none of ours. */
export const tickedScope = (form: Fields<'scope'>): readonly Scope[] => {
  const ticked = fieldsOf(form, 'scope')
  return scopes.filter((name) => ticked.includes(name))
}

/** What would be known, each to be ticked off; that it is the same person again is what all of it rests on. */
export const scopeChoice = ({ texts }: Visitor, scope: readonly Scope[]): Html =>
  scope.length === 0
    ? html`<p>${texts.asksNothing}</p>`
    : html`<fieldset>
        <legend>${texts.scopes}</legend>
        ${scope.map((name) =>
          name === 'openid'
            ? html`<label class="check">
                <input type="hidden" name="scope" value="openid" />
                <input type="checkbox" checked disabled /> ${texts.scope_openid}
              </label>`
            : html`<label class="check">
                <input type="checkbox" name="scope" value="${name}" checked />
                ${texts[`scope_${name}`]}
              </label>`,
        )}
      </fieldset>`

export const decisionButtons = ({ texts }: Visitor): Html =>
  html`<p class="quiet small">${texts.allowHint}</p>
    <div class="actions">
      <button name="decision" value="allow">${texts.allow}</button>
      <button class="second" name="decision" value="deny">${texts.deny}</button>
    </div>`

/** The pages on which a payer answers permission requests. */
export const payerPermissionRoutes = (needs: PayerPermissionNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = permissionFor(needs)

  const answered = ({ texts, locale }: SignedIn, row: PermissionOutcome): Html => {
    const isGranted = row.permissions !== null
    const tone = isGranted ? 'good' : 'bad'
    const declined = isGranted ? texts.statusGranted : texts.statusDeclined
    return html`<p role="status" class="state ${tone}">
        ${row.status === 'fail' ? reasonOf(texts, row.statusCode) : declined}
      </p>
      ${
        row.permissions
          ? html`<ul>
              ${row.permissions.scope.map((name) => html`<li>${texts[`scope_${name}`]}</li>`)}
            </ul>`
          : ''
      }
      <p class="quiet small">${shownTime(row.modifiedAt, locale)}</p>`
  }

  const shown = (visitor: SignedIn, row: PermissionOutcome): Promise<RawReply> => {
    const { texts, csrf, locale } = visitor
    const shop = needs.shopName(row.merchant)
    return visits.show(visitor, {
      title: `${texts.permission} – ${shop}`,
      body: html`<div class="card">
        <h1>${shop} <span class="quiet">${texts.asks}</span></h1>
        ${row.request.text === null ? '' : html`<p>${row.request.text}</p>`}
        ${
          row.status === 'pending'
            ? html`<form method="post" action="/payer/permission/${row.rid}">
                ${hiddenFields({ csrf })} ${scopeChoice(visitor, row.request.scope)}
                ${decisionButtons(visitor)}
                <p class="quiet small">${texts.expires} ${shownTime(row.expiresAt, locale)}</p>
              </form>`
            : answered(visitor, row)
        }
      </div>`,
    })
  }

  const answer = async (
    visitor: SignedIn,
    call: Call<{ readonly rid: string }, undefined, FormOf<typeof permissionForm>>,
  ): Promise<RawReply> => {
    const { rid } = call.params
    const { payer } = visitor.session
    const { merchant } = await find(rid, payer, call.at)
    const context = contextOfPayer(call, payer, merchant)
    const { data: decision } = permissionForm.shape.decision.safeParse(
      fieldOf(call.body, 'decision'),
    )
    if (decision === 'allow')
      await needs.grantPermission(rid, payer, tickedScope(call.body), context)
    else if (decision === 'deny') await needs.declinePermission(rid, payer, context)
    else throw new RequestError(400, visitor.texts.wrongInput)
    return visits.go(visitor, `/payer/permission/${rid}`)
  }

  return [
    page(
      {
        path: '/payer/permission/:rid',
        summary: 'A permission request to answer, or what was answered',
        params: ridParams,
        ...pageAsks.showPermission,
      },
      async (visitor, call) =>
        shown(visitor, await find(call.params.rid, visitor.session.payer, call.at)),
    ),
    form(
      {
        path: '/payer/permission/:rid',
        summary: 'Grant what is ticked, or decline',
        params: ridParams,
        ...pageAsks.answerPermission,
      },
      answer,
    ),
  ]
}
