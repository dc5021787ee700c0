import type { z } from 'zod'
import type { Instant } from '../../domain/time.ts'

export type Sealing = {
  /** Encrypts what a page hands to the browser and gets back. */
  readonly seal: (text: string) => string
  readonly unseal: (sealed: string) => string | undefined
}

/** Hands values to browsers, and reads those that come back in time. */
export const sealing = <Schema extends z.ZodType<{ readonly until: Instant }>>(
  needs: Sealing,
  schema: Schema,
) => ({
  seal: (value: z.input<Schema>): string => needs.seal(JSON.stringify(value)),
  read: (sealed: string, at: Instant): z.output<Schema> | undefined => {
    const text = needs.unseal(sealed)
    const read = text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
    return read && at < read.until ? read : undefined
  },
})
