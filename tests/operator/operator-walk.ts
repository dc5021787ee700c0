import { codeOf, type PeopleService } from '../support/people-service.ts'
import type { Walk } from '../people/walk.ts'
import { signInTo } from '../portal/portal-walk.ts'

type OperatorWalk = Pick<Walk, 'service' | 'open' | 'seen'>

/** An operator with an admin, two others, and merchants in every state. */
export const furnishOperator = async (service: PeopleService): Promise<void> => {
  await service.operator('operator', 'add', '+4799999901', '--role', 'admin')
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  await service.operator('operator', 'add', '+4740000088', '--role', 'security')
  for (const [id, name] of Object.entries({
    olbaren: 'Café Ølbaren',
    kiosk: 'Kiosken på hjørnet ved den gamle jernbanestasjonen',
    stengt: 'Stengt butikk',
  }))
    await service.operator('merchant', 'add', id, '--name', name, '--currency', 'NOK')
  await service.operator('merchant', 'disable', 'stengt')
  const first = ['--from', '2026-01-01', '--transaction-rate', '0.0175']
  await service.operator('fees', 'set', 'sandbox', ...first, '--transaction-fixed', '2.50')
}

/** Every page of merchants, fees and people, with its possible errors. */
export const walkOperator = async ({ service, open, seen }: OperatorWalk): Promise<void> => {
  const page = await open()
  const at = async (path: string) => page.goto(service.address + path)
  await signInTo(page, service.address, '/operator/')
  await seen('operator-overview', page)
  await at('/operator/merchants')
  await seen('operator-merchants', page)
  await at('/operator/merchants?q=nobody')
  await seen('operator-merchants-none', page)
  await at('/operator/merchants/sandbox')
  await seen('operator-merchant', page)
  await at('/operator/merchants/kiosk/disable')
  await seen('operator-disable', page)
  await page.locator('[name=code]').fill('000000')
  await page.locator('.actions button').click()
  await seen('operator-disable-wrong', page)
  await at('/operator/merchants/kiosk/fees')
  await seen('operator-fees', page)
  await page.locator('[name=transaction_rate]').fill('200')
  await page.locator('.actions button').click()
  await seen('operator-fees-wrong', page)
  await page.locator('[name=transaction_rate]').fill(`1.${Date.now() % 1000}`)
  await page.locator('[name=first_day]').fill('2026-01-01')
  await page.locator('.actions button').click()
  await page.locator('.changed').first().waitFor()
  await seen('operator-fees-preview', page)
  await page.locator('[name=code]').fill(codeOf('alice'))
  await page.locator('.actions button').click()
  await page.waitForURL(/kiosk\?fees/)
  await seen('operator-fees-done', page)
  await at('/operator/staff')
  await seen('operator-people', page)
  await at('/operator/staff?add')
  await page.locator('[name=phone]').fill('12')
  await page.locator('[value=support]').check()
  await page.locator('[name=code]').fill('123456')
  await page.locator('.actions button').click()
  await seen('operator-add-wrong', page)
  await at('/operator/staff')
  await page.locator('a[href*="?remove="]').last().click()
  await seen('operator-remove', page)
}
