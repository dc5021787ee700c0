import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from './paced.ts'
import { numbersFrom } from './portal-histories.ts'
import type { PortalLog } from './portal-log.ts'
import { codeOf, posOf, shop } from './portal-merchants.ts'

/** Pages that staff open, common ones more often. */
const pagesOf = ({ tids, customers }: PortalLog): readonly string[] => [
  ...['', '', '', 'payments', 'payments', 'payments?status=auth', 'payments?status=refunded'],
  ...[`payments?pos=${posOf(3)}`, `payments?q=${customers[3]}`, 'payments?sort=largest'],
  ...Object.values(tids).map((tid) => `payments/${tid}`),
  ...['money', 'money/settlements/1', 'money/ledgers/default/reports/2', 'points-of-sale'],
  ...[`points-of-sale/code/${codeOf(3)}`, 'developers/callbacks', 'messages', 'staff'],
]

type Browsing = {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly log: PortalLog
  readonly people: number
}

/** People who each open another page every two to five seconds, and receive live updates. */
export const startBrowsing = ({ address, headers, log, people }: Browsing) => {
  const pages = pagesOf(log)
  const below = numbersFrom(11)
  const latencies: number[] = []
  const ending = new AbortController()
  let renewals = 0

  const look = async (path: string): Promise<string> => {
    const began = performance.now()
    const response = await fetch(`${address}/portal/${shop}/${path}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${path}`)
    latencies.push(performance.now() - began)
    return text
  }

  /** Like the page's script: fetches the page again on each event, until the person leaves it. */
  const follow = async (path: string, shown: string, until: number): Promise<void> => {
    let html = shown
    while (performance.now() < until && !ending.signal.aborted) {
      const [, events] = /<main[^>]* data-follow="([^"]*)"/.exec(html) ?? []
      if (events === undefined) return
      const left = AbortSignal.timeout(Math.ceil(Math.max(1, until - performance.now())))
      const signal = AbortSignal.any([left, ending.signal])
      try {
        const source = address + events.replaceAll('&amp;', '&')
        const stream = await fetch(source, { headers, signal })
        if (!(await stream.text()).includes('changed')) return
      } catch {
        return
      }
      html = await look(path)
      renewals += 1
      await pause(3_000)
    }
  }

  const browse = async (): Promise<void> => {
    await pause(below(3_000))
    while (!ending.signal.aborted) {
      const path = pages[below(pages.length)] ?? ''
      const until = performance.now() + 2_000 + below(3_000)
      await follow(path, await look(path), until)
      await pause(Math.max(0, until - performance.now()))
    }
  }

  const all = Array.from({ length: people }, browse)
  return {
    /** Resolves when everybody has closed their last page. */
    stop: async () => {
      ending.abort()
      await Promise.all(all)
      const sorted = latencies.toSorted((a, b) => a - b)
      const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)]
      return { pages: latencies.length, renewals, p50, p99 }
    },
  }
}
