/** A request of the Fetch API, of Node's `http`, of Express, or anything with headers and bytes. */
export type CallbackRequest =
  | { readonly headers: { get(name: string): string | null }; text(): Promise<string> }
  | {
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
      readonly body?: unknown
      /** Where a parser keeps the bytes. */
      readonly rawBody?: unknown
    }

export type Received = {
  readonly header: (name: string) => string
  readonly text: string
}

const largest = 4 * 2 ** 20

type Unread = AsyncIterable<Uint8Array | string> & { readonly readableDidRead?: boolean }

const isUnread = (request: object): request is Unread =>
  Symbol.asyncIterator in request && (request as Unread).readableDidRead !== true

const textOfStream = async (stream: Unread): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > largest) throw new RangeError(`The body has more than ${largest} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}

const asText = (body: unknown): string | undefined => {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? Buffer.from(body).toString() : undefined
}

/** What the signature is over. @throws TypeError when the bytes are gone */
export const receivedIn = async (request: CallbackRequest): Promise<Received> => {
  if ('text' in request) {
    const { headers } = request
    return { header: (name) => headers.get(name) ?? '', text: await request.text() }
  }
  const { headers, body, rawBody } = request
  const lowered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const header = (name: string): string => [lowered[name] ?? ''].flat().join(' ')
  const kept = asText(rawBody) ?? asText(body)
  if (kept !== undefined) return { header, text: kept }
  if (isUnread(request)) return { header, text: await textOfStream(request) }
  throw new TypeError(
    'The body has been parsed, and its bytes are gone: read them with ' +
      'express.raw({ type: () => true }) in this route, or keep them as request.rawBody.',
  )
}
