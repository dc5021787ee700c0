import { expect, test } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { desktop, phone } from '../people/page-browser.ts'
import { knownOf } from '../people/walk.ts'
import { withKeyboard } from './keyboard.ts'
import { faultsOfWalk, portalBrowser } from './portal-browser.ts'
import { signInTo } from './portal-walk.ts'
import { stands, walkTake } from './take-walk.ts'

const portal = portalBrowser(async (service) => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
})

const home = '/portal/sandbox/take'

testLooks('axe-core finds nothing', 'a computer, light, in Norwegian', async (look) => {
  const context = await portal.browser.newContext(look)
  const walk = { service: portal.service, open: () => context.newPage() }
  const { found, looked } = await faultsOfWalk(walkTake, walk)
  await context.close()
  expect(found).toEqual([])
  expect(looked.length).toBe(11)
})

test('on a phone somebody takes a payment by a code, and sees it paid by itself', async () => {
  const { service, browser } = portal
  const [shop, customer] = [
    await browser.newContext({ ...phone, locale: 'en' }),
    await browser.newContext({ ...phone, locale: 'en' }),
  ]
  const till = await shop.newPage()
  await signInTo(till, service.address, home)
  await till.locator('[name=amount]').fill('49')
  await till.locator('[name=how][value=code]').check()
  expect(await till.locator('[name=phone]').isVisible()).toBe(false)
  await till.getByRole('button', { name: 'Request payment' }).click()
  await stands(till, 'Waiting')
  expect(await till.locator('.qr img').isVisible()).toBe(true)
  const link = (await till.locator('#link').innerText()).trim()
  const payer = await customer.newPage()
  await payer.goto(link)
  await payer.getByText('NOK 49.00').first().waitFor()
  await signInTo(payer, '', link.replace('/checkout/', '/payment/'), knownOf('bob'))
  await payer.locator('button[value=accept]').click()
  await stands(till, 'Paid')
  expect(await till.title()).toMatch(/^Paid: NOK.49\.00/)
  await till.getByRole('link', { name: 'Take another payment' }).click()
  await till.waitForURL(/\/take$/)
  await Promise.all([shop.close(), customer.close()])
})

test('with the keyboard alone somebody takes a payment and cancels it', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'en-GB' })
  const page = await context.newPage()
  const { press, type, reach, enter, unseen } = withKeyboard(page)
  await signInTo(page, portal.service.address, home)
  await type('Amount (NOK)', '30')
  await type('Phone number', '99 99 99 02')
  await enter('Request payment')
  await stands(page, 'Waiting')
  await reach('Cancel the request')
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  await stands(page, 'Cancelled')
  expect(unseen).toEqual([])
  await context.close()
})

test('without scripts a link is made, opened on a phone, paid, and counted', async () => {
  const { service, browser } = portal
  const context = await browser.newContext({ ...phone, locale: 'en' })
  await signInTo(await context.newPage(), service.address, home)
  const plain = await browser.newContext({ ...phone, locale: 'en', javaScriptEnabled: false })
  await plain.addCookies(await context.cookies())
  const page = await plain.newPage()
  await page.goto(service.address + home)
  await page.getByRole('link', { name: 'Payment links' }).click()
  await page.getByRole('link', { name: 'New link' }).click()
  await page.locator('[name=amount]').fill('45')
  await page.locator('[name=text]').fill('Pancakes')
  await page.locator('[name=stock]').fill('1')
  await page.getByRole('button', { name: 'Make the link' }).click()
  await stands(page, 'Open')
  expect(await page.locator('.qr img').isVisible()).toBe(true)
  const [shop, address] = [page.url(), (await page.locator('#link').innerText()).trim()]
  await page.goto(address)
  await page.getByText('NOK 45.00').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('button[value=accept]').click()
  await page.locator('.state.good').waitFor()
  await service.advance(0)
  await page.goto(shop)
  await stands(page, 'Sold out')
  expect(await page.locator('.taking dd').first().innerText()).toBe('1')
  await page.locator('summary').click()
  await page.getByRole('button', { name: 'End the link' }).click()
  await stands(page, 'Ended')
  await Promise.all([context.close(), plain.close()])
})

test('without scripts the page reloads until it is paid', async () => {
  const { service, browser } = portal
  const context = await browser.newContext({ ...phone, locale: 'en' })
  const page = await context.newPage()
  await signInTo(page, service.address, home)
  const plain = await browser.newContext({ ...phone, locale: 'en', javaScriptEnabled: false })
  await plain.addCookies(await context.cookies())
  const till = await plain.newPage()
  await till.goto(service.address + home)
  await till.locator('[name=amount]').fill('31')
  await till.locator('[name=how][value=code]').check()
  await till.getByRole('button', { name: 'Request payment' }).click()
  await stands(till, 'Waiting')
  const tid = new URL(till.url()).pathname.split('/').at(-1) ?? ''
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, { payer: 'bob' })
  await stands(till, 'Paid')
  await Promise.all([context.close(), plain.close()])
})
