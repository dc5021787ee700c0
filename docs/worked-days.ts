// The days of worked-example.md, against a service of its own.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { operateCorrections } from '../application/corrections.ts'
import { Client, type PaymentUpdate, type Transaction } from '../client/index.ts'
import { startPeopleService } from '../tests/support/people-service.ts'

const root = new URL('..', import.meta.url).pathname

/** Far enough ahead: the sandbox's clock goes forward only. */
const [monday, tuesday, wednesday, thursday, friday, saturday] = [3, 4, 5, 6, 7, 8].map(
  (day) => `2030-06-0${day}`,
) as [string, string, string, string, string, string]
/** Whit Monday is a bank holiday. */
const nextTuesday = '2030-06-11'
const end = '2030-06-12'

const house = { account: 'NO7215031234562', name: 'Payments House AS' }

/** Where the money of payers arrives. */
const incoming = 'NO1615031234600'

type Entry = {
  readonly amount: string
  readonly day: string
  readonly endToEndId: string
  /** Why it came back. */
  readonly returned?: string
  /** The funding source pays it; `-` stands before what it takes. */
  readonly isFunding?: true
}

const entryText = ({ amount, day, endToEndId, returned, isFunding }: Entry): string => {
  const isCredit = isFunding ? !amount.startsWith('-') : returned !== undefined
  const [side, family] = isCredit ? ['CRDT', 'RCDT'] : ['DBIT', 'ICDT']
  const why = returned === undefined ? '' : `<RtrInf><Rsn><Cd>${returned}</Cd></Rsn></RtrInf>`
  const kind = returned === undefined ? 'ESCT' : 'RRTN'
  return `<Ntry>
  <Amt Ccy="NOK">${amount.replace('-', '')}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
  <BookgDt><Dt>${day}</Dt></BookgDt>
  <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${kind}</SubFmlyCd></Fmly></Domn></BkTxCd>
  <NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${why}</TxDtls></NtryDtls>
</Ntry>`
}

/** What the bank says of an account of the house, with its balance before and after. */
const statementText = (
  account: string,
  id: string,
  day: string,
  entries: readonly Entry[],
  [before, after]: readonly [number, number],
): string => {
  const at = `<CreDtTm>${day}T22:00:00Z</CreDtTm>`
  const balance = (code: string, sum: number) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>` +
    `<Amt Ccy="NOK">${(sum / 100).toFixed(2)}</Amt>` +
    `<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>${id}</MsgId>${at}</GrpHdr>
<Stmt><Id>${id}</Id>${at}<Acct><Id><IBAN>${account}</IBAN></Id></Acct>
${balance('OPBD', before)}${balance('CLBD', after)}
${entries.map(entryText).join('\n')}
</Stmt></BkToCstmrStmt></Document>
`
}

const openHouse = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-example-'))
  const profile = join(folder, 'profile.json')
  const accounts = [{ account: incoming, batch_prefix: 'DAY-', withholds: '0.01' }]
  writeFileSync(profile, JSON.stringify({ funding: { since: monday, accounts } }))
  const service = await startPeopleService({
    BANK_ACCOUNT: house.account,
    BANK_ACCOUNT_NAME: house.name,
    BANK_PROFILE: profile,
  })
  const sandbox = { url: service.address, merchant: 'sandbox', timeout: 120_000 }
  const till = new Client({ ...sandbox, user: 'pos1', secret: 'sandbox-secret' })
  const key = readFileSync(join(service.folder, 'sandbox-admin-key.pem'))
  const owner = new Client({ ...sandbox, user: 'admin', key })
  const stop = async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
  return { service, folder, till, owner, stop }
}

type House = Awaited<ReturnType<typeof openHouse>>

/** Who does what, as the page tells it by days. */
const diary = ({ service, folder, till, owner }: House) => {
  const days = new Map<string, string[]>()
  const names = new Map<string, string>()
  const tids = new Map<string, string>()
  let now = ''
  const say = (who: string, what: string) => {
    const day = now.slice(0, 10)
    days.set(day, [...(days.get(day) ?? []), `${now.slice(11)} ${who.padEnd(8)} ${what}`])
  }
  const change = async (client: Client, order: string, body: PaymentUpdate) => {
    await client.updatePaymentRequest(tids.get(order) ?? '', body)
    say(client === till ? 'till' : 'owner', `PUT <${order}> ${JSON.stringify(body)}`)
  }
  const daybook = async (...words: readonly string[]) => {
    const told = words.map((word) => {
      const short = names.get(word) ?? (word.startsWith(folder) ? basename(word) : word)
      return /[ ;]/.test(short) && !short.startsWith('<') ? `'${short}'` : short
    })
    say('operator', `daybook ${told.join(' ')}`)
    return (await service.operator(...words)) as any
  }
  return {
    days,
    names,
    say,
    daybook,
    moveTo: async (time: string) => {
      await till.advanceSandboxClock({ now: `${time}:00` })
      now = time
    },
    sell: async (order: string, amount: string, credit = false) => {
      const about = { pos_id: 'till-1', pos_tid: order, action: 'auth' as const, currency: 'NOK' }
      const input = { ...about, amount, allow_credit: credit, customer: '+4799999901' }
      const { id } = await till.createPaymentRequest(input)
      tids.set(order, id)
      names.set(id, `<${order}>`)
      say('till', `POST payment_request/ ${JSON.stringify(input)}`)
      await till.acceptSandboxPaymentRequest(id, { credit })
      say('payer', `accepts${credit ? ', with a credit card' : ''}`)
    },
    capture: (order: string, part: { amount?: string; capture_id?: string } = {}) =>
      change(till, order, { action: 'capture', ...part, ...(part.amount && { currency: 'NOK' }) }),
    release: (order: string) => change(till, order, { action: 'release' }),
    refund: (order: string, amount: string, refund_id: string) =>
      change(owner, order, { action: 'refund', amount, currency: 'NOK', refund_id }),
    tidOf: (order: string): string => tids.get(order) ?? '',
  }
}

type Diary = ReturnType<typeof diary>

/** The command takes its account for one person; this is another. */
const approveByAnother = async ({ service }: House, day: Diary, id: string): Promise<void> => {
  const another = (merchant: string) => service.core.contextOf('operator:another', merchant)
  await operateCorrections(service.core).approve(id, another)
  day.say('another', 'approves the correction')
}

const playMonday = async (house: House, day: Diary): Promise<void> => {
  await day.moveTo(`${monday} 10:00`)
  await day.sell('order-1', '1000.00')
  await day.capture('order-1', { amount: '600.00', capture_id: 'first' })
  await day.moveTo(`${monday} 11:00`)
  await day.capture('order-1', { amount: '250.00', capture_id: 'second' })
  await day.release('order-1')
  await day.moveTo(`${monday} 12:00`)
  await day.sell('order-2', '300.00')
  await day.capture('order-2')
  await day.refund('order-2', '120.00', 'one-back')
  await day.moveTo(`${monday} 13:00`)
  await day.sell('order-3', '400.00', true)
  await day.capture('order-3')
  await day.moveTo(`${monday} 15:00`)
  const about = ['--reason', 'not received', '--due', '2030-06-13', '--fee', '50.00']
  const { id } = await day.daybook('dispute', 'open', day.tidOf('order-3'), ...about)
  day.names.set(id, '<dispute>')
  await day.daybook('dispute', 'lost', id)
  await day.moveTo(`${monday} 16:00`)
  const why = ['--reason', 'terminal of May', '--id', 'terminal-may']
  await day.daybook('correction', 'propose', 'sandbox', '--amount=-12.50', ...why)
  await approveByAnother(house, day, 'terminal-may')
}

/** Orders by a command that writes a file; answers the file and what it orders. */
const ordering = ({ folder }: House, { daybook, names }: Diary) => {
  const files: string[] = []
  const write = async (...words: readonly string[]) => {
    const file = join(folder, `payouts-${files.length + 1}.xml`)
    const { message_id } = await daybook(...words, '--pain001', file)
    names.set(message_id, `<message ${files.length + 1}>`)
    const text = readFileSync(file, 'utf8')
    files.push(text)
    const [, amount = ''] = /<InstdAmt Ccy="NOK">([^<]*)</.exec(text) ?? []
    const [, endToEndId = ''] = /<EndToEndId>([^<]*)</.exec(text) ?? []
    return { amount, endToEndId, settlement: endToEndId.replace(/-NOK.*/, '') }
  }
  return { files, write }
}

const importing = ({ folder }: House, { daybook, say }: Diary) => {
  const files: string[] = []
  let held = 500_000
  return {
    files,
    read: async (day: string, ...entries: readonly Entry[]) => {
      const before = held
      for (const { amount, returned } of entries)
        held += (returned === undefined ? -1 : 1) * Math.round(Number(amount) * 100)
      const id = `statement-${files.length + 1}`
      const text = statementText(house.account, id, day, entries, [before, held])
      files.push(text)
      const file = join(folder, `statement-${files.length}.xml`)
      writeFileSync(file, text)
      const { payouts_paid, payouts_returned } = await daybook('bank', 'import', file)
      say('', `  paid ${payouts_paid}, returned ${payouts_returned}`)
    },
    /** The statement of the account where the money of payers arrives. */
    readIncoming: async (day: string, ...entries: readonly Omit<Entry, 'isFunding'>[]) => {
      const sum = entries.reduce((all, one) => all + Math.round(Number(one.amount) * 100), 0)
      const all = entries.map((one): Entry => ({ ...one, isFunding: true }))
      const text = statementText(incoming, 'incoming-1', day, all, [0, sum])
      const file = join(folder, 'incoming-1.xml')
      writeFileSync(file, text)
      const { funding_received } = await daybook('bank', 'import', file)
      say('', `  received ${funding_received}`)
      return text
    },
  }
}

/** Runs the program of the guide that reconciles the last payout. */
const reconcile = async ({ service }: House): Promise<readonly string[]> => {
  const guide = readFileSync(join(root, 'docs/guide/transactions.md'), 'utf8')
  const [, program = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
  const who = { url: service.address, merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
  const start =
    `import { Client } from ${JSON.stringify(join(root, 'dist/client/index.js'))}\n` +
    `const shop = new Client(${JSON.stringify(who)})\n`
  const words = ['--input-type=module', '-e', start + program]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return [program.trimEnd(), stdout.trimEnd()]
}

/** Plays all days; answers what they left everywhere. */
export const playDays = async () => {
  const house = await openHouse()
  try {
    const day = diary(house)
    const orders = ordering(house, day)
    const bank = importing(house, day)
    await playMonday(house, day)

    await day.moveTo(`${tuesday} 06:00`)
    const first = await orders.write('settle')
    const [program = '', afterFirst = ''] = await reconcile(house)

    await day.moveTo(`${wednesday} 09:00`)
    const back = { ...first, day: wednesday, returned: 'AC04' }
    await bank.read(wednesday, { ...first, day: tuesday }, back)
    const account = ['--payout-account', 'NO8330001234567']
    await day.daybook('settlement-account', 'set', 'sandbox', ...account)
    const again = await orders.write('payout-retry', first.settlement)
    await day.moveTo(`${wednesday} 12:00`)
    await day.refund('order-1', '200.00', 'too-late')

    await day.moveTo(`${thursday} 09:00`)
    await bank.read(thursday, { ...again, day: wednesday })
    const invoice = await day.daybook('invoice', 'bill', 'sandbox')

    await day.moveTo(`${friday} 10:00`)
    await day.sell('order-4', '500.00')
    await day.capture('order-4')
    const paid = ['--amount', invoice.amount, '--day', friday, '--reference', 'ref-1']
    const { correction } = await day.daybook('invoice', 'paid', invoice.id, ...paid)
    await approveByAnother(house, day, correction)

    await day.moveTo(`${saturday} 06:00`)
    const last = await orders.write('settle')
    const [, afterLast = ''] = await reconcile(house)
    await day.moveTo(`${nextTuesday} 22:00`)
    await bank.read(nextTuesday, { ...last, day: nextTuesday })

    await day.moveTo(`${nextTuesday} 23:00`)
    // One per cent of the captures is withheld.
    const paidIn = await bank.readIncoming(
      nextTuesday,
      { amount: '1414.50', day: tuesday, endToEndId: `DAY-${monday}` },
      { amount: '-400.00', day: tuesday, endToEndId: day.tidOf('order-3') },
      { amount: '-200.00', day: thursday, endToEndId: `DAY-${wednesday}` },
      { amount: '495.00', day: saturday, endToEndId: day.tidOf('order-4') },
    )

    await day.moveTo(`${end} 06:00`)
    const books = join(house.folder, 'june')
    await day.daybook('audit', 'export', '--from', '2030-06-01', '--to', end, '--out', books)
    const lines: Transaction[] = []
    for await (const line of house.till.listTransactions()) lines.push(line)
    const settlements = await Promise.all(
      ['1', '2', '3'].map((serial) => house.till.getSettlement(serial)),
    )
    const book = (name: string) => readFileSync(join(books, name), 'utf8')
    return {
      days: day.days,
      names: day.names,
      program,
      afterFirst,
      afterLast,
      lines,
      settlements,
      orders: orders.files,
      statements: bank.files,
      paidIn,
      invoice,
      payouts: [first, again, last],
      journal: book('journal.ledger'),
      postings: book('journal.csv'),
      trial: book('trial-balance.csv'),
      saft: book('saf-t-NOK.xml'),
    }
  } finally {
    await house.stop()
  }
}

export type Played = Awaited<ReturnType<typeof playDays>>
