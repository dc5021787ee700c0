import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999902', '--role', 'support')
})
afterAll(() => service.stop())

/** Starts a large upload; returns the response, although the rest is never sent. */
const answeredAtOnce = async (cookies: ReadonlyMap<string, string>): Promise<string> => {
  const { hostname, port } = new URL(service.address)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  const head = [
    'POST /operator/payouts/bank HTTP/1.1',
    'Host: x',
    `Cookie: ${[...cookies].map((one) => one.join('=')).join('; ')}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 4000000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n--b\r\n`)
  const [text] = (await once(socket, 'data')) as [string]
  return text.slice(0, 12)
}

test.each([
  ['nobody', undefined, 'HTTP/1.1 303'],
  ['somebody who may not', 'bob', 'HTTP/1.1 403'],
] as const)('a large file of %s is answered before it has come', async (_, name, expected) => {
  const visitor = makeVisitor(service)
  if (name) await visitor.signIn(name)
  expect(await answeredAtOnce(visitor.cookies)).toBe(expected)
})
