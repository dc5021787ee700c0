import { createPublicKey } from 'node:crypto'
import { PNG } from 'pngjs'
import { operateDisputes } from '../../application/disputes.ts'
import { integrators, merchants } from '../../domain/aggregates.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { authorizedPayment, paths, pathOf, sign, type Service } from '../support/http-service.ts'
import { type Answer } from '../support/http-service.ts'
import { secretHeaders } from '../../harness/signing.ts'

type Check = (method: string, template: string, answer: Answer) => void

const v1 = '/merchant/v1'
const templates = {
  ledger: `${v1}/ledger/{ledger_id}/`,
  reports: `${v1}/ledger/{ledger_id}/report/`,
  report: `${v1}/ledger/{ledger_id}/report/{report_id}/`,
  attachments: `${v1}/payment_request/{tid}/attachment/`,
  shortlink: `${v1}/shortlink/{shortlink_id}/`,
} as const

const itemListPart = () => {
  const items = [{ item_name: 'Tea', quantity: 1, item_gross_total: '1.00' }]
  const head = 'Content-Disposition: form-data; name="list"'
  const type = 'Content-Type: application/vnd.service.itemlist.v1+json'
  const body = ['--cut', head, type, '', JSON.stringify({ items }), '--cut--', ''].join('\r\n')
  return { headers: { 'Content-Type': 'multipart/form-data; boundary=cut' }, body }
}

/**
 * Requests every operation about ledgers, settlements, shortlinks, merchants, attachments and
 * disputes.
 */
export const walkMerchantSide = async (service: Service, check: Check): Promise<void> => {
  const { admin, pos1, call, core, address, adminKey } = service

  const make = async (method: string, template: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    check(method, template, answer)
    return answer
  }
  const open = async (method: string, template: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body === undefined ? {} : { body })
    check(method, template, answer)
    return answer
  }

  const aboutMerchant = async () => {
    const context = core.contextOf('test')
    const { state } = await core.handle(
      merchants,
      'looked-up',
      {
        type: 'Register',
        data: newMerchant({
          id: 'looked-up',
          businessName: 'x',
          currency: 'NOK',
          lookupIds: ['987654321'],
          netmask: null,
        }),
      },
      context,
    )
    if (state.status !== 'present') throw new Error('the merchant is not there')
    const logo = await core.blobs.put(PNG.sync.write(new PNG({ width: 1, height: 1 })))
    await core.handle(merchants, 'sandbox', { type: 'Change', changes: { logo } }, context)
    const publicKey = createPublicKey(adminKey).export({ type: 'spki', format: 'pem' }).toString()
    const data = { id: 'proxy', name: 'Proxy', publicKey, merchants: ['looked-up'] }
    await core.handle(integrators, 'proxy', { type: 'Register', data }, context)
    const template = `${v1}/merchant/{merchant_id}/`
    await make('GET', template, `${v1}/merchant/sandbox/`)
    for (const path of ['logo', 'logo/'])
      await make('GET', template + path, `${v1}/merchant/sandbox/${path}`)
    const lookup = `${v1}/merchant_lookup/987654321/`
    const who = { merchant: null, user: null, key: adminKey }
    const named = { 'X-Service-Integrator': 'proxy' }
    const headers = sign({ ...who, method: 'GET', url: address + lookup, headers: named })
    check('GET', `${v1}/merchant_lookup/{lookup_id}/`, await call('GET', lookup, { headers }))
  }

  const aboutLedgers = async () => {
    const list = `${v1}/ledger/`
    await make('POST', list, list, { id: 'documented', currency: 'NOK' })
    await make('GET', list, list)
    await make('GET', templates.ledger, `${list}default/`)
    await make('PUT', templates.ledger, `${list}documented/`, { description: 'x' })
    await make('DELETE', templates.ledger, `${list}documented/`)
    const payment = await authorizedPayment(service)
    await pos1('PUT', payment, { action: 'capture' })
    await make('GET', templates.reports, `${list}default/report/`)
    const report = `${list}default/report/1/`
    await make('GET', templates.report, report)
    await make('PUT', templates.report, report)
    await call('POST', paths.clock, { body: { advance_seconds: 0 } })
    await make('GET', `${templates.report}proof/`, `${report}proof/`)
    await make('GET', `${paths.payments}{tid}/proof/`, `${payment}proof/`)
    const { body } = await make('GET', templates.report, report)
    await open('GET', `${v1}/log/{sha256}/`, body.transaction_log_uris[0])
  }

  const aboutSettlements = async () => {
    const list = `${v1}/settlement/`
    await open('POST', '/sandbox/v1/settlement/', '/sandbox/v1/settlement/', {
      merchant: 'sandbox',
    })
    await make('GET', list, list)
    const last = `${v1}/last_settlement/`
    const { headers } = await make('GET', last, last)
    await make('GET', `${list}{settlement_id}/`, pathOf(headers.location))
    await call('POST', paths.clock, { body: { advance_seconds: 11 } })
    await make('GET', `${list}{settlement_id}/proof/`, `${pathOf(headers.location)}proof/`)
    const { settlement_account_id: account } = (await admin('GET', `${v1}/merchant/sandbox/`)).body
    const accounts = `${v1}/settlement_account/`
    for (const path of ['fee_schedule/', 'transaction/', 'transaction/days/', 'payments/'])
      await make('GET', `${v1}/${path}`, `${v1}/${path}`)
    await make('GET', `${accounts}{settlement_account_id}/`, `${accounts}${account}/`)
  }

  const aboutAttachments = async () => {
    const payment = await authorizedPayment(service)
    const { attachment_uri: uri } = (await pos1('GET', `${payment}outcome/`)).body
    const uploaded = await call('POST', uri, itemListPart())
    check('POST', '/attachment/v1/{tid}/{expires}/{signature}/', uploaded)
    await make('GET', templates.attachments, `${payment}attachment/`)
    const one = `${templates.attachments}{attachment_id}/`
    await make('GET', one, `${payment}attachment/1/`)
  }

  const aboutDisputes = async () => {
    const payment = await authorizedPayment(service)
    await pos1('PUT', payment, { action: 'capture' })
    const wanted = { gross: null, fee: 0, reason: 'not delivered', due: 4e12 }
    const tid = payment.split('/').at(-2) ?? ''
    const byOperator = (merchant: string) => core.contextOf('operator', merchant)
    const { id } = await operateDisputes(core).openDispute(tid, wanted, byOperator)
    const list = `${v1}/dispute/`
    const [template, path] = [`${list}{dispute_id}/`, `${list}${id}/`]
    await make('GET', list, list)
    await make('GET', template, path)
    const { headers, body } = itemListPart()
    const secret = { ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'), ...headers }
    const sent = await call('POST', `${path}evidence/`, { headers: secret, body })
    check('POST', `${template}evidence/`, sent)
    await make('GET', `${template}evidence/`, `${path}evidence/`)
    await make('GET', `${template}evidence/{attachment_id}/`, `${path}evidence/1/`)
  }

  const aboutShortlinks = async () => {
    const list = `${v1}/shortlink/`
    const { headers } = await make('POST', list, list, { description: 'x' })
    const one = pathOf(headers.location)
    const id = one.split('/').at(-2)
    await make('GET', list, list)
    await make('GET', templates.shortlink, one)
    await make('PUT', templates.shortlink, one, { description: 'y' })
    const lastScan = `${templates.shortlink}last_scan/`
    await make('GET', lastScan, `${one}last_scan/`)
    const scan = (shortlink: string | undefined) => `/sandbox/v1/shortlink/${shortlink}/scan/`
    await open('POST', scan('{shortlink_id}'), scan(id), {})
    await make('GET', lastScan, `${one}last_scan/`)
    for (const prefix of ['/shortlink/v1/qr_image/', '/s/'])
      for (const [template, argument] of [
        ['', ''],
        ['{argstring}', 'table-1'],
      ])
        await open('GET', `${prefix}{shortlink_id}/${template}`, `${prefix}${id}/${argument}`)
    await make('DELETE', templates.shortlink, one)
  }

  const aboutChannels = async () => {
    const auth = `${v1}/pusher_auth/`
    const listener = { socket_id: '1.2', channel_name: 'private-m-sandbox-till' }
    await make('POST', auth, auth, listener)
  }

  await aboutMerchant()
  await aboutLedgers()
  await aboutSettlements()
  await aboutAttachments()
  await aboutDisputes()
  await aboutShortlinks()
  await aboutChannels()
}
