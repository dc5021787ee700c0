import { Card, List, Table, type Row, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import type { Story, SumOfParts, Entry } from '../../audit/explain/story.ts'
import type { Provable } from '../../audit/transparency/provable.ts'
import { refuse } from '../../domain/refusal.ts'
import { receiptQuery, receiptStream } from '../../http/merchant/receipt.ts'
import type { Route } from '../../http/route.ts'
import { explainForm, filledIn } from './query.tsx'
import { auditPages, notSignedIn, type AuditVisits, type AuditView } from './visits.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'
import { isInSentences, asSentence, withCapital } from '../../audit/explain/event-words.ts'
import { codedMoney, decimalText, secondText, type StoryReader } from '../ui/story-texts.ts'
import type { TimeZone } from '../../domain/time-zone.ts'
import { filled } from '../ui/words.tsx'
import { eventLink, explainHref, inEnglish, shownTime } from './page.tsx'

/** A story, and the zone of the shop that it is about. */
export type ToldStory = { readonly story: Story; readonly timeZone: TimeZone }

/** Whose words a story has, and how it writes times and numbers. */
type Zoned = StoryReader & Pick<ToldStory, 'timeZone'> & { readonly texts: Catalogue['auditor'] }

const timeHtml = (at: number, { locale, timeZone }: Pick<Zoned, 'locale' | 'timeZone'>): Html =>
  locale === undefined ? (
    shownTime(at)
  ) : (
    <time datetime={new Date(at).toISOString()}>{secondText(at, locale, timeZone)}</time>
  )

const zoneText = ({ language, timeZone }: Zoned): string =>
  textsIn[language].portal.timesIn({ timeZone })

export const changesHtml = ({ numbers }: Entry, { locale }: Zoned): Html =>
  numbers.length === 0 ? null : (
    <ul class="changes">
      {numbers.map(({ name, from, to }) => (
        <li>
          <code>{name}</code> {decimalText(from, locale)} → <b>{decimalText(to, locale)}</b>
        </li>
      ))}
    </ul>
  )

export const notificationsHtml = ({ told, counted }: Entry, { texts, ...zoned }: Zoned): Html => {
  if (told.length + counted.length === 0) return null
  return (
    <ul class="told">
      {counted.map((one) => (
        <li>{texts.counted({ where: one })}</li>
      ))}
      {told.map(({ at, says }) => (
        <li>
          {at !== null && timeHtml(at, zoned)} {says}
        </li>
      ))}
    </ul>
  )
}

/** What an event tells: in English where it has no sentence of its own. */
export const saysHtml = ({ type, says }: Pick<Entry, 'type' | 'says'>): Html =>
  isInSentences(type) ? asSentence(says) : inEnglish(withCapital(says))

export const entryHtml = (entry: Entry, zoned: Zoned): Html => (
  <li>
    <p class="when">
      {timeHtml(entry.at, zoned)} ·{' '}
      {filled(zoned.texts.eventOf, { event: eventLink(entry.position) })} · {entry.type}
    </p>
    <p class="says">{saysHtml(entry)}</p>
    <p class="quiet small">
      {zoned.texts.by({ who: entry.who })} · {entry.why}
    </p>
    {changesHtml(entry, zoned)}
    {notificationsHtml(entry, zoned)}
  </li>
)

export const numbersHtml = (subject: string, { numbers }: Story, { texts, locale }: Zoned): Html =>
  numbers.length === 0 ? null : (
    <Card title={texts.numbers}>
      <p class="quiet small">{texts.numbersWhat}</p>
      <Table
        kind="plain"
        rows={numbers.map(({ name, currency, value }) => [
          <a href={explainHref(subject, `${name}:${currency}`)}>{name}</a>,
          codedMoney(value, currency, locale),
        ])}
      />
    </Card>
  )

const proofHref = (subject: string): string =>
  `/audit/proof.json?subject=${encodeURIComponent(subject)}`

export const storyHtml = (subject: string, story: Story, isProved: boolean, zoned: Zoned): Html => [
  <h1>{asSentence(story.title)}</h1>,
  story.says.map((one) => <p>{asSentence(one)}</p>),
  isProved && (
    <p>
      <a href={proofHref(subject)}>{zoned.texts.proofOf}</a>
    </p>
  ),
  <div class="story">
    <Card title={zoned.texts.happened}>
      <p class="quiet small">{zoneText(zoned)}</p>
      <ol class="entries">{story.entries.map((entry) => entryHtml(entry, zoned))}</ol>
      {story.more > 0 && <p class="quiet">{zoned.texts.more({ count: story.more })}</p>}
    </Card>
    {numbersHtml(subject, story, zoned)}
  </div>,
]

export const verdictHtml = ({ agrees, says }: SumOfParts, texts: Catalogue['auditor']): Html => {
  if (agrees === null) return <p class="note">{says}</p>
  const [kind, text] = agrees ? ['good', texts.sumAdds] : ['bad', texts.sumAddsNot]
  return (
    <p class={`state ${kind}`}>
      <span>
        {text}
        <small>{says}</small>
      </span>
    </p>
  )
}

const sumRow = (says: string, amount: string, kind = ''): Row => ({
  kind,
  cells: ['', '', says, amount],
})

export const sumHtml = (subject: string, { title }: Story, sum: SumOfParts, zoned: Zoned): Html => {
  const { others, parts } = sum
  const { texts, locale } = zoned
  const shown = (amount: string) => decimalText(amount, locale)
  const rows: Row[] = parts.map(({ position, at, says, amount }) => [
    eventLink(position),
    timeHtml(at, zoned),
    says,
    shown(amount),
  ])
  if (others) rows.push(sumRow(texts.moreLines({ count: others.count }), shown(others.amount)))
  rows.push(sumRow(sum.name, shown(sum.value), 'sum'))
  return [
    <h1>{texts.numberOf({ name: sum.name, title })}</h1>,
    verdictHtml(sum, texts),
    <div class="card scroll sums">
      <Table heads={[texts.oneEvent, texts.time, texts.what, sum.currency]} rows={rows} />
    </div>,
    <p class="quiet small">{zoneText(zoned)}</p>,
    <p>
      <a href={explainHref(subject)}>{texts.wholeStory}</a>
    </p>,
  ]
}

export type AuditExplainNeeds = {
  readonly caughtUp: () => Promise<void>
  /** Undefined when there is no such thing. */
  readonly explain: (subject: string, reader: StoryReader) => Promise<ToldStory | undefined>
  readonly sumUp: (
    subject: string,
    story: Story,
    number: string,
    reader: StoryReader,
  ) => Promise<SumOfParts | undefined>
  /** Ids of payments and permission requests with this order number. */
  readonly named: (order: string) => Promise<readonly string[]>
  /** Undefined for what no receipt proves. */
  readonly proofOf: (
    subject: string,
  ) => Promise<(Provable & { readonly merchant: string }) | undefined>
}

const query = z.object({
  subject: z
    .string()
    .max(200)
    .optional()
    .meta({ description: `What to explain: ${textsIn.en.story.subjects}.` }),
  number: z.string().max(100).optional().meta({ description: 'A number of it, such as `payout`.' }),
})

const form = (subject: string | undefined, texts: Catalogue['auditor']) =>
  explainForm(texts.explainWhat, texts, subject)

/** Several have the same order number. */
const namedPage = (
  order: string,
  named: readonly string[],
  texts: Catalogue['auditor'],
): AuditView => ({
  title: texts.ordersNamed({ order }),
  body: [
    form(order, texts),
    <h1>{texts.ordersNamed({ order })}</h1>,
    <List
      items={named.map((id) => (
        <a href={explainHref(id)}>
          <code>{id}</code>
        </a>
      ))}
    />,
  ],
  json: { order, subjects: named },
})

/** The receipt of what a story tells (interface 14.3). */
const proofRoute = (needs: AuditExplainNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/proof.json', {
    summary: 'Prove a payment, a closed report or a settlement: its events, with their proofs',
    query: z.object({ subject: query.shape.subject, from: receiptQuery.shape.from }),
    replyTypes: ['application/json', 'text/html'],
    errors: { ...notSignedIn, 404: 'There is no such thing, or no proof of it so far.' },
    handle: (call) =>
      visits.look(call, async () => {
        await needs.caughtUp()
        const subject = filledIn(call.query.subject) ?? ''
        const proof = (await needs.proofOf(subject)) ?? refuse('resource_is_unknown')
        const { about, merchant, make } = proof
        return {
          type: 'application/json',
          body: receiptStream({ merchant, about }, await make(call.query.from)),
          headers: { 'Content-Disposition': 'attachment; filename="proof.json"' },
        }
      }),
  })

/** Stories in plain words, and what adds up to their numbers. */
const explainRoute = (needs: AuditExplainNeeds, visits: AuditVisits): Route => {
  const storyPage = async (
    subject: string,
    number: string | undefined,
    reader: StoryReader,
  ): Promise<AuditView> => {
    const texts = textsIn[reader.language].auditor
    await needs.caughtUp()
    const found = await needs.explain(subject, reader)
    if (!found) {
      const named = await needs.named(subject)
      const [id = refuse('resource_is_unknown'), ...others] = named
      return others.length > 0 ? namedPage(subject, named, texts) : storyPage(id, number, reader)
    }
    const { story, timeZone } = found
    const zoned = { texts, timeZone, ...reader }
    if (number === undefined) {
      const isProved = (await needs.proofOf(subject)) !== undefined
      const body = [form(subject, texts), storyHtml(subject, story, isProved, zoned)]
      return { title: story.title, body, json: story }
    }
    const sum = (await needs.sumUp(subject, story, number, reader)) ?? refuse('resource_is_unknown')
    const title = texts.numberOf({ name: sum.name, title: story.title })
    const body = [form(subject, texts), sumHtml(subject, story, sum, zoned)]
    return { title, body, json: sum }
  }

  return auditPages.get('/audit/explain', {
    summary: 'What has happened to something, in plain words',
    query,
    errors: { ...notSignedIn, 404: 'There is no such thing.' },
    handle: (call) => {
      const subject = filledIn(call.query.subject)
      const find = async (language: Language, locale?: string): Promise<AuditView> => {
        const texts = textsIn[language].auditor
        const { subjects } = textsIn[language].story
        if (subject !== undefined) {
          const number = filledIn(call.query.number)
          return storyPage(subject, number, { language, locale })
        }
        const body = [
          <h1>{texts.explain}</h1>,
          form(undefined, texts),
          <p class="quiet">{texts.explainGive({ subjects })}</p>,
        ]
        return { title: texts.explain, body, json: { subjects } }
      }
      return visits.look(call, find, (texts) => form(subject, texts))
    },
  })
}

export const auditExplainRoutes = (needs: AuditExplainNeeds, visits: AuditVisits): Route[] => [
  explainRoute(needs, visits),
  proofRoute(needs, visits),
]
