import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, wayOnIn, makeVisitor, type Shown } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const sorry = 'https://shop.example/sorry?order=7'
const checkout = (fields: object = {}) =>
  service.requestPayment({
    amount: '200.00',
    text: 'Order 7',
    success_return_uri: 'https://shop.example/thanks',
    failure_return_uri: sorry,
    ...fields,
  })
const payAt = (id: string) => `/payer/payment/${id}?checkout`
const signedIn = async (payer: 'alice' | 'bob' = 'alice') => {
  const visitor = makeVisitor(service)
  await visitor.signIn(payer)
  return visitor
}
const textOf = ({ html }: Pick<Shown, 'html'>): string =>
  html
    .replace(/^[^]*<main>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/(\s|\u00a0|&nbsp;)+/g, ' ')

describe('given a checkout, before the payer has signed in', () => {
  test('then shop, point of sale, amount and the way back are in sight on each page', async () => {
    const { id, uri } = await checkout()
    const visitor = makeVisitor(service)
    const signIn = await visitor.follow(await visitor.visit(payAt(id)))
    const code = await visitor.submit(signIn, { phone: '4799999901', pin: '1234' })
    const signUp = await visitor.visit(
      /href="(\/payer\/sign-up[^"]*)"/.exec(signIn.html)?.[1] ?? '',
    )
    const person = { phone: '4740000071', name: 'Nina Ny', pin: '2468' }
    const newNumber = await visitor.submit(signUp, person)
    const newCode = await visitor.proveNumberAt(signUp, person)
    for (const page of [await visitor.visit(uri ?? ''), signIn, code, signUp, newNumber, newCode]) {
      expect(textOf(page)).toMatch(/Sandbox Shop Till 1 NOK 200\.00 /)
      expect(textOf(page)).toContain('Order 7')
      expect(page.html).toContain(`href="${sorry}"`)
    }
  })

  test('when they make an account, then they are at the payment, and can pay', async () => {
    const { id } = await checkout()
    const visitor = makeVisitor(service)
    const signUp = await visitor.visit(`/payer/sign-up?next=${encodeURIComponent(payAt(id))}`)
    const person = { phone: '4740000072', name: 'Nina Ny', pin: '2468' }
    expect(wayOnIn(await visitor.signUpAt(signUp, person))).toBe(payAt(id))
    await visitor.submit(await visitor.visit(payAt(id)), { decision: 'accept' })
    expect((await service.outcome(id)).status).toBe('auth')
  })

  test('when the request is for a payer by name, then signing in shows nothing of it', async () => {
    const { id } = await service.requestPayment({ customer: '4799999901', text: 'Secret order' })
    const visitor = makeVisitor(service)
    const page = await visitor.follow(await visitor.visit(`/payer/payment/${id}`))
    expect(textOf(page)).not.toMatch(/Secret order|NOK|Sandbox Shop/)
  })
})

test('given a payment on the screen, nothing leads away; its receipt has the menu', async () => {
  const { id } = await service.requestPayment({ customer: '4799999901' })
  const alice = await signedIn()
  const page = await alice.visit(`/payer/payment/${id}`)
  // Languages lead back to the page.
  const menus = ({ html }: Shown) => html.split('<nav').length - 2
  expect(menus(page)).toBe(0)
  const receipt = await alice.follow(await alice.submit(page, { decision: 'accept' }))
  expect(menus(receipt)).toBe(1)
})

describe('given two payers at one checkout, when the other one has paid', () => {
  test('then the payment was not theirs on later looks, and nothing of it is shown', async () => {
    const { id, uri } = await checkout({ text: 'Blue bicycle' })
    const [alice, bob] = [await signedIn('alice'), await signedIn('bob')]
    const late = await bob.visit(payAt(id))
    await alice.submit(await alice.visit(payAt(id)), { decision: 'accept' })
    const looks = [
      await bob.submit(late, { decision: 'accept' }),
      await bob.submit(late, { decision: 'decline' }),
      await bob.visit(payAt(id)),
      await bob.visit(`/payer/payment/${id}`),
      await bob.visit(uri ?? ''),
    ]
    for (const look of looks) {
      expect(look.status).toBe(409)
      expect(textOf(look)).toMatch(/Somebody else was first .*not yours.*You have paid nothing/)
      expect(textOf(look)).not.toMatch(/Blue bicycle|NOK|Sandbox Shop/)
      expect(look.html).not.toContain('shop.example')
    }
    expect(textOf(await alice.visit(uri ?? ''))).toContain('Blue bicycle')
    expect((await bob.visit('/payer/history')).html).not.toContain(id)
  })
})

describe('given a request to reserve and one to sell, the payer can tell them apart', () => {
  const shown = async (action: 'auth' | 'sale') => {
    const { id } = await service.requestPayment({ customer: '4799999901', action })
    const alice = await signedIn()
    const before = await alice.visit(`/payer/payment/${id}`)
    const after = await alice.follow(await alice.submit(before, { decision: 'accept' }))
    const history = textOf(await alice.visit('/payer/history'))
    return {
      before: textOf(before),
      after: textOf(after),
      last: history.slice(0, history.indexOf('NOK') + 10),
    }
  }

  test('before and after, when the money is reserved', async () => {
    const { before, after, last } = await shown('auth')
    expect(before).toMatch(
      /Reserve for Sandbox Shop .*The amount is reserved.* Reserve NOK 100\.00/,
    )
    expect(after).toMatch(/Reserved The shop will take what is delivered\./)
    expect(last).toMatch(/· Reserved NOK 100\.00/)
  })

  test('before and after, when it is sold', async () => {
    const { before, after, last } = await shown('sale')
    expect(before).toMatch(/Pay to Sandbox Shop .* Pay NOK 100\.00/)
    expect(after).toMatch(/^\s*Paid /)
    expect(`${before}${after}${last}`).not.toMatch(/[Rr]eserve/)
    expect(last).toMatch(/· Paid NOK 100\.00/)
  })
})

describe('given a tip that may be chosen', () => {
  const totalsIn = (page: Shown): readonly string[] =>
    [...page.html.matchAll(/data-sum[^>]*>([^<]*)</g)]
      .map(([, text = '']) => text.replaceAll(/\s|&nbsp;|\u00a0/g, ' ').trim())
      .filter((text) => text !== '')

  test.each([
    ['0', 'NOK 200.00'],
    ['5', 'NOK 210.00'],
    ['10', 'NOK 220.00'],
    ['15', 'NOK 230.00'],
  ])('when %s percent are, without a script, then all totals are %s', async (percent, total) => {
    const { id } = await checkout({ additional_edit: true })
    const alice = await signedIn()
    const page = await alice.visit(payAt(id))
    const link = new RegExp(`href="([^"]*tip=${percent})"`).exec(page.html)?.[1] ?? ''
    const chosen = await alice.visit(link.replaceAll('&amp;', '&'))
    expect([...new Set(totalsIn(chosen))]).toEqual([total])
    expect(chosen.html).toMatch(new RegExp(`tip=${percent}"[^>]*aria-current="true"`))
    await alice.submit(chosen, { decision: 'accept' })
    const { amount, additional_amount: extra } = await service.outcome(id)
    expect(Number(amount) + Number(extra)).toBe(Number(total.slice(4)))
  })

  test('when more than the amount is typed, every total is the one to be confirmed', async () => {
    const { id } = await checkout({ additional_edit: true })
    const alice = await signedIn()
    const page = await alice.visit(payAt(id))
    const asked = await alice.submit(page, { additional_amount: '300', decision: 'accept' })
    expect(asked.status).toBe(400)
    expect(totalsIn(asked)).toEqual(['NOK 500.00', 'NOK 500.00', 'NOK 500.00'])
    expect(formIn(asked.html, 'confirmed').fields).toContainEqual(['confirmed', '300.00'])
  })

  test('when the request does not let it be changed, then there is nothing to choose', async () => {
    const { id } = await checkout({ additional_amount: '20.00' })
    const alice = await signedIn()
    const page = await alice.visit(`${payAt(id)}&tip=15`)
    expect(page.html).not.toContain('additional_amount')
    expect([...new Set(totalsIn(page))]).toEqual(['NOK 220.00'])
  })
})

describe('given a shop with a logo', () => {
  test('when its checkout is opened, the logo is there, and for nobody else', async () => {
    const file = join(service.folder, 'logo.png')
    const png = PNG.sync.write(new PNG({ width: 8, height: 8 }))
    writeFileSync(file, png)
    await service.operator('merchant', 'logo', 'sandbox', file)
    const { uri } = await checkout()
    const { html } = await makeVisitor(service).visit(uri ?? '')
    const path = /<img class="logo" src="([^"]*)"/.exec(html)?.[1] ?? ''
    const answer = await fetch(service.address + path, { headers: { accept: 'image/png' } })
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
    for (const other of ['0'.repeat(64), 'x'])
      expect((await fetch(`${service.address}/payer/logo/${other}`)).status).toBe(404)
  })
})
