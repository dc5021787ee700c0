import { html } from 'hono/html'
import { z } from 'zod'
import type { Find } from '../../application/find-state.ts'
import { feeSchedules, merchants } from '../../domain/aggregates.ts'
import { waits, type MerchantData } from '../../domain/merchant/merchant.ts'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { isDisabled } from '../../domain/register.ts'
import { switchedIn } from '../../domain/switchable.ts'
import { searchOf } from '../../http/call.ts'
import type { Html } from '../ui/page.ts'
import type { Visits } from '../payer/session.ts'
import { doneIn } from '../ui/words.ts'
import { schedulesHtml } from '../portal/money-terms.ts'
import { merchantParam } from '../portal/pages.ts'
import { crumbs, doneHtml } from '../portal/parts.ts'
import type { Route } from '../../http/route.ts'
import { operatorPath } from './areas.ts'
import { factsHtml, panelsHtml, type MerchantPartNeeds } from './merchant-parts.ts'
import { merchantPath, stateHtml } from './merchants.ts'
import { operatorPages, type OperatorNeeds, type OperatorVisitor } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

export type MerchantPageNeeds = OperatorNeeds & MerchantPartNeeds & { readonly find: Find }

export const merchantParams = z.object({ merchant: merchantParam })

export type OneMerchant = {
  readonly data: MerchantData
  readonly isDisabled: boolean
  /** For approval. */
  readonly waits: boolean
  /** How often it was disabled or enabled. */
  readonly switched: number
}

/** @throws Refusal resource_is_unknown */
export const findMerchant = async (
  { find }: { readonly find: Find },
  id: string,
): Promise<OneMerchant> => {
  const entry = await find(merchants, id, 'log')
  if (entry.status !== 'present') return refuse('resource_is_unknown')
  const state = { isDisabled: isDisabled(entry), waits: waits(entry) }
  return { data: entry.data, ...state, switched: switchedIn(entry) }
}

/** The way back to the merchants, or to the one that it is about. */
export const merchantCrumbs = ({ language }: OperatorVisitor, one?: MerchantData): Html =>
  one
    ? crumbs([merchantPath(one.id), one.businessName])
    : crumbs([operatorPath('merchants'), textsIn[language].merchants.merchants])

/** What can be done about it now, by whoever looks. */
const actionsHtml = ({ language, me }: OperatorVisitor, one: OneMerchant) => {
  const { data } = one
  const texts = textsIn[language].merchants
  const link = (way: 'approve' | 'disable' | 'enable' | 'fees', text: string, kind = 'second') =>
    html`<a class="button ${kind}" href="${merchantPath(data.id, `/${way}`)}">${text}</a>`
  const fees = operatorMayDo(me.terms, 'set_fees') ? link('fees', texts.setFees) : ''
  if (one.waits)
    return html`${fees}
    ${operatorMayDo(me.terms, 'approve_merchants') ? link('approve', texts.approve, '') : ''}`
  if (!operatorMayDo(me.terms, 'switch_merchants')) return fees
  return html`${fees}
  ${one.isDisabled ? link('enable', texts.enable) : link('disable', texts.disable, 'danger')}`
}

export const merchantPageRoutes = (needs: MerchantPageNeeds, visits: Visits): Route[] => {
  const { page } = operatorPages(needs, visits)
  return [
    page(
      {
        path: '/operator/merchants/:merchant',
        summary: 'One merchant',
        params: merchantParams,
        action: 'see_merchants',
        area: 'merchants',
      },
      async (visitor, call) => {
        const one = await findMerchant(needs, call.params.merchant)
        const { data } = one
        const texts = textsIn[visitor.language].merchants
        const { approveDone: approved, disableDone: disabled, enableDone: enabled } = texts
        const { feesDone: fees } = texts
        const schedules = await needs.find(feeSchedules, data.id, 'log')
        return {
          title: data.businessName,
          body: html`${merchantCrumbs(visitor)}
            <div class="head">
              <h1>${data.businessName} ${stateHtml(texts, one)}</h1>
              <div class="buttons">${actionsHtml(visitor, one)}</div>
            </div>
            ${doneHtml(doneIn(searchOf(call), { approved, disabled, enabled, fees }))}
            <div class="columns">
              ${await factsHtml(needs, visitor, data)}
              <div>${panelsHtml(needs, visitor, data, call.at)}</div>
            </div>
            <h2 class="section">${texts.fees}</h2>
            ${schedulesHtml(schedules, data, visitor, call.at)}`,
        }
      },
    ),
  ]
}
