import {
  applications,
  feeSchedules,
  integrators,
  merchants,
  settlementAccounts,
  signingKeys,
  taxcodesOfOperator,
  users,
} from '../domain/aggregates.ts'
import type { OnAppended } from '../application/handle.ts'
import type { SecurityEventType, SecurityLog } from '../application/security-log.ts'
import type { Log } from './log.ts'
import { useOf } from './outages.ts'
import { openSecurityLog } from './security-log.ts'
import type { Settings } from './settings.ts'

/** Who may do what, and where money goes. */
const recorded: ReadonlySet<string> = new Set([
  ...[
    applications,
    feeSchedules,
    integrators,
    merchants,
    settlementAccounts,
    signingKeys,
    taxcodesOfOperator,
    users,
  ].flatMap(({ events }) => Object.keys(events)),
  'PayerErased',
])

/** What payers do at sign-in; their addresses are not in events. */
const ofPayers: ReadonlyMap<string, SecurityEventType> = new Map([
  ['PayerSignedIn', 'payer_signed_in'],
  ['PayerSignInFailed', 'payer_sign_in_failed'],
  ['PayerSignedOut', 'payer_signed_out'],
  ['PayerCredentialsChanged', 'payer_credentials_changed'],
])

/** Records changes of users, keys, accounts and fees; the log of events has what they hold. */
export const recordChanges =
  ({ record }: SecurityLog): OnAppended =>
  (about, events, { actor, merchant, correlationId: request }) => {
    for (const { type: reason } of events) {
      const type = recorded.has(reason) ? 'changed' : ofPayers.get(reason)
      if (type === undefined) continue
      // Payers are named by their streams: whoever failed may be anybody.
      const who = type === 'changed' ? actor : about.replace('-', ':')
      record({ type, actor: who, merchant, about, reason, request })
    }
  }

/** The security log of a data directory. */
export const openSecurityLogIn = (
  { DATA_DIR, SECURITY_LOG_DAYS }: Pick<Settings, 'DATA_DIR' | 'SECURITY_LOG_DAYS'>,
  log: Log,
) =>
  openSecurityLog({
    directory: DATA_DIR,
    keptDays: SECURITY_LOG_DAYS,
    machineNow: Date.now,
    use: useOf(log, 'the security log', 'written'),
  })
