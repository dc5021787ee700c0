import { Actions, Done, Form, Link, type Html, Title } from '../ui/components.tsx'
import { askAccountChange, setSettlementAccount } from '../../application/change-accounts.ts'
import { accountChanges, merchants } from '../../domain/aggregates.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { fieldOf, type Fields } from '../../http/forms.ts'
import { codeField, type Problems, plainForm, typed, Field, Choice } from '../ui/fields.tsx'
import { shopTime } from '../ui/money.tsx'
import { type Visits } from '../payer/session.tsx'
import { doneIn, filled } from '../ui/words.tsx'
import { codeProblem } from '../staff/guard.tsx'
import { actorNames } from './actors.ts'
import { contextOfStaff, type PageOrReply } from './guard.ts'
import type { MoneyNeeds } from './money-needs.ts'
import {
  crumbsHtml,
  factsHtml,
  moneyPath,
  startText,
  clockText,
  hasHalfDays,
} from './money-parts.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'
import { formPage, TimeZoneField } from './parts.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'
import { z } from 'zod'
import { frequencies, startOfDayPattern } from '../../domain/calendar.ts'
import { readTimeZone } from '../../domain/time-zone.ts'
import type { Route } from '../../http/route.ts'
import { moneyRoot } from './money-places.ts'
import { nextPayoutOf } from './next-payout.tsx'

export const timesForm = plainForm.extend({
  frequency: z.enum(frequencies),
  start_of_day: typed('hh:mm, when settlements are due and reports close.', '06:00'),
  time_zone: typed('IANA; by whose clocks.', 'Europe/Oslo'),
})

export type Times = Readonly<Record<'frequency' | 'start' | 'zone', string>>

export const timesNow = ({ settlementAccounts }: MoneyNeeds, { shop }: PortalVisitor): Times => {
  const { frequency = 'daily', startOfDay = '00:00' } = settlementAccounts.find(shop.merchant) ?? {}
  return { frequency, start: startOfDay, zone: shop.timeZone }
}

/** With AM and PM the browser asks for it: people type 24 hours the same everywhere. */
export const startField = (
  visitor: PortalVisitor,
  start: string,
  problem: Problems[string],
): Html => {
  const texts = textsIn[visitor.language].money
  const isOfBrowser = hasHalfDays(visitor)
  const hint = texts.startOfDayHint({ time: clockText('06:00', visitor) })
  return (
    <Field
      name="start_of_day"
      label={texts.startOfDay}
      problem={problem}
      hint={isOfBrowser ? undefined : hint}
      {...(isOfBrowser ? { type: 'time' } : { maxlength: 5 })}
      value={start}
      autocomplete="off"
      required
    />
  )
}

export const timesPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  times: Times,
  problems?: Problems,
): PortalPage => {
  const texts = textsIn[visitor.language].money
  const back = moneyPath(visitor)
  return formPage(visitor, {
    title: texts.timesChange,
    action: moneyPath(visitor, 'times'),
    back,
    button: texts.save,
    isWrong: problems !== undefined,
    above: crumbsHtml(visitor),
    fields: [
      <Choice
        name="frequency"
        label={texts.frequency}
        value={times.frequency}
        of={frequencies.map((one) => [one, texts[`often_${one}`]] as const)}
      />,
      startField(visitor, times.start, problems?.['start_of_day']),
      <TimeZoneField
        label={texts.timeZone}
        hint={texts.timeZoneHint}
        problem={problems?.['time_zone']}
        value={times.zone}
      />,
    ],
    beside: [
      [textsIn[visitor.language].portal.formNext, [texts.timesWhat]],
      [texts.next, [nextPayoutOf(needs, visitor)]],
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

const waitingHtml = async (needs: MoneyNeeds, visitor: PortalVisitor): Promise<Html> => {
  const { shop, language, csrf, me } = visitor
  const texts = textsIn[language].money
  const waiting = needs.accountChanges.find(shop.merchant)?.asked
  if (!waiting) return null
  const nameOf = await actorNames(needs)(shop.merchant, language)
  const who = await nameOf(`staff:${waiting.by}`)
  const time = shopTime(waiting.takesEffectAt, visitor)
  const account = <b>{waiting.payoutAccount}</b>
  return (
    <div class="card note-card">
      <p>{filled(texts.accountWaiting, { account, time, who })}</p>
      {shop.isDisabled && <p>{texts.accountWaitingDisabled}</p>}
      {mayDo(me.terms, 'change_settlement_account') && (
        <Form
          action={moneyPath(visitor, 'account')}
          hidden={{ csrf, decision: 'withdraw', change: waiting.change }}
        >
          <button class="second">{texts.accountWithdraw}</button>
        </Form>
      )}
    </div>
  )
}

const formHtml = (needs: MoneyNeeds, visitor: PortalVisitor, form: AccountFields): Html => {
  const { language, csrf, me, shop } = visitor
  const mayChange = mayDo(me.terms, 'change_settlement_account')
  if (!mayChange || needs.accountChanges.find(shop.merchant)) return null
  const texts = textsIn[language].money
  const { account = '', change = needs.newId(), problems = {} } = form
  return (
    <section class="card narrow-card">
      <h2>{texts.accountChange}</h2>
      <p class="quiet">{texts.accountChangeWhat}</p>
      <Form action={moneyPath(visitor, 'account')} hidden={{ csrf, decision: 'ask', change }}>
        <Field
          name="account"
          label={texts.accountNew}
          hint={texts.accountNewHint}
          problem={problems['account']}
          value={account}
          autocomplete="off"
          maxlength={60}
          required
        />
        {codeField(visitor.texts, problems['code'])}
        <Actions button={texts.accountChange} />
      </Form>
    </section>
  )
}

type AccountFields = {
  readonly account?: string
  readonly change?: string
  readonly problems?: Problems
}

/** Where payouts go, and how the staff changes that. */
export const accountPage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call,
  form: AccountFields = {},
): Promise<PortalPage> => {
  const { shop, language } = visitor
  const texts = textsIn[language].money
  const account = needs.settlementAccounts.find(shop.merchant)
  const doneTexts = { asked: texts.accountAsked, withdrawn: texts.accountWithdrawn }
  const frequency = texts[`frequency_${account?.frequency ?? 'daily'}`]
  return {
    title: texts.account,
    ...(form.problems && { status: 400 as const }),
    body: [
      crumbsHtml(visitor),
      <Title text={texts.account} />,
      <Done text={doneIn(searchOf(call), doneTexts)} />,
      await waitingHtml(needs, visitor),
      <div class="sheet">
        <section class="card narrow-card">
          {factsHtml([
            [texts.accountBefore, account?.payoutAccount ?? texts.accountNone],
            [texts.currency, account?.currency ?? shop.currency],
            [texts.frequency, filledText(frequency, { time: startText(account, visitor) })],
            [texts.delay, texts.delayDays({ count: account?.payoutDelay ?? 0 })],
            [texts.timeZone, shop.timeZone],
          ])}
          {mayDo(visitor.me.terms, 'change_settlement_account') && (
            <p>
              <Link
                class="button second slim"
                href={moneyPath(visitor, 'times')}
                text={texts.timesChange}
              />
            </p>
          )}
        </section>
        {formHtml(needs, visitor, form)}
      </div>,
    ],
  }
}

type AccountForm = Fields<'decision' | 'account' | 'change' | 'code'>

type AccountCall = Call<{ readonly merchant: string }, undefined, AccountForm>

/** Asks for a change with the second factor, or takes one back. */
export const changeOfAccount =
  (needs: MoneyNeeds, visits: Visits, confirm: PortalPages['confirm']) =>
  async (visitor: PortalVisitor, call: AccountCall): Promise<PageOrReply> => {
    const { shop, me, language } = visitor
    const texts = textsIn[language].money
    const { merchant } = shop
    const context = contextOfStaff(call, visitor)
    const change = fieldOf(call.body, 'change')
    const back = (what: string) => visits.go(visitor, `${moneyPath(visitor, 'account')}?${what}`)
    if (fieldOf(call.body, 'decision') === 'withdraw') {
      const command = { type: 'WithdrawAccountChange', change, by: me.member } as const
      await needs.handle(accountChanges, merchant, command, context)
      return back('withdrawn')
    }
    const account = fieldOf(call.body, 'account')
    const again = (problems: Problems) =>
      accountPage(needs, visitor, call, { account, change, problems })
    const payoutAccount = needs.readAccount(account)
    if (payoutAccount === undefined) return again({ account: texts.accountWrong })
    const code = await codeProblem(confirm, visitor, call)
    if (code !== undefined) return again({ code })
    const before = needs.settlementAccounts.find(merchant)?.payoutAccount ?? null
    const asking = { change, payoutAccount, before, by: me.member }
    await askAccountChange(needs)(merchant, asking, context)
    return back('asked')
  }
