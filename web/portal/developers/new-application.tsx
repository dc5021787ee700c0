import type { Html } from '../../ui/components.tsx'
import { Check } from '../../ui/fields.tsx'
import type { Problems } from '../../ui/fields.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { publicFieldsHtml, type PublicFields } from './application-fields.tsx'
import { applicationsPath } from './application-list.tsx'
import { formPage } from '../parts.tsx'
import { docsLink, docsPath } from './code-page.tsx'
import { textsOf } from './parts.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

type NewApplication = PublicFields & {
  readonly attempt: string
  readonly isPublic: boolean
  readonly isBound: boolean
  readonly problems?: Problems
}

const kindHtml = (visitor: PortalVisitor, isPublic: boolean): Html => {
  const texts = textsOf(visitor)
  const radio = (value: 'confidential' | 'public', isChosen: boolean) => (
    <Check
      type="radio"
      name="kind"
      value={value}
      isChosen={isChosen}
      text={texts[value]}
      what={texts[`${value}What`]}
    />
  )
  return (
    <fieldset class="choice">
      <legend>{texts.kind}</legend>
      {radio('confidential', !isPublic)}
      {radio('public', isPublic)}
    </fieldset>
  )
}

export const newApplicationPage = (visitor: PortalVisitor, typed: NewApplication): PortalPage => {
  const texts = textsOf(visitor)
  const frame = textsIn[visitor.language].portal
  const path = applicationsPath(visitor.shop.merchant)
  const { attempt, isPublic, isBound, problems } = typed
  return formPage(visitor, {
    title: texts.addApplication,
    button: texts.addApplicationDo,
    action: path,
    back: path,
    isWrong: problems !== undefined,
    hidden: { attempt },
    fields: [
      publicFieldsHtml(visitor, typed, problems),
      kindHtml(visitor, isPublic),
      <Check
        type="checkbox"
        name="dpop"
        value="yes"
        isChosen={isBound}
        text={texts.dpop}
        what={texts.dpopWhat}
      />,
    ],
    beside: [
      [frame.formWhat, [texts.applicationsWhat]],
      [frame.formNext, [docsLink({ href: docsPath(visitor, 'openid'), text: texts.docsOpenid })]],
    ],
  })
}
