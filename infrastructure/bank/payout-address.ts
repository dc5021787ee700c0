import type { MerchantData } from '../../domain/merchant/merchant.ts'

/** An address with what banks need from November 2026: town and country. */
export type PayoutAddress = {
  readonly lines: readonly string[]
  readonly postCode: string | null
  readonly town: string
  /** ISO 3166, two letters. */
  readonly country: string
}

type Known = Pick<MerchantData, 'profile' | 'jurisdiction'>

const escaped = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)

/** The town that stands with the postal code in a line, such as `NO-0150 Oslo`. */
const townBeside = (postCode: string, line: string): string | undefined => {
  const plain = escaped(postCode)
  const [, after, before] =
    new RegExp(String.raw`^(?:[A-Z]{1,2}-)?${plain}\s+(.+)$|^(.+?),?\s+${plain}$`, 'i').exec(
      line,
    ) ?? []
  return after ?? before
}

/**
 * A merchant's address; undefined if its town is not known. A profile has no field for it: it is
 * what stands beside the postal code, or a last line without any digit.
 */
export const payoutAddress = ({ profile, jurisdiction }: Known): PayoutAddress | undefined => {
  const country = profile.country ?? jurisdiction
  if (country === null || !/^[A-Z]{2}$/i.test(country)) return undefined
  const { postalCode: postCode } = profile
  const lines = profile.addressLines.map((line) => line.trim()).filter(Boolean)
  const about = { postCode, country: country.toUpperCase() }
  for (const [index, line] of lines.entries()) {
    const town = postCode === null ? undefined : townBeside(postCode.trim(), line)
    if (town !== undefined) return { ...about, town, lines: lines.toSpliced(index, 1) }
  }
  const last = lines.at(-1)
  if (last === undefined || lines.length < 2 || /\p{Nd}/u.test(last)) return undefined
  return { ...about, town: last, lines: lines.slice(0, -1) }
}
