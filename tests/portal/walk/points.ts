import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { scannedSvg } from '../../people/scanned-svg.ts'
import { a5, printedSizes } from '../printed.ts'
import { go, press, sees } from './place.ts'

export const makePointOfSale = async (page: Page, id: string): Promise<void> => {
  await go(page, 'Overview')
  await sees(page, 'From the first day to the first payout')
  await go(page, 'Create a point of sale')
  await page.getByLabel('Id', { exact: true }).fill(id)
  await page.getByLabel('Name', { exact: true }).fill('The bar')
  await press(page, 'Create')
  await sees(page, 'Created.')
  await sees(page, 'The bar')
}

const svgPrefix = 'data:image/svg+xml;'

/** The text in the picture of a code. */
const scanned = async (page: Page, picture = '.poster img'): Promise<string> => {
  const source = (await page.locator(picture).getAttribute('src')) ?? ''
  expect(source).toContain(svgPrefix)
  return scannedSvg(await (await fetch(source)).text())
}

/** A code with its A5 poster, and a table's label; each leads to its target. */
export const printCodes = async (page: Page): Promise<void> => {
  await go(page, 'New code')
  await page.getByLabel('Description').fill('Restaurant')
  await press(page, 'Create')
  await sees(page, 'Created.')
  const address = await page.locator('.facts code').first().innerText()
  await go(page, 'Print a poster')
  await sees(page, 'Scan to pay')
  await sees(page, 'Restaurant')
  expect(await printedSizes(page)).toEqual([a5])
  expect(await scanned(page)).toBe(address)
  await page.goBack()
  await page.getByLabel('Which tables?').fill('7')
  await press(page, 'Preview labels')
  await sees(page, 'Labels: 1')
  expect(await scanned(page, '.labels img')).toBe(`${address}Table%207`)
}
