import type { Context } from '../application/handle.ts'
import type { SecurityLog } from '../application/security-log.ts'
import { callerOf, type Call } from './call.ts'

type WithUserInfo = { readonly user_info?: unknown }

export type RecordingNeeds = { readonly securityLog: SecurityLog }

/** Records that a merchant has read what a payer told; `about` names what it read. */
export const recordReading = ({ securityLog }: RecordingNeeds, call: Call, about: string): void => {
  const { merchant, actor } = callerOf(call)
  const { remoteAddress: address } = call.request
  securityLog.record({ type: 'personal_data_read', actor, merchant, address, about })
}

/** The same of whoever has an access token. */
export const recordTokenReading = (
  { securityLog }: RecordingNeeds,
  { request }: Call,
  { payer, merchant }: { readonly payer: string; readonly merchant: string },
): void => {
  const { remoteAddress: address } = request
  const [actor, about] = [`token of ${merchant}`, `payer-${payer}`]
  securityLog.record({ type: 'personal_data_read', actor, merchant, address, about })
}

/** The same of what stands in a callback message, where that is what a payer told. */
export const recordMessageReading = (
  { securityLog }: RecordingNeeds,
  { request }: Call,
  { actor, merchant }: Pick<Context, 'actor' | 'merchant'>,
  { about, message }: { readonly about: string; readonly message: object },
): void => {
  const { object } = message as {
    readonly object?: WithUserInfo & { readonly permissions?: WithUserInfo }
  }
  if (!object?.user_info && !object?.permissions?.user_info) return
  const { remoteAddress: address } = request
  securityLog.record({ type: 'personal_data_read', actor, merchant, address, about })
}
