import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rmSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import type { Posted } from '../../../harness/callback-check.ts'
import { newFolder } from '../../../harness/in-process.ts'
import { startServiceProcess } from '../../../harness/service-process.ts'
import { runCommand } from '../../support/shop-process.ts'
import { startBrowser } from '../../people/page-browser.ts'

/** The operator's account. */
export const bankAccount = 'NO9386011117947'

/** Receives the callbacks of a till. */
const startReceiver = async () => {
  const posted: Posted[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => (body += text))
    request.on('end', () => {
      posted.push({ url, headers: request.headers as Record<string, string>, body })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  return { url, posted, close: () => server.close() }
}

/** Waits until the page shows something. */
export const sees = (where: Page | Locator, text: string | RegExp): Promise<void> =>
  where.getByText(text).locator('visible=true').first().waitFor()

/** The table row with this heading. */
export const rowOf = (page: Page, head: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: head, exact: true }) })

/** Follows a link or presses a button with this name. */
export const go = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).first().click()

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).click()

/** The program in the sandbox as started by an operator, a till's receiver, and browsers. */
export const openPlace = async () => {
  const folder = newFolder()
  const settings = { DATA_DIR: folder, BANK_ACCOUNT: bankAccount }
  const [service, chromium, receiver] = await Promise.all([
    startServiceProcess(settings),
    startBrowser(),
    startReceiver(),
  ])
  const faults: string[] = []
  return {
    address: service.address,
    folder,
    receiver,
    /** Errors in a page, collected in the background. */
    faults,
    open: async (screen: object): Promise<Page> => {
      const context = await chromium.browser.newContext({ locale: 'en-GB', ...screen })
      context.setDefaultTimeout(20_000)
      context.on('weberror', (error) => faults.push(error.error().message))
      return context.newPage()
    },
    /** The operator's command, in a separate process. */
    daybook: async (...words: string[]) => {
      const { code, output, errors } = await runCommand(settings, '--json', ...words)
      if (code !== 0) throw new Error(`daybook ${words.join(' ')}: ${errors}`)
      return JSON.parse(output) as Record<string, unknown>
    },
    close: async () => {
      await Promise.all([chromium.close(), service.stop()])
      receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type Place = Awaited<ReturnType<typeof openPlace>>

/** Steps in order, each with its duration. */
export const makeSteps = () => {
  const taken: string[] = []
  return {
    taken,
    step: async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
      const begun = performance.now()
      const result = await work()
      const ms = Math.round(performance.now() - begun)
      taken.push(`${String(taken.length + 1).padStart(2)}. ${name} (${ms} ms)`)
      return result
    },
  }
}
