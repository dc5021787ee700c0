import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { fetchCallbackKeys, problemsOf } from '../../../harness/callback-check.ts'
import { go, press, sees, type Place } from './place.ts'
import type { Owner } from './sign-up.ts'

/** Creates an API user with a key made in the browser; returns the private key. */
export const makeUser = async ({ page, nextCode }: Owner, user: string): Promise<string> => {
  await go(page, 'Developers')
  await sees(page, 'No API users yet')
  await go(page, 'New API user')
  await page.getByLabel('Name', { exact: true }).fill(user)
  await press(page, 'Create a key in this browser')
  await sees(page, 'Created in this browser.')
  const [file] = await Promise.all([page.waitForEvent('download'), go(page, 'Download')])
  expect(file.suggestedFilename()).toMatch(new RegExp(`-${user}-[-\\d]+\\.pem$`))
  await page.getByLabel('I have saved the private key').check()
  await press(page, 'Create the user')
  await page.getByLabel('One-time code').fill(await nextCode())
  await press(page, 'Continue')
  await sees(page, 'It can sign requests from now on.')
  return readFile(await file.path(), 'utf8')
}

export const registerApplication = async ({ page, nextCode }: Owner): Promise<void> => {
  await go(page, 'Developers')
  await go(page, 'Applications')
  await go(page, 'New application')
  await page.getByLabel('Name', { exact: true }).fill('Coffee club')
  await page.getByLabel('Redirect URIs').fill('https://club.example/back')
  await press(page, 'Register')
  await page.getByLabel('One-time code').fill(await nextCode())
  await press(page, 'Continue')
  await sees(page, 'it is shown only once')
  expect((await page.locator('#secret').innerText()).length).toBeGreaterThan(30)
  await sees(page, 'https://club.example/back')
}

/** Shows a callback with its attempt; the receiving till can verify it. */
export const seeCallback = async (
  place: Place,
  page: Page,
  merchant: string,
  event: string,
): Promise<void> => {
  await go(page, 'Developers')
  await go(page, 'Callbacks')
  const row = page.locator('tr', { hasText: event })
  await sees(row, 'Delivered')
  await row.getByRole('link').click()
  const attempt = page.getByRole('row', { name: place.receiver.url })
  await sees(attempt, '204')
  const message = await page.locator('#message').innerText()
  expect(await page.locator('#body').innerText()).toContain(`"event": "${event}"`)
  const taken = place.receiver.posted.find(({ headers }) => headers['webhook-id'] === message)
  if (!taken) throw new Error(`the till has not taken the message ${message}`)
  expect(problemsOf(taken, await fetchCallbackKeys(place.address), merchant)).toEqual([])
}
