import { Button, Form, type Html } from '../ui/components.tsx'
import type { Context } from '../../application/handle.ts'
import type { PayerPermission, PayerViews } from '../../application/payer-views.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { scopes, type Scope } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { ridParams } from '../../http/addresses.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { RequestError } from '../../http/errors.ts'
import { fieldOf, fieldsOf, type Fields, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { utcTime } from '../ui/money.tsx'
import {
  enterMissing,
  type EnteringNeeds,
  scopeChoice,
  scopeList,
  type ChoiceSoFar,
} from './scope-choice.tsx'
import { pageAsks, permissionForm } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { reasonOf, refuseDisabledShop } from './request.tsx'
import { type SignedIn, type Visitor, type Visits } from './session.tsx'

export type PayerPermissionNeeds = EnteringNeeds & {
  readonly findPayerPermission: PayerViews['findPayerPermission']
  readonly shopName: (merchant: string) => string
  readonly grantPermission: (
    rid: string,
    payer: string,
    scope: readonly Scope[] | null,
    context: Context,
  ) => Promise<void>
  readonly declinePermission: (rid: string, payer: string, context: Context) => Promise<void>
}

/** Another payer's request counts as unknown. @throws Refusal */
export const permissionFor =
  ({ findPayerPermission }: Pick<PayerPermissionNeeds, 'findPayerPermission'>) =>
  async (rid: string, payer: string, at: Instant): Promise<PayerPermission> => {
    const found = await findPayerPermission(rid, at)
    return found?.payer === payer ? found : refuse('resource_is_unknown')
  }

/** The ticked scopes without duplicates; unknown ones are dropped. */
export const tickedScope = (form: Fields<'scope'>): readonly Scope[] => {
  const ticked = fieldsOf(form, 'scope')
  return scopes.filter((name) => ticked.includes(name))
}

export const decisionButtons = ({ texts }: Visitor): Html => [
  <p class="quiet small">{texts.allowHint}</p>,
  <div class="actions">
    <Button name="decision" value="allow" text={texts.allow} />
    <Button class="second" name="decision" value="deny" text={texts.deny} />
  </div>,
]

export const payerPermissionRoutes = (needs: PayerPermissionNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = permissionFor(needs)

  const enter = enterMissing(needs)
  const profileOf = async ({ session }: SignedIn): Promise<Profile> =>
    (await needs.findProfile(session.payer)) ?? refuse('payer_is_unknown')

  const answered = (visitor: SignedIn, row: PayerPermission, profile: Profile): Html => {
    const { texts, locale } = visitor
    const isGranted = row.permissions !== null
    const tone = isGranted ? 'good' : 'bad'
    const declined = isGranted ? texts.statusGranted : texts.statusDeclined
    return [
      <p role="status" class={`state ${tone}`}>
        {row.status === 'fail' ? reasonOf(texts, row.statusCode) : declined}
      </p>,
      row.permissions ? scopeList(visitor, row.permissions.scope, profile) : '',
      <p class="quiet small">{utcTime(row.modifiedAt, locale)}</p>,
    ]
  }

  const showPermission = async (
    visitor: SignedIn,
    row: PayerPermission,
    soFar?: ChoiceSoFar,
  ): Promise<RawReply> => {
    const { texts, csrf, locale } = visitor
    const shop = needs.shopName(row.request.merchant)
    const profile = await profileOf(visitor)
    return visits.show(visitor, {
      title: `${texts.permission} – ${shop}`,
      status: soFar ? 400 : 200,
      body: (
        <div class="card">
          <h1>
            {shop} <span class="quiet">{texts.asks}</span>
          </h1>
          {row.request.text !== null && <p>{row.request.text}</p>}
          {row.status === 'pending' ? (
            <Form action={`/payer/permission/${row.rid}`} hidden={{ csrf }}>
              {scopeChoice(visitor, row.request.scope, profile, soFar)}
              {decisionButtons(visitor)}
              <p class="quiet small">
                {texts.expires} {utcTime(row.expiresAt, locale)}
              </p>
            </Form>
          ) : (
            answered(visitor, row, profile)
          )}
        </div>
      ),
    })
  }

  const answer = async (
    visitor: SignedIn,
    call: Call<{ readonly rid: string }, undefined, FormOf<typeof permissionForm>>,
  ): Promise<RawReply> => {
    const { rid } = call.params
    const { payer } = visitor.session
    const row = await find(rid, payer, call.at)
    const context = contextOfPayer(call, payer, row.request.merchant)
    const { data: decision } = permissionForm.shape.decision.safeParse(
      fieldOf(call.body, 'decision'),
    )
    if (decision === 'allow') {
      const ticked = tickedScope(call.body)
      const wrong = await enter(visitor, call.body, ticked, contextOfPayer(call, payer))
      if (wrong && row.status === 'pending') return showPermission(visitor, row, wrong)
      await needs.grantPermission(rid, payer, ticked, context)
    } else if (decision === 'deny') await needs.declinePermission(rid, payer, context)
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
      async (visitor, call) => {
        const row = await find(call.params.rid, visitor.session.payer, call.at)
        refuseDisabledShop(row.status, row.isShopDisabled)
        return showPermission(visitor, row)
      },
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
