import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Html } from '../../ui/page.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { crumbs, formPage, moreLink, type Beside } from '../parts.ts'
import { pointsPath } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type FormPart = Omit<Parameters<typeof formPage>[1], 'action' | 'above' | 'back'> & {
  /** After the path of the area; where it is sent, and where its page is. */
  readonly path: string
}

/** Neither a point of sale nor a code costs anything. */
export const costsBeside = ({ shop, me, language }: PortalVisitor): Beside[number] => {
  const terms = portalPath(shop.merchant, 'money/terms')
  const link = html`<a href="${terms}">${textsIn[language].overview.feesTerms}</a>`
  return [
    textsIn[language].portal.formCosts,
    [html`${textsIn[language].points.costs} ${mayDo(me.terms, 'see_money') ? link : ''}`],
  ]
}

/** Keys and secrets are those of API users: none belongs to a point of sale. */
export const keysLink = ({ shop, me, language }: PortalVisitor): Html | '' =>
  mayDo(me.terms, 'see_developers')
    ? moreLink(portalPath(shop.merchant, 'developers'), textsIn[language].points.keys)
    : ''

/** A form by itself. */
export const pointForm = (visitor: PortalVisitor, { path, ...part }: FormPart): PortalPage => {
  const { shop, language } = visitor
  const back = portalPath(shop.merchant, pointsPath())
  return formPage(visitor, {
    ...{ ...part, back, action: portalPath(shop.merchant, pointsPath(path)) },
    above: crumbs([back, textsIn[language].points.pos]),
  })
}
