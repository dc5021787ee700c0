import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Asker } from '../../harness/values-of-schema.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { runCommand } from '../../harness/service-process.ts'
import { secretHeaders, signedHeaders } from '../../harness/signing.ts'

type Sent = { readonly method: string; readonly path: string; readonly body?: string | Uint8Array }

type Credentials = (sent: Sent) => Record<string, string>

export type FurnishedSandbox = {
  readonly credentials: Readonly<Record<Asker, Credentials>>
  /** What is there, by the name of the field or parameter that takes it. */
  readonly known: Map<string, unknown[]>
  readonly attachmentPath: () => Promise<string>
  /** Makes again what requests may have removed. */
  readonly restore: () => Promise<void>
  /** Moves the clock, and makes anew what ran out. */
  readonly later: (seconds: number) => Promise<void>
}

const merchant = '/merchant/v1'

const integrator = 'integrator-1'

const json = async (address: string, sent: Sent, headers: Record<string, string>) => {
  const { method, path, body } = sent
  const type = { 'Content-Type': 'application/json' }
  const answer = await fetch(address + path, {
    method,
    headers: { ...headers, ...(body !== undefined && type) },
    ...(typeof body === 'string' && { body }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}

const mayAsk = (address: string, folder: string) => {
  const adminKey = createPrivateKey(readFileSync(join(folder, 'sandbox-admin-key.pem')))
  const signedBy =
    (who: Record<string, string>): Credentials =>
    ({ method, path, body }) =>
      signedHeaders({ method, url: address + path, body, key: adminKey, headers: who })
  const ofMerchant = { 'X-Service-Merchant': 'sandbox' }
  const secret = () => secretHeaders('sandbox', 'pos1', 'sandbox-secret')
  return {
    adminKey,
    open: () => ({}),
    secret,
    key: signedBy({ ...ofMerchant, 'X-Service-User': 'admin' }),
    integrator: signedBy({ 'X-Service-Integrator': integrator }),
    // A merchant is a client of its own.
    client: secret,
  }
}

/**
 * The sandbox of a process, with something of everything in it, and credentials of every kind.
 * Long because it lists all that is there.
 */
export const furnishSandbox = async (
  address: string,
  folder: string,
): Promise<FurnishedSandbox> => {
  const { adminKey, ...merchants } = mayAsk(address, folder)
  const ask = (method: string, path: string, body?: object) => {
    const sent = { method, path, ...(body && { body: JSON.stringify(body) }) }
    return json(address, sent, merchants.secret())
  }
  const keyFile = join(folder, 'integrator.pem')
  writeFileSync(keyFile, createPublicKey(adminKey).export({ type: 'spki', format: 'pem' }))
  const words = ['--name', 'One', '--pubkey', keyFile, '--merchant', 'sandbox']
  await runCommand(['integrator', 'add', integrator, ...words], { DATA_DIR: folder })

  const payment = async (changes: object = {}): Promise<string> =>
    (await ask('POST', `${merchant}/payment_request/`, paymentInput({ ...changes }))).id
  const accepted = async (): Promise<string> => {
    const tid = await payment()
    await ask('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
    return tid
  }
  const [pending, authorized] = [await payment(), await accepted()]
  const asked = { pos_id: 'till-1', scope: 'openid profile phone', customer: '4799999901' }
  const permission = async (pos_tid: string): Promise<string> =>
    (await ask('POST', `${merchant}/permission_request/`, { ...asked, pos_tid })).id
  const accept = async (pos_tid: string) => {
    const rid = await permission(pos_tid)
    await ask('POST', `/sandbox/v1/permission_request/${rid}/accept/`, {})
    const outcome = await ask('GET', `${merchant}/permission_request/${rid}/outcome/`)
    return { rid, token: String(outcome.permissions?.access_token ?? outcome.access_token) }
  }
  const signIn = async (): Promise<string> => {
    const { code } = await ask('GET', '/sandbox/v1/payer/alice/code/')
    return (await ask('POST', '/payer/v1/session/', { phone: '4799999901', pin: '1234', code }))
      .token
  }
  const granted = await accept('granted')
  let { token } = granted
  let session = await signIn()
  const { id: shortlink } = await ask('POST', `${merchant}/shortlink/`, {})
  const application = await ask('POST', `${merchant}/application/`, {
    ...{ name: 'An app', redirect_uris: ['http://127.0.0.1/back'], is_public: false },
  })
  const clients = [application.id]
  let times = 0
  const known = new Map<string, unknown[]>([
    ['tid', [pending, authorized]],
    ['rid', [granted.rid, await permission('asked')]],
    ['pos_id', ['till-1']],
    ['ledger', ['default']],
    ['ledger_id', ['default']],
    ['report_id', ['1']],
    ['settlement_id', ['1']],
    ['settlement_account_id', ['default']],
    ['shortlink_id', [shortlink]],
    ['user_id', ['pos1-fuzz']],
    ['merchant_id', ['sandbox']],
    ['merchant', ['sandbox']],
    ['client_id', clients],
    ['client', clients],
    ['redirect_uri', ['http://127.0.0.1/back']],
    ['response_type', ['code']],
    ['value', ['2000', '1003']],
    ['currency', ['NOK', 'NOK', 'nok', 'JPY']],
    ['amount', ['100.00', '12.50', 100]],
    ['customer', ['4799999901', '+4799999902', `shortlink_id:${shortlink}`]],
    ['payer', ['alice', 'bob']],
    ['required_scope', ['openid', 'openid profile phone']],
    ['phone', ['4799999901']],
    ['file', ['docs.css']],
  ])
  return {
    credentials: {
      ...merchants,
      session: () => ({ Authorization: `Bearer ${session}` }),
      token: () => ({ Authorization: `Bearer ${token}` }),
    },
    known,
    restore: async () => {
      const till = { id: 'till-1', name: 'Till 1', type: 'store' }
      await ask('POST', `${merchant}/pos/`, till).catch(() => undefined)
    },
    later: async (seconds) => {
      await ask('POST', '/sandbox/v1/clock/', { advance_seconds: seconds })
      // Requests may have locked the payer out, or taken the till away.
      session = await signIn().catch(() => session)
      const asked = accept(`granted-${(times += 1)}`)
      token = await asked.then((given) => given.token).catch(() => token)
      const more = await Promise.all([payment(), accepted()]).catch(() => [])
      known.get('tid')?.unshift(...more)
    },
    attachmentPath: async () => {
      const { attachment_uri } = await ask(
        'GET',
        `${merchant}/payment_request/${authorized}/outcome/`,
      )
      return attachment_uri
    },
  }
}
