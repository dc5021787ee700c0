import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Html } from '../../payer/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { crumbs, formSheet, type Beside } from '../parts.ts'
import { frameTexts } from '../texts.ts'
import { overviewTexts } from '../texts-overview.ts'
import { pointsPath } from './rows.ts'
import { pointTexts } from './texts.ts'

type FormPart = {
  readonly title: string
  /** After the path of the area; where it is sent, and where its page is. */
  readonly path: string
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields: Html | ''
  readonly button: string
  readonly isDangerous?: boolean
  readonly isWrong?: boolean
  readonly more?: Html | ''
  readonly beside?: Beside
}

/** Neither a point of sale nor a code costs anything. */
export const costsBeside = ({ shop, me, language }: PortalVisitor): Beside[number] => {
  const terms = portalPath(shop.merchant, 'money/terms')
  const link = html`<a href="${terms}">${overviewTexts[language].feesTerms}</a>`
  return [
    frameTexts[language].formCosts,
    [html`${pointTexts[language].costs} ${mayDo(me.terms, 'see_money') ? link : ''}`],
  ]
}

/** A form by itself. */
export const formPage = (visitor: PortalVisitor, part: FormPart): PortalPage => {
  const { shop, csrf, language } = visitor
  const texts = pointTexts[language]
  const { title, path, hidden = {}, fields, button, isDangerous, isWrong, more = '' } = part
  const form = html`<form
    class="card narrow-card"
    method="post"
    action="${portalPath(shop.merchant, pointsPath(path))}"
  >
    <h1>${title}</h1>
    ${hiddenFields({ csrf, ...hidden })} ${fields}
    <div class="actions">
      <button class="${isDangerous ? 'danger' : ''}">${button}</button>
      <a class="button second" href="${portalPath(shop.merchant, pointsPath())}">${texts.cancel}</a>
    </div>
  </form>`
  return {
    title,
    status: isWrong ? 400 : 200,
    body: html`${crumbs([portalPath(shop.merchant, pointsPath()), texts.back])}
    ${part.beside ? formSheet(form, part.beside) : form} ${more}`,
  }
}
