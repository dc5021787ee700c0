import type { Page } from 'playwright-core'
import { codeSentTo } from '../support/people-service.ts'
import { now } from './newcomer.ts'
import { type Walk } from './walk.ts'

const kari = { name: 'Kari Nordmann', phone: '4790000077', pin: '8642' }
type Person = typeof kari & { readonly codes: string[] }

const fill = async (page: Page, fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(fields))
    await page.locator(`main [name=${name}]`).fill(value)
}

const send = async (page: Page): Promise<void> => {
  await Promise.all([
    page.waitForEvent('load'),
    page.locator('main .actions button').first().click(),
  ])
}

const keyOn = async (page: Page): Promise<string> => (await page.locator('#key').innerText()).trim()

/** A recovery code, which is accepted instead of an authenticator's code. */
const nextCode = ({ codes }: Person): string => codes.shift() ?? ''

const walkSteps = async ({ service, open, seen }: Walk): Promise<Person> => {
  const page = await open()
  await page.goto(`${service.address}/payer/sign-up`)
  await fill(page, { ...kari, pin: '1111' })
  await send(page)
  await seen('sign-up-wrong', page)
  await fill(page, kari)
  await send(page)
  await seen('sign-up-number', page)
  await fill(page, { number_code: '000000' })
  await send(page)
  await seen('sign-up-number-wrong', page)
  await fill(page, { number_code: await codeSentTo(service, kari.phone) })
  await send(page)
  await seen('sign-up-authenticator', page)
  await fill(page, { code: '000000' })
  await send(page)
  await seen('sign-up-authenticator-wrong', page)
  await fill(page, { code: now(await keyOn(page)) })
  await send(page)
  await seen('sign-up-codes', page)
  return { ...kari, codes: await page.locator('.codes code').allInnerTexts() }
}

const walkRecovery = async ({ service, open, seen }: Walk, person: Person): Promise<void> => {
  const page = await open()
  await page.goto(`${service.address}/payer/recovery`)
  await seen('recovery', page)
  await fill(page, { phone: '12' })
  await send(page)
  await seen('recovery-wrong-number', page)
  await fill(page, { phone: person.phone })
  await send(page)
  await seen('recovery-proofs', page)
  await fill(page, { number_code: '000000' })
  await send(page)
  await seen('recovery-proofs-wrong', page)
  const numberCode = await codeSentTo(service, person.phone)
  await fill(page, { number_code: numberCode, recovery_code: nextCode(person) })
  await send(page)
  await seen('recovery-renewal', page)
  await fill(page, { new_pin: '97531', new_code: '000000' })
  await send(page)
  await seen('recovery-renewal-wrong', page)
  await fill(page, { new_pin: '97531', new_code: now(await keyOn(page)) })
  await send(page)
  await seen('recovered', page)
}

const walkChanges = async ({ service, seen }: Walk, page: Page, person: Person): Promise<void> => {
  const change = (name: string) => page.goto(`${service.address}/payer/security?change=${name}`)
  const factors = () => ({ pin: '97531', code: nextCode(person) })
  await page.goto(`${service.address}/payer/security`)
  await seen('security', page)
  for (const name of ['pin', 'authenticator', 'recovery_codes', 'number', 'close']) {
    await change(name)
    await seen(`change-${name}`, page)
  }
  await change('pin')
  await fill(page, { pin: '8888', code: '000000', new_pin: '97532' })
  await send(page)
  await seen('change-pin-wrong', page)
  await change('number')
  await fill(page, { phone: '4790000078' })
  await send(page)
  await seen('change-number-code', page)
  await fill(page, { number_code: await codeSentTo(service, '4790000078'), ...factors() })
  await send(page)
  await seen('security-changed', page)
  await page.locator('form:has([value=everywhere]) button').click()
  await page.waitForURL(/everywhere/)
  await seen('security-everywhere', page)
  await change('recovery_codes')
  await fill(page, factors())
  await send(page)
  await seen('codes-renewed', page)
  person.codes.splice(0, 10, ...(await page.locator('.codes code').allInnerTexts()))
  await change('close')
  await fill(page, factors())
  await send(page)
  await seen('closed', page)
}

/** From sign-up to closing the account. */
export const walkNewAccount = async (walk: Walk): Promise<void> => {
  const { service, open, seen } = walk
  const person = await walkSteps(walk)
  await walkRecovery(walk, person)
  for (const name of ['sign-in-recovery-code', 'sign-in-recovery-code-again']) {
    const page = await open()
    await page.goto(`${service.address}/payer/sign-in`)
    await fill(page, { phone: person.phone, pin: '97531' })
    await send(page)
    await page.locator('summary').click()
    await page.locator('[name=recovery_code]').fill(nextCode(person))
    await seen(name, page)
    await page.locator('form:has([name=recovery_code]) button').click()
    await page.waitForURL(`${service.address}/payer/`)
    if (name.endsWith('again')) await walkChanges(walk, page, person)
  }
}
