import type { Page } from 'playwright-core'
import { sandboxPayers } from '../../infrastructure/sandbox-data.ts'
import { codeOf, type PeopleService } from '../../harness/people-service.ts'

/** As an operator sets them. */
export const walkSettings = {
  LOG_LEVEL: 'silent',
  STEP_UP_AMOUNT: 'NOK 1000',
  HELP_URL: 'https://pay.example/help',
  TERMS_URL: 'https://pay.example/terms',
  PRIVACY_URL: 'https://pay.example/privacy',
}

type Payer = keyof typeof sandboxPayers

export type Walk = {
  readonly service: PeopleService
  readonly shopUrl: string
  /** Opens a browser without cookies. */
  readonly open: () => Promise<Page>
  /** Called at each page with a name of its own. */
  readonly seen: (name: string, page: Page) => Promise<void>
}

export const press = (page: Page, value: string) => page.locator(`button[value=${value}]`).click()

export const typePin = async (page: Page, payer: Payer): Promise<void> => {
  await page.locator('[name=phone]').fill(`+${sandboxPayers[payer].phone}`)
  await page.locator('[name=pin]').fill(sandboxPayers[payer].pin)
  await page.locator('form:has([name=pin]) .actions button').first().click()
  await page.locator('[name=code]').waitFor()
}

export const typeCode = async (page: Page, payer: Payer): Promise<void> => {
  await page.locator('[name=code]').fill(codeOf(payer))
  await page.locator('form:has([name=code]) .actions button').first().click()
  await page.locator('[name=code]').waitFor({ state: 'detached' })
}

export const signedIn = async ({ open, service }: Walk, payer: Payer = 'alice'): Promise<Page> => {
  const page = await open()
  await page.goto(`${service.address}/payer/sign-in`)
  await typePin(page, payer)
  await typeCode(page, payer)
  return page
}
