import { html } from 'hono/html'
import type { Html } from '../../payer/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { crumbs } from '../parts.ts'
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
}

/** A form by itself. */
export const formPage = (visitor: PortalVisitor, part: FormPart): PortalPage => {
  const { shop, csrf, language } = visitor
  const texts = pointTexts[language]
  const { title, path, hidden = {}, fields, button, isDangerous, isWrong, more = '' } = part
  return {
    title,
    status: isWrong ? 400 : 200,
    body: html`${crumbs([portalPath(shop.merchant, pointsPath()), texts.back])}
      <form
        class="card narrow-card"
        method="post"
        action="${portalPath(shop.merchant, pointsPath(path))}"
      >
        <h1>${title}</h1>
        ${hiddenFields({ csrf, ...hidden })} ${fields}
        <div class="actions">
          <button class="${isDangerous ? 'danger' : ''}">${button}</button>
          <a class="button second" href="${portalPath(shop.merchant, pointsPath())}"
            >${texts.cancel}</a
          >
        </div>
      </form>
      ${more}`,
  }
}
