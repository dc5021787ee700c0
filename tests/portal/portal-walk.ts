import type { Page } from 'playwright-core'
import type { PeopleService } from '../support/people-service.ts'
import { knownOf, typeBoth, type Walk } from '../people/walk.ts'
import { furnishMonth, leaveOpen } from './shop-month.ts'

type PortalWalk = Pick<Walk, 'service' | 'open' | 'seen'>

/** Alice's shop, with a month of trade. */
export const furnishPortal = async (service: PeopleService, days?: number): Promise<void> => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await furnishMonth(service, days)
  await leaveOpen(service, 4)
}

export const signInTo = async (
  page: Page,
  address: string,
  path: string,
  known = knownOf('alice'),
): Promise<void> => {
  await page.goto(address + path)
  // The browser may have been used before.
  if (page.url().includes('/payer/sign-in')) await typeBoth(page, known)
}

/** Lends the browser to somebody else. */
export const lent = async (page: Page, use: () => Promise<void>): Promise<void> => {
  const context = page.context()
  const cookies = await context.cookies()
  await context.clearCookies()
  await use()
  await context.clearCookies()
  await context.addCookies(cookies)
}

/** A number of a Norwegian business, another one each time (modulus 11). */
const newOrganization = (): string => {
  for (let number = Date.now() % 100_000_000; ; number += 1) {
    const digits = [...String(number).padStart(8, '0')].map(Number)
    const sum = [3, 2, 7, 6, 5, 4, 3, 2].reduce((all, by, at) => all + by * (digits[at] ?? 0), 0)
    const check = (11 - (sum % 11)) % 11
    if (check < 10) return `${digits.join('')}${check}`
  }
}

/** Fills in the open page's form; returns the merchant's id. */
export const signUpShop = async (page: Page, name: string): Promise<string> => {
  await page.locator('[name=name]').fill(name)
  await page.locator('[name=organization]').fill(newOrganization())
  await page.locator('[name=payout_account]').fill('NO9386011117947')
  await page.locator('.actions button').click()
  await page.waitForURL(/\/portal\/(?!sign-up)[^/]+\/$/)
  return new URL(page.url()).pathname.split('/')[2] ?? ''
}

const moneyPages = [
  ['money', ''],
  ['settlement', '/settlements/1'],
  ['report', '/ledgers/default/reports/1?close'],
  ['ledger', '/ledgers/default'],
  ['times', '/times'],
  ['terms', '/terms'],
  ['account', '/account'],
] as const

/** Every page of the portal, with its possible errors. */
export const walkPortal = async ({ service, open, seen }: PortalWalk): Promise<void> => {
  const page = await open()
  const at = async (path: string) => page.goto(service.address + path)
  await signInTo(page, service.address, '/portal/sandbox/')
  await seen('portal-overview', page)
  await at('/portal/sandbox/?days=1')
  await seen('portal-overview-today', page)
  await at('/portal/sandbox/?days=90')
  await seen('portal-overview-weeks', page)
  await at('/portal/sandbox/?since=2026-02-31&until=never')
  await seen('portal-overview-wrong', page)
  await at('/portal/')
  await seen('portal-lobby', page)
  await at('/portal/account')
  await seen('portal-own', page)
  await page.locator('[name=email]').fill('alice@home.example')
  await page.locator('form:has([name=email]) .actions button').click()
  await page.locator('[name=number_code]').fill('1')
  await page.locator('form:has([name=number_code]) .actions button').click()
  await seen('portal-own-wrong', page)
  await at('/portal/sign-up')
  await seen('portal-sign-up', page)
  await page.locator('[name=name]').fill('Café Ølbaren')
  await page.locator('[name=organization]').fill('12')
  await page.locator('[name=payout_account]').fill('NO12')
  await page.locator('.actions button').click()
  await seen('portal-sign-up-wrong', page)
  await signUpShop(page, 'Café Ølbaren')
  await seen('portal-overview-empty', page)
  await at('/portal/')
  await page.getByRole('heading', { name: /, NOK$/ }).waitFor()
  await seen('portal-all-shops', page)
  await at('/portal/sandbox/staff?invite')
  await seen('portal-invite', page)
  await page.locator('[name=phone]').fill('+4799999902')
  await page.locator('[value=cashier]').check()
  await page.locator('.actions button').click()
  await seen('portal-invite-wrong', page)
  await page.locator('[name=pos]').first().check()
  await page.locator('.actions button').click()
  await page.waitForURL(/staff\?invited/)
  await seen('portal-staff', page)
  await page.locator('a[href*="?member="]').last().click()
  await seen('portal-role', page)
  for (const [name, path] of moneyPages) {
    await at(`/portal/sandbox/money${path}`)
    await seen(`portal-${name}`, page)
  }
  await at('/portal/sandbox/staff?leave')
  await page.locator('.actions button').click()
  await seen('portal-refused', page)
  await at('/portal/nobody/')
  await seen('portal-not-found', page)
  await at('/portal/sandbox/messages')
  await seen('portal-messages', page)
  await lent(page, async () => {
    await signInTo(page, service.address, '/portal/', knownOf('bob'))
    await seen('portal-join', page)
  })
}
