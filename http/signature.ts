/** Scheme and host in lower case, no fragment, the rest unchanged. */
export const urlToSign = (url: string): string => {
  const [, origin = '', rest = ''] = /^([^:/?#]+:\/\/[^/?#]*)([^#]*)/.exec(url) ?? []
  return origin.toLowerCase() + rest
}

/**
 * The text to sign of a request or callback (interface 3): `METHOD|url|headers`. Headers are those
 * with the brand's prefix, in upper case and sorted, as `NAME=value` joined with `&`.
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
  const pairs = signed.map(([name, value]) => `${name}=${value}`)
  return `${method.toUpperCase()}|${urlToSign(url)}|${pairs.join('&')}`
}
