/**
 * Current ISO 4217 codes by number of decimals (list one, amended up to November 2026). Codes
 * without a minor unit (metals, test codes, fund units) are left out: nobody is paid in them.
 */
const currentByDecimals: Readonly<Record<0 | 2 | 3 | 4, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD ' +
    'CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP ' +
    'GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK ' +
    'LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO ' +
    'NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS ' +
    'SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST ' +
    'XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

/**
 * Withdrawn codes. No new payments use them, but recorded ones must still be settled and refunded.
 */
const withdrawnByDecimals: Readonly<Record<number, string>> = {
  2: 'BGN',
}

/** An upper-case ISO 4217 code. */
export type Currency = string

const decimalsByCode = (table: Readonly<Record<number, string>>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(table).flatMap(([decimals, codes]) =>
      codes.split(' ').map((code) => [code, Number(decimals)] as const),
    ),
  )

const current = decimalsByCode(currentByDecimals)
const withdrawn = decimalsByCode(withdrawnByDecimals)

export const currencies: readonly Currency[] = [...current.keys()].sort()

/** Whether new payments may use it. */
export const isCurrency = (code: string): code is Currency => current.has(code)

/** Current or withdrawn. */
export const isKnownCurrency = (code: string): code is Currency =>
  current.has(code) || withdrawn.has(code)

/** 2 for NOK, 0 for JPY, 3 for KWD; includes withdrawn currencies. */
export const decimalsOf = (currency: Currency): number => {
  const decimals = current.get(currency) ?? withdrawn.get(currency)
  if (decimals === undefined) throw new RangeError(`${currency} is not a known ISO 4217 code`)
  return decimals
}
