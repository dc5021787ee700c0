import { Refusal, type RefusedDecision } from '../domain/refusal.ts'
import { Malformed, RequestError } from './errors.ts'

/** The longest id or field name. */
const longest = 64
const short = (text: string | undefined): string | undefined => text?.slice(0, longest)

const refusalIn = (error: unknown): Refusal | undefined => {
  const cause = error instanceof Malformed ? error.cause : error
  return cause instanceof Refusal ? cause : undefined
}

/** Why a request was refused, for the log; never what it sent. */
const reasonOf = (error: unknown): string | undefined => {
  const refusal = refusalIn(error)
  if (refusal) return refusal.code
  if (error instanceof RequestError) return error.message
  if (!(error instanceof Malformed)) return undefined
  return `wrong fields: ${Object.keys(error.details).map(short).slice(0, 10).join(', ')}`
}

export type ToldOfError = {
  readonly reason: string | undefined
  readonly decision?: RefusedDecision | undefined
  /** What the request should have signed. */
  readonly toSign?: string | undefined
}

export const toldOf = (error: unknown): ToldOfError => ({
  reason: reasonOf(error),
  decision: refusalIn(error)?.decision,
  ...(error instanceof RequestError && { toSign: error.toSign }),
})

type Kind = 'merchant' | 'user' | 'integrator'
export type Asker = Readonly<Record<Kind, string | undefined>>

/** Who the request claims to come from. */
export const askerOf = (
  { merchant, user, integrator }: Readonly<Record<Kind, string>>,
  header: (name: string) => string | undefined,
): Asker => ({
  merchant: short(header(merchant)),
  user: short(header(user)),
  integrator: short(header(integrator)),
})
