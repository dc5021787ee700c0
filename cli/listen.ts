import { setTimeout as pause } from 'node:timers/promises'
import { makeCallbackSender } from '../infrastructure/callbacks/callback-sender.ts'
import { secretsOfMerchants, makeSignedPost } from '../infrastructure/callbacks/signed-post.ts'
import { signerIn } from '../service/callbacks/own-signer.ts'
import { fail } from '../infrastructure/failures.ts'
import { presentMerchant } from './arguments.ts'
import { onData, preset, required, value } from './command.ts'

const lookEveryMs = 200

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const urlOf = (text: string): string =>
  /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text)
    ? text
    : fail(`${text} is not an http or https URL`)

const countOf = (text: string): number =>
  /^[1-9]\d{0,6}$/.test(text) ? Number(text) : fail(`${text} is not a number of messages`)

/** Sends a merchant's new callbacks to one address, overriding their own. */
export const listenCommand = onData({
  name: 'listen',
  about: 'forward the callbacks of a merchant of the sandbox to a receiver on this machine',
  options: {
    merchant: preset('<id>', 'whose callbacks', 'sandbox'),
    forward: required('<url>', 'where to, such as http://127.0.0.1:3000/hook', urlOf),
    count: value('<messages>', 'stop after so many', countOf),
  },
  run: async (core, { merchant, forward, count = Infinity }) => {
    const { settings } = core
    if (settings.MODE !== 'sandbox') return fail('only the sandbox forwards callbacks')
    await presentMerchant(core, merchant)
    const { find, derive, readModels, now } = core
    const { messages } = core.callbacks
    const { callbackWire } = await import('../service/server.ts')
    const wire = await callbackWire(core)
    const findSecrets = secretsOfMerchants({ find, derive })
    const { send, close } = makeCallbackSender({
      ...wire,
      signer: await signerIn(core, settings.DATA_DIR, Date.now),
      machineNow: Date.now,
      signedPost: makeSignedPost({ arePrivateAddressesAllowed: true }),
    })
    const stopping = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stopping.abort())
    await readModels.caughtUp()
    let place = messages.lastPlace(merchant)
    const secrets = await findSecrets(merchant, now())
    say(`callbacks of ${merchant} go to ${forward}; their secret is ${secrets[0]?.secret}`)
    let forwarded = 0
    while (!stopping.signal.aborted && forwarded < count) {
      await readModels.caughtUp()
      const [row] = messages.after(merchant, place, 1)
      if (!row) {
        await pause(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
        continue
      }
      place = row.place
      const signing = (await findSecrets(merchant, now())).map(({ secret }) => secret)
      const text = await wire.message(row, 'https:')
      const { httpStatus, problem, durationMs } = await send(row.id, forward, text, signing)
      const time = new Date().toTimeString().slice(0, 8)
      const answer = httpStatus ?? 'no answer'
      const what = `${row.event}  ${row.subject}  #${row.seqno}`
      say(
        `${time}  ${what}  ${answer} in ${durationMs} ms${problem === null ? '' : `  ${problem}`}`,
      )
      forwarded += 1
    }
    close()
    return { forwarded }
  },
})
