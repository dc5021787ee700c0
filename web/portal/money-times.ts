import { html } from 'hono/html'
import { z } from 'zod'
import { setSettlementAccount } from '../../application/set-settlement-account.ts'
import { merchants } from '../../domain/aggregates.ts'
import { frequencies, startOfDayPattern } from '../../domain/calendar.ts'
import { readTimeZone } from '../../domain/time-zone.ts'
import { fieldOf } from '../../http/forms.ts'
import { inputField, type Problems } from '../ui/fields.ts'
import { plainForm, typed } from '../ui/form-parts.ts'
import type { Html } from '../ui/page.ts'
import type { Visits } from '../payer/session.ts'
import type { Route } from '../../http/route.ts'
import { contextOfStaff } from './guard.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { clockText, crumbsHtml, hasHalfDays, moneyPath } from './money-parts.ts'
import { moneyRoot } from './money-places.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import type { PortalPages } from './pages.ts'
import { nextPayoutHtml } from './next-payout.ts'
import { choiceField, formPage, timeZoneField } from './parts.ts'
import { textsIn } from '../../texts/catalogue.ts'

const timesForm = plainForm.extend({
  frequency: z.enum(frequencies),
  start_of_day: typed('hh:mm, when settlements are due and reports close.', '06:00'),
  time_zone: typed('IANA; by whose clocks.', 'Europe/Oslo'),
})

type Times = Readonly<Record<'frequency' | 'start' | 'zone', string>>

const timesNow = ({ settlementAccounts }: MoneyNeeds, { shop }: PortalVisitor): Times => {
  const { frequency = 'daily', startOfDay = '00:00' } = settlementAccounts.find(shop.merchant) ?? {}
  return { frequency, start: startOfDay, zone: shop.timeZone }
}

/** With AM and PM the browser asks for it: people type 24 hours the same everywhere. */
const startField = (visitor: PortalVisitor, start: string, problem: Problems[string]): Html => {
  const texts = textsIn[visitor.language].money
  const isOfBrowser = hasHalfDays(visitor)
  const hint = texts.startOfDayHint({ time: clockText('06:00', visitor) })
  return inputField({
    ...{ name: 'start_of_day', label: texts.startOfDay, problem },
    hint: isOfBrowser ? undefined : hint,
    attributes: html`${isOfBrowser ? html`type="time"` : html`maxlength="5"`} value="${start}"
    autocomplete="off" required`,
  })
}

const timesPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  times: Times,
  problems?: Problems,
): PortalPage => {
  const texts = textsIn[visitor.language].money
  const back = moneyPath(visitor)
  return formPage(visitor, {
    ...{ title: texts.timesChange, action: moneyPath(visitor, 'times'), back, button: texts.save },
    ...{ isWrong: problems !== undefined, above: crumbsHtml(visitor) },
    fields: html`${choiceField(
      'frequency',
      texts.frequency,
      times.frequency,
      frequencies.map((one) => [one, texts[`often_${one}`]] as const),
    )}
    ${startField(visitor, times.start, problems?.['start_of_day'])}
    ${timeZoneField({
      ...{ label: texts.timeZone, hint: texts.timeZoneHint, problem: problems?.['time_zone'] },
      attributes: html`value="${times.zone}"`,
    })}`,
    beside: [
      [textsIn[visitor.language].portal.formNext, [texts.timesWhat]],
      [texts.next, [nextPayoutHtml(needs, visitor.shop.merchant, visitor)]],
    ],
  })
}

/** When a merchant is settled and its days begin, as its owners want it. */
export const timesRoutes = (
  needs: MoneyNeeds,
  visits: Visits,
  { page, form }: PortalPages,
): Route[] => {
  const place = {
    path: `${moneyRoot}/times`,
    action: 'change_settlement_account',
    area: 'money',
  } as const
  return [
    page({ ...place, summary: 'When a merchant is settled' }, async (visitor) =>
      timesPage(needs, visitor, timesNow(needs, visitor)),
    ),
    form(
      {
        ...place,
        summary: 'Change when a merchant is settled, and its time zone',
        ownForm: timesForm,
      },
      async (visitor, call) => {
        const texts = textsIn[visitor.language].money
        const times = {
          frequency: fieldOf(call.body, 'frequency'),
          start: fieldOf(call.body, 'start_of_day'),
          zone: fieldOf(call.body, 'time_zone'),
        }
        const frequency = frequencies.find((one) => one === times.frequency)
        const timeZone = readTimeZone(times.zone)
        const isTime = startOfDayPattern.test(times.start)
        if (frequency === undefined || timeZone === undefined || !isTime)
          return timesPage(needs, visitor, times, {
            start_of_day: isTime ? undefined : texts.wrongStart({ time: '06:00' }),
            time_zone: timeZone ? undefined : texts.wrongTimeZone,
          })
        const { merchant } = visitor.shop
        const context = contextOfStaff(call, visitor)
        const changes = { frequency, startOfDay: times.start }
        await setSettlementAccount(needs)(merchant, changes, context)
        const command = { type: 'Change', changes: { timeZone } } as const
        await needs.handle(merchants, merchant, command, context)
        return visits.go(visitor, `${moneyPath(visitor)}?saved`)
      },
    ),
  ]
}
