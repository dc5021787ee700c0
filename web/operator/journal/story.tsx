import { Card, Quiet, type Html, Title } from '../../ui/components.tsx'
import { z } from 'zod'
import type { RecordedEvent } from '../../../application/event-store.ts'
import type { Entry, Story } from '../../../audit/explain/story.ts'
import { asSentence } from '../../../audit/explain/event-words.ts'
import { accounts } from '../../../domain/accounting/journal.ts'
import { withIsoTimes } from '../../../domain/event-times.ts'
import { refuse } from '../../../domain/refusal.ts'
import { saysHtml, type ToldStory } from '../../auditor/explain.tsx'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import { moneyText, shopTime } from '../../ui/money.tsx'
import { decimalText, type StoryReader } from '../../ui/story-texts.ts'
import type { TimeZone } from '../../../domain/time-zone.ts'
import { factsHtml } from '../../portal/money-parts.tsx'
import type { Route } from '../../../http/route.ts'
import { operatorPath } from '../areas.ts'
import type { OperatorPage, OperatorPages, OperatorVisitor } from '../pages.tsx'
import { storyHref } from '../payouts/list.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export const seeing = { action: 'see_journal', area: 'journal' } as const

export type StoryNeeds = {
  /** Undefined where there is no such thing. */
  readonly explain: (subject: string, reader: StoryReader) => Promise<ToldStory | undefined>
  readonly eventAt: (position: number) => Promise<RecordedEvent | undefined>
}

export const eventHref = (position: number): string => operatorPath(`events/${position}`)

const storyQuery = z.object({
  subject: anyText('A tid, a rid, `<merchant>/<settlement>`, a report or a stream.'),
})

/** The stories of accounts read the whole log: those are for `daybook explain`. */
const isAccount = (subject: string): boolean =>
  accounts.some((account) => subject === account || subject.startsWith(`${account}/`))

const entryHtml =
  ({ locale, language }: OperatorVisitor, timeZone: TimeZone) =>
  ({ at, position, type, says, who, why, numbers, told, counted }: Entry): Html => {
    const texts = textsIn[language].journal
    const link = <a href={eventHref(position)}>{texts.event({ position })}</a>
    return (
      <li>
        <p>{saysHtml({ type, says })}</p>
        <p class="quiet small">
          {shopTime(at, { locale, shop: { timeZone } })} · {link} · {type}
        </p>
        <p class="quiet small">
          {who} · {why}
        </p>
        <p class="changes small">
          {numbers.map(({ name, from, to }) => (
            <span>
              <code>{name}</code> {decimalText(from, locale)} → <b>{decimalText(to, locale)}</b>
            </span>
          ))}
        </p>
        {[...counted, ...told.map((one) => one.says)].map((one) => (
          <p class="small">{asSentence(one)}</p>
        ))}
      </li>
    )
  }

const numbersHtml = ({ numbers }: Story, { language, locale }: OperatorVisitor): Html =>
  numbers.length === 0 ? null : (
    <Card title={textsIn[language].journal.numbers}>
      {factsHtml(
        numbers.map(({ name, value, currency }) => [name, moneyText(value, currency, locale)]),
      )}
    </Card>
  )

const storyPage = async (
  needs: StoryNeeds,
  visitor: OperatorVisitor,
  call: Call,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].journal
  const subject = (searchOf(call).get('subject') ?? '').trim().slice(0, 200)
  if (subject === '' || isAccount(subject)) return refuse('resource_is_unknown')
  const found = (await needs.explain(subject, visitor)) ?? refuse('resource_is_unknown')
  const { story, timeZone } = found
  const { title, says, entries, more } = story
  return {
    title,
    body: [
      <Title text={asSentence(title)} />,
      says.map((one) => <p>{asSentence(one)}</p>),
      numbersHtml(story, visitor),
      <Card title={texts.happened}>
        <ol class="timeline story">{entries.map(entryHtml(visitor, timeZone))}</ol>
        {more > 0 && <Quiet text={texts.more({ count: more })} />}
      </Card>,
    ],
  }
}

const eventPage = async (
  { eventAt }: StoryNeeds,
  { language }: OperatorVisitor,
  position: number,
): Promise<OperatorPage> => {
  const texts = textsIn[language].journal
  const found = (await eventAt(position)) ?? refuse('resource_is_unknown')
  const { stream, revision, type, data, metadata } = withIsoTimes(found)
  const title = `${texts.event({ position })}: ${type}`
  return {
    title,
    body: [
      <Title text={title} />,
      <p>
        {texts.revision({ revision })}{' '}
        <a href={storyHref(stream)}>
          <code>{stream}</code>
        </a>
      </p>,
      <section class="card">
        <pre class="event" tabindex={0}>
          {JSON.stringify({ data, metadata }, null, 2)}
        </pre>
      </section>,
    ],
  }
}

/** What stands behind an entry. */
export const storyRoutes = (needs: StoryNeeds, { page }: OperatorPages): Route[] => [
  page(
    {
      ...seeing,
      path: '/operator/story',
      summary: 'What has happened to a payment, a settlement or a report, in plain words',
      ownQuery: storyQuery,
    },
    (visitor, call) => storyPage(needs, visitor, call),
  ),
  page(
    {
      ...seeing,
      path: '/operator/events/:position',
      summary: 'An event of the log, as it is stored',
      params: z.object({ position: z.string().regex(/^[1-9]\d{0,14}$/) }),
    },
    (visitor, { params: { position } }) => eventPage(needs, visitor, Number(position)),
  ),
]
