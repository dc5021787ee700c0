import { readFileSync } from 'node:fs'
import { Finding } from './oracle/books.ts'
import { bankFile, type BankWay } from './bank-files.ts'
import { askUnchanged, eventsSince, type Play } from './known.ts'
import { filled, learn, needsOf, people, type Names, type Person } from './names.ts'
import { randomFrom, weighted, type Random } from './random.ts'
import type { Numbered, Step } from './steps.ts'
import { checkWritten, feesOf } from './reads.ts'
import { goOn, open } from './visitors.ts'
import type { SentRequest, Who } from './world.ts'

type Act = {
  readonly text: string
  readonly who: string
  readonly what: string
  /** What the world learns, by name: where it stands in the answer. */
  readonly gives: readonly (readonly [string, string])[]
  readonly right: readonly number[] | undefined
  readonly needs: readonly string[]
}

const pattern = /^(\S+) (.*?)(?: -> ([^{=]+=.*?))?(?: = ([\d,]+))?$/

const readAct = (text: string): Act => {
  const [, who = '', what = '', gives = '', right] = pattern.exec(text) ?? []
  const token = /^token:(\w+)$/.exec(who)?.[1]
  return {
    text,
    who,
    what,
    gives: gives
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => one.split('=') as [string, string]),
    right: right?.split(',').map(Number),
    needs: [...needsOf(what), ...needsOf(gives), ...(token === undefined ? [] : [token])],
  }
}

const source = readFileSync(new URL('../simulation/acts.txt', import.meta.url), 'utf8')

export const acts: readonly Act[] = source
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(readAct)

/** What changes an account, a merchant or who may do what for good: rare, or little else is met. */
const isEnding = ({ what }: Act): boolean =>
  /\b(?:disable|remove|erase|close\/|DELETE|reject)\b/.test(what)

/** Draws acts that can be done by what is known; mostly one that follows from the last, or new. */
export const actsFrom = (random: Random) => {
  const done = new Map<string, number>()
  let given: readonly string[] = []
  return ({ names }: Pick<Play, 'names'>): Step => {
    const possible = acts.filter(({ needs }) => needs.every((name) => names.has(name)))
    const next = possible.filter(({ needs }) => needs.some((name) => given.includes(name)))
    const from = next.length > 0 && random() < 0.6 ? next : possible
    const weights = from.map((act, at) => {
      const times = done.get(act.text) ?? 0
      return [String(at), (isEnding(act) ? 0.4 : 1) / (1 + times) ** 2] as const
    })
    const act = from[Number(weighted(random, Object.fromEntries(weights)))] as Act
    done.set(act.text, (done.get(act.text) ?? 0) + 1)
    given = act.gives.map(([name]) => name)
    return { do: 'act', act: act.text, seed: Math.floor(random() * 1e9) }
  }
}

const aboutMoney =
  /payment_request|shortlink|ledger|dispute|correction|settle|invoice|payout|funding|bank/

/** Each act about money once, as soon as it can be done, and last those that end something. */
export const actsAtLast = (random: Random) => {
  const left = acts.filter(({ who, what }) => aboutMoney.test(`${who} ${what}`))
  return ({ names }: Pick<Play, 'names'>): Step | undefined => {
    const possible = left.filter(({ needs }) => needs.every((name) => names.has(name)))
    const act = possible.find((one) => !isEnding(one)) ?? possible[0]
    if (act) left.splice(left.indexOf(act), 1)
    return act && { do: 'act', act: act.text, seed: Math.floor(random() * 1e9) }
  }
}

const memberAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as any)?.[name], body)

/** Interface 15.2: an item list, as a part of a form. */
const part = {
  type: 'multipart/form-data; boundary=cut',
  body: [
    '--cut',
    'Content-Disposition: form-data; name="list"',
    'Content-Type: application/vnd.service.itemlist.v1+json',
    '',
    '{"items":[{"item_name":"Tea","quantity":1,"item_gross_total":"1.00"}]}',
    '--cut--',
    '',
  ].join('\r\n'),
}

const typeOf = (body: string): string =>
  body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'

/** As who asks, and with which credentials. */
const askerOf = (who: string, names: Names): Partial<SentRequest> => {
  const [, token] = /^token:(\w+)$/.exec(who) ?? []
  if (token !== undefined)
    return { headers: { Authorization: `Bearer ${String(names.get(token)?.at(-1))}` } }
  if (who === 'nobody') return {}
  if (who.startsWith('pos1')) return { as: 'sandbox' }
  return { as: 'sandbox', isSigned: true, secondsAgo: Number(who.split('-')[1] ?? 0) }
}

type Of = {
  readonly play: Play
  readonly random: Random
  readonly act: Act
  readonly n: number
  /** What has been drawn, so that a name means one thing in an act. */
  readonly drawn: Map<string, string>
}

const fillIn = (
  { play: { names, world }, random, n, drawn }: Of,
  text: string,
  written = (value: string) => value,
) =>
  filled(
    text,
    { random, names, drawn, now: { n, at: world.now(), machine: world.clock() } },
    written,
  )

const learnFrom = (of: Of, body: unknown, sent: string): void => {
  for (const [name, path] of of.act.gives) {
    const found = path.startsWith('{')
      ? fillIn(of, path)
      : path.startsWith('#')
        ? memberAt(JSON.parse(sent), path.slice(1))
        : memberAt(body, path)
    const digits = name.endsWith('_code') ? /\b\d{6}\b/.exec(String(found))?.[0] : undefined
    learn(of.play.names, name, digits ?? found)
  }
}

/** Whoever else acts in this world may have ended what this needs: refused, it has done nothing. */
const isRefused = (status: number): boolean => status >= 400 && status < 500

const request = async (of: Of): Promise<void> => {
  const { play, act } = of
  const { who, what } = act
  const [method = '', template = '', ...words] = what.split(' ')
  const given = words.join(' ')
  const path = fillIn(of, template, encodeURIComponent).replace(/^http.*?(?=%2F|\/{1}(?!\/))/, '')
  const isPart = given === '--part'
  const quoted = (value: string) => JSON.stringify(value).slice(1, -1)
  const body = isPart
    ? part.body
    : fillIn(of, given, given.startsWith('{') ? quoted : encodeURIComponent)
  const { headers, ...asker } = askerOf(who, play.names)
  const type = isPart ? part.type : typeOf(body)
  const asked: SentRequest = {
    method,
    path: path.includes('%2F') ? decodeURIComponent(path) : path,
    from: '192.0.2.3',
    ...asker,
    ...(body !== '' && { body }),
    headers: { ...headers, ...(body !== '' && { 'Content-Type': type }) },
  }
  const times = Number(/x(\d+)$/.exec(who)?.[1] ?? 1)
  for (let time = 0; time < times; time += 1) {
    const answer = await askUnchanged(play, asked)
    const { status, text } = answer
    play.tell(`${who}: ${method} ${asked.path} ${body.slice(0, 200)} → ${status}`)
    if (status < 400) learnFrom(of, answer.body, body)
    if (act.right && !act.right.includes(status) && !isRefused(status))
      throw new Finding('acts', `${act.text} was answered ${status}: ${text.slice(0, 500)}`)
    await checkWritten(play, asked, answer)
  }
}

/** Words of a command; quoted ones may have blanks. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

const noteFees = async (play: Play, merchant: Who): Promise<void> => {
  const count = (await feesOf(play, merchant)).length
  const seen = { at: play.world.now(), count }
  play.schedules.set(merchant, [...(play.schedules.get(merchant) ?? []), seen])
}

/** 7.1: a merchant is disabled until it is enabled, and the list says so. */
const checkSwitched = async (play: Play, [, way, merchant]: readonly string[]): Promise<void> => {
  const { printed } = await play.world.command('ann', ['merchant', 'list'])
  const shown = (printed ?? []).find(({ id }: { readonly id: string }) => id === merchant)
  if (shown?.enabled !== (way === 'enable'))
    throw new Finding('switched', `after ${way}, ${merchant} is enabled: ${shown?.enabled}`)
}

/** A command that fails has done nothing. */
const command = async (of: Of, words: readonly string[]): Promise<void> => {
  const { play, act } = of
  const before = await eventsSince(play)
  const { code, errors, printed } = await play.world.command(act.who, words)
  play.onRefusal(errors)
  play.tell(`${act.who} runs ${words.join(' ')} → ${code} ${errors.slice(0, 200)}`)
  if (code === 0) {
    learnFrom(of, printed, '{}')
    if (act.what.startsWith('fees set')) return noteFees(play, words[2] as Who)
    return /^merchant (?:en|dis)able/.test(act.what) ? checkSwitched(play, words) : undefined
  }
  const done = (await before()).filter(({ metadata }) => {
    const { account } = (metadata['operator'] ?? {}) as { readonly account?: string }
    return account === act.who
  })
  if (done.length > 0)
    throw new Finding('unchanged', `${act.text}: it failed, but ${done[0]?.type}`)
}

const bank = async (of: Of): Promise<void> => {
  const { play, n, act } = of
  const file = await bankFile(play, act.what as BankWay, n, of.random)
  if (file === undefined) return play.tell('the bank has nothing to say')
  const words = ['bank', 'import', file]
  await command({ ...of, act: { ...act, who: 'ann' } }, words)
  // 20.2: what a file tells is known by then.
  const before = await eventsSince(play)
  await play.world.command('ann', words)
  const again = (await before()).find(({ type }) => /^Payout|^Funding|^BankEntry/.test(type))
  if (again) throw new Finding('bankOnce', `the same file of the bank again: ${again.type}`)
}

/** Somebody opens an address, and fills in the forms that it leads to. */
const visit = async (of: Of, who: Person): Promise<void> => {
  await open(of.play, who, fillIn(of, of.act.what.slice('GET '.length)))
  for (let times = 0; times < 5; times += 1) await goOn(of.play, who, of.random, true)
}

/** A one-time code counts once: at the next one there is a new one. */
const codeLastsMs = 30_000

export const playAct = async (
  play: Play,
  { act: text, seed, n }: Extract<Step, { readonly do: 'act' }> & Numbered,
): Promise<void> => {
  const act = readAct(text)
  if (!act.needs.every((name) => play.names.has(name))) return
  const of: Of = { play, act, n, random: randomFrom(seed, 6), drawn: new Map() }
  if (text.includes('{code:')) play.world.machine.jumpClock(codeLastsMs)
  if (act.who === 'bank') return bank(of)
  if (act.who in people) return visit(of, act.who as Person)
  if (!/^(?:ann|ben)$/.test(act.who)) return request(of)
  return command(of, wordsOf(fillIn(of, act.what)))
}
