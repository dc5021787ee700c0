import { Button, Done, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { roles } from '../../../domain/merchant/user.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { type Problems, hidden, plainForm, typed, Check, Field, Area } from '../../ui/fields.tsx'
import type { PortalVisitor } from '../page.tsx'
import { textsOf } from './parts.tsx'
import { keyFile } from './code-page.tsx'

export type UserChecks = {
  /** Takes the PEM of an RSA key of 2048 to 4096 bits, else undefined. */
  readonly readPublicKey: (text: string) => string | undefined
  readonly isNetmask: (text: string) => boolean
}

const accessFields = {
  manages: typed('`yes` for a superuser, who may manage users.', 'yes').optional(),
  refunds: typed('`yes` for a user that may refund; only owners set it.', 'yes').optional(),
  netmask: typed('Where requests come from.', '192.0.2.0/24').optional(),
}

const keyField = { pubkey: typed('The public key, as PEM or OpenSSH.').optional() }

const code = typed('A one-time code; without it a page asks for it.').optional()

const attempt = hidden('a form that is sent twice makes one secret.').optional()

export const newUserForm = plainForm.extend({
  ...accessFields,
  ...keyField,
  attempt,
  code,
  id: typed('The name of the user.', 'till-2'),
  credential: z.enum(['key', 'secret']),
})

const changes = [
  ...['access', 'key', 'drop_key', 'secret', 'drop_secret'],
  ...['disable', 'enable', 'remove'],
] as const

export const userForm = plainForm.extend({
  ...accessFields,
  ...keyField,
  attempt,
  code,
  change: z.enum(changes).meta({ description: 'Hidden in the form: what is changed.' }),
})

export type NewUserForm = FormOf<typeof newUserForm>

export type UserForm = FormOf<typeof userForm>

export type Access = {
  readonly roles: (typeof roles)[number][]
  readonly netmask: string | null
  /** Absent where it stays as it is. */
  readonly mayRefund?: boolean
}

type AccessForm = Pick<UserForm, 'manages' | 'netmask' | 'refunds'>

/** Nobody gives an API user more than they may do themselves. */
export const mayGiveRefunds = ({ me }: Pick<PortalVisitor, 'me'>): boolean =>
  mayDo(me.terms, 'refund')

export const accessIn = (visitor: PortalVisitor, body: AccessForm): Access => ({
  roles: [fieldOf(body, 'manages') === 'yes' ? 'superuser' : 'user'],
  netmask: fieldOf(body, 'netmask') || null,
  ...(mayGiveRefunds(visitor) && { mayRefund: fieldOf(body, 'refunds') === 'yes' }),
})

export const netmaskProblem = (
  { isNetmask }: UserChecks,
  { netmask }: Access,
  visitor: PortalVisitor,
): Problems =>
  netmask === null || (netmask.length <= 64 && isNetmask(netmask))
    ? {}
    : { netmask: textsOf(visitor).wrongNetmask }

/** What a user may do, and from where. */
export const accessHtml = (visitor: PortalVisitor, access: Access, problems: Problems): Html => {
  const texts = textsOf(visitor)
  const isChosen = access.roles.includes('superuser')
  return [
    <Check
      type="checkbox"
      name="manages"
      value="yes"
      isChosen={isChosen}
      text={texts.manages}
      what={texts.managesWhat}
    />,
    mayGiveRefunds(visitor) && (
      <Check
        type="checkbox"
        name="refunds"
        value="yes"
        isChosen={access.mayRefund === true}
        text={texts.refunds}
        what={texts.refundsWhat}
      />
    ),
    <Field
      name="netmask"
      label={texts.netmask}
      hint={texts.netmaskHint}
      problem={problems['netmask']}
      value={access.netmask ?? ''}
      maxlength={64}
      autocomplete="off"
      spellcheck={false}
    />,
  ]
}

/** What a text is that is no public key. */
export const wrongKey = (pubkey: string, visitor: PortalVisitor): string =>
  textsOf(visitor)[pubkey.includes('PRIVATE KEY') ? 'isPrivateKey' : 'wrongKey']

/** Makes a pair in the browser; without scripts only the field of the public key is there. */
export const keyHtml = (visitor: PortalVisitor, user: string, problem: Html, value = ''): Html => {
  const texts = textsOf(visitor)
  return [
    <div
      class="maker"
      data-key-maker=""
      data-file={keyFile(visitor.shop.merchant)}
      data-user={user}
      hidden
    >
      <p class="quiet small">{texts.makeWhat}</p>
      <Button type="button" class="second" data-make="" text={texts.make} />
      <div data-made="" hidden>
        <Done text={texts.made} />
        <label for="private">{texts.privateKey}</label>
        <textarea id="private" rows={6} readonly spellcheck={false} autocomplete="off"></textarea>
        <div class="buttons">
          <a class="button second slim" data-download="">
            {texts.download}
          </a>
          <Button type="button" class="second slim" data-copy-value="private" text={texts.copy} />
        </div>
        <label class="check">
          <input type="checkbox" data-kept="" />
          {texts.kept}
        </label>
      </div>
      <p class="wrong small" role="alert" data-failed="" hidden>
        {texts.makeFailed}
      </p>
    </div>,
    <Area
      name="pubkey"
      label={texts.publicKey}
      hint={texts.publicKeyHint}
      problem={problem}
      rows={5}
      maxlength={10000}
      spellcheck={false}
      autocomplete="off"
      placeholder="-----BEGIN PUBLIC KEY-----"
      text={value}
    />,
  ]
}
