import { z } from 'zod'
import { closings, type Closing, type ScheduledClosing } from '../calendar.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'
import { instant, type Instant } from '../time.ts'
import { completion, type Completion } from './completion.ts'

const [, ...scheduled] = closings

const registration = z.object({
  merchant: z.string(),
  id: z.string(),
  currency: z.string(),
  description: z.string().nullable(),
  /** When its reports close automatically; absent if only by hand. */
  closes: z.enum(scheduled).optional(),
})

/** Reports are numbered from 1. Closing one opens the next at the same log position. */
export const ledgerEvents = {
  LedgerRegistered: registration,
  LedgerChanged: z.object({ description: z.string().nullable() }),
  LedgerScheduled: z.object({ closes: z.enum(closings) }),
  LedgerDisabled: z.object({}),
  LedgerEnabled: z.object({}),
  ReportClosed: z.object({
    report: z.int(),
    openedAt: instant,
    callbackUri: z.string().nullable(),
    /** Why it closed automatically; absent if it was closed by hand. */
    due: z.object({ closes: z.enum(scheduled), at: instant }).optional(),
  }),
  /** The log files are written and the sums are final. */
  ReportCompleted: z.object({ report: z.int(), ...completion.shape }),
} as const

export type LedgerEvent = EventsOf<typeof ledgerEvents>
type LedgerRegistration = z.output<typeof registration>

export const defaultLedger = 'default'

export type Ledger = {
  /** Null for the default ledger, which exists without registration. */
  readonly registered: LedgerRegistration | null
  readonly description: string | null
  readonly closes: Closing
  readonly enabled: boolean
  readonly open: number
  readonly completed: number
}

/** The default ledger of an existing merchant, else null. */
type Implied = { readonly implied: LedgerRegistration | null }

export type LedgerCommand =
  | {
      readonly type: 'CompleteReport'
      readonly report: number
      readonly completion: Completion
    }
  | (Implied & MerchantCommand)

type MerchantCommand =
  | { readonly type: 'RegisterLedger'; readonly data: LedgerRegistration }
  | {
      readonly type: 'ChangeLedger'
      readonly description?: string | null | undefined
      readonly closes?: Closing | undefined
      readonly enabled?: boolean | undefined
    }
  | {
      readonly type: 'CloseReport'
      readonly report: number
      readonly openedAt: Instant
      readonly callbackUri: string | null
      /** Absent if it is closed by hand. */
      readonly due?: { readonly closes: ScheduledClosing; readonly at: Instant } | undefined
    }

/** Whether new requests may use it. */
export const isOpenLedger = ({ registered, enabled }: Ledger, id: string): boolean =>
  enabled && (registered !== null || id === defaultLedger)

const decideRegistration = (
  data: LedgerRegistration,
  known: LedgerRegistration | null,
): readonly LedgerEvent[] => {
  if (known === null) return [{ type: 'LedgerRegistered', data }]
  return jsonEquals(known, data) ? [] : refuse('id_used_with_other_data')
}

const decideChange = (
  { description, closes, enabled }: Extract<LedgerCommand, { type: 'ChangeLedger' }>,
  ledger: Ledger,
  isDefault: boolean,
): readonly LedgerEvent[] => {
  if (enabled === false && isDefault) return refuse('default_ledger_cannot_be_disabled')
  const events: LedgerEvent[] = []
  if (description !== undefined && description !== ledger.description)
    events.push({ type: 'LedgerChanged', data: { description } })
  if (closes !== undefined && closes !== ledger.closes)
    events.push({ type: 'LedgerScheduled', data: { closes } })
  if (enabled !== undefined && enabled !== ledger.enabled)
    events.push({ type: enabled ? 'LedgerEnabled' : 'LedgerDisabled', data: {} })
  return events
}

const decideCompletion = (
  { report, completion }: Extract<LedgerCommand, { type: 'CompleteReport' }>,
  { open, completed }: Ledger,
): readonly LedgerEvent[] => {
  if (report <= completed) return []
  // In order, so the last completed number covers all before it.
  if (report >= open || report > completed + 1) return refuse('resource_is_unknown')
  return [{ type: 'ReportCompleted', data: { report, ...completion } }]
}

const decide = (command: LedgerCommand, ledger: Ledger): readonly LedgerEvent[] => {
  if (command.type === 'CompleteReport') return decideCompletion(command, ledger)
  const known = ledger.registered ?? command.implied
  if (command.type === 'RegisterLedger') return decideRegistration(command.data, known)
  if (known === null) return refuse('resource_is_unknown')
  switch (command.type) {
    case 'ChangeLedger':
      return decideChange(command, ledger, known.id === defaultLedger)
    case 'CloseReport': {
      const { report, openedAt, callbackUri, due } = command
      if (report > ledger.open || report < 1) return refuse('resource_is_unknown')
      if (report < ledger.open) return []
      // The merchant may have changed the schedule since.
      if (due && due.closes !== ledger.closes) return []
      const closed = { report, openedAt, callbackUri, ...(due && { due }) }
      return [{ type: 'ReportClosed', data: closed }]
    }
  }
}

/** A ledger collects the lines of a merchant's payments, one report after another. */
export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  initial: {
    registered: null,
    description: null,
    closes: 'by_hand',
    enabled: true,
    open: 1,
    completed: 0,
  },
  decide,
  evolve(ledger, event) {
    switch (event.type) {
      case 'LedgerRegistered':
        return {
          ...ledger,
          registered: event.data,
          description: event.data.description,
          closes: event.data.closes ?? 'by_hand',
        }
      case 'LedgerChanged':
        return { ...ledger, description: event.data.description }
      case 'LedgerScheduled':
        return { ...ledger, closes: event.data.closes }
      case 'LedgerDisabled':
        return { ...ledger, enabled: false }
      case 'LedgerEnabled':
        return { ...ledger, enabled: true }
      case 'ReportClosed':
        return { ...ledger, open: event.data.report + 1 }
      case 'ReportCompleted':
        return { ...ledger, completed: event.data.report }
    }
  },
}
