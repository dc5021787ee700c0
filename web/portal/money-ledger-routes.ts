import { z } from 'zod'
import { ledgers } from '../../domain/aggregates.ts'
import { within } from '../../domain/stream.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import { searchOf } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { impliedBy, ledgerUpdate } from '../../http/merchant/ledger.ts'
import { asked, plainForm, typed } from '../ui/form-parts.ts'
import type { Visits } from '../payer/session.ts'
import type { Route } from '../../http/route.ts'
import { contextOfStaff } from './guard.ts'
import { ledgerOf, ledgerPage } from './money-ledger.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { ledgerHref } from './money-parts.ts'
import { ledgerParams, moneyRoot, seeing } from './money-places.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import type { PortalPages } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

const newest = Number.MAX_SAFE_INTEGER

/** As the API takes them. */
const changes = ledgerUpdate.pick({ closes: true, description: true })
const { closes } = changes.shape

const ledgerForm = plainForm.extend({
  closes,
  description: typed('What the ledger is for; empty for none.').optional(),
})

/** The form once more, with what is wrong. */
const againWith =
  (needs: MoneyNeeds) =>
  (visitor: PortalVisitor, row: LedgerRow, body: FormOf<typeof ledgerForm>): PortalPage => {
    const description = fieldOf(body, 'description')
    const isDescription = changes.shape.description.safeParse(description).success
    const { wrongDescription } = textsIn[visitor.language].money
    const given = {
      closes: closes.safeParse(fieldOf(body, 'closes')).data ?? row.closes,
      description,
      problems: isDescription ? {} : { description: wrongDescription },
    }
    return ledgerPage(needs, visitor, row, { before: newest, isSaved: false, given })
  }

/** A ledger with its reports, and when they close by themselves. */
export const ledgerRoutes = (
  needs: MoneyNeeds,
  visits: Visits,
  { page, form }: PortalPages,
): Route[] => {
  const again = againWith(needs)
  const place = { path: `${moneyRoot}/ledgers/:ledger`, params: ledgerParams }
  return [
    page(
      {
        ...seeing,
        ...place,
        summary: 'A ledger: all its reports, and when they close',
        ownQuery: z.object({
          before: asked('Reports before this number.'),
          saved: asked('It was changed.'),
        }),
      },
      async (visitor, call) => {
        const search = searchOf(call)
        const before = Number(search.get('before') ?? '')
        return ledgerPage(needs, visitor, ledgerOf(needs, visitor, call.params.ledger), {
          before: Number.isSafeInteger(before) && before > 1 ? before : newest,
          isSaved: search.has('saved'),
        })
      },
    ),
    form(
      {
        ...seeing,
        ...place,
        action: 'close_report',
        summary: 'Change when reports close by themselves, or what a ledger is for',
        ownForm: ledgerForm,
      },
      async (visitor, call) => {
        const row = ledgerOf(needs, visitor, call.params.ledger)
        const { body } = call
        const asked = changes.safeParse({
          closes: fieldOf(body, 'closes') || undefined,
          description:
            body.description === undefined ? undefined : fieldOf(body, 'description') || null,
        })
        if (!asked.success) return again(visitor, row, body)
        const command = { type: 'ChangeLedger', ...asked.data, implied: impliedBy(row) } as const
        const key = within(row.merchant, row.id)
        await needs.handle(ledgers, key, command, contextOfStaff(call, visitor))
        return visits.go(visitor, `${ledgerHref(visitor, row.id)}?saved`)
      },
    ),
  ]
}
