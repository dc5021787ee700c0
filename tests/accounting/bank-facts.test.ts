// @module-tag long
// Long because it builds bank files with every way to tell a movement.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settlements } from '../../domain/aggregates.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { readBankFile } from '../../infrastructure/bank/bank-file.ts'
import { importBankFile } from '../../service/bank/import-uploaded.ts'

const account = 'NO9386011117947'

let place: Place

let worlds = 0

let statements = 0

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

type Payout = { readonly endToEndId: string; readonly amount: string; readonly day: string }

/** A merchant's settlements of the amounts (in øre), ordered by one message. */
const order = async (amounts: readonly number[], days: readonly string[] = []) => {
  const world = (worlds += 1)
  const merchant = `shop-${world}`
  const messageId = `DAYBOOK-W${world}`
  const context = place.core.contextOf('test', merchant)
  const handle = (command: Parameters<typeof settlements.decider.decide>[0]) =>
    place.core.handle(settlements, merchant, command, context)
  const payouts: Payout[] = []
  for (const [index, amount] of amounts.entries()) {
    const serial = index + 1
    const settlementId = `W${world}-2026-11-26-${serial}`
    const payoutDay = days[index] ?? '2026-11-30'
    const sums = { taxcode: 'NO:2013', amount: String(amount), additionalAmount: '0', fees: {} }
    const totals = [{ currency: 'NOK', ...sums }]
    const completion = { counters: {}, totals, transactionLogs: [], scopeLogs: [] }
    await handle({ type: 'StartSettlement', serial, settlementId, dueAt: null })
    await handle({ type: 'CompleteSettlement', serial, completion, terms: {}, payoutDay })
    const how = { payoutAccount: account, payoutDay, heldIn: 'payout_clearing' } as const
    await handle({ type: 'OrderPayout', serial, messageId, ...how })
    const text = (amount / 100).toFixed(2)
    payouts.push({ endToEndId: `${settlementId}-NOK`, amount: text, day: payoutDay })
  }
  const reorder = (serial: number) =>
    handle({
      ...{ type: 'OrderPayout', serial, messageId: `${messageId}R`, payoutAccount: account },
      ...{ payoutDay: '2026-12-04', heldIn: 'payout_clearing' },
    })
  return { merchant, messageId, payouts, reorder }
}

type World = Awaited<ReturnType<typeof order>>

const load = (text: string) => {
  const { entries, rejections } = readBankFile(Buffer.from(text), 'file', account)
  const contextOf = (merchant: string | null) => place.core.contextOf('test', merchant)
  return importBankFile(place.core, contextOf)({ entries, rejections })
}

const endOf = async ({ merchant, messageId, payouts }: World) => {
  await place.core.readModels.caughtUp()
  const { settlements: rows, bankEntries } = place.core.accounting
  const states = payouts.map((_, index) => rows.find(merchant, index + 1)?.payouts[0])
  const names = new Set(payouts.map(({ endToEndId }) => endToEndId))
  const open = bankEntries
    .open(10_000)
    .map(({ entry }) => entry)
    .filter(
      ({ endToEndId, messageId: id, paymentId }) =>
        names.has(endToEndId ?? '') || id === messageId || paymentId?.startsWith(`${messageId}-`),
    )
  return {
    statuses: states.map((state) => state?.status),
    counted: states.map((state) =>
      state?.orders.map(({ debits, credits }) => [debits.length, credits.length]),
    ),
    open: open.map(({ side, amount, problem }) => `${side} ${amount} ${problem}`).sort(),
  }
}

const element = (name: string, content: string | undefined): string =>
  content === undefined ? '' : `<${name}>${content}</${name}>`

type Told = {
  readonly amount: string
  readonly side?: 'DBIT' | 'CRDT'
  readonly day?: string
  readonly reference?: string | undefined
  /** Details, or the names of the batch alone. */
  readonly details?: readonly {
    readonly endToEndId?: string
    readonly own?: string
    readonly amount?: string
    readonly refs?: string
    readonly reason?: string
  }[]
  readonly batch?: string
}

const entryOf = ({
  amount,
  side = 'DBIT',
  day = '2026-11-30',
  reference,
  ...told
}: Told): string => {
  const details = (told.details ?? []).map(
    ({ endToEndId, own, amount: part, refs = '', reason }) =>
      `<TxDtls><Refs>${element('AcctSvcrRef', own)}${element('EndToEndId', endToEndId)}${refs}
      </Refs>
      ${part === undefined ? '' : `<Amt Ccy="NOK">${part}</Amt>`}
      ${reason === undefined ? '' : `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`}</TxDtls>`,
  )
  return `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd>
    <Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>
    ${element('AcctSvcrRef', reference)}
    <NtryDtls>${element('Btch', told.batch)}${details.join('')}</NtryDtls></Ntry>`
}

type Kind = 'camt.053' | 'camt.054'

const document = (kind: Kind, entries: readonly string[], id = `st-${(statements += 1)}`) => {
  const [root, part] =
    kind === 'camt.053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  return `<Document><${root}><GrpHdr><MsgId>${id}</MsgId></GrpHdr><${part}><Id>${id}</Id>
    <CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm><Acct><Id><IBAN>${account}</IBAN></Id></Acct>
    ${entries.join('')}</${part}></${root}></Document>`
}

const report = (messageId: string, inner: string, group = ''): string =>
  `<Document><CstmrPmtStsRpt><GrpHdr><CreDtTm>2026-11-30T08:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId>${group}</OrgnlGrpInfAndSts>${inner}
  </CstmrPmtStsRpt></Document>`

const one = ({ amount, endToEndId }: Payout, told: Partial<Told> & { reason?: string } = {}) => {
  const { reason, ...rest } = told
  const detail = { endToEndId, ...(reason !== undefined && { reason }) }
  return entryOf({ amount, details: [detail], ...rest })
}

describe('a second debit of a payout', () => {
  test('with another reference is listed, with an alarm', async () => {
    const world = await order([10_000])
    const [payout] = world.payouts as [Payout]
    await load(document('camt.054', [one(payout, { reference: 'A' })]))
    const told = document('camt.053', [
      one(payout, { reference: 'A', day: '2026-12-01' }),
      one(payout, { reference: 'B' }),
    ])
    expect(await load(told)).toMatchObject({ paid: 0, known: 1, unmatched: 1, alarms: 1 })
    expect(await endOf(world)).toMatchObject({
      statuses: ['paid'],
      open: ['debit 10000 payout_is_paid'],
    })
    expect(place.core.accounting.bankEntries.openDebits()).toBeGreaterThan(0)
    expect(await load(told)).toMatchObject({ paid: 0, known: 2, unmatched: 0, alarms: 0 })
  })

  test('on the same day in another statement is listed; a repeat is known', async () => {
    const world = await order([10_000])
    const [payout] = world.payouts as [Payout]
    await load(document('camt.053', [one(payout, { reference: 'A' })]))
    const again = document('camt.053', [one(payout, { reference: 'A' })])
    expect(await load(again)).toMatchObject({ known: 1, unmatched: 0 })
    const second = document('camt.053', [one(payout, { reference: 'B' })])
    expect(await load(second)).toMatchObject({ known: 0, unmatched: 1, alarms: 1 })
    // Another file has it too: one movement is listed once.
    const third = document('camt.054', [one(payout, { reference: 'B', day: '2026-12-02' })])
    expect(await load(third)).toMatchObject({ known: 1, unmatched: 0 })
    expect((await endOf(world)).open).toEqual(['debit 10000 payout_is_paid'])
  })

  test('for a payout that another message has ordered again is listed', async () => {
    const world = await order([10_000])
    const [payout] = world.payouts as [Payout]
    const back = one(payout, { side: 'CRDT', reference: 'C', reason: 'AC04' })
    await load(document('camt.053', [one(payout, { reference: 'A' }), back]))
    await world.reorder(1)
    expect(await load(document('camt.053', [one(payout, { reference: 'B' })]))).toMatchObject({
      ...{ paid: 0, unmatched: 1, alarms: 1 },
    })
    expect(await endOf(world)).toMatchObject({
      statuses: ['ordered'],
      open: ['debit 10000 payout_is_not_ordered'],
    })
  })

  test('is seen where an entry is larger than its details', async () => {
    const world = await order([10_000])
    const [payout] = world.payouts as [Payout]
    const detail = { endToEndId: payout.endToEndId, amount: payout.amount }
    const told = entryOf({ amount: '200.00', reference: `R${world.messageId}`, details: [detail] })
    const done = await load(document('camt.053', [told]))
    expect(done).toMatchObject({ paid: 1, unmatched: 1, alarms: 1 })
    expect(done.all[1]).toMatchObject({ problem: 'names_no_payout', amount: { sum: '10000' } })
  })
})

describe('a status report', () => {
  const rejected = '<StsRsnInf><Rsn><Cd>AG01</Cd></Rsn><AddtlInf>closed</AddtlInf></StsRsnInf>'
  const payment = (world: World, number: number, status: string, inner = '') =>
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${world.messageId}-${number}</OrgnlPmtInfId>
    ${element('PmtInfSts', status === '' ? undefined : status)}${rejected}${inner}
    </OrgnlPmtInfAndSts>`
  const detail = ({ endToEndId }: Payout, status: string) =>
    `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId>
    <TxSts>${status}</TxSts></TxInfAndSts>`
  const days = ['2026-11-30', '2026-11-30', '2026-12-01']
  const three = () => order([10_000, 20_000, 30_000], days)

  test.each([
    ['a payment information alone', (of: World) => payment(of, 1, 'RJCT'), '', 'RRO'],
    ['the group alone', () => '', `<GrpSts>RJCT</GrpSts>${rejected}`, 'RRR'],
    ['one of two', (of: World) => payment(of, 1, 'ACSP') + payment(of, 2, 'RJCT'), '', 'OOR'],
    [
      'the group, but not an information that is accepted',
      (of: World) => payment(of, 1, 'ACTC'),
      `<GrpSts>RJCT</GrpSts>${rejected}`,
      'OOR',
    ],
    [
      'an information, but not a transaction that is accepted',
      (of: World) => payment(of, 1, 'RJCT', detail(of.payouts[0] as Payout, 'ACSC')),
      '<GrpSts>PART</GrpSts>',
      'ORO',
    ],
    [
      'a transaction by its own status',
      (of: World) =>
        payment(of, 1, 'PART', detail(of.payouts[1] as Payout, 'RJCT')) + payment(of, 2, 'PDNG'),
      '<GrpSts>PART</GrpSts>',
      'ORO',
    ],
    [
      'nothing by acceptances',
      (of: World) => payment(of, 1, 'ACWC'),
      '<GrpSts>ACCP</GrpSts>',
      'OOO',
    ],
  ] as const)('refuses %s', async (_, inner, group, end) => {
    const world = await three()
    const text = report(world.messageId, inner(world), group)
    const count = [...end].filter((letter) => letter === 'R').length
    expect(await load(text)).toMatchObject({ returned: count, unmatched: 0 })
    const words = [...end].map((letter) => (letter === 'R' ? 'returned' : 'ordered'))
    expect((await endOf(world)).statuses).toEqual(words)
    const first = words.indexOf('returned')
    if (first < 0) return
    const row = place.core.accounting.settlements.find(world.merchant, first + 1)
    expect(row?.payouts[0]?.returned?.reason).toEqual({ code: 'AG01', text: 'closed' })
    // Ordered again, and the report read again.
    await world.reorder(first + 1)
    expect(await load(text)).toMatchObject({ returned: 0, unmatched: 0 })
    expect((await endOf(world)).statuses[first]).toBe('ordered')
  })
})

describe('the names that the bank gives', () => {
  test('decide between payment informations of equal sums', async () => {
    const world = await order([10_000, 10_000], ['2026-11-30', '2026-12-01'])
    const told = (number: number) =>
      entryOf({
        ...{ amount: '100.00', reference: `S${number}`, details: [{}] },
        batch: `<PmtInfId>${world.messageId}-${number}</PmtInfId>`,
      })
    expect(await load(document('camt.053', [told(2)]))).toMatchObject({ paid: 1, unmatched: 0 })
    expect((await endOf(world)).statuses).toEqual(['ordered', 'paid'])
    await load(document('camt.053', [told(1)]))
    expect((await endOf(world)).statuses).toEqual(['paid', 'paid'])
  })

  test('may be those of the batch beside one detail, and its instructed amount', async () => {
    const world = await order([10_000, 20_000])
    const batch = `<MsgId>${world.messageId}</MsgId>`
    await load(document('camt.053', [entryOf({ amount: '300.00', batch, details: [{}] })]))
    expect((await endOf(world)).statuses).toEqual(['paid', 'paid'])
    const other = await order([10_000, 20_000])
    const details = other.payouts.map(
      ({ endToEndId, amount }) =>
        `<TxDtls><Refs><InstrId>${endToEndId}</InstrId></Refs><AmtDtls><InstdAmt>
        <Amt Ccy="NOK">${amount}</Amt></InstdAmt></AmtDtls></TxDtls>`,
    )
    const entry = entryOf({ amount: '300.00', reference: 'I' })
    const text = entry.replace('<NtryDtls>', `<NtryDtls>${details.join('')}`)
    expect(await load(document('camt.054', [text]))).toMatchObject({ paid: 2, unmatched: 0 })
  })
})

test('given two operators with the same file at once, then it tells once', async () => {
  const world = await order([10_000, 20_000])
  const text = document('camt.053', [
    ...world.payouts.map((payout, index) => one(payout, { reference: `T${index}` })),
    one(world.payouts[0] as Payout, { side: 'CRDT', reference: 'U', reason: 'AC04' }),
  ])
  const done = await Promise.all([load(text), load(text), load(text)])
  const sum = (name: 'paid' | 'returned' | 'unmatched') =>
    done.reduce((total, result) => total + result[name], 0)
  expect([sum('paid'), sum('returned'), sum('unmatched')]).toEqual([2, 1, 0])
  expect(await endOf(world)).toEqual({
    ...{ statuses: ['returned', 'paid'], open: [] },
    counted: [[[1, 1]], [[1, 0]]],
  })
})

const fates = ['nothing', 'paid', 'back', 'twice', 'twice and back', 'refused', 'late'] as const

const expected = { nothing: 'ordered', back: 'returned', refused: 'returned' } as const

type Bank = {
  readonly fates: readonly (typeof fates)[number][]
  readonly hasSums: boolean
  readonly isNextDay: boolean
}

/** All that the bank tells of a world, in its natural order; each file may be split. */
const filesOf = ({ payouts, messageId }: World, bank: Bank) => {
  const later = bank.isNextDay ? '2026-12-01' : '2026-11-30'
  const told: { kind: Kind | 'pain.002'; text: string }[] = []
  const both = (payout: Payout, more: Partial<Told> & { reference: string; reason?: string }) => {
    told.push({ kind: 'camt.054', text: one(payout, more) })
    told.push({ kind: 'camt.053', text: one(payout, { ...more, day: later }) })
  }
  const isWhole = bank.hasSums && bank.fates.every((fate) => !['nothing', 'refused'].includes(fate))
  if (isWhole) {
    const details = payouts.map(({ endToEndId, amount }, index) => ({
      ...{ endToEndId, amount, own: `D${index}` },
    }))
    const amount = payouts.reduce((sum, payout) => sum + Number(payout.amount), 0).toFixed(2)
    told.push({ kind: 'camt.054', text: entryOf({ amount, reference: 'SUM', details }) })
    const batch = `<PmtInfId>${messageId}-1</PmtInfId>`
    told.push({ kind: 'camt.053', text: entryOf({ amount, reference: 'SUM', day: later, batch }) })
  }
  for (const [index, payout] of payouts.entries()) {
    const fate = bank.fates[index] ?? 'nothing'
    const isDebited = !['nothing', 'refused'].includes(fate)
    if (isDebited && !isWhole) both(payout, { reference: `A${index}` })
    if (fate.startsWith('twice')) both(payout, { reference: `B${index}` })
    if (fate.endsWith('back'))
      both(payout, { side: 'CRDT', reference: `C${index}`, reason: 'AC04' })
    if (fate === 'refused' || fate === 'late') {
      const inner = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}-1</OrgnlPmtInfId><TxInfAndSts>
        <OrgnlEndToEndId>${payout.endToEndId}</OrgnlEndToEndId><TxSts>RJCT</TxSts>
        </TxInfAndSts></OrgnlPmtInfAndSts>`
      told.push({ kind: 'pain.002', text: inner })
    }
  }
  return told
}

type Item = ReturnType<typeof filesOf>[number]

const written = ({ messageId }: World, kind: Item['kind'], items: readonly Item[]): string =>
  kind === 'pain.002'
    ? report(messageId, items.map(({ text }) => text).join(''))
    : document(
        kind,
        items.map(({ text }) => text),
      )

test('the end is the same for every order of files and entries, and for repetitions', async () => {
  const bank = fc.record({
    fates: fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 3 }),
    hasSums: fc.boolean(),
    isNextDay: fc.boolean(),
  })
  const disorder = fc.record({
    places: fc.array(fc.nat(999), { minLength: 30, maxLength: 30 }),
    perFile: fc.integer({ min: 1, max: 4 }),
    repeats: fc.array(fc.nat(29), { maxLength: 4 }),
  })
  const property = fc.asyncProperty(bank, disorder, async (of, { places, perFile, repeats }) => {
    const amounts = of.fates.map((_, index) => 10_000 + index * 1_000)
    const natural = await order(amounts)
    const all = filesOf(natural, of)
    for (const kind of ['camt.054', 'pain.002', 'camt.053'] as const) {
      const items = all.filter((item) => item.kind === kind)
      if (items.length > 0) await load(written(natural, kind, items))
    }
    const end = await endOf(natural)

    const other = await order(amounts)
    const told = filesOf(other, of)
    const again = repeats.flatMap((index) => told[index % Math.max(told.length, 1)] ?? [])
    const mixed = [...told, ...again]
      .map((item, index) => ({ item, place: places[index % places.length] ?? 0 }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item)
    for (let from = 0; from < mixed.length; from += perFile) {
      const some = mixed.slice(from, from + perFile)
      for (const kind of new Set(some.map(({ kind }) => kind))) {
        // One statement tells a movement once; overlaps are between files.
        const items = [...new Set(some.filter((item) => item.kind === kind))]
        await load(written(other, kind, items))
      }
    }
    // Which of two debits of a payout is listed depends on which was read first: it may be one
    // sum, which holds debits of other payouts too.
    const { open, ...rest } = await endOf(other)
    const twice = of.fates.filter((fate) => fate.startsWith('twice')).length
    expect(rest).toEqual({ statuses: end.statuses, counted: end.counted })
    expect(open.length > 0).toBe(twice > 0)
    expect(open.length).toBeLessThanOrEqual(twice)
    const second = amounts.filter((_, index) => of.fates[index]?.startsWith('twice'))
    const whole = amounts.reduce((sum, amount) => sum + amount, 0)
    const lawful = [...second, whole].map((amount) => `debit ${amount} payout_is_paid`)
    for (const entry of open) expect(lawful).toContain(entry)
    expect(end.statuses).toEqual(
      of.fates.map((fate) => (expected as Record<string, string>)[fate] ?? 'paid'),
    )
    expect(end.open).toHaveLength(twice)
  })
  await fc.assert(property, { numRuns: 25 })
}, 300_000)
