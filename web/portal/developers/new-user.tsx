import { type Problems, Check, Field } from '../../ui/fields.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { formPage } from '../parts.tsx'
import { docsLink, docsLinks } from './code-page.tsx'
import { developersPath, textsOf } from './parts.tsx'
import { accessHtml, keyHtml, type Access } from './user-fields.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type NewUserFields = {
  readonly attempt: string
  readonly id?: string
  readonly credential?: string
  readonly access?: Access
  readonly pubkey?: string
  readonly problems?: Problems
}

/** The form of a new user; its key is made in the browser, or pasted. */
export const newUserPage = (visitor: PortalVisitor, form: NewUserFields): PortalPage => {
  const texts = textsOf(visitor)
  const frame = textsIn[visitor.language].portal
  const { attempt, id = '', credential = 'key', pubkey, problems = {} } = form
  const { access = { roles: ['user' as const], netmask: null } } = form
  const path = developersPath(visitor.shop.merchant)
  const radio = (value: 'key' | 'secret') => (
    <Check
      type="radio"
      name="credential"
      value={value}
      isChosen={credential === value}
      isRequired
      text={texts[`credential_${value}`]}
      what={texts[`credentialWhat_${value}`]}
    />
  )
  return formPage(visitor, {
    title: texts.addUser,
    button: texts.addUserDo,
    action: path,
    back: path,
    isWrong: form.problems !== undefined,
    hidden: { attempt },
    fields: [
      <Field
        name="id"
        label={texts.userName}
        hint={texts.userNameHint}
        problem={problems['id']}
        value={id}
        maxlength={100}
        required
        autocomplete="off"
        spellcheck={false}
      />,
      <fieldset class="choice">
        <legend>{texts.signsInWith}</legend>
        {radio('key')}
        {radio('secret')}
      </fieldset>,
      <div class="of-key">{keyHtml(visitor, id, problems['pubkey'], pubkey)}</div>,
      accessHtml(visitor, access, problems),
    ],
    beside: [
      [frame.formWhat, [texts.usersWhat]],
      [frame.formNext, docsLinks(visitor, id).slice(0, 2).map(docsLink)],
    ],
  })
}
