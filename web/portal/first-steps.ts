import { html } from 'hono/html'
import { mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { Html } from '../ui/page.ts'
import { portalPath } from './areas.ts'
import { docsPath } from './developers/docs-links.ts'
import type { LobbyVisitor } from '../staff/frame.ts'
import type { PortalVisitor } from './page.ts'
import type { Beside } from './parts.ts'
import { textsIn } from '../../texts/catalogue.ts'

type Step = { readonly action: StaffAction; readonly href: string; readonly text: string }

/** What a new merchant does before its first payment; each role sees what it may do. */
export const firstStepsHtml = (visitor: PortalVisitor): Html | '' => {
  const { shop, me, language } = visitor
  const texts = textsIn[language].overview
  const path = (more: string) => portalPath(shop.merchant, more)
  const steps: readonly Step[] = [
    { action: 'change_points_of_sale', href: path('points-of-sale/new'), text: texts.firstPos },
    { action: 'change_api_users', href: path('developers?add'), text: texts.firstUser },
    { action: 'see_developers', href: docsPath(visitor, 'payments'), text: texts.firstAsk },
  ]
  const own = steps.filter(({ action }) => mayDo(me.terms, action))
  if (own.length === 0) return ''
  return html`<section class="card">
    <h2>${texts.firstSteps}</h2>
    <ol>
      ${own.map(({ href, text }) => html`<li><a class="lone" href="${href}">${text}</a></li>`)}
    </ol>
  </section>`
}

/** What signing up does, and the same steps after it. */
export const signUpBeside = ({ language, isSandbox }: LobbyVisitor): Beside => {
  const [frame, texts] = [textsIn[language].portal, textsIn[language].lobby]
  const { firstPos, firstUser, firstAsk } = textsIn[language].overview
  return [
    [frame.formWhat, [isSandbox ? texts.signUpSandbox : texts.signUpProduction]],
    [frame.formNext, [firstPos, firstUser, firstAsk]],
  ]
}
