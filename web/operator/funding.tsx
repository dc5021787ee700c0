import { z } from 'zod'
import type { Difference, FundingDay, FundingWork } from '../../application/funding-book.ts'
import type { OperatorWork } from '../../application/operators.ts'
import { negated } from '../../domain/money/money.ts'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { isDay } from '../../domain/time.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { malformed } from '../../http/errors.ts'
import { fieldOf } from '../../http/forms.ts'
import type { Route } from '../../http/route.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import { dayText, factsHtml, sumText } from '../portal/money-parts.tsx'
import { Actions, Card, Crumbs, Form, MoreLink, Quiet, Table, Title } from '../ui/components.tsx'
import type { Html, Row } from '../ui/components.tsx'
import { anyText, Field, hidden, plainForm, typed } from '../ui/fields.tsx'
import { utcTime } from '../ui/money.tsx'
import { operatorPath } from './areas.ts'
import { storyHref } from './payouts/list.tsx'
import {
  contextOfOperator,
  nameFor,
  operatorPages,
  type OperatorNeeds,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.tsx'

export type FundingNeeds = OperatorNeeds &
  Pick<OperatorWork, 'nameOf'> & { readonly fundingWork: () => Promise<FundingWork> }

const daysOnPage = 31

const textsOf = ({ language }: OperatorVisitor) => textsIn[language].funding

const hrefOf = (key: string): string => operatorPath(`funding/${key}`)

const dayRow =
  (visitor: OperatorVisitor) =>
  (day: FundingDay): Row => {
    const texts = textsOf(visitor)
    const sum = (of: string) => ({ number: sumText(of, day.currency, visitor) })
    const isOpen = day.open !== '0'
    const open = isOpen && day.isDue ? <b>{sum(day.open).number}</b> : sum(day.open).number
    return [
      { head: <a href={hrefOf(day.key)}>{dayText(day.day, visitor)}</a> },
      sum(day.captured),
      sum(day.expected),
      sum(day.received),
      sum(day.explained),
      { number: [open, isOpen && !day.isDue && [' ', texts.notDue]] },
    ]
  }

const differencesHtml = async (
  needs: FundingNeeds,
  visitor: OperatorVisitor,
  differences: readonly Difference[],
): Promise<Html> => {
  const texts = textsOf(visitor)
  if (differences.length === 0) return <Quiet text={texts.noDifferences} />
  const rowOf = async ({ key, day, open, currency, age, owner, receipt }: Difference) => [
    { head: <a href={hrefOf(key)}>{dayText(day, visitor)}</a> },
    receipt ? texts.unexpected : texts.missing,
    { number: <b>{sumText(receipt ? negated(open) : open, currency, visitor)}</b> },
    texts.days({ count: age }),
    owner === null ? texts.nobody : await nameFor(needs, owner),
  ]
  const { day, kind, amount, age, owner } = texts
  const heads = [day, kind, { number: amount }, age, owner]
  const rows = await Promise.all(differences.map(rowOf))
  return <Table label={texts.differences} kind="grid stacks" heads={heads} rows={rows} />
}

const listPage = async (
  needs: FundingNeeds,
  visitor: OperatorVisitor,
  call: Call,
): Promise<OperatorPage> => {
  const texts = textsOf(visitor)
  const { book, watch } = await needs.fundingWork()
  const typedDay = searchOf(call).get('before') ?? ''
  const days = book.days(isDay(typedDay) ? typedDay : undefined, daysOnPage)
  const oldest = days.at(-1)?.day
  const numbers = [texts.captured, texts.expected, texts.received, texts.explained, texts.open]
  const heads = [texts.day, ...numbers.map((number) => ({ number }))]
  return {
    title: texts.title,
    body: [
      <Title text={texts.title} />,
      !watch && <p class="card quiet">{texts.notWatched}</p>,
      watch && (
        <Card title={texts.differences}>
          {await differencesHtml(needs, visitor, book.differences())}
        </Card>
      ),
      <Card title={texts.byDay}>
        <p class="quiet">{texts.byDayWhat}</p>
        {days.length === 0 ? (
          <Quiet text={texts.noDays} />
        ) : (
          <Table
            label={texts.byDay}
            kind="grid stacks"
            heads={heads}
            rows={days.map(dayRow(visitor))}
          />
        )}
        {oldest !== undefined && watch && oldest > watch.since && (
          <MoreLink href={operatorPath(`funding?before=${oldest}`)} text={texts.older} />
        )}
      </Card>,
    ],
  }
}

const formHtml = (
  visitor: OperatorVisitor,
  key: string,
  act: 'take' | 'close' | 'place',
  field: Html,
): Html => {
  const texts = textsOf(visitor)
  return (
    <Form class="card narrow-card" action={hrefOf(key)} hidden={{ csrf: visitor.csrf, act }}>
      <h2>{texts[act]}</h2>
      <p class="quiet">{texts[`${act}What`]}</p>
      {field}
      <Actions kind={act === 'close' ? 'second' : ''} button={texts[act]} />
    </Form>
  )
}

const formsHtml = (visitor: OperatorVisitor, { key, open, receipt }: Difference): Html => {
  const texts = textsOf(visitor)
  if (open === '0' || !operatorMayDo(visitor.me.terms, 'order_payouts')) return null
  const text = { label: texts.note, maxlength: 200 } as const
  return [
    formHtml(visitor, key, 'take', <Field {...text} name="take" />),
    receipt &&
      formHtml(
        visitor,
        key,
        'place',
        <Field name="place" label={texts.day} type="date" required />,
      ),
    formHtml(visitor, key, 'close', <Field {...text} name="close" required />),
  ]
}

const differencePage = async (
  needs: FundingNeeds,
  visitor: OperatorVisitor,
  key: string,
): Promise<OperatorPage> => {
  const texts = textsOf(visitor)
  const { book } = await needs.fundingWork()
  const found = book.find(key) ?? refuse('resource_is_unknown')
  const { day, currency, open, age, owner, notes, receipt } = found
  const sum = (of: string) => sumText(of, currency, visitor)
  const written = await Promise.all(
    notes.map(async ({ at, by, text }): Promise<Row> => [
      { head: utcTime(at, visitor.locale) },
      await nameFor(needs, by),
      text,
    ]),
  )
  return {
    title: texts.difference,
    body: [
      <Crumbs links={[[operatorPath('funding'), texts.title]]} />,
      <Title text={texts.difference} />,
      <section class="card">
        {factsHtml([
          [texts.day, dayText(day, visitor)],
          [texts.kind, receipt ? texts.unexpected : texts.missing],
          [texts.open, <b>{sum(receipt ? negated(open) : open)}</b>],
          [texts.age, texts.days({ count: age })],
          [texts.owner, owner === null ? texts.nobody : await nameFor(needs, owner)],
          ...(receipt
            ? ([
                [texts.account, receipt.account],
                [texts.names, receipt.endToEndId ?? receipt.messageId ?? '–'],
                [texts.reference, receipt.reference ?? '–'],
                [texts.statement, `${receipt.source.kind} ${receipt.source.id}`],
              ] as const)
            : []),
          [texts.story, <a href={storyHref(`funding_difference-${key}`)}>{texts.show}</a>],
        ])}
      </section>,
      written.length > 0 && (
        <Card title={texts.notes}>
          <Table label={texts.notes} kind="grid" rows={written} />
        </Card>
      ),
      formsHtml(visitor, found),
    ],
  }
}

const params = z.object({
  difference: z.string().regex(/^(?:[\da-f]{32}|\d{4}-\d\d-\d\d-[A-Z]{3})$/),
})

const differenceForm = plainForm.extend({
  act: hidden('take, close or place.'),
  take: typed('What is known of it.').optional(),
  close: typed('Why it is right as it is.').optional(),
  place: typed('The day that it pays, YYYY-MM-DD.').optional(),
})

/** Whether the money of payers comes in, and what is done about the rest. */
export const operatorFundingRoutes = (needs: FundingNeeds, visits: Visits): Route[] => {
  const { page, form } = operatorPages(needs, visits)
  const seeing = { action: 'see_payouts', area: 'funding' } as const
  const path = '/operator/funding'
  return [
    page(
      {
        ...seeing,
        path,
        summary: 'Money of payers: captured, received and open, by day',
        ownQuery: z.object({ before: anyText('Days before this one.') }),
      },
      async (visitor, call) => listPage(needs, visitor, call),
    ),
    page(
      { ...seeing, path: `${path}/:difference`, summary: 'A day, or unexpected money', params },
      async (visitor, call) => differencePage(needs, visitor, call.params.difference),
    ),
    form(
      {
        action: 'order_payouts',
        area: 'funding',
        path: `${path}/:difference`,
        params,
        summary: 'Take a difference, close it, or say which day money pays',
        ownForm: differenceForm,
      },
      async (visitor, call) => {
        const { take, close, place } = await needs.fundingWork()
        const { difference: key } = call.params
        const act = fieldOf(call.body, 'act')
        const text = fieldOf(call.body, act === 'place' ? 'place' : act === 'close' ? act : 'take')
        const context = contextOfOperator(call, visitor)
        const missing = (name: string) =>
          malformed({ issues: [{ path: [name], message: `${name} is missing.` }] })
        if (act === 'take') await take(key, text.trim() || null, context)
        else if (act === 'close') {
          if (text.trim() === '') throw missing('close')
          await close(key, text.trim(), context)
        } else if (act === 'place' && isDay(text)) await place(key, text, context)
        else throw missing(act === 'place' ? 'place' : 'act')
        return visits.go(visitor, operatorPath('funding'))
      },
    ),
  ]
}
