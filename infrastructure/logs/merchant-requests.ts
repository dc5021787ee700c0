import { existsSync } from 'node:fs'
import type { Outage } from '../../application/event-store.ts'
import { clearInterval, setInterval } from '../../application/machine.ts'
import type {
  ReceiverAnswer,
  RequestLine,
  RequestOfMerchant,
} from '../../application/merchant-request.ts'
import { seal, unseal } from '../people/sealing.ts'
import { dailyFiles, makeDailyFile, objectIn } from './daily-file.ts'
import { endOf } from './security-log.ts'

/** The requests of a merchant are in one of these logs, so that a page reads less. */
const logs = 8

const logOf = (merchant: string): number =>
  [...merchant].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 65_521, 0) % logs

const nameOf = (log: number): string => `requests-${log}`

const keptDays = 3

/** Bytes at once, and a second from then on: of a busy merchant a sample is kept. */
const limits = { ofMerchant: [524_288, 100], ofLog: [1_048_576, 150] } as const

/** Maximum number of buffered requests, in total and of one merchant. */
const mostWaiting = 100
const mostWaitingOfOne = 50

const writeEveryMs = 250

/** Bytes; of a longer body no shape is told. */
const largestBody = 8_192
const deepest = 5
const mostFields = 40

const hasNumber = (text: string): boolean => /\d{6}/.test(text.replaceAll(/[-_]/g, ''))

/** Names of fields that are numbers or sentences may be data. */
const safeName = (name: string): string =>
  /^[A-Za-z_][\w.[\]-]{0,39}$/.test(name) && !hasNumber(name) ? name : '…'

const shapeOf = (value: unknown, depth = 0): unknown => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  if (depth === deepest) return 'object'
  if (Array.isArray(value)) return value.slice(0, 1).map((one) => shapeOf(one, depth + 1))
  const fields = Object.entries(value).slice(0, mostFields)
  return Object.fromEntries(fields.map(([name, one]) => [safeName(name), shapeOf(one, depth + 1)]))
}

/** Undefined if it is not JSON. */
const shapeOfBody = (body: Uint8Array): unknown => {
  if (body.byteLength === 0) return undefined
  try {
    return shapeOf(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return undefined
  }
}

/** An id may stand there; a number of a person and whatever else is written may not. */
const safeId = (text = ''): string =>
  /^[\w-]{1,64}$/.test(text) && !/^\d{6,}$/.test(text.replaceAll(/[-_]/g, '')) ? text : '…'

const safeTarget = (url: string, route: string): string => {
  const [path = '', query] = url.split('?')
  const parts = route.split('/')
  const values = path.split('/').slice(-parts.length)
  const safeParts = parts.map((part, place) =>
    part.startsWith(':') ? safeId(values[place]) : part,
  )
  const names = [...new Set(new URLSearchParams(query).keys())].slice(0, mostFields)
  const search = names.map((name) => `${safeName(name)}=…`).join('&')
  return search === '' ? safeParts.join('/') : `${safeParts.join('/')}?${search}`
}

/** Bytes that may be written: so many at once, then so many a second. */
const makeRoom = ([atOnce, perSecond]: readonly [number, number], now: () => number) => {
  let left = atOnce
  let last = now()
  return {
    isLeft: (): boolean => {
      const at = now()
      left = Math.min(atOnce, left + (Math.max(0, at - last) / 1000) * perSecond)
      last = at
      return left > 0
    },
    spend: (bytes: number): void => void (left -= bytes),
  }
}

const mostRooms = 10_000

type Needs = {
  readonly directory: string
  readonly now: () => number
  readonly machineNow: () => number
  readonly use: Outage
}

type Answered = {
  readonly requestId: string
  readonly method: string
  /** The route's path, with `:name` for parameters. */
  readonly path: string
  readonly status: number
  readonly milliseconds: number
  readonly ofMerchant?: RequestOfMerchant | undefined
}

type Delivered = Omit<ReceiverAnswer, 'at'> & {
  readonly merchant: string
  readonly callback: string
}

type Waiting = { readonly merchant: string; readonly line: () => object }

/** Keeps lines in groups, and limits what is written of each merchant and in all. */
const makeBuffer = (needs: Needs) => {
  const { machineNow } = needs
  const files = Array.from({ length: logs }, (_, log) => ({
    write: makeDailyFile({ ...needs, name: nameOf(log), keptDays }),
    room: makeRoom(limits.ofLog, machineNow),
  }))
  const rooms = new Map<string, ReturnType<typeof makeRoom>>()
  const counts = new Map<string, number>()
  let waiting: Waiting[] = []

  const roomOf = (merchant: string) => {
    const room = rooms.get(merchant) ?? makeRoom(limits.ofMerchant, machineNow)
    if (rooms.size >= mostRooms) rooms.clear()
    rooms.set(merchant, room)
    return room
  }

  return {
    mayAdd: (merchant: string): boolean => {
      const count = counts.get(merchant) ?? 0
      if (count === mostWaitingOfOne || waiting.length === mostWaiting) return false
      counts.set(merchant, count + 1)
      return true
    },
    add: (one: Waiting): void => void waiting.push(one),
    flush: (): void => {
      const texts = files.map((): string[] => [])
      for (const { merchant, line } of waiting) {
        const log = logOf(merchant)
        const inRooms = [files[log]?.room, roomOf(merchant)]
        if (!inRooms.every((room) => room?.isLeft())) continue
        const text = `${JSON.stringify(line())}\n`
        for (const room of inRooms) room?.spend(text.length)
        texts[log]?.push(text)
      }
      waiting = []
      counts.clear()
      for (const [log, { write }] of files.entries())
        if (texts[log]?.length) write(texts[log].join(''))
    },
  }
}

const timesOf = (at: number, machineAt: number): Pick<RequestLine, 'at' | 'machine_at'> => ({
  at: new Date(at).toISOString(),
  ...(Math.abs(at - machineAt) > 1000 && { machine_at: new Date(machineAt).toISOString() }),
})

const noBody = new Uint8Array()

/**
 * The requests of merchants, and what their receivers answered, for their developers: beside the
 * log of events, in JSON Lines of three days. No request waits for it.
 */
export const openMerchantRequests = (needs: Needs) => {
  const { now, machineNow } = needs
  const buffer = makeBuffer(needs)
  let key: Buffer | undefined
  const timer = setInterval(buffer.flush, writeEveryMs).unref()

  return {
    /** Call with every response; only those to merchants are kept. */
    onAnswered: (answered: Answered): void => {
      const { ofMerchant } = answered
      if (!ofMerchant || !buffer.mayAdd(ofMerchant.merchant)) return
      const { merchant, actor } = ofMerchant
      const { requestId: request, method, path, status, milliseconds } = answered
      const [at, machineAt, url] = [now(), machineNow(), ofMerchant.url()]
      // What waits keeps no large body in memory.
      const body = ofMerchant.body.byteLength > largestBody ? noBody : ofMerchant.body
      const line = (): RequestLine => ({
        ...timesOf(at, machineAt),
        request,
        merchant,
        actor,
        status,
        method,
        target: safeTarget(url, path),
        took: Math.round(milliseconds),
        body: shapeOfBody(body),
      })
      buffer.add({ merchant, line })
    },
    /** What a receiver answered may be about a person, so it is sealed. */
    onDelivered: ({ merchant, callback, status, answer }: Delivered): void => {
      if (!key || !buffer.mayAdd(merchant)) return
      const line = {
        ...timesOf(now(), machineNow()),
        merchant,
        callback,
        status,
        sealed: seal(key, answer),
      }
      buffer.add({ merchant, line: () => line })
      // The page of a failed callback is looked at as soon as it is recorded.
      if (status >= 300) buffer.flush()
    },
    /** Sets the sealing secret from the vault, which is opened after the log. */
    sealWith: (secret: Buffer): void => void (key = secret),
    flush: buffer.flush,
    close: (): void => {
      clearInterval(timer)
      buffer.flush()
    },
  }
}

/** Bytes read of the file of a day. */
const bytesRead = 1_048_576

/** The lines of a merchant that have a text, newest first. */
function* linesOf(directory: string, merchant: string, text: string) {
  if (!existsSync(directory)) return
  const files = dailyFiles(directory, nameOf(logOf(merchant))).slice(-keptDays)
  for (const { file } of files.toReversed())
    for (const one of endOf(file, bytesRead).toReversed()) {
      const line: Partial<Record<string, unknown>> = (one.includes(text) && objectIn(one)) || {}
      if (line['merchant'] === merchant) yield line
    }
}

/** The newest requests of a merchant that fit, newest first. */
export const newestRequests = (
  directory: string,
  merchant: string,
  fits: (line: RequestLine) => boolean,
  limit: number,
): readonly RequestLine[] => {
  const found: RequestLine[] = []
  for (const line of linesOf(directory, merchant, merchant)) {
    if (found.length === limit) break
    if ('request' in line && fits(line as RequestLine)) found.push(line as RequestLine)
  }
  return found
}

/** What receivers answered to a message, newest first. */
export const answersTo = (
  directory: string,
  key: Buffer,
  merchant: string,
  callback: string,
): readonly ReceiverAnswer[] =>
  [...linesOf(directory, merchant, callback)].flatMap((line) => {
    const { at, status, sealed } = line as { at: string; status: number; sealed: string }
    const answer = line['callback'] === callback ? unseal(key, sealed) : undefined
    return answer === undefined ? [] : [{ at, status, answer }]
  })
