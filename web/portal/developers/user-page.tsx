import { Actions, Card, Crumbs, Form, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { mayRefund } from '../../../domain/merchant/user.ts'
import type { Problems } from '../../ui/fields.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { docsPath, keySnippet, secretSnippet, type SnippetNeeds } from './code-page.tsx'
import {
  actHtml,
  questionHtml,
  codeBlock,
  copyHtml,
  developersPage,
  developersPath,
  factsHtml,
  textsOf,
} from './parts.tsx'
import { accessHtml, keyHtml, mayGiveRefunds, type Access } from './user-fields.tsx'
import { userBadges, userPath, type UserRow } from './user-list.tsx'

export type UserPageNeeds = SnippetNeeds & {
  readonly newId: () => string
  /** Of a public key. */
  readonly fingerprintOf: (pem: string) => string
}

type UserForm = {
  readonly access?: Access
  readonly problems?: Problems
}

/** Whether whoever looks may change it: only who may refund changes what may refund. */
const isTheirs = (visitor: PortalVisitor, data: UserRow['data']): boolean =>
  !mayRefund(data) || mayGiveRefunds(visitor)

const keyPart = (visitor: PortalVisitor, { data }: UserRow, { problems = {} }: UserForm): Html => {
  const texts = textsOf(visitor)
  const { publicKey, secretHash, id } = data
  const path = userPath(visitor.shop.merchant, id)
  const fields = keyHtml(visitor, id, problems['pubkey'])
  const isOpen = problems['pubkey'] !== undefined
  return [
    <details class="asked" open={isOpen}>
      <summary>{publicKey === null ? texts.giveKey : texts.changeKey}</summary>
      {publicKey !== null && <p>{texts.changeKeyWhat}</p>}
      {secretHash !== null && <p class="quiet small">{texts.secretStays}</p>}
      <Form action={path} hidden={{ csrf: visitor.csrf, change: 'key' }}>
        {fields}
        <div class="actions">
          {publicKey === null ? (
            <button>{texts.saveKey}</button>
          ) : (
            <button class="danger">{texts.changeKey}</button>
          )}
        </div>
      </Form>
    </details>,
    !(publicKey === null || secretHash === null) &&
      questionHtml(
        texts.dropKey,
        texts.dropKeyWhat,
        actHtml(visitor, { path, change: 'drop_key', label: texts.dropKey, kind: 'danger' }),
      ),
  ]
}

const secretPart = (needs: UserPageNeeds, visitor: PortalVisitor, { data }: UserRow): Html => {
  const texts = textsOf(visitor)
  const path = userPath(visitor.shop.merchant, data.id)
  const label = data.secretHash === null ? texts.giveSecret : texts.changeSecret
  const hidden = { attempt: needs.newId() }
  return [
    questionHtml(
      label,
      data.secretHash === null ? texts.giveSecretWhat : texts.changeSecretWhat,
      actHtml(visitor, { path, change: 'secret', label, hidden, kind: '' }),
    ),
    ' ',
    !(data.secretHash === null || data.publicKey === null) &&
      questionHtml(
        texts.dropSecret,
        texts.dropSecretWhat,
        actHtml(visitor, {
          path,
          change: 'drop_secret',
          label: texts.dropSecret,
          kind: 'danger',
        }),
      ),
  ]
}

const accessPart = (visitor: PortalVisitor, { data }: UserRow, form: UserForm): Html => {
  const texts = textsOf(visitor)
  const { access = { ...data, mayRefund: mayRefund(data) }, problems = {} } = form
  const isOpen = problems['netmask'] !== undefined
  return (
    <details class="asked" open={isOpen}>
      <summary>{texts.changeAccess}</summary>
      <Form
        action={userPath(visitor.shop.merchant, data.id)}
        hidden={{ csrf: visitor.csrf, change: 'access' }}
      >
        {accessHtml(visitor, access, problems)}
        <Actions button={texts.save} />
      </Form>
    </details>
  )
}

const endPart = (visitor: PortalVisitor, { data, isDisabled }: UserRow): Html => {
  const texts = textsOf(visitor)
  const path = userPath(visitor.shop.merchant, data.id)
  const act = (change: string, label: string, kind: 'danger' | '') =>
    actHtml(visitor, { path, change, label, kind })
  const enable = isTheirs(visitor, data) ? act('enable', texts.enable, '') : ''
  return [
    isDisabled
      ? enable
      : questionHtml(texts.disable, texts.disableWhat, act('disable', texts.disable, 'danger')),
    ' ',
    questionHtml(texts.remove, texts.removeWhat, act('remove', texts.remove, 'danger')),
  ]
}

const changesHtml = (
  needs: UserPageNeeds,
  visitor: PortalVisitor,
  row: UserRow,
  form: UserForm,
): Html => {
  if (!mayDo(visitor.me.terms, 'change_api_users')) return null
  const changes = isTheirs(visitor, row.data) ? (
    [
      keyPart(visitor, row, form),
      ' ',
      secretPart(needs, visitor, row),
      accessPart(visitor, row, form),
    ]
  ) : (
    <p class="quiet">{textsOf(visitor).ownersChange}</p>
  )
  return [changes, ' ', endPart(visitor, row)]
}

/** A secret that was made just now, in the only page that shows it. */
const secretHtml = (
  needs: SnippetNeeds,
  visitor: PortalVisitor,
  user: string,
  secret: string,
): Html => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  return (
    <section class="card once">
      <h2>{texts.secretOf({ name: user })}</h2>
      <p>{texts.shownOnce}</p>
      {copyHtml(visitor, 'secret', secret)}
      <h3>{texts.tryIt}</h3>
      {codeBlock(visitor, 'try', secretSnippet(needs, { merchant, user }, secret))}
    </section>
  )
}

const tryPart = (needs: UserPageNeeds, visitor: PortalVisitor, { data }: UserRow): Html => {
  if (data.publicKey === null) return []
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  return (
    <Card title={texts.tryIt}>
      <p class="quiet small">{texts.tryWhat}</p>
      {codeBlock(visitor, 'try-key', keySnippet(needs, { merchant, user: data.id }))}
      <p>
        <a href={docsPath(visitor, 'signing', data.id)}>{texts.docsSigning}</a>
      </p>
    </Card>
  )
}

const aboutHtml = (needs: UserPageNeeds, visitor: PortalVisitor, row: UserRow): Html => {
  const texts = textsOf(visitor)
  const { roles, netmask, publicKey } = row.data
  return factsHtml([
    [texts.signsInWith, userBadges(visitor, row)],
    [texts.role, roles.includes('superuser') ? texts.superuser : texts.user],
    [texts.from, netmask ?? texts.anywhere],
    ...(publicKey === null
      ? []
      : [
          [
            texts.fingerprint,
            copyHtml(visitor, 'fingerprint', needs.fingerprintOf(publicKey)),
          ] as const,
        ]),
  ])
}

/** One API user: what it may, its credentials, and how it ends. */
export const userPage = (
  needs: UserPageNeeds,
  visitor: PortalVisitor,
  row: UserRow,
  { done, secret, form = {} }: { done?: string; secret?: string; form?: UserForm },
): PortalPage => {
  const texts = textsOf(visitor)
  const status = form.problems === undefined ? 200 : 400
  return developersPage(visitor, {
    tab: 'users',
    title: row.data.id,
    done,
    status,
    body: [
      <Crumbs links={[[developersPath(visitor.shop.merchant), texts.tab_users]]} />,
      secret !== undefined && secretHtml(needs, visitor, row.data.id, secret),
      <div class="beside">
        <Card title={row.data.id}>
          {aboutHtml(needs, visitor, row)} {changesHtml(needs, visitor, row, form)}
        </Card>
        {tryPart(needs, visitor, row)}
      </div>,
    ],
  })
}
