import { createPrivateKey } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attemptsDiffer, messagesDiffer, outcomeDiffers } from './agreement.ts'
import { fetchCallbackKeys } from './callback-check.ts'
import { leftOf, readBooks, type Books } from './log-books.ts'
import { merchantClient } from './merchant-client.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { startServiceProcess } from './service-process.ts'
import { openShop, type OpenShop, type Shop } from './shop.ts'
import { playStory } from './story.ts'
import { amountLike, say, sayChapter, type Outcome } from './telling.ts'

const dayInMs = 86_400_000

/** Some days on, as the interface writes dates. */
const dayAfterToday = (days: number): string =>
  new Date(Date.now() + days * dayInMs).toISOString().slice(0, 10)

/** The books of each currency: what was authorised is what was captured, released and is left. */
const sayBooks = ({ entries }: Books, outcomes: ReadonlyMap<string, Outcome>): void => {
  for (const currency of new Set(entries.map((entry) => entry.currency))) {
    const own = entries.filter((entry) => entry.currency === currency)
    const example = outcomes.get(own[0]?.tid ?? '')?.amount ?? '0'
    const total = (pots: { amount: number; additionalAmount: number }[]): string =>
      amountLike(
        pots.reduce((all, { amount, additionalAmount }) => all + amount + additionalAmount, 0),
        example,
      )
    const captured = total(own.flatMap(({ captures }) => captures))
    const released = total(own.map((entry) => entry.released))
    const left = total(own.map(leftOf))
    say(
      `  ${currency}  authorised ${total(own.map(({ authorised }) => authorised))} = captured ${captured} + ` +
        `released ${released} + left ${left}; refunded ${total(own.flatMap(({ refunds }) => refunds))}`,
    )
  }
}

/** Everything that disagrees, in words. */
const disagreements = async (
  { till, receiver }: Shop,
  { sales, surprises }: OpenShop,
  file: string,
): Promise<string[]> => {
  const books = await readBooks(file)
  const messages = receiver.messages()
  const outcomes = new Map<string, Outcome>()
  const found: string[] = [...surprises, ...books.gaps.map((gap) => `a gap in the log: ${gap}`)]
  if (books.entries.length !== sales.length)
    found.push(`the till made ${sales.length} payments, the log holds ${books.entries.length}`)
  for (const { number, title, tid } of sales) {
    const { body } = await till('GET', `/merchant/v1/payment_request/${tid}/outcome/`)
    const outcome = body as Outcome
    outcomes.set(tid, outcome)
    const entry = books.entries.find((one) => one.tid === tid)
    const told = messages.filter(({ meta }) => meta.uri?.includes(`/${tid}/`))
    const problems = entry
      ? [...outcomeDiffers(outcome, entry), ...messagesDiffer(told, entry)]
      : ['the log does not know it']
    found.push(...problems.map((problem) => `${number} ${title}: ${problem}`))
  }
  found.push(...attemptsDiffer(receiver.arrivals, books))
  for (const { meta, problems } of receiver.arrivals)
    found.push(...problems.map((problem) => `${meta.event} ${meta.id}: ${problem}`))

  sayChapter('The books')
  const owed = books.entries.flatMap((entry) => entry.owed).length
  const again = receiver.arrivals.length - messages.length
  say(`  ${books.count} events in the log, ${sales.length} payments`)
  say(`  ${owed} messages owed, ${messages.length} told, ${again} told again and set aside`)
  sayBooks(books, outcomes)
  return found
}

/** Answers whether all agree. */
const play = async (directory: string): Promise<boolean> => {
  const service = await startServiceProcess({ DATA_DIR: directory })
  const keys = await fetchCallbackKeys(service.address)
  let isLineDown = true
  const receiver: Receiver = await startReceiver({
    keys,
    // Once, the till hears a message, but its line breaks before it can say so.
    reply: ({ meta }) => {
      if (meta.event !== 'payment_aborted_by_merchant' || !isLineDown) return 204
      isLineDown = false
      return 'break off'
    },
  })
  try {
    const pem = await readFile(join(directory, 'sandbox-admin-key.pem'), 'utf8')
    const admin = { merchant: 'sandbox', user: 'admin', key: createPrivateKey(pem) }
    const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
    const shop: Shop = {
      till: merchantClient(service.address, pos1),
      owner: merchantClient(service.address, admin),
      world: merchantClient(service.address),
      receiver,
      callbackUri: receiver.url('/till'),
    }
    say(`A shop's day with daybook at ${service.address}, its data in ${directory}`)
    say(`The till listens at ${shop.callbackUri} and believes only what is signed.`)
    const bar = { id: 'bar', name: 'Harbour Bar', type: 'store' }
    await shop.till('POST', '/merchant/v1/pos/', bar)
    const day = openShop(shop)
    await playStory(day, [1, 2, 3, 4].map(dayAfterToday))
    const found = await disagreements(shop, day, join(directory, 'events.sqlite'))
    if (found.length === 0) {
      say('\nAll agree: outcomes, callbacks and event log tell the same story.')
      return true
    }
    say(`\nThey do not agree:\n${found.map((problem) => `  ${problem}`).join('\n')}`)
    return false
  } finally {
    await receiver.close()
    await service.end()
  }
}

const directory = await mkdtemp(join(tmpdir(), 'daybook-demo-'))
try {
  if (!(await play(directory))) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}
