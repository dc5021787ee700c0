import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPeopleService } from '../support/people-service.ts'
import { walkHouse } from '../operator/house-walk.ts'
import { furnishOperator, walkOperator } from '../operator/operator-walk.ts'
import { desktop, phone, startBrowser } from '../people/page-browser.ts'
import { walkSettings } from '../people/walk.ts'
import { furnishDevelopers, walkDevelopers } from './developers-walk.ts'
import { walkSales } from './payment-walk.ts'
import { furnishPortal, walkPortal } from './portal-walk.ts'
import { walkTake } from './take-walk.ts'

/**
 * `npx tsx tests/portal/screenshots.ts <folder> [<width>-<scheme>] [<area>] [<locale>]`: every
 * page of the portal and of the operator on three screens.
 */
const [folder, only = '', area = '', language] = process.argv.slice(2)
if (folder === undefined) throw new Error('name a folder')
mkdirSync(folder, { recursive: true })

const walks = Object.entries({
  portal: walkPortal,
  sales: walkSales,
  take: walkTake,
  developers: walkDevelopers,
  operator: walkOperator,
  house: walkHouse,
})
const wide = { viewport: { width: 1920, height: 1080 } }
const { browser, close } = await startBrowser()
const service = await startPeopleService({ ...walkSettings })
await furnishPortal(service)
await furnishDevelopers(service)
await furnishOperator(service)
for (const [width, screen] of Object.entries({ 390: phone, 1280: desktop, 1920: wide }))
  for (const colorScheme of ['light', 'dark'] as const) {
    if (!`${width}-${colorScheme}`.includes(only)) continue
    const locale = language ?? (width === '1280' && colorScheme === 'dark' ? 'nb-NO' : 'en-GB')
    const context = await browser.newContext({ ...screen, colorScheme, locale })
    for (const [, walk] of walks.filter(([name]) => name.includes(area)))
      await walk({
        service,
        open: () => context.newPage(),
        seen: async (page, shown) => {
          const path = join(folder, `${page}-${width}-${colorScheme}.png`)
          await shown.screenshot({ path, fullPage: true })
          if (/-(poster|labels)$/.test(page))
            await shown.pdf({ path: join(folder, `${page}.pdf`), preferCSSPageSize: true })
        },
      })
    await context.close()
  }
await service.stop()
await close()
