/** Interface 2.1: the decimals of a currency (ISO 4217). */
const decimals: Readonly<Record<string, number>> = { NOK: 2, EUR: 2, JPY: 0, KWD: 3 }

/** Minor units as the interface writes them. */
export const moneyText = (currency: string, minor: number): string => {
  const places = decimals[currency] ?? 2
  const digits = String(Math.abs(minor)).padStart(places + 1, '0')
  const [whole, part] = [digits.slice(0, digits.length - places), digits.slice(-places)]
  return `${minor < 0 ? '-' : ''}${whole}${places === 0 ? '' : `.${part}`}`
}

/** Minor units of a text of the interface. */
export const minorOf = (currency: string, text: string): number => {
  const places = decimals[currency] ?? 2
  const [whole = '', part = ''] = text.replace('-', '').split('.')
  const minor = Number(whole + part.padEnd(places, '0'))
  return text.startsWith('-') ? -minor : minor
}
