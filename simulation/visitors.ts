import { randomFrom, pick, type Random } from './random.ts'
import { askUnchanged, type Browser, type Play } from './known.ts'
import { learn, onlooker, people, type Person } from './names.ts'
import { codeAt } from '../infrastructure/people/one-time-codes.ts'
import { stall } from './furnish.ts'
import type { Numbered, Step } from './steps.ts'
import type { Answered } from './world.ts'
import { attribute } from '../harness/html.ts'

export const browserOf = ({ browsers }: Play, who: Person): Browser => {
  const known = browsers.get(who) ?? { cookies: new Map(), page: { path: '', html: '' } }
  browsers.set(who, known)
  return known
}

const keepCookies = ({ cookies }: Browser, given: readonly string[]): void => {
  for (const cookie of given) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}

const mostRedirects = 5

export const visit = async (
  play: Play,
  who: Person,
  method: string,
  path: string,
  body?: string,
): Promise<Answered> => {
  const browser = browserOf(play, who)
  const ask = (how: string, to: string, sent?: string): Promise<Answered> =>
    askUnchanged(play, {
      method: how,
      path: to,
      from: who === onlooker ? '198.51.100.7' : '192.0.2.4',
      ...(sent !== undefined && { body: sent }),
      headers: {
        Accept: 'text/html',
        'Accept-Language': 'en',
        'Sec-Fetch-Site': 'same-origin',
        ...(sent !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
  let [at, answer] = [path, await ask(method, path, body)]
  keepCookies(browser, answer.cookies)
  play.tell(`${who}: ${method} ${path} ${(body ?? '').slice(0, 300)} → ${answer.status}`)
  for (let times = 0; answer.location !== null && times < mostRedirects; times += 1) {
    const next = new URL(answer.location, 'http://daybook.test')
    if (next.host !== 'daybook.test') {
      learn(play.names, 'oauth_code', next.searchParams.get('code'))
      return answer
    }
    at = next.pathname + next.search
    answer = await ask('GET', at)
    keepCookies(browser, answer.cookies)
  }
  if (answer.type.startsWith('text/html')) browser.page = { path: at, html: answer.text }
  return answer
}

export const open = (play: Play, who: Person, path: string): Promise<Answered> =>
  visit(play, who, 'GET', path)

type Field = readonly [string, string]

const optionsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<option[^>]*>/g)].flatMap(([tag]) => attribute(tag, 'value') ?? [])

/** Texts by the name of a field that pages ask for. */
const typed: Readonly<Record<string, readonly string[]>> = {
  amount: ['1.00', '25.00', '12', '0', '99999'],
  additional: ['0', '1.00'],
  reason: ['because', ''],
  name: ['A name', 'Another one'],
  organization: ['974760673', '923609016'],
  payout_account: ['NO9386011117947'],
  account: ['NO9386011117947', 'NO8330001234567'],
  currency: ['NOK'],
  day: ['2026-04-02'],
  due: ['2027-01-01'],
  first_day: ['2026-04-01', '2026-06-01'],
  since: ['2026-03-30 00:00:00'],
  reference: ['ref 1', 'ref 2'],
  id: ['made-one', 'made-two'],
  uri: ['https://sandbox.example/paged'],
  redirect_uris: ['https://shop.example/callback'],
  callback_uri: ['https://sandbox.example/hook'],
  note: ['seen'],
  email: ['one@example.com'],
  text: ['Coffee'],
  description: ['Door'],
  netmask: ['', '10.0.0.0/8'],
  refund_limit: ['50.00', ''],
  serial_number: ['', 'serialone', 'nothing'],
  take: ['looked at'],
  close: ['explained'],
}

/** A value for a field that people fill in. */
const valueFor = (play: Play, who: Person, random: Random, name: string, shown: string): string => {
  const { phone, pin, secret } = people[who]
  if (name === 'code' || name === 'new_code')
    return who === onlooker || random() < 0.95 ? codeAt(secret, play.world.clock()) : '000000'
  if (name === 'pin' || name === 'new_pin') return pin
  if (name === 'phone') {
    const isSignIn = browserOf(play, who).page.html.includes('name="pin"')
    return isSignIn ? phone : pick(random, ['+4799999901', '+4740000012', '+4740000077', phone])
  }
  const values = typed[name]
  return values && (shown === '' || random() < 0.3) ? pick(random, values) : shown
}

const fieldsOf = (play: Play, who: Person, random: Random, form: string): readonly Field[] => {
  const radios = new Map<string, string[]>()
  const fields: Field[] = []
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const [name, type, value = ''] = ['name', 'type', 'value'].map((one) => attribute(tag, one))
    if (name === undefined || /\sdisabled/.test(tag) || type === 'file') continue
    if (type === 'radio') radios.set(name, [...(radios.get(name) ?? []), value])
    else if (type === 'checkbox') fields.push(...(random() < 0.5 ? [[name, value] as const] : []))
    else if (type === 'hidden') fields.push([name, value])
    else fields.push([name, valueFor(play, who, random, name, value)])
  }
  for (const [name, values] of radios) fields.push([name, pick(random, values)])
  for (const [text, tag = ''] of form.matchAll(/(<select[^>]*>)[\s\S]*?<\/select>/g)) {
    const options = optionsOf(text).filter((value) => !/^shop-|^stall$/.test(value))
    const name = attribute(tag, 'name')
    if (name !== undefined && options.length > 0) fields.push([name, pick(random, options)])
  }
  for (const [tag] of form.matchAll(/<textarea[^>]*>/g)) {
    const name = attribute(tag, 'name')
    if (name !== undefined) fields.push([name, valueFor(play, who, random, name, '')])
  }
  const buttons = [...form.matchAll(/<button[^>]*>/g)].filter(([tag]) => / name="/.test(tag))
  if (buttons.length > 0) {
    const [tag] = pick(random, buttons) as unknown as [string]
    fields.push([attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''])
  }
  return fields
}

/** What would move the clock, or belongs to shops whose books the oracle keeps. */
const isForbidden = (play: Play, who: Person, text: string): boolean =>
  (who !== onlooker && text.includes(stall)) ||
  /shop-[ab]|name="seconds"|\/sign-out|type="file"|value="(?:close|number)"/.test(text) ||
  [...play.payments.values()].some(({ tid }) => text.includes(tid))

const starts = [
  ...['/payer/', '/payer/permissions', '/payer/security', '/payer/scan'],
  ...['/portal/', '/portal/sandbox/', '/portal/sandbox/take', '/portal/sandbox/payments'],
  ...['/portal/sandbox/money', '/portal/sandbox/money/account', '/portal/sandbox/money/times'],
  ...['/portal/sandbox/staff', '/portal/sandbox/staff?invite', '/portal/sandbox/messages'],
  ...['/portal/sandbox/developers', '/portal/sandbox/developers/applications', '/portal/sign-up'],
  ...['/portal/sandbox/developers/callbacks', '/portal/sandbox/developers/destinations'],
  ...['/portal/sandbox/points-of-sale', '/portal/account', '/portal/sandbox/developers/sandbox'],
  ...['/operator/', '/operator/merchants', '/operator/payouts', '/operator/funding'],
  ...['/operator/corrections', '/operator/invoices', '/operator/keys', '/operator/staff?add'],
  ...['/operator/staff', '/operator/disputes', '/operator/merchants/sandbox', '/operator/health'],
]

/** Sends a form of the page, follows a link, or begins elsewhere. */
export const goOn = async (
  play: Play,
  who: Person,
  random: Random,
  stays = false,
): Promise<Answered> => {
  const { html } = browserOf(play, who).page
  const forms = [...html.matchAll(/(<form[^>]*>)[\s\S]*?<\/form>/g)].filter(
    ([text]) => !isForbidden(play, who, text),
  )
  const main = html.slice(Math.max(0, html.indexOf('<main')))
  const links = [...main.matchAll(/<a[^>]*>/g)]
    .flatMap(([tag]) => attribute(tag, 'href') ?? [])
    .filter((href) => /^\/(?!payer\/language)/.test(href) && !isForbidden(play, who, href))
  const drawn = random()
  const isSignIn = html.includes('name="pin"') || html.includes('name="challenge"')
  if (forms.length > 0 && (isSignIn || stays || drawn < 0.55)) {
    const form = who === onlooker ? forms[0] : pick(random, forms)
    const [text, tag = ''] = form as unknown as [string, string]
    if (text.includes('code"')) play.world.machine.jumpClock(30_000)
    const body = new URLSearchParams(fieldsOf(play, who, random, text).map(([...one]) => one))
    const action = new URL(attribute(tag, 'action') ?? '', 'http://daybook.test')
    const path = action.pathname + action.search
    return /method="post"/i.test(tag)
      ? visit(play, who, 'POST', path, body.toString())
      : visit(play, who, 'GET', `${action.pathname}?${body.toString()}`)
  }
  const to = links.length > 0 && drawn < 0.8 ? pick(random, links) : pick(random, starts)
  return visit(play, who, 'GET', to)
}

/** What somebody does in a row; a session would end before the next step. */
export const playVisit = async (
  play: Play,
  { who, seed, times }: Extract<Step, { readonly do: 'visit' }> & Numbered,
): Promise<void> => {
  const random = randomFrom(seed, 7)
  for (let time = 0; time < times; time += 1) await goOn(play, who, random)
}
