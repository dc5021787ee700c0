import { openConnection, type Address, type Connection } from './connection.ts'
import { payments, requestsOf, type Shop } from './requests.ts'

/** A crowd's responses: pages and tokens, and the slowest tenth of the waits. */
export type Crowd = {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p90: number
  /** Number of 503 responses, to be retried. */
  readonly turnedAway: number
}

const form = ({ host, port }: Address, path: string, fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams(fields).toString()
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    'X-Service-Merchant: sandbox',
    'X-Service-User: pos1',
    'Authorization: SECRET sandbox-secret',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/**
 * Refresh tokens of this many grants, each valid for one refresh and its repeats within a minute.
 */
export const refreshTokens = async (shop: Shop, label: string, count: number) => {
  const requests = requestsOf(shop)
  const connection = await openConnection(shop.address)
  const [, , pattern] = payments.create('')
  const { pos_id, customer } = JSON.parse(pattern) as { pos_id: string; customer: string }
  const list = '/merchant/v1/permission_request/'
  const tokens: string[] = []
  for (let made = 0; made < count; made++) {
    const body = { pos_id, customer, pos_tid: `${label}-${made}`, scope: 'openid profile' }
    const created = await connection.ask(requests.secret('POST', list, JSON.stringify(body)))
    const { id } = JSON.parse(created.body) as { id: string }
    const answer = `/sandbox/v1/permission_request/${id}/accept/`
    await connection.ask(requests.open('POST', answer, '{}'))
    const outcome = await connection.ask(requests.secret('GET', `${list}${id}/outcome/`))
    tokens.push((JSON.parse(outcome.body) as { refresh_token: string }).refresh_token)
  }
  connection.close()
  return tokens
}

/** One connection per person; opened a few at a time, so that none is refused. */
export const openCrowd = async ({ address }: Shop, people: number): Promise<Connection[]> => {
  const connections: Connection[] = []
  while (connections.length < people) {
    const some = Math.min(250, people - connections.length)
    connections.push(
      ...(await Promise.all(Array.from({ length: some }, () => openConnection(address)))),
    )
  }
  return connections
}

/**
 * All connections send requests at once, alternating between the sign-in page and tokens, and
 * continue until the time is over. @throws Error for any response other than the expected one or
 * 503
 */
export const crowd = async (
  shop: Shop,
  connections: readonly Connection[],
  tokens: readonly string[],
  seconds: number,
): Promise<Crowd> => {
  const { address } = shop
  const page = requestsOf(shop).open('GET', '/payer/sign-in')
  const refreshes = tokens.map((refresh_token) =>
    form(address, '/oauth2/token', { grant_type: 'refresh_token', refresh_token }),
  )
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  let turnedAway = 0
  await Promise.all(
    connections.map(async (connection, index) => {
      const request = index % 2 === 0 ? page : refreshes[index % refreshes.length]
      while (performance.now() < until) {
        const asked = performance.now()
        const { status, body } = await connection.ask(request ?? page)
        if (status === 503) turnedAway += 1
        else if (status !== 200) throw new Error(`${status}: ${body}`)
        latencies.push(performance.now() - asked)
      }
    }),
  )
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, p50: at(0.5), p90: at(0.9), turnedAway }
}
