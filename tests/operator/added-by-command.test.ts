// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { codeOf, messagesTo, startPeopleService } from '../support/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'

const [phoneOfAlice, phoneOfBob] = ['4799999901', '4799999902']

/** A gateway that records what it receives. */
const startGateway = async () => {
  const bodies: string[] = []
  const gateway = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.end()
    })
  })
  await once(gateway.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void gateway.close())
  const { port } = gateway.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bodies }
}

const startService = async (settings: Readonly<Record<string, string>>) => {
  const service = await startPeopleService(settings)
  onTestFinished(service.stop)
  return service
}

test('when the command adds somebody, they get the same message as from the page', async () => {
  const { url, bodies } = await startGateway()
  const service = await startService({ MESSAGE_URL: url })
  await service.operator('operator', 'add', `+${phoneOfAlice}`, '--role', 'admin')
  const told = 'You were added to the people of the operator of a payment service'
  expect(bodies.map((body) => JSON.parse(body) as object)).toEqual([
    { to: `+${phoneOfAlice}`, text: expect.stringMatching(`^${told}: http.*/operator/$`) },
  ])
  await service.operator('operator', 'add', `+${phoneOfAlice}`, '--role', 'admin')
  expect(bodies).toHaveLength(1)
})

test('in the sandbox the command shows the message, as the page does', async () => {
  const service = await startService({ PUBLIC_URL: 'https://pay.example' })
  const added = await service.operator('operator', 'add', `+${phoneOfAlice}`, '--role', 'admin')
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const form = await alice.visit('/operator/staff?add')
  await alice.submit(form, { phone: `+${phoneOfBob}`, role: 'support', code: codeOf('alice') })
  const [message] = await messagesTo(service, `+${phoneOfBob}`)
  expect(message?.text).toContain('https://pay.example/operator/')
  expect(added['message']).toBe(message?.text)
})
