import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The problems axe-core finds on the page, one line per element. */
export const faultsOf = async (page: Page): Promise<readonly string[]> => {
  // Evaluated from outside the page, to which its Content-Security-Policy does not apply.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResults
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  )
}
