import type { Recorded } from '../../domain/events.ts'
import { idIn } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { isWithdrawal, type Revoker } from '../../domain/people/grant.ts'
import type { Scope } from '../../domain/people/scope.ts'

/** The log event that proves it. */
type Proof = {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
}

/** Scope that a payer granted to a merchant, with proof. */
type Consent = {
  readonly merchant: string | null
  /** Null if the merchant itself asked. */
  readonly client: string | null
  readonly scope: readonly Scope[]
  readonly at: Instant
  readonly proof: Proof
  readonly withdrawal: { readonly at: Instant; readonly by: Revoker; readonly proof: Proof } | null
}

const proofOf = ({ id, stream, revision, position }: Recorded): Proof => {
  return { id, stream, revision, position }
}

const scopeGranted = (event: Recorded): readonly Scope[] | undefined => {
  if (event.type === 'AuthorizationAllowed')
    return event.data.isStanding ? undefined : event.data.scope
  if (event.type === 'PermissionGranted' || event.type === 'PaymentAuthorized')
    return event.data.permissions?.scope
  return undefined
}

/** Collects a payer's consents. Feed it every event in log order. */
export const consentsOf = (payer: string) => {
  const consents = new Map<string, Consent>()
  const clients = new Map<string, string>()

  const read = (event: Recorded): void => {
    const { stream, metadata } = event
    const { at, merchant } = metadata
    if (event.type === 'AuthorizationRequested') clients.set(stream, event.data.request.client)
    if (event.type === 'GrantRevoked' && isWithdrawal(event.data.by)) {
      const grant = idIn(stream)
      const consent = consents.get(grant)
      const withdrawal = { at, by: event.data.by, proof: proofOf(event) }
      if (consent) consents.set(grant, { ...consent, withdrawal })
    }
    const scope = scopeGranted(event)
    if (!scope || !('payer' in event.data) || event.data.payer !== payer) return
    const client = clients.get(stream) ?? null
    const proof = proofOf(event)
    consents.set(stream, { merchant, client, scope, at, proof, withdrawal: null })
  }

  return { read, all: (): readonly Consent[] => [...consents.values()] }
}

export const isInForce = ({ at, withdrawal }: Consent, when: Instant): boolean =>
  at <= when && (withdrawal === null || when < withdrawal.at)
