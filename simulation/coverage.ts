import { readFileSync } from 'node:fs'
import { eventCatalogue } from '../domain/events.ts'
import { refusalFiles } from '../infrastructure/logs/refusals.ts'
import { textOfRefusal } from '../http/refusal-answers.ts'

export type Coverage = {
  readonly routes: Map<string, number>
  readonly refusals: Set<string>
  readonly events: Set<string>
  readonly steps: Map<string, number>
}

export const newCoverage = (): Coverage => ({
  routes: new Map(),
  refusals: new Set(),
  events: new Set(),
  steps: new Map(),
})

export const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

type Place = { readonly method: string; readonly path: string }

/** As the OpenAPI document names it. */
export const nameOf = ({ method, path }: Place): string =>
  `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`

/** Finds the route of a request. */
export const routeFinder = (routes: readonly Place[]) => {
  const patterns = routes.map(({ method, path }) => {
    const pattern = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '[^/]+').replaceAll('*', '.*')
    return { method, name: nameOf({ method, path }), pattern: new RegExp(`^${pattern}$`) }
  })
  return (method: string, path: string): string | undefined => {
    const [plain = ''] = path.replace(/^https?:\/\/[^/]+/, '').split('?')
    return patterns.find((one) => one.method === method && one.pattern.test(plain))?.name
  }
}

const source = readFileSync(new URL('../domain/refusal.ts', import.meta.url), 'utf8')

/** Each refusal has a text of its own. */
const refusals = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code = '']) => ({
  code,
  text: JSON.stringify(textOfRefusal(code) ?? code).slice(1, -1),
  ofCommand: `${code.replaceAll('_', ' ')}\n`,
}))

export const noteRefusals = ({ refusals: found }: Coverage, text: string): void => {
  for (const { code, text: told, ofCommand } of refusals)
    if (text.includes(told) || text.startsWith(ofCommand)) found.add(code)
}

/** Those of pages are told in other words, but the log of refusals names each. */
export const noteRefusalLog = ({ refusals: found }: Coverage, folder: string): void => {
  const rules = refusalFiles(folder).flatMap(({ file }) =>
    [...readFileSync(file, 'utf8').matchAll(/"rule":"(\w+)"/g)].map(([, rule = '']) => rule),
  )
  for (const { code } of refusals) if (rules.includes(code)) found.add(code)
}

const shareOf = (met: number, all: number): string =>
  `${met} of ${all} (${Math.round((100 * met) / all)} %)`

export const coverageText = ({ routes, refusals: found, events }: Coverage, all: number): string =>
  [
    `routes    ${shareOf(routes.size, all)}`,
    `refusals  ${shareOf(found.size, refusals.length)}`,
    `events    ${shareOf(events.size, Object.keys(eventCatalogue).length)}`,
  ].join('\n')

/** What of all there is nothing has met. */
export const unmet = ({ refusals: found, events }: Coverage) => ({
  refusals: refusals.map(({ code }) => code).filter((code) => !found.has(code)),
  events: Object.keys(eventCatalogue).filter((type) => !events.has(type)),
})
