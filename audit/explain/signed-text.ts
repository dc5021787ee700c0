/** The text a request signed (interface 3), `METHOD|url|headers`, parsed. */
export type SignedText = {
  readonly method: string
  readonly url: string
  readonly timestamp: string
  readonly digest: string
  readonly merchant: string | undefined
  /** As in event metadata: `user:pos1`, `integrator:acme`. */
  readonly actor: string
}

const headersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('&').map((header) => {
      const [name = ''] = header.split('=', 1)
      return [name, header.slice(name.length + 1)]
    }),
  )

/** Undefined if it is not the text of a request. A URL may contain `|` too. */
export const readSignedText = (text: string): SignedText | undefined => {
  const [method = ''] = text.split('|', 1)
  const [, prefix] = /[|&]([A-Z0-9-]+-)CONTENT-DIGEST=/.exec(text) ?? []
  if (prefix === undefined) return undefined
  const afterUrl = text.indexOf(`|${prefix}`)
  const headers = headersOf(text.slice(afterUrl + 1))
  const value = (name: string): string | undefined => headers.get(`${prefix}${name}`)
  const [timestamp, digest] = [value('TIMESTAMP'), value('CONTENT-DIGEST')]
  const [user, integrator] = [value('USER'), value('INTEGRATOR')]
  if (timestamp === undefined || digest === undefined) return undefined
  return {
    method,
    url: text.slice(method.length + 1, afterUrl),
    timestamp,
    digest,
    merchant: value('MERCHANT'),
    actor: user === undefined ? `integrator:${integrator ?? ''}` : `user:${user}`,
  }
}
