import { randomUUID } from 'node:crypto'
import { callbackKeys } from './callback-keys.ts'
import { operations, type CallbackFeed, type Operations } from './generated/operations.ts'
import type { CallOptions, ClientOptions, List, Pages } from './options.ts'
import type { CallbackRequest } from './received.ts'
import { seenInMemory } from './seen.ts'
import { makeSend } from './sending.ts'
import { verifyCallback, type Callback, type CallbackOptions } from './verify-callback.ts'
import { NotFound } from './errors.ts'

type Page = { readonly uris: readonly string[]; readonly next: string | null }

/** Some lists hold their entries beside the paths. */
const embeddedIn = ({ uris: _, next: __, ...rest }: Page): readonly unknown[] | undefined =>
  Object.values(rest).find((value) => Array.isArray(value))

const atOnce = 8

/** A list by its cursor: what is there from start to end is given once. */
const listFrom = (
  first: string,
  get: (uri: string) => Promise<any>,
): List<unknown> & Pages<unknown, Page> => {
  async function* pages(): AsyncGenerator<Page> {
    for (let uri: string | null = first; uri !== null;) {
      const page: Page = await get(uri)
      yield page
      uri = page.next
    }
  }
  const read = (uri: string): Promise<unknown> =>
    get(uri).catch((error: unknown) => {
      // It has gone since its page was read.
      if (error instanceof NotFound) return undefined
      throw error
    })
  async function* entriesOf(page: Page): AsyncGenerator<unknown> {
    const embedded = embeddedIn(page)
    if (embedded) return yield* embedded
    for (let from = 0; from < page.uris.length; from += atOnce) {
      const found = await Promise.all(page.uris.slice(from, from + atOnce).map(read))
      yield* found.filter((entry) => entry !== undefined)
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* entriesOf(page)
    },
    pages,
    async *uris() {
      for await (const { uris } of pages()) yield* uris
    },
  }
}

/** Takes a body; answers a list; a repeat makes another one; may be given the id that it gets. */
type Trait = 'body' | 'list' | 'anew' | 'names-itself'

type Operation = {
  readonly method: string
  readonly path: string
  readonly is: (trait: Trait) => boolean
}

const readOperation = (text: string): Operation => {
  const [method = '', path = '', ...traits] = text.split(' ')
  return { method, path, is: (trait) => traits.includes(trait) }
}

/** The path with these parameters in the place of its names. */
const filled = (path: string, args: unknown[]): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = args.shift()
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${name} is missing.`)
    // A URL loses them, and the path would be another one.
    if (value === '.' || value === '..') throw new TypeError(`${name} must not be . or ..`)
    return encodeURIComponent(String(value))
  })

const withQuery = (path: string, query: object): string => {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

/** What a method was called with: the parameters of the path, a body, and options. */
const readArguments = ({ method, path, is }: Operation, args: unknown[]) => {
  const rest = [...args]
  const place = filled(path, rest)
  const input = is('body') ? (rest.shift() as { readonly id?: string } | undefined) : undefined
  const body = is('names-itself') ? { ...input, id: input?.id ?? randomUUID() } : input
  const { signal, attempts, timeout, deadline, asOf, ...query } = (rest.shift() ??
    {}) as CallOptions
  const options = { signal, attempts, timeout, deadline, asOf }
  return { uri: method === 'GET' ? withQuery(place, query) : place, body, options }
}

export interface Client extends Operations {}

/** Calls the service for a merchant. Each operation of the reference is a method of its name. */
export class Client {
  readonly #send: ReturnType<typeof makeSend>
  readonly #timeout: number
  readonly #trust: CallbackOptions

  /** @throws TypeError when the options do not say who asks, or where */
  constructor(options: ClientOptions) {
    const { url, merchant, callbackSecret: secret, seen = seenInMemory(), clock } = options
    this.#send = makeSend(options)
    this.#timeout = options.timeout ?? 30_000
    const keys = secret === undefined ? callbackKeys(url, clock) : undefined
    this.#trust = { merchant, secret, keys, seen, clock }
  }

  static {
    for (const [name, text] of Object.entries(operations)) {
      const operation = readOperation(text)
      Object.defineProperty(this.prototype, name, {
        value(this: Client, ...args: unknown[]) {
          return operation.is('list') ? this.#list(operation, args) : this.#call(operation, args)
        },
      })
    }
  }

  #list(operation: Operation, args: unknown[]): List<unknown> {
    const { uri, options } = readArguments(operation, args)
    return listFrom(uri, (one) => this.get(one, options))
  }

  async #call(operation: Operation, args: unknown[]): Promise<unknown> {
    const { uri, body, options } = readArguments(operation, args)
    const { method, is } = operation
    return this.#send({ method, uri, body, isMadeAnew: is('anew'), options })
  }

  /** Reads what a URI leads to that the service gave: `report_uri`, `meta.uri`, a log. */
  get<Found = any>(uri: string, options?: CallOptions): Promise<Found> {
    return this.#send({ method: 'GET', uri, options })
  }

  /** Uploads to the `attachment_uri` of an outcome. */
  uploadAttachments(attachment_uri: string, form: FormData, options?: CallOptions): Promise<void> {
    const open = { isOpen: true, isMadeAnew: true }
    return this.#send({ method: 'POST', uri: attachment_uri, body: form, options, ...open })
  }

  /** Messages as they are told, without end. Keep `next`, and go on from there as `after`. */
  async *followFeed(after?: string, options: CallOptions = {}): AsyncGenerator<CallbackFeed> {
    const wait = 30
    const timeout = (options.timeout ?? this.#timeout) + wait * 1000
    for (let cursor = after; ;) {
      const page = await this.readCallbackFeed({ ...options, after: cursor, wait, timeout })
      if (page.messages.length > 0) yield page
      cursor = page.next
    }
  }

  /** A callback, when it is genuine and this merchant's. @throws InvalidCallback */
  verifyCallback(request: CallbackRequest): Promise<Callback> {
    return verifyCallback(request, this.#trust)
  }
}
