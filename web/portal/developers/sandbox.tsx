import { Button, Card, Form, Table, type Row, type Html, type Fact } from '../../ui/components.tsx'
import { z } from 'zod'
import { payments } from '../../../domain/aggregates.ts'
import type { Find } from '../../../application/find-state.ts'
import type { Handle } from '../../../application/handle.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import type { SandboxNeeds } from '../../../http/merchant/sandbox.ts'
import type { SandboxPayerNeeds } from '../../../http/merchant/sandbox-payer.ts'
import { anyText, hidden, plainForm } from '../../ui/fields.tsx'
import { type Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from '../guard.ts'
import type { PortalVisitor, PortalPage } from '../page.tsx'
import { portalPages } from '../pages.ts'
import { developersPath, doneIn, actHtml, developersPage, factsHtml, textsOf } from './parts.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import { listStart, type PaymentLists } from '../../../projections/payment-list.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import { minorText, shopTime } from '../../ui/money.tsx'
import { unseen, filled } from '../../ui/words.tsx'
import { portalPath } from '../areas.ts'
import { namesOfPos, type PosOf } from '../payments/query.ts'
import { textsIn } from '../../../texts/catalogue.ts'

export type SandboxPageNeeds = {
  readonly lists: PaymentLists
  readonly posOf: PosOf
  readonly newestOf: (merchant: string) => number
  readonly simulator: Pick<SandboxPayerNeeds, 'findPayer' | 'oneTimeCode'> | undefined
}

/** Those whom the sandbox makes. */
export const simulatedPayers = ['alice', 'bob'] as const

/** In seconds. */
export const steps = [3_600, 86_400, 604_800, 2_592_000] as const

const waitingListed = 20

type Names = ReadonlyMap<string, string>

const waitingHtml = (visitor: PortalVisitor, names: Names, row: PaymentRow): Row => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const amount = minorText(row.amount + row.additionalAmount, row.currency, visitor.locale)
  return [
    { head: <a href={portalPath(merchant, `payments/${row.tid}`)}>{amount}</a> },
    [row.posTid, <span class="value">{names.get(row.posId) ?? row.posId}</span>],
    shopTime(row.requestedAt, visitor),
    <Form
      class="play"
      action={developersPath(merchant, 'sandbox')}
      hidden={{ csrf: visitor.csrf, tid: row.tid }}
    >
      <select name="payer" aria-label={texts.payer}>
        {simulatedPayers.map((payer) => (
          <option>{payer}</option>
        ))}
      </select>
      <button class="slim" name="change" value="accept">
        {texts.accept}
        {unseen(` ${amount}`)}
      </button>
      <button class="slim second" name="change" value="decline">
        {texts.decline}
        {unseen(` ${amount}`)}
      </button>
    </Form>,
  ]
}

const simulatorHtml = (visitor: PortalVisitor, names: Names, rows: readonly PaymentRow[]): Html => {
  const texts = textsOf(visitor)
  const words = textsIn[visitor.language].payments
  const heads = [words.amount, words.orderNumber, words.requested, unseen(texts.payer)]
  const lines = rows.map((row) => waitingHtml(visitor, names, row))
  const table = (
    <div class="scroll">
      <Table kind="grid stacks" heads={heads} rows={lines} />
    </div>
  )
  return (
    <Card title={texts.simulator}>
      <p class="quiet small">{texts.simulatorWhat}</p>
      <div data-part="waiting">{rows.length === 0 ? <p>{texts.noWaiting}</p> : table}</div>
    </Card>
  )
}

const clockHtml = (visitor: PortalVisitor, at: Instant, mayChange: boolean): Html => {
  const texts = textsOf(visitor)
  const path = developersPath(visitor.shop.merchant, 'sandbox')
  return (
    <Card title={texts.clock}>
      <p>{filled(texts.nowIs, { time: <b>{shopTime(at, visitor)}</b> })}</p>
      {mayChange && [
        <p class="quiet small">
          {texts.advanceWhat} {texts.advanceShared}
        </p>,
        <Form class="buttons" action={path} hidden={{ csrf: visitor.csrf, change: 'advance' }}>
          {steps.map((step) => (
            <Button
              class="slim second"
              name="seconds"
              value={step}
              text={texts[`advance_${step}`]}
            />
          ))}
        </Form>,
        <h3>{texts.settleNow}</h3>,
        <p class="quiet small">{texts.settleWhat}</p>,
        actHtml(visitor, { path, change: 'settle', label: texts.settleNow }),
      ]}
    </Card>
  )
}

const payersHtml = async (
  { simulator }: SandboxPageNeeds,
  visitor: PortalVisitor,
): Promise<Html> => {
  const texts = textsOf(visitor)
  const codeFact = (name: string, code: string | undefined): Fact => [
    name,
    [texts.oneTimeCode, ' ', <code>{code ?? '—'}</code>],
  ]
  const facts = simulatedPayers.map(async (name): Promise<Fact> => {
    const payer = await simulator?.findPayer(name)
    const code = payer === undefined ? undefined : await simulator?.oneTimeCode(payer)
    return codeFact(name, code)
  })
  const own = await simulator?.oneTimeCode(visitor.session.payer)
  return (
    <Card title={texts.payers}>
      <p class="quiet small">{texts.payersWhat}</p>
      {factsHtml([...(await Promise.all(facts)), codeFact(texts.yourself, own)])}
      <p>
        <a href="/docs/sandbox">{texts.sandboxGuide}</a>
      </p>
    </Card>
  )
}

/** The clock, the payments that wait for a payer, and what payers' phones show. */
export const sandboxPage = async (
  needs: SandboxPageNeeds,
  visitor: PortalVisitor,
  at: Instant,
  done: string | undefined,
): Promise<PortalPage> => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const newest = needs.newestOf(shop.merchant)
  const range = { since: 0, behind: listStart, limit: waitingListed }
  const mayChange = mayDo(me.terms, 'change_api_users')
  const waiting = needs.lists.open(shop.merchant, true, range)
  return developersPage(visitor, {
    tab: 'sandbox',
    title: texts.tab_sandbox,
    done,
    follow: portalPath(shop.merchant, `events?after=${newest}`),
    body: [
      mayChange && simulatorHtml(visitor, namesOfPos(needs, shop.merchant), waiting),
      <div class="columns">
        {clockHtml(visitor, at, mayChange)}
        {await payersHtml(needs, visitor)}
      </div>,
    ],
  })
}

type Simulator = Pick<SandboxNeeds, 'findPayer' | 'acceptPayment' | 'advanceClock' | 'settleNow'> &
  Pick<SandboxPayerNeeds, 'oneTimeCode'>

export type PortalSandboxNeeds = PortalNeeds &
  SandboxPageNeeds & {
    readonly find: Find
    readonly handle: Handle
    /** Undefined in production. */
    readonly simulator: Simulator | undefined
  }

const sandboxForm = plainForm.extend({
  change: z.enum(['accept', 'decline', 'advance', 'settle']),
  tid: hidden('the payment that the payer answers.').optional(),
  payer: z.enum(simulatedPayers).optional(),
  seconds: z.enum(steps.map(String)).optional().meta({ description: 'How far the clock moves.' }),
})

type SandboxCall = Call<{ readonly merchant: string }, undefined, FormOf<typeof sandboxForm>>

const doneTexts = {
  accept: 'isAccepted',
  decline: 'isDeclined',
  advance: 'isAdvanced',
  settle: 'isSettled',
} as const

/** What a payer does here is the payer's; the clock is moved by the person. */
const changing = (needs: PortalSandboxNeeds, simulator: Simulator) => {
  const answerOf = async (visitor: PortalVisitor, call: SandboxCall) => {
    const tid = fieldOf(call.body, 'tid')
    const payment = await needs.find(payments, tid)
    const isTheirs =
      payment.status !== 'unrequested' && payment.request.merchant === visitor.shop.merchant
    const name = simulatedPayers.find((one) => one === fieldOf(call.body, 'payer'))
    const payer = name && (await simulator.findPayer(name))
    if (!isTheirs || payer === undefined) return refuse('resource_is_unknown')
    return { tid, payer, context: { ...contextOfStaff(call, visitor), actor: `payer:${payer}` } }
  }

  return {
    accept: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const { tid, payer, context } = await answerOf(visitor, call)
      const wish = { additionalAmount: null, isConfirmed: true, credit: false }
      await simulator.acceptPayment(tid, payer, wish, context)
    },
    decline: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const { tid, payer, context } = await answerOf(visitor, call)
      const command = { type: 'DeclinePayment', at: call.at, payer } as const
      await needs.handle(payments, tid, command, context)
    },
    advance: async (visitor: PortalVisitor, call: SandboxCall): Promise<void> => {
      const step = steps.find((one) => String(one) === fieldOf(call.body, 'seconds'))
      if (step === undefined) return refuse('resource_is_unknown')
      const context = { ...contextOfStaff(call, visitor), merchant: null }
      await simulator.advanceClock({ by: step * 1000 }, context)
    },
    settle: async ({ shop }: PortalVisitor, call: SandboxCall): Promise<void> =>
      simulator.settleNow(shop.merchant, call.requestId),
  }
}

/** The sandbox's clock and its payers. */
export const portalSandboxRoutes = (needs: PortalSandboxNeeds, visits: Visits): Route[] => {
  const { page, form } = portalPages(needs, visits)
  const { simulator } = needs
  if (!needs.isSandbox || simulator === undefined) return []
  const place = { area: 'developers' } as const
  const path = '/portal/:merchant/developers/sandbox'
  const changes = changing(needs, simulator)
  return [
    page(
      {
        ...place,
        path,
        action: 'see_developers',
        summary: 'The clock and the payers of the sandbox',
        ownQuery: z.object({
          done: anyText('What was done.'),
        }),
      },
      (visitor, call) =>
        sandboxPage(needs, visitor, call.at, doneIn(visitor, searchOf(call), doneTexts)),
    ),
    form(
      {
        ...place,
        path,
        action: 'change_api_users',
        summary: 'Answer as a payer, move the clock, or settle',
        ownForm: sandboxForm,
      },
      async (visitor, call): Promise<PageOrReply> => {
        const change = fieldOf(call.body, 'change')
        if (!Object.hasOwn(changes, change)) return refuse('resource_is_unknown')
        await changes[change as keyof typeof changes](visitor, call)
        const next = developersPath(visitor.shop.merchant, `sandbox?done=${change}`)
        return visits.go(visitor, next)
      },
    ),
  ]
}
