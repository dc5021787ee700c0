import type { Page } from 'playwright-core'
import { readSheet } from 'read-excel-file/node'
import { expect } from 'vitest'
import { go, press, rowOf, sees } from './place.ts'
import { openPayment } from './sale.ts'

const minorOf = (text: string): number =>
  Math.round(Number(text.replaceAll(/[^\d.−]/g, '').replace('−', '-')) * 100)

/** The sum beside a name in a table, in minor units. */
const sumBeside = async (page: Page, name: string): Promise<number> =>
  minorOf(await rowOf(page, name).locator('td').innerText())

/** Closes the report that contains the payment; the page updates itself. */
export const closeReport = async (page: Page): Promise<void> => {
  await openPayment(page)
  await go(page, 'Report 1 of default')
  await sees(page.getByRole('heading', { level: 1 }), 'Open')
  await go(page, 'Close report 1')
  await sees(page, 'Close report 1 of default?')
  await press(page, 'Close report 1')
  await sees(page, 'Closed. The transaction logs are being made.')
  await page.locator('h1 .badge', { hasText: /^Closed$/ }).waitFor()
}

/** Opens the report's workbook: its sums equal those on the page. */
export const readWorkbook = async (page: Page): Promise<void> => {
  const [file] = await Promise.all([page.waitForEvent('download'), go(page, 'Transactions, Excel')])
  expect(file.suggestedFilename()).toMatch(/\.xlsx$/)
  const path = await file.path()
  const summary = new Map((await readSheet(path, 1)).map(([name, sum]) => [name, sum]))
  const [columns = [], ...lines] = await readSheet(path, 2)
  const at = (name: string) => columns.indexOf(name)
  const cells = (name: string) => lines.map((line) => Number(line[at(name)] ?? 0))
  const net = cells('net').reduce((sum, cell) => sum + Math.round(cell * 100), 0)
  for (const [name, sum] of [
    ['Turnover less refunds', 10_000],
    ['Net', net],
  ] as const) {
    expect(await sumBeside(page, name)).toBe(sum)
    expect(Math.round(Number(summary.get(name)) * 100)).toBe(sum)
  }
  const moved = lines.map((line) => [line[at('action')], Number(line[at('amount')])])
  expect(moved).toContainEqual(['capture', 124.5])
  expect(moved).toContainEqual(['refund', -24.5])
}

/** Moves the shared clock, which ends the session. */
export const moveClock = async (page: Page): Promise<void> => {
  await go(page, 'Developers')
  await go(page, 'Sandbox')
  await press(page, '1 week forward')
  await page.getByLabel('Phone number').waitFor()
}

/** Shows the settlement that took the payment, from its page. */
export const seeSettlement = async (page: Page): Promise<void> => {
  await openPayment(page)
  await page.locator('a[href*="/money/settlements/"]').first().click()
  await sees(page, 'From turnover to payout')
  await sees(page.locator('.lead'), 'Due')
  expect(await sumBeside(page, 'Turnover')).toBe(12_450)
  expect(await sumBeside(page, 'Payout')).toBe(10_000)
  await page.evaluate('window.isSamePage = true')
}
