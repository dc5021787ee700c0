import { html } from 'hono/html'
import type { Problems } from '../../payer/fields.ts'
import type { Html } from '../../payer/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { toldHtml, type Told } from './application-fields.ts'
import { applicationsPath } from './application-list.ts'
import { formSheet } from '../parts.ts'
import { frameTexts } from '../texts.ts'
import { docsLink, docsPath } from './docs-links.ts'
import { textsOf } from './parts.ts'

export type GivenApplication = Told & {
  readonly attempt: string
  readonly isPublic: boolean
  readonly isBound: boolean
  readonly problems?: Problems
}

const kindHtml = (visitor: PortalVisitor, isPublic: boolean): Html => {
  const texts = textsOf(visitor)
  const radio = (value: 'confidential' | 'public', isChosen: boolean) =>
    html`<label class="check"
      ><input type="radio" name="kind" value="${value}" ${isChosen ? 'checked' : ''} /><span
        >${texts[value]}<span class="value">${texts[`${value}What`]}</span></span
      ></label
    >`
  return html`<fieldset class="choice">
    <legend>${texts.kind}</legend>
    ${radio('confidential', !isPublic)} ${radio('public', isPublic)}
  </fieldset>`
}

export const newApplicationPage = (visitor: PortalVisitor, given: GivenApplication): PortalPage => {
  const texts = textsOf(visitor)
  const frame = frameTexts[visitor.language]
  const path = applicationsPath(visitor.shop.merchant)
  return {
    title: texts.addApplication,
    status: given.problems === undefined ? 200 : 400,
    body: formSheet(
      html`<form class="card narrow-card" method="post" action="${path}">
        <h1>${texts.addApplication}</h1>
        ${hiddenFields({ csrf: visitor.csrf, attempt: given.attempt })}
        ${toldHtml(visitor, given, given.problems)} ${kindHtml(visitor, given.isPublic)}
        <label class="check"
          ><input type="checkbox" name="dpop" value="yes" ${given.isBound ? 'checked' : ''} /><span
            >${texts.dpop}<span class="value">${texts.dpopWhat}</span></span
          ></label
        >
        <div class="actions">
          <button>${texts.addApplicationDo}</button>
          <a class="button second" href="${path}">${visitor.texts.cancel}</a>
        </div>
      </form>`,
      [
        [frame.formWhat, [texts.applicationsWhat]],
        [frame.formNext, [docsLink({ href: docsPath(visitor, 'openid'), text: texts.docsOpenid })]],
      ],
    ),
  }
}
