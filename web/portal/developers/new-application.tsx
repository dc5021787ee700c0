import type { Html } from '../../ui/components.tsx'
import { Check } from '../../ui/fields.tsx'
import type { Problems } from '../../ui/fields.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { toldHtml, type Told } from './application-fields.tsx'
import { applicationsPath } from './application-list.tsx'
import { formPage } from '../parts.tsx'
import { docsLink, docsPath } from './code-page.tsx'
import { textsOf } from './parts.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

type GivenApplication = Told & {
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

export const newApplicationPage = (visitor: PortalVisitor, given: GivenApplication): PortalPage => {
  const texts = textsOf(visitor)
  const frame = textsIn[visitor.language].portal
  const path = applicationsPath(visitor.shop.merchant)
  const { attempt, isPublic, isBound, problems } = given
  return formPage(visitor, {
    title: texts.addApplication,
    button: texts.addApplicationDo,
    action: path,
    back: path,
    isWrong: problems !== undefined,
    hidden: { attempt },
    fields: [
      toldHtml(visitor, given, problems),
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
