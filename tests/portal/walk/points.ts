import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { scannedSvg } from '../../people/scanned-svg.ts'
import { a5, printedSizes } from '../printed.ts'
import { go, press, sees } from './place.ts'

export const makePointOfSale = async (page: Page, id: string): Promise<void> => {
  await go(page, 'Overview')
  await sees(page, 'Before the first payment')
  await go(page, 'Make a point of sale')
  await page.getByLabel('Id', { exact: true }).fill(id)
  await page.getByLabel('Name', { exact: true }).fill('The bar')
  await press(page, 'Make it')
  await sees(page, 'Made.')
  await sees(page, 'The bar')
}

const svgPrefix = 'data:image/svg+xml;'

/** What the picture of a code says. */
const scanned = async (page: Page): Promise<string> => {
  const source = (await page.locator('.poster img').getAttribute('src')) ?? ''
  expect(source).toContain(svgPrefix)
  return scannedSvg(await (await fetch(source)).text())
}

/** A code with its poster: one page of A5, with the code that leads to the address below it. */
export const printPoster = async (page: Page): Promise<void> => {
  await go(page, 'New code')
  await page.getByLabel('Description').fill('Table 7')
  await press(page, 'Make it')
  await sees(page, 'Made.')
  const address = await page.locator('.facts code').first().innerText()
  await go(page, 'Print a poster')
  await sees(page, 'Scan to pay')
  await sees(page, 'Table 7')
  expect(await printedSizes(page)).toEqual([a5])
  expect(await scanned(page)).toBe(address)
}
