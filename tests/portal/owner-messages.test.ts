// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { codeOf, startPeopleService } from '../support/people-service.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { makeVisitor } from '../people/visitor.ts'

const [alicesPhone, bobsPhone] = ['+4799999901', '+4799999902']

/** Numbers to which the gateway passes no messages on. */
const blocked = new Set<string>()
const refused: string[] = []
const received: { readonly id: unknown; readonly to: string; readonly text: string }[] = []
let onArrival = () => {}

const gateway = createServer((request, response) => {
  void text(request).then((body) => {
    const message = JSON.parse(body) as { to: string; text: string }
    const isBlocked = blocked.has(message.to)
    if (isBlocked) refused.push(message.to)
    else received.push({ id: request.headers['webhook-id'], ...message })
    response.writeHead(isBlocked ? 503 : 200).end()
    onArrival()
  })
})
await once(gateway.listen(0, '127.0.0.1'), 'listening')
const { port } = gateway.address() as AddressInfo
const service = await startPeopleService({ MESSAGE_URL: `http://127.0.0.1:${port}` })
afterAll(async () => {
  await service.stop()
  gateway.close()
})

const arrived = (isSo: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    onArrival = () => void (isSo() && resolve())
    onArrival()
  })
const settled = () => service.call('GET', '/sandbox/v1/message/')
const receivers = (words: RegExp) =>
  received.flatMap(({ to, text }) => (words.test(text) ? [to] : []))

const newFactors = /nytt telefonnummer|new phone number/
const removal = /en eier skal fjernes|an owner is to be removed/

await service.operator('staff', 'add', 'sandbox', alicesPhone, '--role', 'owner')
await service.operator('staff', 'add', 'sandbox', bobsPhone, '--role', 'owner')

test('what owners were not told of before a stop reaches each of them once after it', async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  blocked.add(alicesPhone).add(bobsPhone)
  const form = await alice.visit('/payer/security?change=pin')
  const factors = { pin: sandboxPayers.alice.pin, code: codeOf('alice') }
  expect((await alice.submit(form, { ...factors, new_pin: '13579' })).status).toBe(303)
  await arrived(() => refused.length >= 2)
  expect(receivers(newFactors)).toEqual([])

  // One number still fails at the first restart; the other owner gets no second message for it.
  blocked.delete(alicesPhone)
  await service.restart()
  await arrived(() => receivers(newFactors).length >= 1)
  blocked.delete(bobsPhone)
  await service.restart()
  await arrived(() => receivers(newFactors).length >= 2)
  await service.restart()
  await settled()
  expect(receivers(newFactors).sort()).toEqual([alicesPhone, bobsPhone])
})

test('a removal that an owner was not told of is told after a restart', async () => {
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  blocked.add(alicesPhone)
  const staff = await service.operator('staff', 'list', 'sandbox')
  const { member } = (staff as unknown as { member: string; name: string }[]).find(
    ({ name }) => name === 'Alice Andersen',
  ) ?? { member: '' }
  const form = await bob.visit(`/portal/sandbox/staff?remove=${member}`)
  expect((await bob.submit(form, { member, code: codeOf('bob') })).location).toContain('?asked')
  await arrived(() => receivers(removal).length >= 1)
  await service.restart()
  blocked.clear()
  await service.restart()
  await arrived(() => receivers(removal).length >= 2)
  await settled()
  expect(receivers(removal).sort()).toEqual([alicesPhone, bobsPhone])
  const ids = received.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
})
