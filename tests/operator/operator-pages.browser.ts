import { expect } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { faultsOfWalk, portalBrowser } from '../portal/portal-browser.ts'
import { walkHouse } from './house-walk.ts'
import { furnishOperator, walkOperator } from './operator-walk.ts'

const operator = portalBrowser(furnishOperator)

testLooks(
  'when the pages of the operator are looked at, axe-core finds nothing',
  null,
  async (look) => {
    const context = await operator.browser.newContext(look)
    const { found, looked } = await faultsOfWalk(
      async (through) => {
        await walkOperator(through)
        await walkHouse(through)
      },
      { service: operator.service, open: () => context.newPage() },
    )
    await context.close()
    expect(found).toEqual([])
    expect(looked.length).toBeGreaterThan(25)
  },
)
