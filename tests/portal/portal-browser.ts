import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startPeopleService, type PeopleService } from '../../harness/people-service.ts'
import { faultsOf } from '../people/accessibility.ts'
import { startBrowser, type PageBrowser } from '../people/page-browser.ts'
import { walkSettings, type Walk } from '../people/walk.ts'

type PortalWalk = Pick<Walk, 'service' | 'open' | 'seen'>

/** A browser and a furnished service for the tests of a file. */
export const portalBrowser = (furnish: (service: PeopleService) => Promise<unknown>) => {
  let chromium: PageBrowser
  let service: PeopleService

  beforeAll(async () => {
    chromium = await startBrowser()
    service = await startPeopleService(walkSettings)
    await furnish(service)
  })
  afterAll(async () => {
    await chromium.close()
    await service.stop()
  })

  return {
    get browser(): Browser {
      return chromium.browser
    },
    get service(): PeopleService {
      return service
    },
  }
}

/** A page that is too wide widens the window of a phone, but not its screen. */
const excess = 'document.documentElement.scrollWidth - Math.min(innerWidth, screen.width)'

/** Cells of lists, and current links, that are cut off by what they stand in. */
const cut = `[...document.querySelectorAll('.flush td, nav [aria-current]')].filter((one) => {
  const [own, around] = [one, one.closest('.flush, nav')].map((box) => box.getBoundingClientRect())
  return own.left < around.left - 1 || own.right > around.right + 1
}).length`

/** Whether a line of code ends where nobody sees it. */
const cutsCode = `[...document.querySelectorAll('main pre')].some(
  (code) => code.scrollWidth > code.clientWidth,
)`

/** What axe-core finds on the pages of a walk, and which of them are too wide or cut off. */
export const faultsOfWalk = async (
  walk: (through: PortalWalk) => Promise<unknown>,
  through: Omit<PortalWalk, 'seen'>,
  mayBeWide: readonly string[] = [],
) => {
  const found: string[] = []
  const looked: string[] = []
  await walk({
    ...through,
    seen: async (name, page) => {
      looked.push(name)
      found.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`))
      if (await page.evaluate(cutsCode)) found.push(`${name}: code is cut at the right`)
      const width = Number(await page.evaluate(excess))
      if (width > 0 && !mayBeWide.includes(name)) found.push(`${name}: ${width} pixels too wide`)
      const hidden = Number(await page.evaluate(cut))
      if (hidden > 0) found.push(`${name}: ${hidden} cells or links are cut off`)
    },
  })
  return { found, looked }
}
