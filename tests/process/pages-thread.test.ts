import { mkdtempSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { heardLog, nicenessOfThreads } from '../support/event-log.ts'
import { pagesInThread } from '../../service/pages/pages-client.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const isReady = 'pages are answered in a worker thread'

const threads: Worker[] = []

process.on('worker', (thread) => threads.push(thread))

const overview = '/portal/sandbox/'

/** Only the thread, without a service. */
const threadAlone = (given: Parameters<typeof readSettings>[0]) => {
  const { log, lines, heard } = heardLog()
  const readModels = { position: () => 0, onMoved: () => () => {}, hurry: () => {} }
  const address = () => 'http://daybook.test'
  const vitals = () => Promise.reject(new Error('there is no service'))
  const needs = { settings: readSettings(given), readModels, address, measure: () => {}, vitals }
  const { over, stop } = pagesInThread(needs, log)
  const fetchPage = over((_, { failure }) => new Response(failure?.message ?? 'here'))
  const asked = async (target = overview): Promise<Response> => {
    const read = { method: 'GET', url: target, headers: {}, socket: {}, httpVersionMajor: 1 }
    const bindings = { incoming: read, outgoing: {} } as unknown as Parameters<typeof fetchPage>[1]
    const request = new Request(`http://daybook.test${target}`)
    return (await fetchPage(request, bindings)) as Response
  }
  return { lines, heard, asked, stop }
}

const emptyFolder = (): string => {
  const empty = mkdtempSync(join(tmpdir(), 'daybook-pages-'))
  onTestFinished(() => rmSync(empty, { recursive: true }))
  return empty
}

describe('given a thread that cannot begin,', () => {
  test('then pages are answered here, and the log says why', async () => {
    const given = { DATA_DIR: join(emptyFolder(), 'none'), VAULT: '/dev/null/vault' }
    const { lines, heard, asked, stop } = threadAlone(given)
    expect(await (await asked()).text()).toBe('here')
    await heard('the thread that shows pages has ended')
    expect(await (await asked()).text()).toBe('here')
    expect(lines.filter((line) => line.includes('has ended'))).toHaveLength(1)
    await stop()
  })
})

describe('given a thread that begins,', () => {
  test.runIf(process.platform === 'linux' && getPriority() < 10)(
    'then it yields to requests, but gets its turn on a busy machine',
    async () => {
      const { heard, asked, stop } = threadAlone({ DATA_DIR: emptyFolder() })
      await asked()
      await heard(isReady)
      expect(nicenessOfThreads()).toContain(getPriority() + 10)
      await stop()
    },
  )

  test('when it ends, then what it was reading is not read here', async () => {
    const { heard, asked, stop } = threadAlone({ DATA_DIR: emptyFolder() })
    expect(await (await asked()).text()).toBe('here')
    await heard(isReady)
    const answer = asked()
    await threads.at(-1)?.terminate()
    expect(await (await answer).text()).toBe('the thread that shows pages has ended')
    await stop()
  })
})
