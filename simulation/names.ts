import { codeAt } from '../infrastructure/people/one-time-codes.ts'
import { sandboxPayers } from '../service/sandbox/sandbox-data.ts'
import { pick, wholeBelow, type Random } from './random.ts'

/** What a world knows, by the name of the field that takes it; the newest last. */
export type Names = Map<string, unknown[]>

const keptOfEach = 30

/** People whom only the acts and the visitors know; what the shops ask concerns none of them. */
export const people = {
  carol: { phone: '+4740000011', pin: '4821', secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
  dave: { phone: '+4740000012', pin: '9376', secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' },
  erin: { phone: '+4740000013', pin: '5274', secret: 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU' },
} as const
export type Person = keyof typeof people

/** Who only reads, when all is done, and whom nobody locks out or sends away before. */
export const onlooker = 'erin'

/** Who open payment links and scan codes. */
export const linkPayers = ['alice', 'bob', onlooker] as const
export type LinkPayer = (typeof linkPayers)[number]

export const newNames = (): Names =>
  new Map<string, unknown[]>([
    ['pos_id', ['till-1']],
    ['ledger', ['default']],
    ['ledger_id', ['default']],
    ['report_id', ['1', '2']],
    ['settlement_id', ['1']],
    ['settlement_account_id', ['default']],
    ['merchant_id', ['sandbox']],
    ['merchant', ['sandbox']],
    ['user_id', ['pos1', 'wanderer']],
    ['value', ['2000', '1003']],
    ['currency', ['NOK', 'nok', 'JPY']],
    ['amount', ['100.00', '12.50', 100]],
    ['customer', ['4799999901', '+4799999902']],
    ['payer', ['alice', 'bob']],
    ['required_scope', ['openid', 'openid profile phone']],
    ['phone', [people.carol.phone, people.dave.phone]],
    ['callback_uri', ['https://sandbox.example/hook']],
    ['id', ['pos1', 'wanderer']],
    ['tag', ['one', 'two', 'three', 'four', 'five']],
    ['scope', ['openid', 'openid profile', 'openid profile phone email', 'phone']],
    ['signed', ['-25.00', '12.50', '-9000.00', '300.00']],
    ['day', ['2026-04-02', '2026-05-01', '2026-06-15']],
    ['redirect_uri', ['https://shop.example/callback']],
  ])

/** Of several values the newest is kept longest. */
export const learn = (names: Names, name: string, value: unknown): void => {
  if (value === undefined || value === null) return
  const known = (names.get(name) ?? []).filter((one) => one !== value)
  names.set(name, [...known, value].slice(-keptOfEach))
}

const evenly: readonly string[] = ['tag', 'phone', 'scope', 'signed', 'day']

/** Mostly the newest: what goes together was made together. */
const oneOf = (random: Random, name: string, values: readonly unknown[]): unknown =>
  random() < 0.7 && !evenly.includes(name) ? values.at(-1) : pick(random, values)

const counts = (random: Random): Readonly<Record<string, unknown>> => ({
  digits: String(1e7 + wholeBelow(random, 9e7)).slice(1),
  pay: pick(random, ['10.00', '100.00', '250.00', '1500.00', '6000.00']),
})

/** By the service's clock, and by the machine's. */
type Now = { readonly n: number; readonly at: number; readonly machine: number }

const ofSecret = (kind: string, names: Names, at: number): string | undefined => {
  const secret =
    kind in people
      ? people[kind as Person].secret
      : kind in sandboxPayers
        ? sandboxPayers[kind as keyof typeof sandboxPayers].codeSecret
        : names.get(kind)?.at(-1)
  return typeof secret === 'string' ? codeAt(secret, at) : undefined
}

const placeholder = /\{(!?[a-z_]+)(?::([a-z_]+))?\}/g

/** What a text needs that only a world can know. */
export const needsOf = (text: string): readonly string[] =>
  [...text.matchAll(placeholder)]
    .map(([, name = '', of]) => (name === 'code' ? (of ?? '') : name))
    .filter((name) => !['n', 'digits', 'pay', 'folder', 'since', ''].includes(name))
    .filter((name) => !(name in people) && !(name in sandboxPayers))

type Filling = {
  readonly random: Random
  readonly names: Names
  readonly now: Now
  /** What the names mean, once they are drawn. */
  readonly drawn: Map<string, string>
}

/** A text with names replaced by what is known; `written` says how a value stands in it. */
export const filled = (
  text: string,
  { random, names, now, drawn }: Filling,
  written: (value: string) => string,
): string => {
  const valueOf = (name: string): string => {
    const values = names.get(name) ?? []
    const value = counts(random)[name] ?? (values.length > 0 ? oneOf(random, name, values) : '')
    const known = drawn.get(name) ?? String(value)
    drawn.set(name, known)
    return known
  }
  return text.replace(placeholder, (all, name: string, of: string | undefined) => {
    if (name === 'folder') return all
    if (name === 'n') return String(now.n)
    if (name === 'since')
      return new Date(now.at - 3.6e6).toISOString().slice(0, 19).replace('T', ' ')
    if (name === 'code') return ofSecret(of ?? '', names, now.machine) ?? '000000'
    return written(valueOf(name))
  })
}
