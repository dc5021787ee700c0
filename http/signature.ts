/** Scheme and host in lower case, no fragment, the rest as it stands. */
export const urlToSign = (url: string): string => {
  const [, origin = '', rest = ''] = /^([^:/?#]+:\/\/[^/?#]*)([^#]*)/.exec(url) ?? []
  return origin.toLowerCase() + rest
}

/**
 * The text that is signed, of a request or a callback (interface 3): `METHOD|url|headers`, where headers are all that begin
 * with the brand's prefix (`X-SERVICE-`), in upper case, sorted by name, as `NAME=value` joined with `&`.
 */
export const stringToSign = (
  method: string,
  url: string,
  headers: Iterable<readonly [string, string]>,
  signedPrefix: string,
): string => {
  const signed: [string, string][] = []
  for (const [name, value] of headers) {
    const upper = name.toUpperCase()
    if (upper.startsWith(signedPrefix)) signed.push([upper, value])
  }
  signed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `${method.toUpperCase()}|${urlToSign(url)}|${signed.map(([name, value]) => `${name}=${value}`).join('&')}`
}
