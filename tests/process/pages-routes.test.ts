import { rmSync } from 'node:fs'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { foldedElsewhere } from '../../infrastructure/read-models/folding.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openService } from '../../service/answer.ts'
import { openPages } from '../../service/pages.ts'

type Listed = { readonly method: string; readonly path: string }

const pagesOf = (routes: readonly Listed[]): string[] =>
  routes
    .filter(({ path }) => /^\/(?:portal|operator|audit)(?:\/|$)/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
    .sort()

test('the thread that shows pages has every page of the service, and nothing else', async () => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = readSettings({ DATA_DIR: folder, MODE: 'sandbox' })
  const log = pino({ level: 'silent', errorKey: 'error' }) as Log
  const address = () => 'http://daybook.test'
  const { core, routes, service } = await openService(settings, log, { address })
  const { folded } = foldedElsewhere(() => {}, core.readModels.position())
  const vitals = service.vitals
  const pages = await openPages(settings, log, { address, folded, measure: () => {}, vitals })
  onTestFinished(async () => {
    await pages.close()
    await service.stop()
    await core.close()
  })
  expect(pagesOf(pages.routes)).toEqual(pagesOf(routes))
  expect(pages.routes).toHaveLength(pagesOf(pages.routes).length)
  expect(pages.routes.length).toBeGreaterThan(100)
})
