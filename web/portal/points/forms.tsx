import { Crumbs, MoreLink, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { formPage, type Beside } from '../parts.tsx'
import { pointsPath, type CodeData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import { serialNumberPattern } from '../../../domain/merchant/sticker.ts'
import { callbackUriText } from '../../../http/addresses.ts'
import { compactFieldOf, fieldOf, type FormOf } from '../../../http/forms.ts'
import {
  hasProblems,
  type Problems,
  hidden,
  plainForm,
  typed,
  Field,
  exact,
} from '../../ui/fields.tsx'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type FormPart = Omit<Parameters<typeof formPage>[1], 'action' | 'above' | 'back'> & {
  /** After the path of the area; where it is sent, and where its page is. */
  readonly path: string
}

/** Neither a point of sale nor a code costs anything. */
export const costsBeside = ({ shop, me, language }: PortalVisitor): Beside[number] => {
  const terms = portalPath(shop.merchant, 'money/terms')
  const link = <a href={terms}>{textsIn[language].overview.feesTerms}</a>
  return [
    textsIn[language].portal.formCosts,
    [[textsIn[language].points.costs, ' ', mayDo(me.terms, 'see_money') && link]],
  ]
}

/** Keys and secrets are those of API users: none belongs to a point of sale. */
export const keysLink = ({ shop, me, language }: PortalVisitor): Html =>
  mayDo(me.terms, 'see_developers') ? (
    <MoreLink href={portalPath(shop.merchant, 'developers')} text={textsIn[language].points.keys} />
  ) : null

/** A form by itself. */
export const pointForm = (visitor: PortalVisitor, { path, ...part }: FormPart): PortalPage => {
  const { shop, language } = visitor
  const back = portalPath(shop.merchant, pointsPath())
  return formPage(visitor, {
    ...part,
    back,
    action: portalPath(shop.merchant, pointsPath(path)),
    above: <Crumbs links={[[back, textsIn[language].points.pos]]} />,
  })
}

export const codeForm = plainForm.extend({
  description: typed('Where the code hangs.', 'Table 7').optional(),
  callback_uri: typed('Told of each scan.').optional(),
  serial_number: typed('Of a printed sticker.').optional(),
  made: hidden('which form of a new code it is.').optional(),
  do: hidden('`remove` to remove it.').optional(),
})

export type CodeForm = FormOf<typeof codeForm>

export type TypedCode = {
  readonly description: string
  readonly callbackUri: string
  readonly serialNumber: string
}

export const nothingTyped: TypedCode = { description: '', callbackUri: '', serialNumber: '' }

export const typedCode = (body: CodeForm): TypedCode => ({
  description: fieldOf(body, 'description'),
  callbackUri: fieldOf(body, 'callback_uri'),
  serialNumber: compactFieldOf(body, 'serial_number'),
})

/** What is wrong with what was typed. */
export const problemsOf = (values: TypedCode, texts: Catalogue['points']): Problems => {
  const { callbackUri, serialNumber } = values
  const isAddress = callbackUri === '' || callbackUriText.safeParse(callbackUri).success
  const isSerial = serialNumber === '' || serialNumberPattern.test(serialNumber)
  return {
    description: values.description.length > 1000 ? texts.wrongName : undefined,
    callback_uri: isAddress ? undefined : texts.wrongCallback,
    serial_number: isSerial ? undefined : texts.serialWrong,
  }
}

export const fieldsHtml = (
  texts: Catalogue['points'],
  values: TypedCode,
  problems: Problems,
): Html => [
  <Field
    name="description"
    label={texts.description}
    hint={texts.descriptionHint}
    problem={problems['description']}
    value={values.description}
    maxlength={1000}
    autocomplete="off"
  />,
  <Field
    name="callback_uri"
    label={texts.callback}
    hint={texts.callbackHint}
    problem={problems['callback_uri']}
    value={values.callbackUri}
    {...exact}
  />,
]

export const newCodePage = (
  visitor: PortalVisitor,
  made: string,
  values = nothingTyped,
  problems: Problems = {},
) => {
  const texts = textsIn[visitor.language].points
  const frame = textsIn[visitor.language].portal
  return pointForm(visitor, {
    title: texts.newCode,
    path: '/new-code',
    beside: [
      [frame.formWhat, [texts.codesWhat]],
      costsBeside(visitor),
      [frame.formNext, [texts.labelsWhat, texts.posterWhat]],
    ],
    hidden: { made },
    button: texts.make,
    isWrong: hasProblems(problems),
    fields: [
      fieldsHtml(texts, values, problems),
      <Field
        name="serial_number"
        label={texts.serial}
        hint={texts.serialHint}
        problem={problems['serial_number']}
        value={values.serialNumber}
        maxlength={64}
        {...exact}
      />,
    ],
  })
}

export const changeCodePage = (
  visitor: PortalVisitor,
  { id, description, callbackUri }: CodeData,
  values: TypedCode | undefined,
  problems: Problems = {},
) => {
  const texts = textsIn[visitor.language].points
  const frame = textsIn[visitor.language].portal
  const now = { ...nothingTyped, description: description ?? '', callbackUri: callbackUri ?? '' }
  return pointForm(visitor, {
    title: description ?? id,
    path: `/code/${id}/change`,
    beside: [
      [frame.formWhat, [texts.codesWhat]],
      [frame.formNext, [texts.changeCodeNext]],
    ],
    button: texts.save,
    isWrong: hasProblems(problems),
    fields: fieldsHtml(texts, values ?? now, problems),
  })
}

export const removeCodePage = (visitor: PortalVisitor, { id, description }: CodeData) => {
  const texts = textsIn[visitor.language].points
  return pointForm(visitor, {
    title: texts.removeCode,
    path: `/code/${id}/change`,
    hidden: { do: 'remove' },
    button: texts.remove,
    isDangerous: true,
    fields: [
      <p>
        <b>{description ?? id}</b>
      </p>,
      <p>{texts.removeCodeWhat}</p>,
    ],
  })
}
