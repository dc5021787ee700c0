import type { Answer } from './connection.ts'
import { payments, type Level, type Requests } from './requests.ts'

/** The repeated work of a group of connections. */
export type Work =
  /** Each time with another number in the place of {n}, or of {seven}, which has seven digits. */
  | { readonly kind: 'get'; readonly path: string }
  | { readonly kind: 'post'; readonly path: string; readonly body: string; readonly status: number }
  | { readonly kind: 'create' | 'create of others'; readonly level: Level; readonly label: string }
  | {
      readonly kind: 'capture'
      readonly level: Level
      readonly label: string
      readonly tids: readonly string[]
    }
  | { readonly kind: 'outcome'; readonly level: Level; readonly tids: readonly string[] }
  | { readonly kind: 'lifecycle'; readonly label: string }

/** Sends one request and checks the response's status. */
export type Ask = (request: string, expected: number) => Promise<Answer>

/** One turn of a connection; false if nothing is left. @throws Error for an unexpected response */
export type Turn = (ask: Ask) => Promise<boolean>

/** Number of requests signed in advance per window of KEY: signing takes longer than responding. */
const signedRequests = (connections: number): number => (connections === 1 ? 2_500 : 8_000)

type Request = readonly ['GET' | 'POST' | 'PUT', string, string?]

const turns = async (
  requests: Requests,
  connections: number,
  level: Level,
  expected: number,
  next: (count: number) => Request,
): Promise<Turn> => {
  let count = 0
  if (level === 'SECRET')
    return async (ask) => {
      await ask(requests.secret(...next(count++)), expected)
      return true
    }
  const ready = await Promise.all(
    Array.from({ length: signedRequests(connections) }, (_, at) => requests.signed(...next(at))),
  )
  return async (ask) => {
    const request = ready[count++]
    if (request !== undefined) await ask(request, expected)
    return request !== undefined
  }
}

type Outcome = { readonly status: string; readonly captures: readonly { readonly id: string }[] }

/** Create, accept, capture, and read the outcome, which must show the capture. */
const lifecycle = (requests: Requests, label: string): Turn => {
  let count = 0
  return async (ask) => {
    const name = `${label}-${count++}`
    const created = await ask(requests.secret(...payments.create(name)), 201)
    const { id: tid } = JSON.parse(created.body) as { id: string }
    await ask(requests.open(...payments.accept(tid)), 204)
    await ask(requests.secret(...payments.capture(tid, name)), 204)
    const { body } = await ask(requests.secret(...payments.outcome(tid)), 200)
    const { status, captures } = JSON.parse(body) as Outcome
    if (status !== 'auth' || captures.length !== 1 || captures[0]?.id !== name)
      throw new Error(`the outcome does not show the capture ${name}: ${body}`)
    return true
  }
}

const oneOf = (tids: readonly string[], count: number): string => tids[count % tids.length] ?? ''

/** Prepares work for the connections; signs requests before the clock starts. */
export const turnOf = async (
  work: Work,
  requests: Requests,
  connections: number,
): Promise<Turn> => {
  switch (work.kind) {
    case 'get': {
      const request = requests.open('GET', work.path)
      let count = 0
      return async (ask) => {
        await ask(request.replace('{n}', String(count++)), 200)
        return true
      }
    }
    case 'post': {
      const request = requests.secret('POST', work.path, work.body)
      let count = 0
      return async (ask) => {
        await ask(request.replace('{seven}', String(count++).padStart(7, '0')), work.status)
        return true
      }
    }
    case 'create':
      return turns(requests, connections, work.level, 201, (count) =>
        payments.create(`${work.label}-${count}`),
      )
    case 'create of others':
      return turns(requests, connections, work.level, 201, (count) =>
        payments.create(`${work.label}-${count}`, `customer-${work.label}-${count}`),
      )
    case 'capture':
      return turns(requests, connections, work.level, 204, (count) =>
        payments.capture(oneOf(work.tids, count), `${work.label}-${count}`),
      )
    case 'outcome':
      return turns(requests, connections, work.level, 200, (count) =>
        payments.outcome(oneOf(work.tids, count)),
      )
    case 'lifecycle':
      return lifecycle(requests, work.label)
  }
}
