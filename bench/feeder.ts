import { Agent, request } from 'node:http'

/*
 * Posts the same load as callbacks to the receivers, at a pace, instead of the service: measures
 * how much receiving alone slows captures down. Run as `feeder.ts <posts a second> <address>…`.
 */

const [pace, ...uris] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const every = 1000 / Number(pace)
/** As long as the headers of a callback. */
const headers = { 'Content-Type': 'application/json', signature: 's'.repeat(900) }

const post = (uri: string, seqno: number): void => {
  const body = JSON.stringify({
    meta: {
      id: '00000000-0000-0000-0000-000000000000',
      event: 'payment_captured',
      timestamp: '2026-01-01 00:00:00',
      seqno,
      uri: 'http://127.0.0.1/merchant/v1/payment_request/0123456789/outcome/',
      merchant_id: 'sandbox',
    },
  })
  const sent = request(uri, { method: 'POST', agent, headers }, (answer) => answer.resume())
  sent.on('error', () => {})
  sent.end(body)
}

const start = performance.now()
let count = 0
const postDue = (): void => {
  for (; start + count * every <= performance.now(); count++)
    post(uris[count % uris.length] as string, count)
  setTimeout(postDue, 1)
}
postDue()
