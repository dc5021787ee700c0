import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const script = readFileSync(join(import.meta.dirname, '../../web/portal/portal.js'), 'utf8')

/** The browser's EventSource; each stream that is opened is added to `streams`. */
const eventSource = (streams: { says: (event: string, readyState?: number) => void }[]) =>
  class EventSource {
    static readonly CLOSED = 2
    readyState = 0
    readonly heard = new Map<string, () => void>()
    constructor() {
      const says = (event: string, readyState = 1): void => {
        this.readyState = readyState
        this.heard.get(event)?.()
      }
      streams.push({ says })
    }
    addEventListener(event: string, listener: () => void): void {
      this.heard.set(event, listener)
    }
    close(): void {}
  }

/** The script on a page that follows along; what the server answers is told by the test. */
const openPage = () => {
  const streams: Parameters<typeof eventSource>[0] = []
  const timers: { act: () => void; ms: number }[] = []
  const note = { hidden: true }
  const main = { dataset: { follow: '/events' }, querySelector: () => note }
  const part = {
    ...{ dataset: { part: 'status' }, innerHTML: 'before' },
    ...{ contains: () => false, querySelectorAll: () => [] },
  }
  const EventSource = eventSource(streams)
  let page: { ok: boolean; isOther?: boolean; isOver?: boolean } = { ok: true }
  const parsed = {
    querySelectorAll: () => [],
    querySelector: (which: string) => {
      if (page.isOther) return null
      if (which.startsWith('[data-part')) return { innerHTML: 'after' }
      return page.isOver ? null : { dataset: { follow: '/next' } }
    },
  }
  const document = {
    hidden: false,
    querySelectorAll: (which: string) => (which === '[data-part]' ? [part] : []),
    querySelector: (which: string) => (which === 'main[data-follow]' ? main : null),
  }
  runInNewContext(script, {
    ...{ document, EventSource, location: { href: '/' } },
    ...{ showTimes: () => {}, showCopies: () => {} },
    fetch: async () => ({ ok: page.ok, text: async () => '' }),
    DOMParser: class {
      parseFromString = () => parsed
    },
    addEventListener: () => {},
    setTimeout: (act: () => void, ms: number) => timers.push({ act, ms }),
  })
  return {
    says: (event: string, readyState?: number) => streams.at(-1)?.says(event, readyState),
    /** Runs the timer that comes next; its time. */
    wait: (): number | undefined => {
      const next = timers.shift()
      next?.act()
      return next?.ms
    },
    answers: (given: typeof page) => void (page = given),
    isStale: () => !note.hidden,
    shown: () => part.innerHTML,
    streams: () => streams.length,
    timers,
  }
}

const closed = 2

test('given a stream that is a 502 again and again, then the page says so, and tries on', () => {
  const page = openPage()
  page.says('open')
  page.says('error', 0)
  // The browser connects again by itself.
  expect([page.isStale(), page.timers]).toEqual([false, []])
  page.says('error', closed)
  expect([page.isStale(), page.wait()]).toEqual([true, 4000])
  page.says('error', closed)
  expect([page.isStale(), page.wait()]).toEqual([true, 8000])
  for (let tries = 0; tries < 10; tries++) {
    page.says('error', closed)
    expect(page.wait()).toBeLessThanOrEqual(60_000)
  }
  page.says('open')
  expect(page.isStale()).toBe(false)
  page.says('error', closed)
  expect([page.isStale(), page.wait()]).toEqual([false, 2000])
})

test.each([
  ['is a 502', { ok: false }],
  ['is another, such as the one to sign in', { ok: true, isOther: true }],
])(
  'given a change whose page %s, then the page is stale until it has been fetched',
  async (_, answer) => {
    const page = openPage()
    page.says('open')
    page.answers(answer)
    page.says('changed')
    await expect.poll(page.isStale).toBe(true)
    expect(page.wait()).toBe(3000)
    page.says('open')
    expect(page.isStale()).toBe(true)
    page.answers({ ok: true })
    page.says('changed')
    await expect.poll(page.isStale).toBe(false)
  },
)

test('given a change that ends what a page follows, then it shows that and ends', async () => {
  const page = openPage()
  page.says('open')
  page.answers({ ok: true, isOver: true })
  page.says('changed')
  await expect.poll(page.shown).toBe('after')
  while (page.wait() !== undefined);
  expect([page.isStale(), page.streams()]).toEqual([false, 1])
})
