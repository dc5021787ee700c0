import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { codeSentTo } from '../../support/people-service.ts'
import { codeAt } from '../../../infrastructure/people/one-time-codes.ts'
import { desktop } from '../../people/page-browser.ts'
import { press, sees, type Place } from './place.ts'

const kari = { name: 'Kari Nordmann', phone: '+4790000077', pin: '8642' }
const shopName = 'Kaffebaren på hjørnet'

export type Owner = { readonly page: Page; readonly nextCode: () => Promise<string> }

/** Each code can be used once; the next one is accepted half a minute early. */
const codesOf = (secret: string): Owner['nextCode'] => {
  let used = codeAt(secret, Date.now())
  return () =>
    vi.waitUntil(
      () => {
        const next = codeAt(secret, Date.now() + 30_000)
        if (next === used) return undefined
        used = next
        return next
      },
      { timeout: 40_000 },
    )
}

/** Creates an account on the way to the portal: number, PIN and authenticator. */
export const makeAccount = async (place: Place): Promise<Owner> => {
  const page = await place.open(desktop)
  await page.goto(`${place.address}/portal/sign-up`)
  await page.getByRole('link', { name: 'New here? Make an account' }).click()
  await page.getByLabel('Full name').fill(kari.name)
  await page.getByLabel('Phone number').fill(kari.phone)
  await page.getByLabel('PIN', { exact: true }).fill(kari.pin)
  await press(page, 'Continue')
  await sees(page, 'Step 2 of 3')
  const sent = await vi.waitUntil(() => codeSentTo(place, kari.phone), { timeout: 20_000 })
  await page.locator('[name=number_code]').fill(sent)
  await press(page, 'Continue')
  await sees(page, 'Connect your authenticator')
  const codeSecret = (await page.locator('#key').innerText()).trim()
  await page.getByLabel('One-time code').fill(codeAt(codeSecret, Date.now()))
  await press(page, 'Finish')
  expect(await page.locator('#codes code').count()).toBe(10)
  await page.locator('main a.button').click()
  await sees(page, 'Sign up a business')
  return { page, nextCode: codesOf(codeSecret) }
}

/** Returns the merchant's id. */
export const signUpShop = async ({ page }: Owner): Promise<string> => {
  await page.getByLabel('Business name').fill(shopName)
  await page.getByLabel('Organisation number').fill('987 654 325')
  await page.getByLabel('Payout account').fill('DE89 3704 0044 0532 0130 00')
  await press(page, 'Create the merchant')
  await page.waitForURL(/\/portal\/kaffebaren-[\w-]+\/$/)
  await sees(page, shopName)
  await sees(page, 'No payments in this period.')
  expect(await page.title()).toBe(`Overview · ${shopName}`)
  return new URL(page.url()).pathname.split('/')[2] ?? ''
}

/** Signs in again after the session has ended. */
export const signInAgain = async ({ page, nextCode }: Owner): Promise<void> => {
  await page.getByLabel('Phone number').fill(kari.phone)
  await page.getByLabel('PIN', { exact: true }).fill(kari.pin)
  await page.locator('form:has([name=pin]) .actions button').first().click()
  await page.getByLabel('One-time code').fill(await nextCode())
  await page.locator('form:has([name=code]) .actions button').first().click()
}
