import { Actions, Card, Crumbs, Form, type Html } from '../../ui/components.tsx'
import { Choice } from '../../ui/fields.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Problems } from '../../ui/fields.tsx'
import { shopTime } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { overlapHours, publicFieldsHtml, type PublicFields } from './application-fields.tsx'
import {
  applicationPath,
  applicationsPath,
  kindBadges,
  type ApplicationRow,
} from './application-list.tsx'
import { actHtml, questionHtml, copyHtml, developersPage, factsHtml, textsOf } from './parts.tsx'

export type ApplicationPageNeeds = { readonly newId: () => string }

const rotateHtml = (
  needs: ApplicationPageNeeds,
  visitor: PortalVisitor,
  { data }: ApplicationRow,
): Html => {
  if (data.secretHash === null) return []
  const texts = textsOf(visitor)
  const path = applicationPath(visitor.shop.merchant, data.clientId)
  const fields = (
    <Choice
      name="overlap"
      label={texts.overlap}
      value="24"
      of={overlapHours.map((hours) => [String(hours), texts[`overlap_${hours}`]])}
    />
  )
  const act = { path, change: 'secret', label: texts.changeSecret, kind: '' as const }
  const hidden = { attempt: needs.newId() }
  return questionHtml(
    texts.changeSecret,
    texts.rotateWhat,
    actHtml(visitor, { ...act, hidden, fields }),
  )
}

const changesHtml = (
  needs: ApplicationPageNeeds,
  visitor: PortalVisitor,
  row: ApplicationRow,
  typed: PublicFields,
  problems: Problems | undefined,
): Html => {
  const texts = textsOf(visitor)
  const path = applicationPath(visitor.shop.merchant, row.data.clientId)
  const act = (change: string, label: string, kind: 'danger' | '') =>
    actHtml(visitor, { path, change, label, kind })
  return [
    rotateHtml(needs, visitor, row),
    <details class="asked" open={problems !== undefined}>
      <summary>{texts.changeApplication}</summary>
      <Form action={path} hidden={{ csrf: visitor.csrf, change: 'told' }}>
        {publicFieldsHtml(visitor, typed, problems)}
        <Actions button={texts.save} />
      </Form>
    </details>,
    row.isDisabled
      ? act('enable', texts.enable, '')
      : questionHtml(
          texts.disable,
          texts.disableApplicationWhat,
          act('disable', texts.disable, 'danger'),
        ),
    ' ',
    questionHtml(texts.remove, texts.removeApplicationWhat, act('remove', texts.remove, 'danger')),
  ]
}

const secretHtml = (visitor: PortalVisitor, client: string, secret: string): Html => {
  const texts = textsOf(visitor)
  return (
    <section class="card once">
      <h2>{texts.secretOf({ name: client })}</h2>
      <p>{texts.shownOnce}</p>
      {copyHtml(visitor, 'secret', secret)}
    </section>
  )
}

type With = {
  readonly at: Instant
  readonly done?: string | undefined
  readonly secret?: string | undefined
  readonly typed?: PublicFields & { readonly problems: Problems }
}

/** One application: how it is known, its secrets, and how it ends. */
export const applicationPage = (
  needs: ApplicationPageNeeds,
  visitor: PortalVisitor,
  row: ApplicationRow,
  { at, done, secret, typed }: With,
): PortalPage => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const { clientId, name, redirectUris, previousSecret } = row.data
  const until = previousSecret && at < previousSecret.until ? previousSecret.until : undefined
  return developersPage(visitor, {
    tab: 'applications',
    title: name,
    done,
    status: typed === undefined ? 200 : 400,
    body: [
      <Crumbs links={[[applicationsPath(shop.merchant), texts.tab_applications]]} />,
      secret !== undefined && secretHtml(visitor, name, secret),
      <Card title={name}>
        {factsHtml([
          [texts.clientId, copyHtml(visitor, 'client', clientId)],
          [texts.kind, kindBadges(visitor, row)],
          [texts.redirectUris, redirectUris.map((uri) => [<code>{uri}</code>, <br />])],
        ])}
        {until !== undefined && (
          <p class="note">{filled(texts.oldSecretUntil, { time: shopTime(until, visitor) })}</p>
        )}
        {mayDo(me.terms, 'change_applications') &&
          changesHtml(needs, visitor, row, typed ?? { name, redirectUris }, typed?.problems)}
      </Card>,
    ],
  })
}
