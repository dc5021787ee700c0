import { fail } from '../infrastructure/failures.ts'
import type { ExplainedRefusal } from '../audit/explain/decide-again.ts'
import type { RefusalFilter } from '../application/refused-request.ts'
import { explainRefusal, findRefusals } from '../service/refusal-reader.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { line, onLog, value, type ValuesOf } from './command.ts'
import { instantOf } from './arguments.ts'
import { withVaultBeside } from '../infrastructure/vault-streams/vault.ts'

type TextOfRefusal = (code: string) => string | undefined

const secondMs = 1_000

const minuteMs = 60_000

/** A time, or a time of today in UTC. */
const momentOf = (text: string): number => {
  const isOfToday = /^\d\d:\d\d:\d\d$/.test(text)
  return instantOf(isOfToday ? `${new Date().toISOString().slice(0, 10)}T${text}` : text)
}

const options = {
  at: value('<time>', 'of this second: 12:03:11 of today, or 2026-05-17T12:03:11Z', momentOf),
  from: value('<time>', 'only from this time on', momentOf),
  to: value('<time>', 'only before this time', momentOf),
  merchant: value('<id>', 'only of this merchant'),
  actor: value('<name>', 'only of this one, for instance user:pos1'),
  request: value('<id>', 'only of this request, by its X-Request-Id'),
}

type Chosen = ValuesOf<typeof options>

const secondOf = (at: number): number => Math.floor(at / secondMs) * secondMs

const filterOf = ({ at, from = 0, to = Infinity, ...who }: Chosen): RefusalFilter => {
  const within = at === undefined ? { from, to } : { from: secondOf(at), to: secondOf(at) + 1000 }
  return { ...(who as Omit<RefusalFilter, 'from' | 'to'>), ...within }
}

const decidedAgain = ({ again, rule }: ExplainedRefusal): readonly string[] => {
  if (!again) return []
  const { position, asked, then, refused, events } = again
  const same = refused?.includes(rule) ? ', the same rule' : ''
  const verdict = refused
    ? `decided again: refused, ${refused.join(', ')}${same}`
    : `decided again: it would be allowed: ${events.join(', ') || 'nothing would change'}`
  return [
    `asked: ${asked}`,
    ...(then === '' ? [] : [`then: ${then}`]),
    position === undefined ? 'as of: before its first event' : `as of: event ${position}`,
    verdict,
  ]
}

const inWords = (refusal: ExplainedRefusal, textOf: TextOfRefusal): string => {
  const { at, actor, merchant, method, path, target, status, rule, request, stream } = refusal
  const text = textOf(rule)
  const of = merchant === null ? '' : ` of ${merchant}`
  const lines = [
    `rule: ${rule}${text === undefined ? '' : ` (${text})`}`,
    `request: ${request}`,
    ...(stream === undefined ? [] : [`about: ${stream}, revision ${refusal.revision}`]),
    ...decidedAgain(refusal),
  ]
  const head = `${at}  ${actor}${of}  ${method} ${target ?? path}  ${status}`
  return [head, ...lines.map((one) => `  ${one}`), ''].join('\n')
}

/** Fails with the times of the nearest refusals, if there are none at that moment. */
const failWithNearest = (settings: Settings, chosen: Chosen, at: number): never => {
  const near = { ...filterOf(chosen), from: at - minuteMs, to: at + minuteMs }
  const times = findRefusals(settings.DATA_DIR, near, true).map((one) => one.at)
  const moment = new Date(at).toISOString()
  if (times.length === 0) return fail(`nothing was refused within a minute of ${moment}`)
  return fail(`nothing was refused at ${moment}, but at ${times.slice(0, 10).join(', ')}`)
}

export const refusalsCommand = onLog({
  name: 'refusals',
  about: 'print refused requests of the last 90 days, each decided again as things stood',
  options,
  run: ({ settings, store, isJson }, chosen) =>
    withVaultBeside(settings, async (vault) => {
      const found = findRefusals(settings.DATA_DIR, filterOf(chosen), true)
      if (found.length === 0 && chosen.at !== undefined)
        failWithNearest(settings, chosen, chosen.at)
      const { textOfRefusal } = await import('../service/server.ts')
      const key = vault?.secret('refusals')
      for (const one of found) {
        const refusal = await explainRefusal(store, key, one)
        if (isJson()) line(refusal)
        else process.stdout.write(`${inWords(refusal, textOfRefusal)}\n`)
      }
    }),
})
