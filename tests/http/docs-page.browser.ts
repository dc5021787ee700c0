import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../../harness/http-service.ts'

const executablePath =
  process.env['CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)
if (executablePath === undefined)
  throw new Error('these tests need Chromium: install it, or say where it is with CHROMIUM')

const pictures = process.env['SCREENSHOTS']
const narrow = { viewport: { width: 360, height: 740 } }
const wide = { viewport: { width: 1280, height: 800 } }

const home = mkdtempSync(join(tmpdir(), 'daybook-chromium-'))
let browser: Browser
let service: Service
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    env: { ...process.env, HOME: home },
  })
  service = await startService()
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  rmSync(home, { recursive: true, force: true })
})

/** What the page asks of others, and what its policy forbids. */
const faults: string[] = []
afterEach(() => {
  expect(faults.splice(0)).toEqual([])
})

const open = async (options: object): Promise<Page> => {
  const page = await browser.newPage(options)
  page.on('console', (message) => faults.push(message.text()))
  page.on('request', (request) => {
    if (request.url() !== `${service.address}/docs`) faults.push(request.url())
  })
  await page.goto(`${service.address}/docs`)
  return page
}

const picture = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** Runs in the page, where no types of ours are. */
const inPage = <Answer>(page: Page, script: string) => page.evaluate<Answer>(script)

const isInView = (page: Page, id: string) =>
  inPage<boolean>(
    page,
    `(() => { const { top } = document.getElementById('${id}').getBoundingClientRect(); return top >= 0 && top < innerHeight })()`,
  )

test.each(['light', 'dark'] as const)(
  'given a small phone in %s, when all is unfolded, then nothing is wider than the screen',
  async (colorScheme) => {
    const page = await open({ ...narrow, colorScheme })
    await picture(page, `docs-phone-${colorScheme}`)
    await inPage(page, `for (const one of document.querySelectorAll('details')) one.open = true`)
    const widest = `Math.max(...[...document.querySelectorAll('*')].map((one) => one.scrollWidth))`
    expect(await inPage(page, widest)).toBeLessThanOrEqual(360)
    expect(await inPage(page, 'document.documentElement.scrollWidth')).toBe(360)
    for (const id of ['signing', 'group-payment-request', 'group-callback', 'schemas']) {
      await inPage(page, `document.getElementById('${id}').scrollIntoView()`)
      await picture(page, `docs-phone-${colorScheme}-${id}`)
    }
    await page.close()
  },
)

test('given a keyboard, when a group is chosen and an operation unfolded, then both are shown', async () => {
  const page = await open(wide)
  await picture(page, 'docs-desktop')
  const focused = () => inPage<string>(page, 'document.activeElement.textContent.trim()')
  const tabTo = async (text: string) => {
    for (let n = 0; !(await focused()).startsWith(text); n++) {
      if (n > 60) expect.fail(`${text} cannot be reached`)
      await page.keyboard.press('Tab')
    }
  }
  await tabTo('Payment request')
  await page.keyboard.press('Enter')
  await expect.poll(() => isInView(page, 'group-payment-request')).toBe(true)
  await tabTo('POST')
  await page.keyboard.press('Enter')
  const link = page.getByRole('link', { name: 'PaymentRequestInput', exact: true }).first()
  expect(await link.isVisible()).toBe(true)
  await picture(page, 'docs-desktop-operation')
  await link.click()
  await expect.poll(() => isInView(page, 'schema-PaymentRequestInput')).toBe(true)
  await picture(page, 'docs-desktop-schema')
  await page.close()
})
