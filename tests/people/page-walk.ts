import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { walkNewAccount } from './account-walk.ts'
import { scannedSvg } from './scanned-svg.ts'
import { press, signedIn, typeCode, typePin, type Walk } from './walk.ts'

const orderAt = (shopUrl: string) => ({
  amount: '249.00',
  text: 'Order 1042',
  success_return_uri: `${shopUrl}/thanks`,
  failure_return_uri: `${shopUrl}/sorry`,
  line_items: [
    {
      product_id: 'coffee',
      description: 'Coffee beans, 500 g',
      quantity: 1,
      item_cost: '149.00',
      total: '149.00',
    },
    { product_id: 'cup', description: 'Cup', quantity: 2, item_cost: '50.00', total: '100.00' },
  ],
  links: [{ uri: `${shopUrl}/terms`, caption: 'Terms of sale', show_on: ['pending', 'ok'] }],
})

const walkCheckout = async (walk: Walk): Promise<void> => {
  const { service, open, seen } = walk
  const order = orderAt(walk.shopUrl)
  const { id, uri } = await service.requestPayment({ ...order, additional_edit: true })
  const page = await open()
  await page.goto(uri ?? '')
  await seen('checkout', page)
  await page.locator(`a[href*="/payer/payment/${id}"]`).click()
  await seen('checkout-sign-in', page)
  const signIn = page.url()
  await page.locator('a[href^="/payer/sign-up"]').click()
  await seen('checkout-sign-up', page)
  await page.goto(signIn)
  await typePin(page, 'alice')
  await seen('checkout-code', page)
  await typeCode(page, 'alice')
  await page.locator('[name=additional_amount]').fill('')
  await seen('tip', page)
  await page.locator('[name=additional_amount]').fill('25,50')
  await seen('tip-typed', page)
  await page.locator('[name=additional_amount]').fill('abc')
  await seen('tip-wrong', page)
  await page.locator('[name=additional_amount]').fill('300')
  await press(page, 'accept')
  await seen('tip-to-confirm', page)
  await page.locator('[name=additional_amount]').fill('10')
  await press(page, 'accept')
  await page.waitForURL(/\/payer\/checkout\//)
  await seen('checkout-paid', page)
  const sale = await service.requestPayment({ ...order, action: 'sale' })
  await page.goto(`${service.address}/payer/payment/${sale.id}?checkout`)
  await seen('pay', page)
  await press(page, 'decline')
  await page.waitForURL(/\/payer\/checkout\//)
  await seen('checkout-declined', page)
  const loser = await signedIn(walk, 'bob')
  await loser.goto(uri ?? '')
  await seen('checkout-lost', loser)
}

/** A phone that approves a request from a computer. */
const walkPhone = async (walk: Walk, asked: string): Promise<void> => {
  const computer = await walk.open()
  await computer.goto(asked)
  const image = (await computer.locator('.qr img').getAttribute('src')) ?? ''
  const svg = await (await computer.request.get(walk.service.address + image)).text()
  const compare = (await computer.locator('.compare').textContent()) ?? ''
  const page = await signedIn(walk, 'bob')
  await page.goto(scannedSvg(svg))
  await walk.seen('phone-approval', page)
  await page.locator('[name=compare]').fill(compare === '10' ? '11' : '10')
  await press(page, 'allow')
  await page.locator('#compare-problem').waitFor()
  await walk.seen('phone-approval-wrong', page)
  await page.locator('[name=compare]').fill(compare)
  await press(page, 'allow')
  await page.locator('[role=status]').waitFor()
  await walk.seen('phone-approved', page)
}

const walkPermissions = async (walk: Walk): Promise<void> => {
  const { service, open, seen } = walk
  const redirect = `${walk.shopUrl}/callback`
  const app = await service.operator(
    ...['app', 'add', 'sandbox', '--name', 'Bookshop', '--redirect-uri', redirect],
  )
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app['client_id'] ?? '',
    redirect_uri: redirect,
    scope: 'openid profile email address fodselsnummer',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const page = await open()
  await page.goto(`${service.address}/oauth2/auth?${query.toString()}`)
  await seen('consent-sign-in', page)
  await typePin(page, 'alice')
  await typeCode(page, 'alice')
  await seen('consent', page)
  await press(page, 'allow')
  await page.waitForURL(`${redirect}?**`)
  const asked = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: `walk-${Math.random()}`,
    customer: sandboxPayers.alice.phone,
    scope: 'openid profile phone',
    text: 'To keep your receipts',
  })
  await page.goto(`${service.address}/payer/permission/${asked.body.id}`)
  await seen('permission-request', page)
  await press(page, 'allow')
  await seen('permission-granted', page)
  query.set('state', 'phone')
  await walkPhone(walk, `${service.address}/oauth2/auth?${query.toString()}`)
}

const walkAccount = async (walk: Walk): Promise<void> => {
  const { service, seen } = walk
  const lunch = { customer: sandboxPayers.alice.phone, amount: '120.00', text: 'Lunch' }
  const { id } = await service.requestPayment(lunch)
  await service.requestPayment({ ...lunch, text: 'Dinner', amount: '480.00' })
  await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: `walk-${Math.random()}`,
    customer: sandboxPayers.alice.phone,
    scope: 'openid profile phone',
  })
  const page = await signedIn(walk)
  for (const name of ['', 'history', 'profile', 'permissions', 'scan']) {
    await page.goto(`${service.address}/payer/${name}`)
    await seen(name || 'home', page)
  }
  await page.goto(`${service.address}/payer/permissions`)
  await page.locator('a[href*=withdraw]').first().click()
  await seen('withdrawal', page)
  await page.goto(`${service.address}/payer/payment/${id}`)
  await seen('payment', page)
  await press(page, 'accept')
  await seen('receipt', page)
  const large = await service.requestPayment({ ...lunch, text: 'Sofa', amount: '1500.00' })
  await page.goto(`${service.address}/payer/payment/${large.id}`)
  await seen('step-up', page)
  await page.locator('[name=code]').fill('000000')
  await press(page, 'accept')
  await page.locator('.problem').waitFor()
  await seen('step-up-wrong', page)
  await page.goto(`${service.address}/payer/payment/0123456789`)
  await seen('error-unknown-payment', page)
}

const walkSignUp = async ({ service, open, seen }: Walk): Promise<void> => {
  const page = await open()
  await page.goto(`${service.address}/payer/sign-in`)
  await seen('sign-in', page)
  await page.locator('[name=phone]').fill('4740000099')
  await page.locator('[name=pin]').fill('9999')
  await page.locator('form:has([name=pin]) .actions button').first().click()
  await seen('sign-in-wrong', page)
  await page.goto(`${service.address}/payer/sign-up`)
  await seen('sign-up', page)
}

const walkErrors = async ({ service, open, seen }: Walk): Promise<void> => {
  const page = await open()
  const errors = {
    'error-unknown-checkout': '/payer/checkout/0123456789',
    'error-unknown-page': '/payer/no-such-page',
    'error-no-application': '/oauth2/auth?client_id=nobody',
    'error-oauth': '/oauth2/error?error=unknown_client',
  }
  for (const [name, path] of Object.entries(errors)) {
    await page.goto(service.address + path)
    await seen(name, page)
  }
}

/** A blue square with a lighter one in it. */
const addLogo = async ({ service }: Walk): Promise<void> => {
  const logo = new PNG({ width: 96, height: 96 })
  for (let at = 0; at < 96 * 96; at += 1) {
    const isInside = at % 96 > 24 && at % 96 < 72 && at > 96 * 24 && at < 96 * 72
    logo.data.set(isInside ? [255, 214, 102, 255] : [24, 92, 80, 255], at * 4)
  }
  const file = join(service.folder, 'logo.png')
  writeFileSync(file, PNG.sync.write(logo))
  await service.operator('merchant', 'logo', 'sandbox', file)
}

/** Visits every payer page, including errors. */
export const walkPages = async (walk: Walk): Promise<void> => {
  await addLogo(walk)
  await walkCheckout(walk)
  await walkPermissions(walk)
  await walkAccount(walk)
  await walkSignUp(walk)
  await walkNewAccount(walk)
  await walkErrors(walk)
}
