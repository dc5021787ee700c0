import { once } from 'node:events'
import { connect } from 'node:net'

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
  let asked: { resolve(answer: Answer): void; reject(error: Error): void } | undefined

  const fail = (error: Error): void => asked?.reject(error)
  const onBytes = (length: number): boolean => {
    received += bytes.toString('latin1', 0, length)
    try {
      const answer = answerIn(received)
      if (answer) {
        received = ''
        asked?.resolve(answer)
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
        asked = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: (): void => void socket.destroy(),
  }
}

export type Connection = Awaited<ReturnType<typeof openConnection>>
