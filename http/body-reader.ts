import type { HonoRequest } from 'hono'
import type { MaybePromise } from '../application/maybe-promise.ts'
import { RequestError } from './errors.ts'
import type { Route } from './route.ts'

/** Bytes. */
const largestBody = 1_048_576
/** Before anybody has shown who it is. */
const largestOpenBody = 16_384

export const largestBodyOf = ({ access, upload }: Pick<Route, 'access' | 'upload'>): number =>
  upload?.largest ?? (access === 'OPEN' ? largestOpenBody : largestBody)

/** Bytes. Larger bodies are limited in number. */
export const smallBody = 65_536

/**
 * Read and discard so many times the limit, so that the sender gets the answer and keeps its
 * connection.
 */
const unkeptTimes = 64

const refuseSize = (largest: number): never => {
  throw new RequestError(413, `The body is larger than ${largest} bytes.`)
}

/** Runs the reading of a large body when a slot is free. */
export type InTurn = (work: () => Promise<void>) => Promise<void>

/** Gathers a body; with a known length it is copied as it comes, once it has its turn. */
const gather = (length: number | undefined) => {
  let whole: Buffer | undefined
  let chunks: Uint8Array[] = []
  let size = 0
  return {
    /** Whoever waits takes no more room than what has come. */
    makeRoom: (): void => {
      if (length === undefined) return
      whole = Buffer.allocUnsafeSlow(length)
      let at = 0
      for (const chunk of chunks) {
        whole.set(chunk, at)
        at += chunk.byteLength
      }
      chunks = []
    },
    add: (chunk: Uint8Array): void => {
      if (whole) whole.set(chunk, size)
      else chunks.push(chunk)
      size += chunk.byteLength
    },
    all: (): Uint8Array => whole?.subarray(0, size) ?? Buffer.concat(chunks),
  }
}

const collect = async (
  stream: ReadableStream<Uint8Array>,
  length: number | undefined,
  largest: number,
  inTurn: InTurn,
): Promise<Uint8Array> => {
  const reader = stream.getReader()
  const body = gather(length)
  let size = 0
  let isAll = false
  const readUntil = async (enough: number): Promise<void> => {
    while (!isAll && size <= enough) {
      const { done, value } = await reader.read()
      isAll = done
      size += value?.byteLength ?? 0
      if (value && size <= largest) body.add(value)
    }
  }
  try {
    await readUntil(smallBody)
    const readRest = (): Promise<void> => {
      body.makeRoom()
      return readUntil(unkeptTimes * largest)
    }
    if (!isAll) await inTurn(readRest)
  } finally {
    if (!isAll) await reader.cancel()
  }
  return size <= largest ? body.all() : refuseSize(largest)
}

/** Node's request; empty when the app is called without a socket. */
export type Incoming = {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly complete?: boolean
  readonly readableLength?: number
  read?(size: number): Uint8Array | null
}

/** Reads Node's parsed headers when there; a look-up in `Headers` is slower. */
export const headerOf = (
  request: HonoRequest,
  { headers }: Incoming,
  name: string,
): string | undefined => {
  if (!headers) return request.header(name)
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/** Waits for the rest of a body. @throws RequestError 413, or 400 when it breaks off */
const receive = async (
  request: HonoRequest,
  length: number | undefined,
  largest: number,
  inTurn: InTurn | undefined,
): Promise<Uint8Array> => {
  try {
    if (length !== undefined && !inTurn) return new Uint8Array(await request.arrayBuffer())
    const stream = request.raw.body
    return stream
      ? await collect(stream, length, largest, inTurn ?? ((work) => work()))
      : new Uint8Array()
  } catch (error) {
    if (error instanceof RequestError) throw error
    throw new RequestError(400, 'The body broke off.')
  }
}

/**
 * The body of a request; one larger than `smallBody` waits for its turn.
 * @throws RequestError 413, 415, or 400 when it breaks off
 */
export const readBody = (
  request: HonoRequest,
  incoming: Incoming,
  largest: number,
  inTurn?: InTurn,
): MaybePromise<Uint8Array> => {
  const length = headerOf(request, incoming, 'content-length')
  if (length !== undefined && Number(length) > largest) return refuseSize(largest)
  const coding = headerOf(request, incoming, 'content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new RequestError(415, `The body must come as it is, not in the coding ${coding}.`)
  // With a length there are no chunks: Node refuses both together.
  const transfer =
    length === undefined ? headerOf(request, incoming, 'transfer-encoding') : undefined
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new RequestError(400, `A body may come in chunks, not in the coding ${transfer}.`)
  // A small body usually arrives with its headers.
  const size = Number(length)
  const isHere = incoming.complete && incoming.readableLength === size
  // Without a size Node 26 returns the first chunk only.
  const body = isHere ? incoming.read?.(size) : null
  return body ?? receive(request, length === undefined ? undefined : size, largest, inTurn)
}
