import { z } from 'zod'
import { impliedBy } from '../../application/close-reports.ts'
import type { LedgerCommand } from '../../domain/accounting/ledger.ts'
import { closings } from '../../domain/calendar.ts'
import { ledgers } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { Queries } from '../../projections/read-models.ts'
import type { Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { listRoute } from '../lists.ts'
import { removable } from '../empty-values.ts'
import { type Route, routesOf } from '../route.ts'
import { createdReply, currencyCode } from '../wire.ts'
import { ledgerListPath, ledgerPath, reportPath } from './report-reply.ts'

const ledgerId = z
  .string()
  .regex(/^(?!\.+$)[a-zA-Z0-9_.-]{1,100}$/, 'Letters, digits and _ . -, at most 100.')

const description = z.string().max(1000)

const closing = z.enum(closings).meta({
  description:
    'When reports close by themselves: at the start of each day, of Mondays, or of the first day ' +
    'of a month, in the time zone of the merchant. They can be closed by hand as well.',
})

const ledgerInput = z
  .object({
    id: ledgerId.optional().meta({ description: 'Made by the service when it is absent.' }),
    currency: currencyCode,
    description: description.nullable().default(null),
    closes: closing.default('by_hand'),
  })
  .meta({ id: 'LedgerInput' })

export const ledgerUpdate = z
  .object({
    description: removable(description),
    closes: closing.optional(),
    enabled: z.boolean().optional().meta({
      description: 'true enables a disabled ledger again; false disables it, as DELETE does.',
    }),
  })
  .meta({ id: 'LedgerUpdate' })

const ledgerReply = z
  .object({
    id: z.string(),
    currency: z.string(),
    description: z.string().nullable(),
    closes: closing,
    enabled: z.boolean(),
    open_report_uri: z.string(),
    last_closed_report_uri: z.string().nullable(),
  })
  .meta({ id: 'Ledger' })

export const ledgerParams = z.object({ ledger_id: z.string() })

export const ledgerGroup = 'Ledger'

export const ofLedgers = routesOf({ access: 'SECRET', group: ledgerGroup })

export type LedgerNeeds = Pick<Queries['accounting'], 'ledgers'> & {
  readonly handle: Handle
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
}

export const ledgersOfCaller = ({ handle, caughtUp, ledgers: rows }: LedgerNeeds) => {
  const look = async (call: Call, id: string): Promise<LedgerRow | undefined> => {
    await caughtUp()
    return rows.find(callerOf(call).merchant, id)
  }
  return {
    look,
    /** @throws Refusal when there is no such ledger */
    find: async (call: Call, id: string): Promise<LedgerRow> =>
      (await look(call, id)) ?? refuse('resource_is_unknown'),
    change: async (call: Call, id: string, command: LedgerCommand): Promise<void> => {
      await handle(ledgers, within(callerOf(call).merchant, id), command, contextOf(call))
    },
  }
}

/** Ledgers (interface 8.1). */
export const ledgerRoutes = (needs: LedgerNeeds): Route[] => {
  const { links, caughtUp, ledgers: rows } = needs
  const { look, find, change } = ledgersOfCaller(needs)

  return [
    listRoute({
      path: ledgerListPath,
      access: 'SECRET',
      group: ledgerGroup,
      summary: 'List the ledgers',
      links,
      caughtUp,
      list: (merchant, before, limit) => rows.list(merchant, before, limit),
      pathOf: ({ id }) => ledgerPath(id),
    }),
    ofLedgers.post(ledgerListPath, {
      summary: 'Register a ledger',
      description: 'The ledger `default` is there already.',
      body: ledgerInput,
      success: 'created',
      reply: createdReply,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const { id = needs.newId(), currency, description, closes } = call.body
        const implied = impliedBy(await look(call, id))
        const about = { merchant, id, currency, description }
        const data = closes === 'by_hand' ? about : { ...about, closes }
        await change(call, id, { type: 'RegisterLedger', data, implied })
        return { location: links.full(ledgerPath(id)), value: { id } }
      },
    }),
    ofLedgers.get(`${ledgerListPath}:ledger_id/`, {
      summary: 'Read a ledger',
      params: ledgerParams,
      reply: ledgerReply,
      handle: async (call) => {
        const row = await find(call, call.params.ledger_id)
        const { id, currency, description, closes, enabled, open, completed } = row
        return {
          id,
          currency,
          description,
          closes,
          enabled,
          open_report_uri: links.inBody(reportPath(id, open)),
          last_closed_report_uri: completed > 0 ? links.inBody(reportPath(id, completed)) : null,
        }
      },
    }),
    ofLedgers.put(`${ledgerListPath}:ledger_id/`, {
      summary: 'Change a ledger, or enable it again',
      params: ledgerParams,
      body: ledgerUpdate,
      handle: async (call) => {
        const row = await find(call, call.params.ledger_id)
        const changes = { type: 'ChangeLedger', ...call.body } as const
        await change(call, row.id, { ...changes, implied: impliedBy(row) })
      },
    }),
    ofLedgers.remove(`${ledgerListPath}:ledger_id/`, {
      summary: 'Disable a ledger',
      description:
        'Running payments still post to it; new requests that name it are refused. The default ' +
        'ledger stays: 409.',
      params: ledgerParams,
      handle: async (call) => {
        const row = await find(call, call.params.ledger_id)
        const disable = { type: 'ChangeLedger', enabled: false } as const
        await change(call, row.id, { ...disable, implied: impliedBy(row) })
      },
    }),
  ]
}
