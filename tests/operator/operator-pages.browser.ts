import { expect, test } from 'vitest'
import { desktop, phone } from '../people/page-browser.ts'
import { faultsOfWalk, portalBrowser } from '../portal/portal-browser.ts'
import { walkHouse } from './house-walk.ts'
import { furnishOperator, walkOperator } from './operator-walk.ts'

const operator = portalBrowser(furnishOperator)

test.each([
  { name: 'a phone, dark', screen: phone, colorScheme: 'dark' as const, locale: 'nb' },
  { name: 'a computer, light', screen: desktop, colorScheme: 'light' as const, locale: 'en' },
])(
  'given $name, when the pages of the operator are looked at, axe-core finds nothing',
  async ({ screen, colorScheme, locale }) => {
    const context = await operator.browser.newContext({ ...screen, colorScheme, locale })
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
