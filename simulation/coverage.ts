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

/** What no world can meet, and why. */
export const unmeetable: Readonly<Record<string, string>> = {
  messages_cannot_be_sent: 'only in production',
  moments_are_too_many: 'earlier moments are not asked for: they are made in threads of their own',
  moment_is_being_made: 'as above',
  too_much_is_waiting: 'slow hashes are fast here, so no secret waits',
  secrets_are_wrong_too_often: 'the network of the wanderer would be locked out',
  attachments_are_too_many: 'needs more uploads than a world has requests',
  staff_is_too_large: 'needs 200 people',
  captures_are_too_many: 'needs more captures of a payment than a world has requests',
  refunds_are_too_many: 'as above',
  disputes_are_too_many: 'as above',
  payment_is_amended_too_much: 'as above',
  token_is_bound_to_another_key: 'nobody here has keys of DPoP',
  ProductionBegun: 'only in production',
  VaultRewrapped: 'the vault of the sandbox is not wrapped',
  LossAccepted: 'no log becomes shorter',
  CheckpointCosigned: 'there are no witnesses',
  MerchantRemoved: 'nothing removes a merchant',
  SettlementAccountRemoved: 'nothing removes an account',
  AuditorChanged: 'nothing changes an auditor',
  ChannelChanged: 'nothing changes a channel',
  ChannelRemoved: 'nothing removes a channel',
  DestinationRested: 'an outage of five days would also give up callbacks of the shops',
  DestinationWoken: 'as above',
}

/** What of all there is nothing has met. */
export const unmet = ({ refusals: found, events }: Coverage) => ({
  refusals: refusals
    .map(({ code }) => code)
    .filter((code) => !found.has(code) && !(code in unmeetable)),
  events: Object.keys(eventCatalogue).filter((type) => !events.has(type) && !(type in unmeetable)),
})
