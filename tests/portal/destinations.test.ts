import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { act, textOf } from './acts.ts'

type Posted = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

let service: PeopleService
let receiver: Server
let uri = ''
const received: Posted[] = []
/** A developer. */
let bob: TestVisitor
/** An accountant. */
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    received.push({ body, headers: request.headers as Posted['headers'] })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'accountant')
  ;[bob, alice] = [makeVisitor(service), makeVisitor(service)]
  await bob.signIn('bob')
  await alice.signIn('alice')
})
afterAll(async () => {
  receiver.close()
  await service.stop()
})

const path = '/portal/sandbox/developers/destinations'
const list = () => bob.visit(path)
const settle = () => service.call('POST', '/sandbox/v1/clock/', { advance_seconds: 0 })
const pay = async () => {
  const { id } = await service.requestPayment({ customer: '4799999901' })
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`)
  await settle()
}

test('a developer adds a destination, sees its health, replays and removes it', async () => {
  const wrong = await act(bob, await list(), 'add', { uri: 'none' })
  expect([wrong.status, wrong.html.includes('Write a full address')]).toEqual([400, true])
  const question = await act(bob, await list(), 'add', { uri })
  expect(question.html).toContain('name="code"')
  const added = await act(bob, await list(), 'add', { uri, code: codeOf('bob') })
  const secret = textOf(added, 'destination-secret')
  expect(secret).toMatch(/^whsec_/)
  expect((await list()).html).not.toContain('whsec_')

  await pay()
  const [first] = received
  expect(new Webhook(secret).verify(first!.body, first!.headers)).toBeTruthy()
  expect((await list()).html).toMatch(/Last success<\/dt>\s*<dd[^>]*>\s*<time/)

  const early = await act(bob, await list(), 'replay', { since: '2020-01-01T00:00' })
  expect((await bob.follow(early)).html).toContain('The messages are being sent again.')
  await settle()
  expect(received.map(({ body }) => body)).toEqual([first?.body, first?.body])

  await bob.follow(await act(bob, await list(), 'disable'))
  await pay()
  expect(received).toHaveLength(2)
  await act(bob, await list(), 'enable')
  await settle()
  expect(received).toHaveLength(3)

  const removed = await bob.follow(await act(bob, await list(), 'remove'))
  expect(removed.html).toContain('There is no event destination.')
})

test('whoever may not change callbacks sees them only', async () => {
  const { status, html } = await alice.visit(path)
  expect([status, html.includes('name="change"')]).toEqual([200, false])
})
