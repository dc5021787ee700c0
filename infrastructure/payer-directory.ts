import type { Core } from './core.ts'

/** The digits of a phone number as merchants write it: `4799999901`, `+4799999901`, `msisdn:4799999901`. */
export const phoneDigits = (text: string): string | undefined =>
  /^(?:msisdn:)?\+?(\d{8,15})$/.exec(text)?.[1]

/** Finds payers by phone number or, in the sandbox, by id. */
export const payerDirectory = ({ payers, digest }: Core) => {
  const byPhone = (text: string): string | undefined => {
    const digits = phoneDigits(text)
    if (digits === undefined) return undefined
    const phoneDigest = digest('phone', digits)
    return payers.all().find(({ data }) => data.phoneDigest === phoneDigest)?.data.id
  }
  return {
    byPhone,
    byIdOrPhone: (text: string): string | undefined =>
      payers.all().find(({ data }) => data.id === text)?.data.id ?? byPhone(text),
  }
}
