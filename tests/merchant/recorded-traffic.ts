// Long because it lists everything a merchant can do and read.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { vi } from 'vitest'
import { operateDisputes } from '../../application/disputes.ts'
import { integrators, merchants } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { openInProcess } from '../../harness/in-process.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders, signedHeaders } from '../../harness/signing.ts'

const v1 = '/merchant/v1'

const publicUrl = 'https://pay.example'

type Asker = 'secret' | 'key' | 'integrator'

type Asked = { readonly template: string; readonly path: string; readonly asker: Asker }

type Answer = { readonly status: number; readonly location: string | null; readonly text: string }

type Recorded = Asked & { readonly answer: Answer }

/** Everything readable at a time, with the responses. */
export type Look = {
  readonly at: number
  /** The log's end, if its event was recorded at that very time. */
  readonly position: number | undefined
  readonly answers: readonly Recorded[]
  /** Whether something was recorded at that time after it, such as an attempt of a callback. */
  isOutdated: boolean
}

type Body = Readonly<Record<string, unknown>>

const itemList = () => {
  const items = [{ item_name: 'Tea', quantity: 1, item_gross_total: '1.00' }]
  const head = 'Content-Disposition: form-data; name="list"'
  const type = 'Content-Type: application/vnd.service.itemlist.v1+json'
  return ['--cut', head, type, '', JSON.stringify({ items }), '--cut--', ''].join('\r\n')
}

/** Opens a service with a stopped clock, so that all requests are made at one instant. */
const openStill = async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-02T09:00:00.125Z') })
  const service = await openInProcess({ PUBLIC_URL: publicUrl, LOG_LEVEL: 'error' })
  const key = createPrivateKey(readFileSync(join(service.folder, 'sandbox-admin-key.pem')))

  const headersOf = (method: string, path: string, asker: Asker, body: string | undefined) => {
    if (asker === 'secret') return secretHeaders('sandbox', 'pos1', 'sandbox-secret')
    const who: Record<string, string> =
      asker === 'key'
        ? { 'X-Service-Merchant': 'sandbox', 'X-Service-User': 'admin' }
        : { 'X-Service-Integrator': 'proxy' }
    return signedHeaders({ method, url: publicUrl + path, body, key, headers: who })
  }

  const ask = async (
    method: string,
    path: string,
    body?: Body | string,
    asker: Asker = 'secret',
    type = 'application/json',
  ): Promise<Answer> => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const headers = {
      ...headersOf(method, path, asker, text),
      ...(text !== undefined && { 'Content-Type': type, 'Content-Length': `${text.length}` }),
    }
    const init = { method, headers, ...(text !== undefined && { body: text }) }
    const answer = await service.app.fetch(new Request(publicUrl + path, init))
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { status } = answer
    if (status >= 500) throw new Error(`${method} ${path}: ${service.logged.join('')}`)
    return { status, location: answer.headers.get('Location'), text: bytes.toString('latin1') }
  }

  return { service, key, ask }
}

type Still = Awaited<ReturnType<typeof openStill>>

const addLookedUp = async ({ service: { core }, key }: Still): Promise<void> => {
  const context = core.contextOf('test')
  const about = { businessName: 'Looked up', currency: 'NOK', lookupIds: ['987654321'] }
  const data = newMerchant({ id: 'looked-up', ...about, netmask: null })
  await core.handle(merchants, 'looked-up', { type: 'Register', data }, context)
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  const proxy = { id: 'proxy', name: 'Proxy', publicKey, merchants: ['looked-up'] }
  await core.handle(integrators, 'proxy', { type: 'Register', data: proxy }, context)
}

const addLogo = async ({ service: { core } }: Still, width: number): Promise<void> => {
  const logo = await core.blobs.put(PNG.sync.write(new PNG({ width, height: 1 })))
  const context = core.contextOf('test')
  await core.handle(merchants, 'sandbox', { type: 'Change', changes: { logo } }, context)
}

const moveClock = ({ ask }: Still, advance_seconds: number) =>
  ask('POST', '/sandbox/v1/clock/', { advance_seconds })

/**
 * A shop's traffic. After each step everything is read and recorded.
 * Long because it lists what a merchant can do and read.
 */
export const recordTraffic = async () => {
  const still = await openStill()
  const { service, ask } = still
  const { core } = service
  const looks: Look[] = []
  const [payments, permissions, shortlinks]: [string[], string[], string[]] = [[], [], []]
  const [users, pointsOfSale, ledgers]: [string[], string[], string[]] = [['pos1'], ['till-1'], []]
  const applications: string[] = []
  let count = 0

  const made = (list: string[], { text }: Answer): void => {
    const { id } = JSON.parse(text) as { readonly id?: string }
    if (id !== undefined) list.push(id)
  }
  const pick = (list: readonly string[], seed: number): string =>
    list[list.length === 0 ? 0 : seed % list.length] ?? 'nothing'
  const payment = (seed: number): string => `${v1}/payment_request/${pick(payments, seed)}/`
  const put = (path: string, body: Body, asker: Asker = 'secret') => ask('PUT', path, body, asker)
  const sandbox = (kind: string, id: string, verb: string, body: Body = {}) =>
    ask('POST', `/sandbox/v1/${kind}/${id}/${verb}/`, body)

  const requestPayment = async (changes: Body): Promise<void> => {
    const callback_uri = 'https://shop.example/told'
    const input = paymentInput({ callback_uri, ...changes })
    made(payments, await ask('POST', `${v1}/payment_request/`, input))
  }

  /** Each acts or is refused; `seed` selects the details. */
  const steps = {
    request: (seed: number) =>
      requestPayment({ currency: seed % 3 === 0 ? 'JPY' : 'NOK', amount: '300' }),
    requestWithScope: () => requestPayment({ required_scope: 'openid profile phone email' }),
    requestWithoutCustomer: () =>
      requestPayment({
        customer: null,
        success_return_uri: 'https://shop.example/y',
        failure_return_uri: 'https://shop.example/n',
        expires_in: 30,
      }),
    accept: (seed: number) => sandbox('payment_request', pick(payments, seed), 'accept'),
    decline: (seed: number) =>
      sandbox('payment_request', pick(payments, seed), 'decline', { payer: 'alice' }),
    capture: (seed: number) => put(payment(seed), { action: 'capture' }),
    captureSome: (seed: number) =>
      put(payment(seed), {
        ...{ action: 'capture', amount: `${(seed % 70) + 1}`, currency: 'NOK' },
        capture_id: `c${seed % 5}`,
      }),
    release: (seed: number) => put(payment(seed), { action: 'release' }),
    renew: (seed: number) => put(payment(seed), { action: 'reauth' }),
    refund: (seed: number) =>
      put(
        payment(seed),
        { action: 'refund', amount: '1', currency: 'NOK', refund_id: `r${seed % 3}` },
        'key',
      ),
    amend: (seed: number) => put(payment(seed), { callback_uri: `https://shop.example/${seed}` }),
    attach: async (seed: number) => {
      const { text } = await ask('GET', `${payment(seed)}outcome/`)
      const { attachment_uri: uri } = JSON.parse(text) as { readonly attachment_uri?: string }
      if (uri !== undefined)
        await ask('POST', uri, itemList(), 'secret', 'multipart/form-data; boundary=cut')
    },
    dispute: async (seed: number) => {
      const wanted = { gross: 100, fee: 0, reason: 'not delivered', due: 4e12 }
      const byOperator = (merchant: string) => core.contextOf('operator', merchant)
      const disputes = operateDisputes(core)
      const tid = pick(payments, seed)
      await disputes.openDispute(tid, wanted, byOperator).catch(ignoreRefusal)
      const multipart = 'multipart/form-data; boundary=cut'
      await ask('POST', `${v1}/dispute/${tid}-1/evidence/`, itemList(), 'secret', multipart)
      if (seed % 2 === 0)
        await disputes.closeDispute(`${tid}-1`, 'won', byOperator).catch(ignoreRefusal)
    },
    askPermission: async (seed: number) => {
      const about = { pos_id: 'till-1', pos_tid: `p${count}`, customer: '+4799999901' }
      const scope = seed % 2 === 0 ? 'openid profile' : 'openid phone address'
      made(permissions, await ask('POST', `${v1}/permission_request/`, { ...about, scope }))
    },
    grant: (seed: number) => sandbox('permission_request', pick(permissions, seed), 'accept'),
    deny: (seed: number) => sandbox('permission_request', pick(permissions, seed), 'decline'),
    addShortlink: async (seed: number) =>
      made(shortlinks, await ask('POST', `${v1}/shortlink/`, { description: `s${seed}` })),
    changeShortlink: (seed: number) =>
      put(`${v1}/shortlink/${pick(shortlinks, seed)}/`, { description: `d${seed}` }),
    removeShortlink: (seed: number) => ask('DELETE', `${v1}/shortlink/${pick(shortlinks, seed)}/`),
    scan: (seed: number) =>
      sandbox('shortlink', pick(shortlinks, seed), 'scan', { argstring: `table-${seed % 9}` }),
    addPos: async (seed: number) =>
      made(
        pointsOfSale,
        await ask('POST', `${v1}/pos/`, { id: `till-${seed}`, name: 'A till', type: 'store' }),
      ),
    changePos: (seed: number) =>
      put(`${v1}/pos/${pick(pointsOfSale, seed)}/`, { name: `Till ${seed}`, type: 'online' }),
    removePos: (seed: number) =>
      ask('DELETE', `${v1}/pos/${pick(pointsOfSale.slice(1), seed)}/`, undefined, 'key'),
    addUser: async (seed: number) => {
      const user = { id: `user${seed}`, secret: 'a secret of tests' }
      made(users, await ask('POST', `${v1}/user/`, user, 'key'))
    },
    changeUser: (seed: number) =>
      put(`${v1}/user/${pick(users.slice(1), seed)}/`, { netmask: `10.${seed % 9}.0.0/16` }, 'key'),
    removeUser: (seed: number) =>
      ask('DELETE', `${v1}/user/${pick(users.slice(1), seed)}/`, undefined, 'key'),
    addLedger: async (seed: number) =>
      made(ledgers, await ask('POST', `${v1}/ledger/`, { id: `l${seed}`, currency: 'NOK' })),
    changeLedger: (seed: number) =>
      put(`${v1}/ledger/${pick(ledgers, seed)}/`, { enabled: seed % 2 === 0 }),
    closeReport: async () => {
      const { text } = await ask('GET', `${v1}/ledger/default/`)
      const { open_report_uri: open } = JSON.parse(text) as { readonly open_report_uri: string }
      await put(open, { callback_uri: 'https://shop.example/closed' })
    },
    /** Completes reports, makes settlements and delivers callbacks, if due. */
    work: () => moveClock(still, 0),
    settle: () => ask('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' }),
    addApplication: async (seed: number) => {
      const input = { name: `App ${seed}`, redirect_uris: ['https://app.example/back'] }
      made(applications, await ask('POST', `${v1}/application/`, input))
    },
    removeApplication: (seed: number) =>
      ask('DELETE', `${v1}/application/${pick(applications, seed)}/`),
    /** Disabled: what waits for it must not change while it is read. */
    addDestination: (seed: number) => {
      const input = { id: `to-${seed}`, uri: 'https://shop.example/events', enabled: false }
      return ask('POST', `${v1}/event_destination/`, input)
    },
    rotateSecret: () => ask('POST', `${v1}/callback_secret/`, undefined, 'key'),
    changeLogo: (seed: number) => addLogo(still, (seed % 7) + 1),
    waitAMinute: () => moveClock(still, 60),
    waitDays: (seed: number) => moveClock(still, 43_200 * ((seed % 8) + 1)),
  } as const satisfies Readonly<Record<string, (seed: number) => Promise<unknown>>>

  type Template = readonly [template: string, paths: readonly string[], asker?: Asker]

  const idsIn = async (path: string): Promise<string[]> => {
    const { text } = await ask('GET', path)
    const { uris } = JSON.parse(text) as { readonly uris: readonly string[] }
    return uris.map((uri) => uri.split('/').at(-2) ?? '')
  }

  const aboutPayments = (): Template[] => {
    const [one, of] = [`${v1}/payment_request/{tid}/`, `${v1}/payment_request/`]
    const all = payments.map((id) => `${of}${id}/`)
    const dispute = `${v1}/dispute/`
    const disputes = payments.slice(0, 1).map((id) => `${dispute}${id}-1/`)
    return [
      [one, all],
      [`${one}outcome/`, all.map((path) => `${path}outcome/`)],
      [`${one}attachment/`, all.map((path) => `${path}attachment/`)],
      [`${one}attachment/{attachment_id}/`, all.map((path) => `${path}attachment/1/`)],
      [`${one}proof/`, all.slice(0, 2).map((path) => `${path}proof/`)],
      [dispute, [dispute]],
      [`${dispute}{dispute_id}/`, disputes],
      [`${dispute}{dispute_id}/evidence/`, disputes.map((path) => `${path}evidence/`)],
      [
        `${dispute}{dispute_id}/evidence/{attachment_id}/`,
        disputes.map((path) => `${path}evidence/1/`),
      ],
    ]
  }

  const aboutAccounts = async (): Promise<Template[]> => {
    const ids = ['default', ...ledgers]
    const reports = (id: string) => `${v1}/ledger/${id}/report/`
    const settlement = `${v1}/settlement/`
    const settled = await idsIn(settlement)
    const numbers = [1, 2, 3]
    const transactions = (query: string) => `${v1}/transaction/${query}`
    const found = (query: string) => `${v1}/payments/${query}`
    return [
      [`${v1}/ledger/`, [`${v1}/ledger/`]],
      [`${v1}/ledger/{ledger_id}/`, ids.map((id) => `${v1}/ledger/${id}/`)],
      [`${v1}/ledger/{ledger_id}/report/`, ids.map(reports)],
      [
        `${v1}/ledger/{ledger_id}/report/{report_id}/`,
        ids.flatMap((id) => numbers.map((number) => `${reports(id)}${number}/`)),
      ],
      [`${v1}/ledger/{ledger_id}/report/{report_id}/proof/`, [`${reports('default')}1/proof/`]],
      [settlement, [settlement]],
      [`${settlement}{settlement_id}/proof/`, [`${settlement}1/proof/`]],
      [`${settlement}{settlement_id}/`, [...settled, '1'].map((id) => `${settlement}${id}/`)],
      [`${v1}/last_settlement/`, [`${v1}/last_settlement/`]],
      [
        `${v1}/settlement_account/{settlement_account_id}/`,
        [`${v1}/settlement_account/default/`, `${v1}/settlement_account/sandbox/`],
      ],
      [`${v1}/fee_schedule/`, [`${v1}/fee_schedule/`]],
      [`${v1}/transaction/`, ['', '?order=newest', '?settlement_id=1'].map(transactions)],
      [`${v1}/transaction/days/`, [`${v1}/transaction/days/`]],
      [`${v1}/payments/`, ['', '?status=auth&customer=%2B4799999901'].map(found)],
    ]
  }

  const aboutRegisters = (): Template[] => {
    const one = (name: string, param: string, ids: readonly string[]): Template => [
      `${v1}/${name}/{${param}}/`,
      ids.map((id) => `${v1}/${name}/${id}/`),
    ]
    const list = (name: string): Template => [`${v1}/${name}/`, [`${v1}/${name}/`]]
    const [permission] = [one('permission_request', 'rid', permissions)]
    const outcomes = permission[1].map((path) => `${path}outcome/`)
    const shortlink = one('shortlink', 'shortlink_id', shortlinks)
    return [
      permission,
      [`${permission[0]}outcome/`, outcomes],
      ...[list('pos'), one('pos', 'pos_id', pointsOfSale)],
      ...[list('shortlink'), shortlink],
      [`${shortlink[0]}last_scan/`, shortlink[1].map((path) => `${path}last_scan/?ttl=9000`)],
      ...[one('user', 'user_id', users)],
      ...[list('application'), one('application', 'client_id', applications)],
    ]
  }

  const aboutMerchant = async (): Promise<Template[]> => {
    const merchant = `${v1}/merchant/{merchant_id}/`
    const own = `${v1}/merchant/sandbox/`
    const callback = `${v1}/callback/`
    const told = await idsIn(callback)
    const destination = `${v1}/event_destination/`
    return [
      [merchant, [own]],
      [`${merchant}logo`, [`${own}logo`]],
      [`${merchant}logo/`, [`${own}logo/`]],
      [`${v1}/merchant_lookup/{lookup_id}/`, [`${v1}/merchant_lookup/987654321/`], 'integrator'],
      [callback, [callback, `${callback}?status=waiting`, `${callback}?resource=${payment(0)}`]],
      [`${callback}{callback_id}/`, told.slice(0, 6).map((id) => `${callback}${id}/`)],
      [`${callback}feed/`, [`${callback}feed/`, `${callback}feed/?after=now`]],
      [`${v1}/callback_secret/`, [`${v1}/callback_secret/`], 'key'],
      [destination, [destination]],
      [`${v1}/callback_address/`, [`${v1}/callback_address/`]],
      [`${destination}{event_destination_id}/`, [`${destination}to-0/`]],
    ]
  }

  const readable = async (): Promise<Asked[]> => {
    const all = [...aboutPayments(), ...(await aboutAccounts()), ...aboutRegisters()]
    return [...all, ...(await aboutMerchant())].flatMap(([template, paths, asker = 'secret']) =>
      paths.map((path) => ({ template, path, asker })),
    )
  }

  const isOfNow = async (position: number): Promise<boolean> => {
    for await (const [event] of core.store.readAll(position - 1))
      return event?.metadata['at'] === core.now()
    return false
  }

  let lookedAt = -1
  /** Work beside the requests may end after a look. */
  const judgeLast = async (): Promise<void> => {
    const last = looks.at(-1)
    if (last && (await core.store.head()) !== lookedAt) last.isOutdated = true
  }

  const look = async (): Promise<void> => {
    const at = core.now()
    const position = await core.store.head()
    lookedAt = position
    const answers: Recorded[] = []
    for (const asked of await readable()) {
      const answer = await ask('GET', asked.path, undefined, asked.asker)
      answers.push({ ...asked, answer })
    }
    const ofNow = (await isOfNow(position)) ? position : undefined
    looks.push({ at, position: ofNow, answers, isOutdated: false })
  }

  await addLookedUp(still)
  return {
    steps,
    looks,
    readable,
    service,
    /** The response as of a moment. */
    askAsOf: ({ path, asker }: Asked, asOf: string) => {
      const separator = path.includes('?') ? '&' : '?'
      return ask('GET', `${path}${separator}as_of=${asOf}`, undefined, asker)
    },
    /** Performs a step at its own time, then reads everything. */
    take: async (step: keyof typeof steps, seed: number): Promise<void> => {
      count += 1
      await judgeLast()
      vi.setSystemTime(Date.now() + 1 + (seed % 4_000))
      await steps[step](seed)
      await look()
    },
    stop: async (): Promise<void> => {
      await service.stop()
      vi.useRealTimers()
      rmSync(service.folder, { recursive: true })
    },
  }
}

export type Traffic = Awaited<ReturnType<typeof recordTraffic>>

export type Step = keyof Traffic['steps']
