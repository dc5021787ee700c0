import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { desktop, phone, startBrowser, startShop } from './page-browser.ts'
import { walkPages } from './page-walk.ts'
import { walkSettings } from './walk.ts'
import { startPeopleService } from '../support/people-service.ts'

/**
 * `npm run screenshots -- <folder> [<width>-<scheme>] [<locale>]`: pictures of every page, narrow
 * and wide, light and dark.
 */
const [folder, only = '', locale = 'en-GB'] = process.argv.slice(2)
if (folder === undefined) throw new Error('name a folder: npm run screenshots -- <folder>')
mkdirSync(folder, { recursive: true })

const { browser, close } = await startBrowser()
const shop = await startShop()
for (const [width, screen] of Object.entries({ 390: phone, 1280: desktop }))
  for (const colorScheme of ['light', 'dark'] as const) {
    if (!`${width}-${colorScheme}`.includes(only)) continue
    const service = await startPeopleService(walkSettings)
    const context = { ...screen, colorScheme, locale }
    await walkPages({
      service,
      shopUrl: shop.url,
      open: async () => (await browser.newContext(context)).newPage(),
      seen: async (name, page) => {
        const path = join(folder, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
      },
    })
    await service.stop()
  }
shop.close()
await close()
