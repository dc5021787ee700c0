import type { Page } from 'playwright-core'
import { codeOf, type PeopleService } from '../support/people-service.ts'
import type { Walk } from '../people/walk.ts'
import { registerTried } from './developer-tries.ts'
import { signInTo } from './portal-walk.ts'
import { pairOf, pemOf, signedBy } from './signed-calls.ts'

type DevelopersWalk = Pick<Walk, 'service' | 'open' | 'seen'>

/** Alice's shop, with a waiting payment and refused requests. */
export const furnishDevelopers = async (service: PeopleService): Promise<void> => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await registerTried(service)
  await service.requestPayment({ customer: '4799999901', pos_tid: 'order-77' })
  const path = '/merchant/v1/pos/'
  const wrong = signedBy(service, 'admin', pairOf().privateKey)
  await service.call('GET', path, undefined, wrong)
  await service.call('GET', `${path}kiosk/`)
  const test = { callback_uri: 'http://127.0.0.1:1/callback' }
  await service.call('POST', '/sandbox/v1/callback/', test)
}

/** Opens all hints. */
const openAll = (page: Page): Promise<unknown> =>
  page.evaluate(`for (const one of document.querySelectorAll('main details')) one.open = true`)

/** Every page for developers, with its possible errors. */
export const walkDevelopers = async ({ service, open, seen }: DevelopersWalk): Promise<void> => {
  const page = await open()
  const area = '/portal/sandbox/developers'
  const at = async (path: string) => page.goto(`${service.address}${area}${path}`)
  const submit = () => page.locator('main form.card .actions button').click()
  const confirm = async () => {
    await page.locator('[name=code]').fill(codeOf('alice'))
    await submit()
  }
  await signInTo(page, service.address, area)
  await seen('developers-users', page)
  await at('?add')
  await page.locator('[name=id]').fill(`server-${Date.now()}`)
  await page.locator('[data-make]').click()
  await page.locator('[data-made]').waitFor()
  await seen('developers-new-user', page)
  await page.locator('[name=pubkey]').fill('none')
  await submit()
  await seen('developers-new-user-wrong', page)
  await page.locator('[name=pubkey]').fill(pemOf(pairOf()))
  await submit()
  await seen('developers-code', page)
  await confirm()
  await page.locator('#fingerprint').waitFor()
  await openAll(page)
  await seen('developers-user', page)
  await at('?add')
  await page.locator('[name=id]').fill(`till-${Date.now()}`)
  await page.locator('[name=credential][value=secret]').check()
  await submit()
  await confirm()
  await page.locator('#secret').waitFor()
  await seen('developers-secret', page)
  await at('/applications')
  await seen('developers-applications', page)
  await at('/applications?add')
  await page.locator('[name=name]').fill('Bookshop')
  await page.locator('[name=redirect_uris]').fill('nowhere')
  await submit()
  await seen('developers-new-application-wrong', page)
  await page.locator('[name=redirect_uris]').fill('https://shop.example/back')
  await submit()
  await confirm()
  await page.locator('#client').waitFor()
  await openAll(page)
  await seen('developers-application', page)
  await at('/callbacks?secret')
  await seen('developers-callbacks', page)
  await page.locator('tbody th a').first().click()
  await page.locator('#body').waitFor()
  await seen('developers-callback', page)
  await at('/destinations')
  await seen('developers-destinations', page)
  await at('/requests')
  await openAll(page)
  await seen('developers-requests', page)
  await at('/sandbox')
  await seen('developers-sandbox', page)
}
