import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { desktop, phone } from '../people/page-browser.ts'
import { typeCode } from '../people/walk.ts'
import { furnishDevelopers, walkDevelopers } from './developers-walk.ts'
import { faultsOfWalk, portalBrowser } from './portal-browser.ts'
import { signInTo } from './portal-walk.ts'
import { signedBy, statusOfCall } from './signed-calls.ts'

const portal = portalBrowser(furnishDevelopers)
const contexts: BrowserContext[] = []
/** Errors in a page, collected in the background. */
const faults: string[] = []

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(faults.splice(0)).toEqual([])
})

const open = async (screen: object): Promise<Page> => {
  const context = await portal.browser.newContext({ locale: 'en-GB', ...screen })
  contexts.push(context)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`a script failed: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text())
  })
  return page
}

test('given a browser that makes a key, when its file signs, the request is answered', async () => {
  const page = await open(desktop)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  await signInTo(page, portal.service.address, '/portal/sandbox/developers')
  await page.getByRole('link', { name: 'New API user' }).click()
  await page.getByLabel('Name', { exact: true }).fill('browser')
  await page.getByRole('button', { name: 'Create a key in this browser' }).click()
  await page.getByText('Created in this browser.').waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^sandbox-browser-\d{4}-\d\d-\d\d-\d{6}\.pem$/)
  const pem = await readFile(await file.path(), 'utf8')
  const make = page.getByRole('button', { name: 'Create the user' })
  await make.click()
  // Without saving the key one cannot continue.
  expect(page.url()).toContain('?add')
  await page.getByLabel('I have saved the private key').check()
  await make.click()
  await typeCode(page, 'alice')
  await page.getByText('It can sign requests from now on.').waitFor()
  expect(await statusOfCall(portal.service, signedBy(portal.service, 'browser', pem))).toBe(200)
  expect(sent.some((text) => text.includes('PUBLIC+KEY'))).toBe(true)
  expect(sent.filter((text) => text.includes('PRIVATE'))).toEqual([])
})

test('given the requests, when one is looked for, then it alone is listed', async () => {
  const page = await open(phone)
  await signInTo(page, portal.service.address, '/portal/sandbox/developers/requests')
  const entries = page.locator('details.refused')
  expect(await entries.count()).toBeGreaterThan(2)
  await page.getByLabel('Address, user, request id or field').fill('kiosk')
  await page.getByLabel('Status').selectOption('4xx')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/status=4/)
  expect(await entries.count()).toBe(1)
  await entries.locator('summary').click()
  await page.getByText('Request id', { exact: true }).waitFor()
})

test('given a block of code, when its button is pressed, the clipboard has all of it', async () => {
  const page = await open(desktop)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInTo(page, portal.service.address, '/portal/sandbox/developers')
  await page.locator('.dev-code button').click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toBe(await page.locator('#first').textContent())
  expect(copied).toMatch(/^curl .*\\\n {2}-H /)
})

testLooks('when every page is looked at, then axe-core finds nothing wrong', null, async (look) => {
  const { found, looked } = await faultsOfWalk(walkDevelopers, {
    service: portal.service,
    open: () => open(look),
  })
  expect(found).toEqual([])
  expect(looked.length).toBeGreaterThan(10)
})
