import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Each page reads it anew: the small one takes half of the time. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The problems axe-core finds on the page, one line per element. */
export const faultsOf = async (page: Page): Promise<readonly string[]> => {
  // Evaluated from outside the page, to which its Content-Security-Policy does not apply.
  await page.evaluate(axe)
  // All of the results would take as long to hand over as the problems to find.
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as AxeResults['violations']
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  )
}
