import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
export const desktop = { viewport: { width: 1280, height: 800 } }

export type PageBrowser = { readonly browser: Browser; readonly close: () => Promise<void> }

/** The one without windows takes half of the processor. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser']

/** Chromium with a temporary home directory; CHROMIUM sets its path. */
export const startBrowser = async (): Promise<PageBrowser> => {
  const executablePath =
    process.env['CHROMIUM'] ?? programs.map((name) => `/usr/bin/${name}`).find(existsSync)
  if (executablePath === undefined)
    throw new Error('these tests need Chromium: install it, or name its path in CHROMIUM')
  const home = mkdtempSync(join(tmpdir(), 'daybook-chromium-'))
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
    env: { ...process.env, HOME: home },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/**
 * A shop's address. Only its callback has a page: at any other path the browser stays where it is.
 */
export const startShop = async () => {
  const shop = createServer((request, response) => {
    if (!request.url?.startsWith('/callback')) return void response.writeHead(204).end()
    response.setHeader('Content-Type', 'text/html')
    response.end('<title>shop</title>')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}`,
    close: () => shop.close(),
  }
}
