import { z } from 'zod'
import { charge, chargeForPermission, type FeeTerms } from '../accounting/fees.ts'
import type { Decider, EventsOf, Place } from '../decider.ts'
import { statusCodes, type StatusCode } from '../payment/status.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'
import { endOfWait, instant, type Instant } from '../time.ts'
import { permissions, type Permissions } from './grant.ts'
import { isPartOf, scope } from './scope.ts'
import { isSameRequest } from './sealed-name.ts'

/** With all defaults filled in. */
const permissionRequest = z.object({
  merchant: z.string(),
  posId: z.string(),
  posTid: z.string(),
  customer: z.string().nullable(),
  scope: z.array(scope),
  text: z.string().nullable(),
  callbackUri: z.string().nullable(),
  expiresIn: z.int(),
})

export const permissionEvents = {
  PermissionRequested: z.object({
    request: permissionRequest,
    /** Null when the customer is unknown. */
    payer: z.string().nullable(),
    expiresAt: instant,
    /** Currency of the charge: the merchant's own. */
    currency: z.string(),
  }),
  /** Possibly less than requested. */
  PermissionGranted: z.object({ payer: z.string(), permissions, charge }),
  PermissionDeclined: z.object({ payer: z.string(), charge }),
  /** The customer is unknown. */
  PermissionFailed: z.object({ statusCode: z.literal(statusCodes.NOT_FOUND) }),
  PermissionExpired: z.object({ expiredAt: instant }),
} as const

export type PermissionRequest = z.output<typeof permissionRequest>

export type PermissionEvent = EventsOf<typeof permissionEvents>

type PermissionCommand =
  | {
      readonly type: 'RequestPermission'
      readonly at: Instant
      readonly request: PermissionRequest
      readonly facts: {
        /** Null when the customer is unknown. */
        readonly payer: string | null
        readonly posIsKnown: boolean
        readonly currency: string
      }
    }
  | {
      readonly type: 'GrantPermission'
      readonly at: Instant
      readonly payer: string
      readonly permissions: Permissions
      readonly terms: FeeTerms
    }
  | {
      readonly type: 'DeclinePermission'
      readonly at: Instant
      readonly payer: string
      readonly terms: FeeTerms
    }
  | { readonly type: 'ExpirePermission'; readonly at: Instant }

export type RequestedPermission = {
  readonly status: 'pending' | 'ok' | 'fail'
  readonly statusCode: StatusCode
  readonly request: PermissionRequest
  readonly payer: string | null
  readonly expiresAt: Instant
  readonly currency: string
  readonly answer: 'granted' | 'declined' | null
  readonly permissions: Permissions | null
  readonly modifiedAt: Instant
  /** Fee without VAT, in minor units. */
  readonly fee: number
  /** Position of its latest event, which identifies its report. */
  readonly linePosition: number
}

type Permission = RequestedPermission | { readonly status: 'unrequested' }

const requested = (permission: Permission): RequestedPermission =>
  permission.status === 'unrequested' ? refuse('resource_is_unknown') : permission

const decideRequest = (
  { at, request, facts }: Extract<PermissionCommand, { type: 'RequestPermission' }>,
  permission: Permission,
): readonly PermissionEvent[] => {
  if (permission.status !== 'unrequested')
    return isSameRequest(permission.request, request) ? [] : refuse('pos_tid_used_with_other_data')
  if (!facts.posIsKnown) return refuse('pos_is_unknown')
  const { payer, currency } = facts
  const expiresAt = endOfWait(at, request.expiresIn)
  const event: PermissionEvent = {
    type: 'PermissionRequested',
    data: { request, payer, expiresAt, currency },
  }
  if (payer !== null) return [event]
  return [event, { type: 'PermissionFailed', data: { statusCode: statusCodes.NOT_FOUND } }]
}

const decideAnswer = (
  command: Extract<PermissionCommand, { type: 'GrantPermission' | 'DeclinePermission' }>,
  permission: RequestedPermission,
): readonly PermissionEvent[] => {
  const { payer, at } = command
  if (permission.payer !== null && permission.payer !== payer)
    return refuse('permission_is_for_another_payer')
  if (command.type === 'DeclinePermission') {
    if (permission.answer === 'declined') return []
  } else {
    const { scope } = command.permissions
    if (permission.answer === 'granted' && jsonEquals(permission.permissions?.scope, scope))
      return []
    if (!isPartOf(scope, permission.request.scope)) return refuse('scope_is_too_wide')
  }
  // Also applies before the expiry is recorded.
  if (permission.answer === null && at >= permission.expiresAt)
    return refuse('permission_is_expired')
  if (permission.status !== 'pending') return refuse('permission_is_not_pending')
  const charge = chargeForPermission(command.terms)
  if (command.type === 'DeclinePermission')
    return [{ type: 'PermissionDeclined', data: { payer, charge } }]
  const { permissions } = command
  return [{ type: 'PermissionGranted', data: { payer, permissions, charge } }]
}

const decideExpiry = (at: Instant, permission: RequestedPermission): readonly PermissionEvent[] => {
  const { status, expiresAt: expiredAt } = permission
  if (status !== 'pending' || at < expiredAt) return []
  return [{ type: 'PermissionExpired', data: { expiredAt } }]
}

const evolve = (
  permission: Permission,
  event: PermissionEvent,
  { at, position: linePosition }: Place,
): Permission => {
  if (event.type === 'PermissionRequested') {
    const { PENDING: statusCode } = statusCodes
    const pending = { status: 'pending', statusCode, answer: null, permissions: null } as const
    return { ...event.data, ...pending, fee: 0, modifiedAt: at, linePosition }
  }
  if (permission.status === 'unrequested') return permission
  const ended = (status: 'ok' | 'fail', statusCode: StatusCode, modifiedAt = at) =>
    ({ ...permission, status, statusCode, modifiedAt, linePosition }) as const
  switch (event.type) {
    case 'PermissionGranted': {
      const { payer, permissions, charge } = event.data
      const answered = { answer: 'granted', payer, permissions, fee: charge.fee } as const
      return { ...ended('ok', statusCodes.OK), ...answered }
    }
    case 'PermissionDeclined': {
      const { payer, charge } = event.data
      return { ...ended('ok', statusCodes.OK), answer: 'declined', payer, fee: charge.fee }
    }
    case 'PermissionFailed':
      return ended('fail', event.data.statusCode)
    case 'PermissionExpired':
      return ended('fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
  }
}

/** Expiry takes effect at its instant, recorded or not. */
export const permissionAt = (permission: RequestedPermission, at: Instant): RequestedPermission => {
  const [expiry] = decideExpiry(at, permission)
  if (!expiry) return permission
  const { linePosition: position } = permission
  return evolve(permission, expiry, { at, position }) as RequestedPermission
}

/** A merchant's request for a payer's data, or to be able to identify the payer later. */
export const permission: Decider<PermissionCommand, PermissionEvent, Permission> = {
  initial: { status: 'unrequested' },
  decide(command, permission) {
    switch (command.type) {
      case 'RequestPermission':
        return decideRequest(command, permission)
      case 'GrantPermission':
      case 'DeclinePermission':
        return decideAnswer(command, requested(permission))
      case 'ExpirePermission':
        return decideExpiry(command.at, requested(permission))
    }
  },
  evolve,
}
