/** The operator's brand (interface 1): prefix of headers, vendor of media types. */
type Brand = { readonly headerPrefix: string; readonly mediaVendor: string }

export const namesOf = ({ headerPrefix, mediaVendor }: Brand) => ({
  merchant: `${headerPrefix}-Merchant`,
  user: `${headerPrefix}-User`,
  integrator: `${headerPrefix}-Integrator`,
  timestamp: `${headerPrefix}-Timestamp`,
  contentDigest: `${headerPrefix}-Content-Digest`,
  position: `${headerPrefix}-Position`,
  minPosition: `${headerPrefix}-Min-Position`,
  signedPrefix: `${headerPrefix.toUpperCase()}-`,
  itemList: `application/vnd.${mediaVendor}.itemlist.v1+json`,
  receipt: `application/vnd.${mediaVendor}.receipt.v1+json`,
  json: `application/vnd.${mediaVendor}.api.merchant.v1+json`,
  csv: `application/vnd.${mediaVendor}.api.merchant.v1+csv`,
})

export type Names = ReturnType<typeof namesOf>
