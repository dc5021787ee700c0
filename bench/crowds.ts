import { setTimeout as pause } from 'node:timers/promises'
import { openConnection, payments, requestsOf, type Shop } from './client.ts'
import type { Group, Measured, Window, Work } from './load.ts'
import { expected } from './processes.ts'
import type { Case, Figure } from './scope.ts'

/* Captures of tills beside a crowd on other connections, each in a load process of its own. */

const get = (path: string): Work => ({ kind: 'request', path })
const list = '/merchant/v1/payment_request/'
const post = (body: string, status: number): Work => {
  return { kind: 'request', path: list, bodies: [body], status }
}

const item = { product_id: 'p', description: 'Thing', quantity: '1', item_cost: '1', total: '1' }
const lineItems = JSON.stringify({
  ...{ pos_id: 'till-1', pos_tid: 'many-items-{count}', action: 'auth', allow_credit: false },
  ...{ currency: 'NOK', amount: '1000.00', customer: '4799999901', text: 'Many things' },
  line_items: Array.from({ length: 1_000 }, () => item),
})
const manyKeys = JSON.stringify(
  Object.fromEntries(Array.from({ length: 15_900 }, (_, count) => [`key ${count}`, 'a'])),
)

/** What anybody may ask, and large bodies. */
const asked = (shortlink: string): Readonly<Record<string, readonly [Work, number]>> => ({
  search: [get('/docs?q=payment+{count}'), 128],
  'page with ids': [get('/docs/signing?merchant=m{count}'), 128],
  'openapi.json': [get('/openapi.json'), 128],
  'QR image': [get(`/shortlink/v1/qr_image/${shortlink}/{count}`), 128],
  checkpoint: [get('/transparency/checkpoint'), 128],
  proof: [get('/transparency/proof/inclusion?index=1'), 128],
  discovery: [get('/.well-known/openid-configuration'), 128],
  'sign-in page': [get('/payer/sign-in'), 128],
  '8 × 1,000 line items': [post(lineItems, 201), 8],
  '8 × 15,900 keys': [post(manyKeys, 400), 8],
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
    '100 captures a second beside 128 connections that ask what anybody may ask, or 8 with large ' +
    'bodies; the limit is beside as many on /health/live',
  usual: { rounds: 3, seconds: 5, size: 2_000 },
  quick: { rounds: 1, seconds: 1, size: 200 },
  open: async (shared) => {
    const { shop } = await shared.service()
    const [ofCaptures, ofOthers] = [shared.load(), shared.load()]
    const shortlink = await makeShortlink(shop)
    // The first checkpoint is signed after ten seconds.
    await pause(11_000)
    return async ({ seconds, size, label }) => {
      const beside = async (work: Work, connections: number) => {
        const tids = await ofCaptures.authorize(shop, label(), size)
        const capture = { kind: 'capture', level: 'SECRET', label: label(), tids } as const
        const [{ p99 }, others] = await Promise.all([
          ofCaptures.one(shop, seconds, { work: capture, connections: 8, pace: 100 }),
          ofOthers.one(shop, seconds, { work, connections }),
        ])
        return { p99, perSecond: Math.round(others.perSecond) }
      }
      const reference = await beside(get('/health/live'), 128)
      const figures: Figure[] = []
      for (const [name, [work, connections]] of Object.entries(asked(shortlink))) {
        const { p99, perSecond } = await beside(work, connections)
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
