import type { Page } from 'playwright-core'

/** The page sizes that a printer would get, in points. */
export const printedSizes = async (page: Page): Promise<readonly string[]> => {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)]
  return boxes.map(
    ([, width, height]) => `${Math.round(Number(width))}x${Math.round(Number(height))}`,
  )
}

export const a5 = '420x595'
export const a4 = '595x842'
