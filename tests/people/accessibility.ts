import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe-core finds wrong with the page, one line for each element. */
export const faultsOf = async (page: Page): Promise<readonly string[]> => {
  // Evaluated from outside the page, which its Content-Security-Policy does not hold back.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResults
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  )
}
