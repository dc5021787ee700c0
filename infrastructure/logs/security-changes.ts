import {
  applications,
  feeSchedules,
  integrators,
  merchants,
  operators,
  settlementAccounts,
  signingKeys,
  staffs,
  taxcodesOfOperator,
  users,
} from '../../domain/aggregates.ts'
import type { DecidedEvent } from '../../application/find-state.ts'
import { auditorRegister } from '../../domain/people/auditor.ts'
import type { OnAppended } from '../../application/handle.ts'
import type { PayerEvent } from '../../domain/people/payer-state.ts'
import type { SecurityEventType, SecurityLog } from '../../application/security-log.ts'
import type { Log } from './log.ts'
import { useOf } from './outages.ts'
import { openSecurityLog } from './security-log.ts'
import type { Settings } from '../settings.ts'
import { wallClock } from '../../application/machine.ts'

/** Events about permissions and bank accounts. */
const recorded = new Set<string>([
  ...[
    applications,
    feeSchedules,
    integrators,
    merchants,
    operators,
    settlementAccounts,
    signingKeys,
    taxcodesOfOperator,
    users,
    staffs,
  ].flatMap(({ events }) => Object.keys(events)),
  ...Object.keys(auditorRegister.events),
])

/** A visit changes nothing. */
for (const visit of ['StaffVisited', 'OperatorVisited']) recorded.delete(visit)

/** Account changes by payers; their addresses are not in events. */
const ofPayer = (event: DecidedEvent, at: number, isOwn: boolean): readonly SecurityEventType[] => {
  const { type, data } = event as PayerEvent
  switch (type) {
    case 'PayerSignedIn':
      return ['payer_signed_in']
    case 'PayerSignInFailed':
      return data.lockedUntil > at
        ? ['payer_sign_in_failed', 'locked_out']
        : ['payer_sign_in_failed']
    case 'PayerSignedOut':
      return ['payer_signed_out']
    case 'PayerCredentialsChanged':
      return waysBack.has(data.what) ? ['payer_recovered'] : ['payer_credentials_changed']
    case 'PayerErased':
      return isOwn ? ['payer_closed'] : ['changed']
    default:
      return []
  }
}

/** Changes of credentials by account recovery. */
const waysBack: ReadonlySet<string> = new Set(['recovery', 'recovery_code_used'])

/** Records changes of users, keys, accounts and fees; the event log has the details. */
export const recordChanges =
  ({ record }: SecurityLog): OnAppended =>
  (about, events, { at, actor, merchant, correlationId: request }) => {
    // Payers are identified by their streams, because a failed attempt may come from anybody.
    const payer = about.replace('-', ':')
    for (const event of events) {
      const reason = event.type
      const types = recorded.has(reason)
        ? (['changed'] as const)
        : ofPayer(event, at, actor === payer)
      for (const type of types)
        record({
          type,
          merchant,
          about,
          reason,
          request,
          actor: type === 'changed' ? actor : payer,
        })
    }
  }

export const openSecurityLogIn = (
  { DATA_DIR, SECURITY_LOG_DAYS }: Pick<Settings, 'DATA_DIR' | 'SECURITY_LOG_DAYS'>,
  log: Log,
) =>
  openSecurityLog({
    directory: DATA_DIR,
    keptDays: SECURITY_LOG_DAYS,
    machineNow: wallClock,
    use: useOf(log, 'the security log', 'written'),
  })
