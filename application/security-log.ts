/** Types of security events. `docs/operations.md` describes each. */
export const securityEventTypes = [
  'authenticated',
  'authentication_failed',
  'locked_out',
  'refused',
  'changed',
  'operator_command',
  'personal_data_read',
  'auditor_signed_in',
  'auditor_signed_out',
  'auditor_read',
  'payer_signed_in',
  'payer_sign_in_failed',
  'payer_signed_out',
  'payer_recovered',
  'payer_credentials_changed',
  'payer_closed',
] as const

export type SecurityEventType = (typeof securityEventTypes)[number]

/** Never holds a phone number, a name, a secret or anything else that a person typed. */
export type SecurityEvent = {
  readonly type: SecurityEventType
  /** As in event metadata: `user:pos1`, `payer:<id>`, `operator:root`; `user:?` when unknown. */
  readonly actor: string
  readonly merchant?: string | null | undefined
  /** As received; a payer's address is shortened to its network. */
  readonly address?: string | undefined
  /** The subject, such as a stream. */
  readonly about?: string | undefined
  readonly reason?: string | undefined
  /** X-Request-Id. */
  readonly request?: string | undefined
}

export type SecurityLog = {
  /** Never fails or waits. Repeated equal events become one line with a count. */
  readonly record: (event: SecurityEvent) => void
}
