import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, DaybookError } from '../client/index.ts'
import { fetchCallbackKeys } from '../harness/callback-check.ts'
import {
  arrivalsDiffer,
  booksInWords,
  journalDiffers,
  linesDiffer,
  messagesDiffer,
  outcomeDiffers,
  readBooks,
  readReports,
  reportsDiffer,
} from './books.ts'
import { openKiosk, type Shop } from './sale.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { runCommand, startServiceProcess, type ServiceProcess } from '../harness/service-process.ts'
import { openShop, type OpenShop } from './shop.ts'
import { playEnding, playStory, type Days } from './story.ts'
import { say, sayChapter } from './print.ts'

const dayInMs = 86_400_000

/** Some days on, as the interface writes dates. */
const dayAfterToday = (days: number): string =>
  new Date(Date.now() + days * dayInMs).toISOString().slice(0, 10)

/** Where the log is: an empty database of EventStoreDB, or a file of its own. */
const EVENT_STORE = process.env['EVENT_STORE'] || 'sqlite'

/** Looks at the books; answers everything that disagrees, in words. */
const lookAtBooks = async (
  title: string,
  { till, receiver }: Shop,
  { sales, reports: ids }: OpenShop,
  address: string,
  directory: string,
): Promise<string[]> => {
  const { reports, lines } = await readReports(till, ids)
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const books = await readBooks({ EVENT_STORE, DATA_DIR: directory })
  const messages = receiver.messages()
  const found: string[] = []
  if (books.entries.length !== sales.length)
    found.push(`the till made ${sales.length} payments, the log holds ${books.entries.length}`)
  for (const { number, title, tid } of sales) {
    const outcome = await till.getPaymentRequestOutcome(tid)
    const entry = books.entries.find((one) => one.tid === tid)
    const told = messages.filter(({ meta }) => meta.uri?.includes(`/${tid}/`))
    const own = lines.filter((line) => line['tid'] === tid)
    const problems = entry
      ? [
          ...outcomeDiffers(outcome, entry),
          ...messagesDiffer(told, entry),
          ...linesDiffer(own, entry),
        ]
      : ['the log does not know it']
    found.push(...problems.map((problem) => `${number} ${title}: ${problem}`))
  }
  found.push(...reportsDiffer(reports, books), ...journalDiffers(metrics, books))
  found.push(...arrivalsDiffer(receiver.arrivals, messages, books))
  for (const { meta, problems } of receiver.arrivals)
    found.push(...problems.map((problem) => `${meta.event} ${meta.id}: ${problem}`))

  sayChapter(title)
  const owed = books.entries.flatMap((entry) => entry.owed).length + books.scans.length
  const again = receiver.arrivals.length - messages.length
  say(`  ${books.count} events in the log, ${sales.length} payments`)
  say(`  ${owed} messages owed, ${messages.length} told, ${again} told again and set aside`)
  say(`  ${lines.length} lines in the transaction logs of ${reports.length} reports`)
  for (const line of booksInWords(books)) say(line)
  return found
}

const days: Days = {
  today: dayAfterToday(1),
  renewal: dayAfterToday(3),
  expiry: dayAfterToday(4),
  end: dayAfterToday(10),
}

/** The terms are made so that parts, fixed fees, credit and refunds all show in what is charged. */
const terms = [
  ...['--from', '2000-01-01', '--transaction-rate', '0.009', '--transaction-fixed', '1.80'],
  ...['--interchange-rate', '0.01', '--settlement-fixed', '0', '--refunds-return-fees'],
]

/** Plays the day against a service; answers whether all agree. */
const play = async ({ address, errors }: ServiceProcess, directory: string): Promise<boolean> => {
  await runCommand(['fees', 'set', 'sandbox', ...terms], { EVENT_STORE, DATA_DIR: directory })
  const sandbox = { url: address, merchant: 'sandbox' }
  const till = new Client({ ...sandbox, user: 'pos1', secret: 'sandbox-secret' })
  const key = await readFile(join(directory, 'sandbox-admin-key.pem'))
  let isLineDown = true
  const receiver: Receiver = await startReceiver({
    keys: await fetchCallbackKeys(address),
    believe: async (request) => void (await till.verifyCallback(request)),
    // Once, the till hears a message, but its line breaks before it can say so.
    reply: ({ meta }) => {
      if (meta.event !== 'payment_aborted_by_merchant' || !isLineDown) return 204
      isLineDown = false
      return 'break off'
    },
  })
  const kiosk = await openKiosk(address)
  const shop: Shop = {
    till,
    owner: new Client({ ...sandbox, user: 'admin', key }),
    readWith: async (accessToken, path) => {
      const headers = { Authorization: `Bearer ${accessToken}` }
      return (await fetch(address + path, { headers })).json()
    },
    receiver,
    callbackUri: receiver.url('/till'),
    kiosk,
  }
  say(`A shop's day with daybook at ${address}, its data in ${directory}`)
  say(`The till listens at ${shop.callbackUri} and believes only what is signed.`)
  say('The kiosk behind a router cannot be called: it listens to a channel.')
  say('A capture costs 0.9 % and 1.80, on credit 1 % more; a refund gives its part back.')
  try {
    const day = openShop(shop)
    await day.register({ id: 'bar', name: 'Harbour Bar', type: 'store' })
    const look = (title: string) => lookAtBooks(title, shop, day, address, directory)
    const underWay = await playStory(day, days)
    const found = await look('The books, with two payments under way')
    await playEnding(day, days, underWay)
    found.push(...(await look('The books, when all have ended')), ...day.surprises)
    found.push(...[...errors].map((error) => `the service has logged an error: ${error}`))
    await runCommand(['audit', 'verify'], { EVENT_STORE, DATA_DIR: directory })
    say('  audit verify: nothing is wrong with the log, or with what follows from it')
    if (found.length === 0) {
      say(
        '\nAll agree: outcomes, callbacks, transaction logs, reports, journal and event log tell ' +
          'the same story.',
      )
      return true
    }
    say(`\nThey do not agree:\n${found.map((problem) => `  ${problem}`).join('\n')}`)
    return false
  } finally {
    kiosk.close()
    await receiver.close()
  }
}

const directory = await mkdtemp(join(tmpdir(), 'daybook-demo-'))

try {
  const service = await startServiceProcess({ EVENT_STORE, DATA_DIR: directory })
  try {
    if (!(await play(service, directory))) process.exitCode = 1
  } finally {
    await service.stop()
  }
} catch (error) {
  if (!(error instanceof DaybookError)) throw error
  say(`\nThe story breaks off: ${error.message}`)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}
