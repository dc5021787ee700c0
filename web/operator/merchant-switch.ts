import { html } from 'hono/html'
import { claimAgain, type ClaimNeeds } from '../../application/claim-organization.ts'
import type { Handle } from '../../application/handle.ts'
import { merchants } from '../../domain/aggregates.ts'
import type { OperatorAction } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { fieldOf } from '../../http/forms.ts'
import { codeField } from '../ui/fields.ts'
import { hidden, plainForm, typed } from '../ui/form-parts.ts'
import { hiddenFields, type Visits } from '../payer/session.ts'
import type { Route } from '../../http/route.ts'
import { codeProblem } from '../staff/code.ts'
import {
  findMerchant,
  merchantCrumbs,
  merchantParams,
  type MerchantPageNeeds,
  type OneMerchant,
} from './merchant.ts'
import { factsHtml } from './merchant-parts.ts'
import { merchantPath } from './merchants.ts'
import {
  contextOfOperator,
  operatorPages,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

type MerchantSwitchNeeds = MerchantPageNeeds & {
  readonly handle: Handle
  readonly holderOfOrganization: ClaimNeeds['holderOfOrganization']
}

const ways = ['approve', 'disable', 'enable'] as const
type Way = (typeof ways)[number]

const summaries: Readonly<Record<Way, string>> = {
  approve: 'Let a merchant that has signed up by itself take payments',
  disable: 'Refuse all requests of a merchant',
  enable: 'Let a disabled merchant in again',
}

const switchForm = plainForm.extend({
  seen: hidden('how often it was disabled or enabled when the form was made.'),
  code: typed('A one-time code.'),
})

const askPage = async (
  needs: MerchantSwitchNeeds,
  visitor: OperatorVisitor,
  { data, switched }: OneMerchant,
  way: Way,
  problem?: string,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].merchants
  const title = filledText(texts[`${way}Ask`], { merchant: data.businessName })
  return {
    title,
    status: problem === undefined ? 200 : 400,
    body: html`${merchantCrumbs(visitor, data)}
      <div class="columns">
        <form class="card" method="post" action="${merchantPath(data.id, `/${way}`)}">
          <h1>${title}</h1>
          <p>${texts[`${way}What`]}</p>
          ${hiddenFields({ csrf: visitor.csrf, seen: String(switched) })}
          ${codeField(visitor.texts, problem)}
          <div class="actions">
            <button class="${way === 'disable' ? 'danger' : ''}">${texts[way]}</button>
            <a class="button second" href="${merchantPath(data.id)}">${visitor.texts.cancel}</a>
          </div>
        </form>
        ${await factsHtml(needs, visitor, data)}
      </div>`,
  }
}

const commands = { approve: 'Approve', disable: 'Disable', enable: 'Enable' } as const

/** Only a merchant that has signed up is approved, as by the command. */
const findFor = async (needs: MerchantSwitchNeeds, id: string, way: Way): Promise<OneMerchant> => {
  const one = await findMerchant(needs, id)
  const isRefused = one.isDisabled ? !one.waits : !one.data.hasSignedUp
  return way === 'approve' && isRefused ? refuse('resource_is_unknown') : one
}

/** Approves, disables and enables merchants, with the second factor. */
export const merchantSwitchRoutes = (needs: MerchantSwitchNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  return ways.flatMap((way) => {
    const action: OperatorAction = way === 'approve' ? 'approve_merchants' : 'switch_merchants'
    const place = {
      action,
      ...{ path: `/operator/merchants/:merchant/${way}`, params: merchantParams },
      ...{ summary: summaries[way], area: 'merchants' as const },
    }
    return [
      page(place, async (visitor, call) =>
        askPage(needs, visitor, await findFor(needs, call.params.merchant, way), way),
      ),
      form({ ...place, ownForm: switchForm }, async (visitor, call) => {
        const { merchant } = call.params
        const one = await findFor(needs, merchant, way)
        const problem = await codeProblem(confirm, visitor, call)
        if (problem !== undefined) return askPage(needs, visitor, one, way, problem)
        const context = contextOfOperator(call, visitor, merchant)
        if (way !== 'disable') await claimAgain(needs)(merchant, context)
        const seen = Number(fieldOf(call.body, 'seen') || Number.NaN)
        await needs.handle(merchants, merchant, { type: commands[way], seen }, context)
        return visits.go(visitor, merchantPath(merchant, `?${way}d`))
      }),
    ]
  })
}
