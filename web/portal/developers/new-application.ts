import { html } from 'hono/html'
import type { Problems } from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { toldHtml, type Told } from './application-fields.ts'
import { applicationsPath } from './application-list.ts'
import { checkField, formPage } from '../parts.ts'
import { docsLink, docsPath } from './code-page.ts'
import { textsOf } from './parts.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type GivenApplication = Told & {
  readonly attempt: string
  readonly isPublic: boolean
  readonly isBound: boolean
  readonly problems?: Problems
}

const kindHtml = (visitor: PortalVisitor, isPublic: boolean): Html => {
  const texts = textsOf(visitor)
  const radio = (value: 'confidential' | 'public', isChosen: boolean) =>
    checkField({
      ...{ type: 'radio', name: 'kind', value, isChosen },
      ...{ text: texts[value], what: texts[`${value}What`] },
    })
  return html`<fieldset class="choice">
    <legend>${texts.kind}</legend>
    ${radio('confidential', !isPublic)} ${radio('public', isPublic)}
  </fieldset>`
}

export const newApplicationPage = (visitor: PortalVisitor, given: GivenApplication): PortalPage => {
  const texts = textsOf(visitor)
  const frame = textsIn[visitor.language].portal
  const path = applicationsPath(visitor.shop.merchant)
  const { attempt, isPublic, isBound, problems } = given
  return formPage(visitor, {
    ...{ title: texts.addApplication, button: texts.addApplicationDo, action: path, back: path },
    ...{ isWrong: problems !== undefined, hidden: { attempt } },
    fields: html`${toldHtml(visitor, given, problems)} ${kindHtml(visitor, isPublic)}
    ${checkField({
      ...{ type: 'checkbox', name: 'dpop', value: 'yes', isChosen: isBound },
      ...{ text: texts.dpop, what: texts.dpopWhat },
    })}`,
    beside: [
      [frame.formWhat, [texts.applicationsWhat]],
      [frame.formNext, [docsLink({ href: docsPath(visitor, 'openid'), text: texts.docsOpenid })]],
    ],
  })
}
