import { html } from 'hono/html'
import { inputField, type Problems } from '../../payer/fields.ts'
import type { Html } from '../../payer/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { formSheet } from '../parts.ts'
import { frameTexts } from '../texts.ts'
import { docsLink, docsLinks } from './docs-links.ts'
import { developersPath, textsOf } from './parts.ts'
import { accessHtml, keyHtml, type Access } from './user-fields.ts'

export type GivenNewUser = {
  readonly attempt: string
  readonly id?: string
  readonly credential?: string
  readonly access?: Access
  readonly pubkey?: string
  readonly problems?: Problems
}

const credentialHtml = (
  visitor: PortalVisitor,
  value: 'key' | 'secret',
  isChosen: boolean,
): Html => {
  const texts = textsOf(visitor)
  return html`<label class="check"
    ><input
      type="radio"
      name="credential"
      value="${value}"
      required
      ${isChosen ? 'checked' : ''}
    /><span
      >${texts[`credential_${value}`]}<span class="value"
        >${texts[`credentialWhat_${value}`]}</span
      ></span
    ></label
  >`
}

/** The form of a new user; its key is made in the browser, or pasted. */
export const newUserPage = (visitor: PortalVisitor, given: GivenNewUser): PortalPage => {
  const texts = textsOf(visitor)
  const frame = frameTexts[visitor.language]
  const { attempt, id = '', credential = 'key', pubkey, problems = {} } = given
  const { access = { roles: ['user' as const], netmask: null } } = given
  const path = developersPath(visitor.shop.merchant)
  return {
    title: texts.addUser,
    status: given.problems === undefined ? 200 : 400,
    body: formSheet(
      html`<form class="card narrow-card" method="post" action="${path}">
        <h1>${texts.addUser}</h1>
        ${hiddenFields({ csrf: visitor.csrf, attempt })}
        ${inputField({
          name: 'id',
          label: texts.userName,
          hint: texts.userNameHint,
          problem: problems['id'],
          attributes: html`value="${id}" maxlength="100" required autocomplete="off"
          spellcheck="false"`,
        })}
        <fieldset class="choice">
          <legend>${texts.signsInWith}</legend>
          ${credentialHtml(visitor, 'key', credential === 'key')}
          ${credentialHtml(visitor, 'secret', credential === 'secret')}
        </fieldset>
        <div class="of-key">${keyHtml(visitor, id, problems['pubkey'], pubkey)}</div>
        ${accessHtml(visitor, access, problems)}
        <div class="actions">
          <button>${texts.addUserDo}</button>
          <a class="button second" href="${path}">${visitor.texts.cancel}</a>
        </div>
      </form>`,
      [
        [frame.formWhat, [texts.usersWhat]],
        [frame.formNext, docsLinks(visitor, id).slice(0, 2).map(docsLink)],
      ],
    ),
  }
}
