import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPeopleService } from '../../harness/people-service.ts'
import { desktop, phone, startBrowser } from '../people/page-browser.ts'
import { walkSettings } from '../people/walk.ts'
import { furnishPortal, walkPortal } from './portal-walk.ts'

/** `npx tsx tests/portal/screenshots.ts <folder>`: pages of the portal on three screens. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name a folder')
mkdirSync(folder, { recursive: true })

const wide = { viewport: { width: 1920, height: 1080 } }
const { browser, close } = await startBrowser()
const service = await startPeopleService({ ...walkSettings })
await furnishPortal(service)
const only = process.argv[3]
for (const [width, screen] of Object.entries({ 390: phone, 1280: desktop, 1920: wide }))
  for (const colorScheme of ['light', 'dark'] as const) {
    if (only !== undefined && !`${width}-${colorScheme}`.includes(only)) continue
    const locale = width === '1280' && colorScheme === 'dark' ? 'nb-NO' : 'en-GB'
    const context = await browser.newContext({ ...screen, colorScheme, locale })
    await walkPortal({
      service,
      open: () => context.newPage(),
      seen: async (name, page) => {
        const path = join(folder, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
      },
    })
    await context.close()
  }
await service.stop()
await close()
