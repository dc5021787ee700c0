import type { Page } from 'playwright-core'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { codeOf, type PeopleService } from '../support/people-service.ts'

/** As an operator sets them. */
export const walkSettings = {
  LOG_LEVEL: 'silent',
  STEP_UP_AMOUNT: 'NOK 1000',
  HELP_URL: 'https://pay.example/help',
  TERMS_URL: 'https://pay.example/terms',
  PRIVACY_URL: 'https://pay.example/privacy',
  BANK_ACCOUNT: 'NO9386011117947',
}

type Payer = keyof typeof sandboxPayers

/** What a payer types to sign in. */
type Known = { readonly phone: string; readonly pin: string; readonly code: () => string }

export const knownOf = (payer: Payer): Known => {
  const { phone, pin } = sandboxPayers[payer]
  return { phone: `+${phone}`, pin, code: () => codeOf(payer) }
}

export type Walk = {
  readonly service: PeopleService
  readonly shopUrl: string
  /** Opens a browser without cookies. */
  readonly open: () => Promise<Page>
  /** Called at each page with a unique name. */
  readonly seen: (name: string, page: Page) => Promise<void>
}

export const press = (page: Page, value: string) => page.locator(`button[value=${value}]`).click()

const typeFirst = async (page: Page, { phone, pin }: Known): Promise<void> => {
  await page.locator('[name=phone]').fill(phone)
  await page.locator('[name=pin]').fill(pin)
  await page.locator('form:has([name=pin]) .actions button').first().click()
  await page.locator('[name=code]').waitFor()
}

const typeSecond = async (page: Page, { code }: Known): Promise<void> => {
  await page.locator('[name=code]').fill(code())
  await page.locator('form:has([name=code]) .actions button').first().click()
  await page.locator('[name=code]').waitFor({ state: 'detached' })
}

export const typePin = (page: Page, payer: Payer) => typeFirst(page, knownOf(payer))
export const typeCode = (page: Page, payer: Payer) => typeSecond(page, knownOf(payer))

export const typeBoth = async (page: Page, known: Known): Promise<void> => {
  await typeFirst(page, known)
  await typeSecond(page, known)
}

export const signedIn = async ({ open, service }: Walk, payer: Payer = 'alice'): Promise<Page> => {
  const page = await open()
  await page.goto(`${service.address}/payer/sign-in`)
  await typePin(page, payer)
  await typeCode(page, payer)
  return page
}
