import { z } from 'zod'
import type { LimitDestinations } from '../../../application/event-destinations.ts'
import type { Context, Handle } from '../../../application/handle.ts'
import { callbackSecrets, eventDestinations } from '../../../domain/aggregates.ts'
import { secretIdOf, type EventDestination } from '../../../domain/merchant/event-destination.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import { streamOf, within } from '../../../domain/stream.ts'
import { dayMs, type Instant } from '../../../domain/time.ts'
import { instantOn, type TimeZone } from '../../../domain/time-zone.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { destinationUri, eventNames } from '../../../http/merchant/event-destination.ts'
import type { Route } from '../../../http/route.ts'
import { parseDateTime } from '../../../http/wire.ts'
import type { Queries } from '../../../projections/read-models.ts'
import type { Visits } from '../../payer/session.tsx'
import { Card, Quiet, Table, type Html, type Row } from '../../ui/components.tsx'
import {
  Choice,
  Field,
  anyText,
  hidden,
  plainForm,
  typed,
  type Problems,
} from '../../ui/fields.tsx'
import { shopTime } from '../../ui/money.tsx'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { portalPages } from '../pages.ts'
import { problemText } from '../problem-texts.ts'
import { askCode } from './code-page.tsx'
import {
  actHtml,
  questionHtml,
  callbackWords,
  copyHtml,
  developersPage,
  developersPath,
  doneIn,
  factsHtml,
  textsOf,
} from './parts.tsx'

export type PortalDestinationNeeds = PortalNeeds & {
  readonly handle: Handle
  readonly newId: () => string
  readonly eventDestinations: Queries['callbacks']['eventDestinations']
  readonly newDestinationKey: (attempt: string | null) => string
  readonly limitDestinations: LimitDestinations
  readonly replayEvents: (id: string, since: Instant, context: Context) => Promise<void>
  /** The current one first. */
  readonly findCallbackSecrets: (
    id: string,
    at: Instant,
  ) => Promise<readonly { readonly secret: string }[]>
}

const place = { action: 'see_developers', area: 'developers' } as const

const listPath = '/portal/:merchant/developers/destinations'

const destinationForm = plainForm.extend({
  change: z
    .enum(['add', 'enable', 'disable', 'replay', 'rotate', 'remove'])
    .meta({ description: 'Hidden in the form: what is done.' }),
  code: typed('A one-time code, to make or replace a secret.').optional(),
  uri: typed('Where messages go.', 'https://books.example/events').optional(),
  event: z.enum(['*', ...eventNames]).optional(),
  id: hidden('Which destination.').optional(),
  since: typed(
    'From when on messages come again, in the zone of the merchant.',
    '2026-11-01T00:00',
  ).optional(),
  attempt: hidden('The same makes one destination.').optional(),
})

type FormCall = Call<{ readonly merchant: string }, undefined, FormOf<typeof destinationForm>>

const doneTexts = {
  added: 'destinationAdded',
  saved: 'saved',
  removed: 'destinationRemoved',
  replayed: 'isReplayed',
} as const

/** A time by the clocks of the shop, as browsers send it, or with a blank instead of `T`. */
const typedTime = (text: string, timeZone: TimeZone): Instant | undefined => {
  const seconds = /T\d\d:\d\d$/.test(text) ? ':00' : ''
  const wall = parseDateTime(text.replace('T', ' ') + seconds)
  if (wall === undefined) return undefined
  const day = Math.floor(wall / dayMs)
  return instantOn(timeZone, day, wall - day * dayMs)
}

type View = {
  readonly done?: string | undefined
  readonly typedUri?: string
  readonly problems?: Problems
  /** Shown this once. */
  readonly secret?: { readonly id: string; readonly text: string }
}

const addHtml = (needs: PortalDestinationNeeds, visitor: PortalVisitor, view: View): Html => {
  const texts = textsOf(visitor)
  const path = developersPath(visitor.shop.merchant, 'destinations')
  const fields = [
    <Field
      name="uri"
      label={texts.callbackAddress}
      problem={view.problems?.['uri']}
      type="url"
      value={view.typedUri ?? ''}
      maxlength={2000}
      required
      autocomplete="off"
      placeholder="https://books.example/events"
    />,
    <Choice
      name="event"
      label={texts.event}
      value="*"
      of={[
        ['*', texts.allEvents],
        ...eventNames.map((name) => [name, callbackWords(visitor, name)] as const),
      ]}
    />,
  ]
  const hiddenFields = { attempt: needs.newId() }
  const act = { path, change: 'add', label: texts.addDestination, fields, kind: '' } as const
  return (
    <Card title={texts.addDestination}>{actHtml(visitor, { ...act, hidden: hiddenFields })}</Card>
  )
}

const actsHtml = (visitor: PortalVisitor, { id, enabled, signature }: EventDestination): Html => {
  const texts = textsOf(visitor)
  const path = developersPath(visitor.shop.merchant, 'destinations')
  const act = (change: string, label: string, more: object = {}) =>
    actHtml(visitor, { path, change, label, hidden: { id }, ...more })
  const since = (
    <Field name="since" label={texts.since} value="" type="datetime-local" step="1" required />
  )
  return [
    enabled ? act('disable', texts.disable) : act('enable', texts.enable),
    questionHtml(texts.replay, texts.replayWhat, act('replay', texts.replay, { fields: since })),
    signature === 'hmac' &&
      questionHtml(texts.rotate, texts.rotateCallbacksWhat, act('rotate', texts.rotate)),
    questionHtml(texts.remove, texts.removeDestinationWhat, act('remove', texts.remove)),
  ]
}

const destinationHtml = (
  { eventDestinations: rows }: PortalDestinationNeeds,
  visitor: PortalVisitor,
  data: EventDestination,
  secret: View['secret'],
): Html => {
  const texts = textsOf(visitor)
  const { id, uri, events, ledgers, posIds, enabled } = data
  const { lastSuccess, oldestWaiting, failingSince, reason } = rows.health(data)
  const time = (at: Instant | null) => (at === null ? '–' : shopTime(at, visitor))
  const eventTexts = events.map((name) =>
    name === '*' ? texts.allEvents : callbackWords(visitor, name),
  )
  return (
    <Card title={id}>
      {!enabled && <b class="badge bad">{texts.disabled}</b>}
      {secret?.id === id && [
        <p class="quiet small">{texts.destinationSecretWhat}</p>,
        copyHtml(visitor, 'destination-secret', secret.text),
      ]}
      {factsHtml([
        [texts.callbackAddress, <code>{uri}</code>],
        [texts.event, eventTexts.join(', ')],
        [texts.onlyAbout, [...ledgers, ...posIds].join(', ') || '–'],
        [texts.lastSuccess, time(lastSuccess)],
        [texts.oldestWaiting, time(oldestWaiting)],
        [texts.failingSince, time(failingSince)],
        [texts.reason, reason === null ? '–' : problemText(reason, visitor.language)],
      ])}
      {mayDo(visitor.me.terms, 'change_callbacks') && actsHtml(visitor, data)}
    </Card>
  )
}

/** The addresses of the contract, which are set where they belong. */
const addressesHtml = (
  { eventDestinations: rows }: PortalDestinationNeeds,
  visitor: PortalVisitor,
): Html => {
  const texts = textsOf(visitor)
  const found = rows.addresses(visitor.shop.merchant)
  if (found.length === 0) return null
  const time = (at: Instant | null) => (at === null ? '–' : shopTime(at, visitor))
  const cells = found.map(({ uri, of, health: { oldestWaiting, failingSince, reason } }): Row => [
    { head: <code>{uri}</code> },
    texts[`address_${of}`],
    ...[time(oldestWaiting), time(failingSince)],
    reason === null ? '–' : problemText(reason, visitor.language),
  ])
  const heads = [texts.callbackAddress, texts.onlyAbout, texts.oldestWaiting, texts.failingSince]
  return (
    <Card title={texts.addresses}>
      <p class="quiet small">{texts.addressesWhat}</p>
      <Table
        label={texts.addresses}
        kind="grid stacks"
        heads={[...heads, texts.reason]}
        rows={cells}
      />
    </Card>
  )
}

const destinationsPage = (
  needs: PortalDestinationNeeds,
  visitor: PortalVisitor,
  view: View,
): PortalPage => {
  const texts = textsOf(visitor)
  const rows = needs.eventDestinations.list(visitor.shop.merchant, Number.MAX_SAFE_INTEGER, 20)
  return developersPage(visitor, {
    tab: 'destinations',
    title: texts.tab_destinations,
    done: view.done,
    status: view.problems === undefined ? 200 : 400,
    body: [
      <Card title={texts.tab_destinations}>
        <p class="quiet small">{texts.destinationsWhat}</p>
        {rows.length === 0 && <Quiet text={texts.noDestinations} />}
      </Card>,
      rows.map(({ data }) => destinationHtml(needs, visitor, data, view.secret)),
      addressesHtml(needs, visitor),
      mayDo(visitor.me.terms, 'change_callbacks') && addHtml(needs, visitor, view),
    ],
  })
}

/** Makes the destination of a form, once however often it is sent. */
const add = async (needs: PortalDestinationNeeds, visitor: PortalVisitor, call: FormCall) => {
  const { merchant } = visitor.shop
  const key = needs.newDestinationKey(`${merchant} ${fieldOf(call.body, 'attempt')}`)
  const [id, event] = [key.slice(0, 16), fieldOf(call.body, 'event') || '*']
  const filters = { events: [event], ledgers: [], posIds: [] }
  const about = { merchant, id, key, uri: fieldOf(call.body, 'uri'), enabled: true }
  const data: EventDestination = { ...about, ...filters, signature: 'hmac' }
  await needs.limitDestinations(merchant, id, () =>
    needs.handle(
      eventDestinations,
      within(merchant, id),
      { type: 'Register', data },
      contextOfStaff(call as Call, visitor),
    ),
  )
  return data
}

const changing = (
  needs: PortalDestinationNeeds,
  visits: Visits,
  ask: ReturnType<typeof askCode>,
) => {
  const withSecret = async (visitor: PortalVisitor, at: Instant, data: EventDestination) => {
    await needs.caughtUp()
    const [current] = await needs.findCallbackSecrets(secretIdOf(data.key), at)
    const secret = { id: data.id, text: current?.secret ?? '' }
    return destinationsPage(needs, visitor, { secret, done: textsOf(visitor).destinationAdded })
  }

  return async (visitor: PortalVisitor, call: FormCall): Promise<PageOrReply> => {
    const { merchant } = visitor.shop
    const change = fieldOf(call.body, 'change')
    const path = developersPath(merchant, 'destinations')
    const uri = fieldOf(call.body, 'uri')
    const problem = (field: string) => ({ problems: { [field]: textsOf(visitor).wrongAddress } })
    if (change === 'add' && !destinationUri.safeParse(uri).success)
      return destinationsPage(needs, visitor, { typedUri: uri, ...problem('uri') })
    if (change === 'add' || change === 'rotate') {
      const question = await ask(visitor, call, { path })
      if (question) return question
    }
    if (change === 'add') return withSecret(visitor, call.at, await add(needs, visitor, call))
    await needs.caughtUp()
    const id = within(merchant, fieldOf(call.body, 'id'))
    const row = needs.eventDestinations.find(streamOf(eventDestinations, id))
    if (!row) return refuse('resource_is_unknown')
    const context = contextOfStaff(call as Call, visitor)
    const done = (what: keyof typeof doneTexts) => visits.go(visitor, `${path}?done=${what}`)
    switch (change) {
      case 'rotate': {
        const command = { type: 'RotateCallbackSecret', at: call.at } as const
        await needs.handle(callbackSecrets, secretIdOf(row.data.key), command, context)
        return withSecret(visitor, call.at, row.data)
      }
      case 'replay': {
        const since = typedTime(fieldOf(call.body, 'since'), visitor.shop.timeZone)
        if (since === undefined || since > call.at) return refuse('since_is_in_the_future')
        await needs.replayEvents(row.data.id, since, context)
        return done('replayed')
      }
      case 'remove':
        await needs.handle(eventDestinations, id, { type: 'Remove', merchant }, context)
        return done('removed')
      default: {
        const changes = { enabled: change === 'enable' }
        await needs.handle(eventDestinations, id, { type: 'Change', merchant, changes }, context)
        return done('saved')
      }
    }
  }
}

/** Event destinations of a merchant: their health, and what is done about it. */
export const portalDestinationRoutes = (needs: PortalDestinationNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const ownQuery = z.object({ done: anyText('What was done.') })
  return [
    page(
      { ...place, path: listPath, summary: 'Event destinations', ownQuery },
      async (visitor, call) =>
        destinationsPage(needs, visitor, { done: doneIn(visitor, searchOf(call), doneTexts) }),
    ),
    form(
      {
        ...place,
        path: listPath,
        action: 'change_callbacks',
        hasNextPage: true,
        summary: 'Add, disable, replay or remove an event destination, or replace its secret',
        ownForm: destinationForm,
      },
      changing(needs, visits, askCode(confirm)),
    ),
  ]
}
