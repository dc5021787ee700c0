import { setTimeout as pause } from 'node:timers/promises'
import { openConnection, payments, requestsOf, type Shop } from './client.ts'
import type { Group, Measured, Window, Work } from './load.ts'
import { expected } from './processes.ts'
import type { Case, Figure } from './scope.ts'

/* Captures of tills beside a crowd on other connections, each in a load process of its own. */

const get = (path: string): Work => ({ kind: 'request', path })

/** What anybody may ask. */
const asked = (shortlink: string): Readonly<Record<string, Work>> => ({
  search: get('/docs?q=payment+{count}'),
  'page with ids': get('/docs/signing?merchant=m{count}'),
  'openapi.json': get('/openapi.json'),
  'QR image': get(`/shortlink/v1/qr_image/${shortlink}/{count}`),
  checkpoint: get('/transparency/checkpoint'),
  proof: get('/transparency/proof/inclusion?index=1'),
  discovery: get('/.well-known/openid-configuration'),
  'sign-in page': get('/payer/sign-in'),
})

const makeShortlink = async (shop: Shop): Promise<string> => {
  const connection = await openConnection(shop.address)
  const request = requestsOf(shop).secret('POST', '/merchant/v1/shortlink/', '{"description":"b"}')
  const { body } = await connection.ask(request)
  connection.close()
  return (JSON.parse(body) as { id: string }).id
}

const p99Figure = (what: string, value: number, limit: number, more = ''): Figure => {
  return { what: `p99 of captures, ${what}`, value, unit: 'ms', limit, more }
}

export const strangers: Case = {
  about:
    '100 captures a second beside 128 connections that ask what anybody may ask; the limit is ' +
    'beside as many on /health/live',
  usual: { rounds: 3, seconds: 5, size: 2_000 },
  quick: { rounds: 1, seconds: 1, size: 200 },
  open: async (shared) => {
    const { shop } = await shared.service()
    const [ofCaptures, ofOthers] = [shared.load(), shared.load()]
    const shortlink = await makeShortlink(shop)
    // The first checkpoint is signed after ten seconds.
    await pause(11_000)
    return async ({ seconds, size, label }) => {
      const beside = async (work: Work) => {
        const tids = await ofCaptures.authorize(shop, label(), size)
        const capture = { kind: 'capture', level: 'SECRET', label: label(), tids } as const
        const [{ p99 }, others] = await Promise.all([
          ofCaptures.one(shop, seconds, { work: capture, connections: 8, pace: 100 }),
          ofOthers.one(shop, seconds, { work, connections: 128 }),
        ])
        return { p99, perSecond: Math.round(others.perSecond) }
      }
      const reference = await beside(get('/health/live'))
      const figures: Figure[] = []
      for (const [name, work] of Object.entries(asked(shortlink))) {
        const { p99, perSecond } = await beside(work)
        figures.push(p99Figure(name, p99, reference.p99, `${perSecond} others/s`))
      }
      return figures
    }
  },
}

/** Tokens of this many grants, each valid for one refresh and its repeats within a minute. */
const refreshTokens = async (shop: Shop, label: string, count: number): Promise<string[]> => {
  const requests = requestsOf(shop)
  const connection = await openConnection(shop.address)
  const { pos_id, customer } = JSON.parse(payments.create('')[2]) as Record<string, string>
  const path = '/merchant/v1/permission_request/'
  const tokens: string[] = []
  for (let made = 0; made < count; made++) {
    const body = { pos_id, customer, pos_tid: `${label}-${made}`, scope: 'openid profile' }
    const created = await connection.ask(requests.secret('POST', path, JSON.stringify(body)))
    const { id } = JSON.parse(created.body) as { id: string }
    const answer = `/sandbox/v1/permission_request/${id}/accept/`
    await connection.ask(requests.open('POST', answer, '{}'))
    const outcome = await connection.ask(requests.secret('GET', `${path}${id}/outcome/`))
    tokens.push((JSON.parse(outcome.body) as { refresh_token: string }).refresh_token)
  }
  connection.close()
  return tokens
}

/** Half of the people ask for the sign-in page again and again, half refresh a token. */
const crowdOf = (people: number, tokens: readonly string[]): Group[] => {
  const bodies = tokens.map((refresh_token) =>
    new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString(),
  )
  const type = 'application/x-www-form-urlencoded'
  const refresh = { kind: 'request', path: '/oauth2/token', bodies, type } as const
  const half = { connections: Math.ceil(people / 2) }
  return [
    { ...half, work: { kind: 'request', path: '/payer/sign-in', mayBeBusy: true } },
    { ...half, work: { ...refresh, mayBeBusy: true } },
  ]
}

const timesOf = ([pages, tokens]: readonly Measured[]): string =>
  [pages, tokens]
    .map((one) => {
      const { perSecond = NaN, p50 = NaN, turnedAway = 0 } = one ?? {}
      return `${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, ${turnedAway} turned away`
    })
    .join('; tokens ')

export const signIns: Case = {
  about:
    '500 captures a second beside people who load the sign-in page and refresh tokens; the limit ' +
    'is without them. Size: people',
  usual: { rounds: 3, seconds: 8, size: 10_000 },
  quick: { rounds: 1, seconds: 2, size: 1_000 },
  open: async (shared) => {
    const { shop } = await shared.service()
    const [ofCaptures, ofPeople] = [shared.load(), shared.load()]
    return async ({ seconds, size, label }) => {
      const tids = await ofCaptures.authorize(shop, label(), 500)
      const captures = () => {
        const work = { kind: 'capture', level: 'SECRET', label: label(), tids } as const
        return ofCaptures.one(shop, seconds, { work, connections: 32, pace: 500 })
      }
      const alone = await captures()
      const groups = crowdOf(size, await refreshTokens(shop, label(), 50))
      const window: Window = { shop, warmUp: 1, seconds, groups }
      let beside: Promise<Measured> | undefined
      const people = await ofPeople.load(window, () => void (beside = captures()))
      const { p99 = NaN } = (await beside) ?? {}
      const more = timesOf(people.groups.map(expected))
      return [p99Figure(`beside ${size} people`, p99, alone.p99, `pages ${more}`)]
    }
  },
}
