import { once } from 'node:events'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { formatDateTime } from '../application/date-time.ts'
import { stringToSign } from '../http/signed-request.ts'

export type Address = { readonly host: string; readonly port: number }

export type Answer = { readonly status: number; readonly body: string }

const headEnd = '\r\n\r\n'

/** The response in the text if it is complete, else undefined. */
const answerIn = (text: string): Answer | undefined => {
  const end = text.indexOf(headEnd)
  if (end < 0) return undefined
  const status = Number(text.slice(9, 12))
  const body = text.slice(end + headEnd.length)
  if (status === 204) return { status, body }
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (length === undefined) throw new Error(`an answer of unknown length: ${text.slice(0, end)}`)
  return body.length < Number(length) ? undefined : { status, body }
}

/** As much as is read at once. */
const largestRead = 65_536

/**
 * A keep-alive connection for one request at a time. It writes HTTP/1.1 as given, and parses only
 * the status and body, so that the client costs little compared with the server.
 */
export const openConnection = async ({ host, port }: Address) => {
  const bytes = Buffer.allocUnsafe(largestRead)
  let received = ''
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined

  const fail = (error: Error): void => waiting?.reject(error)
  const onBytes = (length: number): boolean => {
    received += bytes.toString('latin1', 0, length)
    try {
      const answer = answerIn(received)
      if (answer) {
        received = ''
        waiting?.resolve(answer)
      }
    } catch (error) {
      fail(error as Error)
    }
    return true
  }
  const onread = { buffer: bytes, callback: onBytes }
  const socket = connect({ host, port, noDelay: true, onread })
  await once(socket, 'connect')
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))

  return {
    ask: (request: string) =>
      new Promise<Answer>((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the server has closed the connection'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: (): void => void socket.destroy(),
  }
}

export type Connection = Awaited<ReturnType<typeof openConnection>>

export type Level = 'SECRET' | 'KEY'

export type Shop = { readonly address: Address; readonly adminKey: string }

const signAsync = promisify(sign) as (
  algorithm: string,
  text: Buffer,
  key: ReturnType<typeof createPrivateKey>,
) => Promise<Buffer>

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

const secretHeaders = lines({
  'X-Service-Merchant': 'sandbox',
  'X-Service-User': 'pos1',
  Authorization: 'SECRET sandbox-secret',
})

type Method = 'GET' | 'POST' | 'PUT'

/** The bytes of a request, one character each. */
const text = (
  { host, port }: Address,
  method: Method,
  path: string,
  credentials: string,
  body: string,
): string => {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const content = method === 'GET' ? '' : lines(headers)
  const start = `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n`
  return `${start}${credentials}${content}\r\n${body}`
}

/** Writes the requests of one shop. Bodies are ASCII. */
export const requestsOf = ({ address, adminKey }: Shop) => {
  const key = createPrivateKey(adminKey)
  const origin = `http://${address.host}:${address.port}`

  const signedHeaders = async (method: Method, path: string, body: string): Promise<string> => {
    const signed = {
      'X-Service-Merchant': 'sandbox',
      'X-Service-User': 'admin',
      'X-Service-Timestamp': formatDateTime(Date.now()),
      'X-Service-Content-Digest': `SHA256=${createHash('sha256').update(body).digest('base64')}`,
    }
    const toSign = stringToSign(method, origin + path, Object.entries(signed), 'X-SERVICE-')
    const signature = await signAsync('sha256', Buffer.from(toSign), key)
    return lines({ ...signed, Authorization: `RSA-SHA256 ${signature.toString('base64')}` })
  }

  return {
    open: (method: Method, path: string, body = '') => text(address, method, path, '', body),
    secret: (method: Method, path: string, body = '') =>
      text(address, method, path, secretHeaders, body),
    signed: async (method: Method, path: string, body = '') =>
      text(address, method, path, await signedHeaders(method, path, body), body),
  }
}

export type Requests = ReturnType<typeof requestsOf>

const list = '/merchant/v1/payment_request/'

export const payments = {
  create: (posTid: string, callback_uri?: string) =>
    [
      'POST',
      list,
      JSON.stringify({
        pos_id: 'till-1',
        pos_tid: posTid,
        action: 'auth',
        currency: 'NOK',
        amount: '1000.00',
        allow_credit: false,
        customer: '4799999901',
        text: 'Two coffees and a bun',
        callback_uri,
      }),
    ] as const,
  accept: (tid: string) => ['POST', `/sandbox/v1/payment_request/${tid}/accept/`, '{}'] as const,
  capture: (tid: string, captureId: string) =>
    [
      'PUT',
      `${list}${tid}/`,
      JSON.stringify({ action: 'CAPTURE', amount: '1.00', currency: 'NOK', capture_id: captureId }),
    ] as const,
  outcome: (tid: string) => ['GET', `${list}${tid}/outcome/`] as const,
}
