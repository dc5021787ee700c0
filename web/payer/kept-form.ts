import { z } from 'zod'
import type { Instant } from '../../domain/time.ts'
import type { Call } from '../../http/call.ts'
import type { Sealing } from './sealing.ts'

/** A form that was sent after its session had ended. */
export const keptForm = z.object({
  path: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])),
  until: z.int(),
})

/** Bytes of a form; a longer one would not fit into an address. */
const largestForm = 4096

const keptMs = 900_000

/** One-time codes are over until then. */
const isKept = ([name]: readonly [string, string]): boolean => name !== 'code'

/** The fields of a form in a request; none where there is no such form, or a large one. */
export const fieldsSent = ({ request }: Call): readonly (readonly [string, string])[] => {
  const type = request.header('content-type') ?? ''
  const isForm = request.method === 'POST' && type.startsWith('application/x-www-form-urlencoded')
  if (!isForm || request.body.byteLength > largestForm) return []
  return [...new URLSearchParams(new TextDecoder().decode(request.body))]
}

/** Where a form goes on once its sender has signed in again. */
export const resumePath = (
  seal: Sealing['seal'],
  path: string,
  sent: readonly (readonly [string, string])[],
  at: Instant,
): string => {
  const fields = sent.filter(isKept).map(([name, value]): [string, string] => [name, value])
  const form: z.input<typeof keptForm> = { path, fields, until: at + keptMs }
  return `/payer/resume?form=${seal(JSON.stringify(form))}`
}
