// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { operateCorrections } from '../../application/corrections.ts'
import { operatedPlace } from './operated-place.ts'

const operated = await operatedPlace()
const { place, daybook } = operated

type Line = Readonly<Record<string, string>>

const propose = async (amount: string, ...more: string[]) => {
  const words = [`--amount=${amount}`, '--reason', 'charged twice', ...more]
  const { output, errors } = await daybook('correction', 'propose', 'sandbox', ...words)
  if (output === '') throw new Error(errors)
  return JSON.parse(output)
}

/** By another person than who runs the command. */
const approve = (id: string) =>
  operateCorrections(place.core).approve(id, (merchant) =>
    place.core.contextOf('operator:another', merchant),
  )

const minor = (amount: string): number => Math.round(Number(amount) * 100)

const transactions = async (query: string): Promise<readonly Line[]> =>
  (await place.get(`/merchant/v1/transaction/?${query}`)).transactions

const last = async () => {
  const { location } = await place.ask('GET', '/merchant/v1/last_settlement/')
  return place.get(location ?? '')
}

const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })

const balanceOf = async (account: string) => {
  await place.core.readModels.caughtUp()
  const trial = place.core.accounting.journal.trialBalance()
  return trial.find(({ currency }) => currency === 'NOK')?.balances[account]
}

describe('a correction', () => {
  test('becomes a line once another person approves it, never an edit', async () => {
    const tid = await place.authorize({ amount: '100.00' })
    await place.capture(tid)
    const proposal = await propose('-12.50')
    expect(proposal).toMatchObject({ amount: '-12.50', currency: 'NOK', status: 'proposed' })
    expect(proposal.proposed_by).toMatch(/^account:/)
    expect(await transactions('kind=correction')).toEqual([])
    const { errors } = await daybook('correction', 'approve', proposal.id)
    expect(errors).toContain('second person is needed')
    await approve(proposal.id)
    await approve(proposal.id)
    const [line, ...more] = await transactions('kind=correction')
    expect(more).toEqual([])
    const [captured] = await transactions(`tid=${tid}`)
    const nothing = { tid: null, rid: null, pos_id: null, capture_id: null, refund_id: null }
    expect(line).toMatchObject({
      ...{ kind: 'correction', ledger: 'default', currency: 'NOK', ...nothing },
      ...{ gross: '-12.50', fee: '0.00', interchange: '0.00', vat: '0.00', net: '-12.50' },
      balance_before: captured?.['balance_after'],
      settlement_id: null,
    })
    const report = await place.close(1)
    const lines = await place.lines(report.transaction_log_uris)
    const [own] = lines.filter(({ action }: Line) => action === 'correction')
    expect(own).toMatchObject({ tid: proposal.id, gross: '-12.50', text: 'charged twice' })
    const [summary] = report.report_summary
    expect([summary.gross, summary.amount_total]).toEqual(['87.50', '87.50'])
  })

  test('is of any ledger and sign, listed while it waits, and no line if turned down', async () => {
    await place.ask('POST', '/merchant/v1/ledger/', { id: 'web', currency: 'NOK' }, 'admin')
    const given = await propose('7.00', '--ledger', 'web', '--id', 'web-1')
    const again = await propose('7.00', '--ledger', 'web', '--id', 'web-1')
    expect(again).toEqual(given)
    const list = async () => JSON.parse((await daybook('correction', 'list')).output)
    expect(await list()).toMatchObject([{ id: 'web-1', ledger: 'web', status: 'proposed' }])
    const other = await propose('8.00')
    await daybook('correction', 'reject', other.id)
    await approve('web-1')
    await expect(approve(other.id)).rejects.toThrow('correction is decided')
    expect(await list()).toEqual([])
    expect(await transactions('ledger=web')).toMatchObject([{ gross: '7.00' }])
    const days = await place.get('/merchant/v1/transaction/days/?ledger=web')
    expect(days.days).toMatchObject([{ gross: '7.00', count: 1 }])
  })

  test.each([
    [['--amount=0'], 'correction is nothing'],
    [['--amount=1.234'], 'must be an amount'],
    [['--amount=1', '--ledger', 'none'], 'ledger is unknown'],
    [['--amount=1', '--currency', 'XXZ'], 'must be a currency'],
    [['--amount=1', '--reason', ' '], 'a reason has'],
    [['--amount=1', '--write-off'], 'write off exceeds debt'],
  ])('%j is refused', async (words, text) => {
    const reason = words.includes('--reason') ? [] : ['--reason', 'x']
    const first = await daybook('correction', 'propose', 'sandbox', ...reason, ...words)
    if (!words.includes('--write-off')) return expect(first.errors).toContain(text)
    const { id } = JSON.parse(first.output)
    await expect(approve(id)).rejects.toThrow(text)
    await daybook('correction', 'reject', id)
  })

  test('is settled once, and is the operator’s own cost or income in the journal', async () => {
    await settle()
    const made = await last()
    const [payout] = made.payout_details
    const lines = await place.lines(made.transaction_log_uris)
    const nets = lines.reduce((sum: number, { net }: Line) => sum + minor(net ?? ''), 0)
    expect(nets).toBe(minor(payout.net))
    const own = lines.filter(({ action }: Line) => action === 'correction')
    expect(own.map(({ gross }: Line) => gross).sort()).toEqual(['-12.50', '7.00'])
    // It took 12.50 and gave 7.00.
    expect(await balanceOf('corrections')).toBe('-550')
    const [line] = await transactions('kind=correction')
    expect(line?.['settlement_id']).toBe(made.settlement_id)
  })
})

describe('what a merchant owes', () => {
  const debts = async () => JSON.parse((await daybook('correction', 'debts')).output)

  test('is carried into the next settlement, or written off by two people', async () => {
    const { id } = await propose('-200.00')
    await approve(id)
    await settle()
    const owed = (await last()).payout_details[0]
    expect(owed).toMatchObject({ payout: '0.00', unsettled_refunds_after: '-200.00' })
    const [debt] = await debts()
    expect(debt).toMatchObject({ merchant: 'sandbox', currency: 'NOK' })
    const fees = minor(owed.unsettled_fees_after)
    expect(minor(debt.owed)).toBe(20_000 - fees)
    const off = await propose('150.00', '--write-off')
    expect(off).toMatchObject({ writes_off: true, amount: '150.00' })
    await approve(off.id)
    await approve(off.id)
    expect(await balanceOf('written_off')).toBe('15000')
    expect(minor((await debts())[0].owed)).toBe(5_000 - fees)
    expect(await transactions('kind=correction&order=newest&size=1')).toMatchObject([
      { gross: '-200.00' },
    ])
  })

  test('is netted against what comes next, less what was written off', async () => {
    const before = minor((await debts())[0].owed)
    const tid = await place.authorize({ amount: '300.00' })
    await place.capture(tid)
    await settle()
    const [payout] = (await last()).payout_details
    const carried = minor(payout.unsettled_fees_before) + minor(payout.unsettled_refunds_before)
    expect(carried).toBe(-before)
    expect(minor(payout.payout)).toBe(minor(payout.net) - before)
    expect(await debts()).toEqual([])
    for (const { imbalance } of place.core.accounting.journal.trialBalance())
      expect(imbalance).toBe('0')
  })
})

describe('an invoice', () => {
  const invoice = async (...words: string[]) => {
    const { output, errors } = await daybook('invoice', ...words)
    if (output === '') throw new Error(errors)
    return JSON.parse(output)
  }
  /** What is open once another person approves it. */
  const pay = async (id: string, amount: string, reference: string) => {
    const words = ['--amount', amount, '--day', '2026-12-03', '--reference', reference]
    await approve((await invoice('paid', id, ...words)).correction)
    await place.core.readModels.caughtUp()
    const row = place.core.accounting.invoices.find(id)
    return { open: (Number(row?.open) / 100).toFixed(2) }
  }

  test('takes the debt out of the next settlement, which has it as billed', async () => {
    await expect(invoice('bill', 'sandbox')).rejects.toThrow('nothing is owed')
    const { id: correction } = await propose('-200.00')
    await approve(correction)
    await settle()
    const [owed] = (await last()).payout_details
    const debt = -minor(owed.unsettled_fees_after) - minor(owed.unsettled_refunds_after)
    const billed = await invoice('bill', 'sandbox')
    expect(minor(billed.amount)).toBe(debt)
    expect(billed.open).toBe(billed.amount)
    expect(await invoice('bill', 'sandbox')).toEqual(billed)
    expect(await balanceOf('invoices')).toBe(String(debt))
    const tid = await place.authorize({ amount: '100.00' })
    await place.capture(tid)
    await settle()
    const [payout] = (await last()).payout_details
    expect(payout).toMatchObject({
      ...{ billed: billed.amount, invoice_id: billed.id, payout: payout.net },
      unsettled_fees_after: '0.00',
    })
    expect(payout).not.toHaveProperty('unsettled_refunds_after')
    expect(await invoice('list')).toEqual([billed])
  })

  test('is paid in parts, each entry of the bank once, and never too much', async () => {
    const [{ id, amount }] = await invoice('list')
    const rest = ((minor(amount) - 10_000) / 100).toFixed(2)
    expect(await pay(id, '100.00', 'bank-1')).toMatchObject({ open: rest })
    expect(await pay(id, '100.00', 'bank-1')).toMatchObject({ open: rest })
    await expect(pay(id, amount, 'bank-2')).rejects.toThrow('payment exceeds invoice')
    await expect(pay('none', '1.00', 'bank-2')).rejects.toThrow('no invoice none')
    const wrong = ['paid', id, '--amount', '1.00', '--day', '2026-02-30', '--reference', 'bank-2']
    await expect(invoice(...wrong)).rejects.toThrow('must be a day')
    expect(await pay(id, rest, 'bank-2')).toMatchObject({ open: '0.00' })
    expect(await invoice('list')).toEqual([])
    expect(await balanceOf('invoices')).toBe('0')
    for (const { imbalance } of place.core.accounting.journal.trialBalance())
      expect(imbalance).toBe('0')
  })
})

describe('auditors', () => {
  test('are told of corrections and write-offs, and every sum adds up', async () => {
    for (const subject of [
      'corrections',
      'written_off',
      'unsettled_refunds/sandbox',
      'invoices/sandbox',
    ]) {
      const words = ['audit', 'explain', subject, '--number', 'balance']
      const { output: told, errors } = await daybook(...words)
      expect([subject, errors, JSON.parse(told || '{}').agrees]).toEqual([subject, '', true])
    }
    for (const name of ['net', 'payout', 'billed', 'debt_before', 'debt_after']) {
      const { id } = await last()
      const words = ['audit', 'explain', `sandbox/${id}`, '--number', name]
      expect([name, JSON.parse((await daybook(...words)).output).agrees]).toEqual([name, true])
    }
  })

  test('find the line with the verifier, in the log and in the export', async () => {
    await place.sandbox('clock/', { advance_seconds: 11 })
    const key = (await place.ask('GET', '/transparency/key')).text.trim()
    const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')
    const { uris } = await place.get('/merchant/v1/settlement/')
    const receipts = await Promise.all(
      (uris as readonly string[]).map(async (uri, index) => {
        const file = join(place.directory, `receipt-${index}.json`)
        writeFileSync(file, (await place.ask('GET', `${uri}proof/`)).text)
        return file
      }),
    )
    const texts = receipts.map((file) => readFileSync(file, 'utf8')).join('')
    expect(texts).toContain('CorrectionApproved')
    expect(texts).toContain('DebtWrittenOff')
    expect(texts).toContain('DebtBilled')
    const words = [verifier, ...receipts, '--key', key]
    await expect(promisify(execFile)(process.execPath, words)).resolves.toMatchObject({
      stderr: '',
    })
    const { code, output } = await daybook('audit', 'verify')
    expect([code, JSON.parse(output)]).toMatchObject([0, { holds: true }])
    const out = join(place.directory, 'export')
    const { errors } = await daybook('audit', 'export', '--out', out)
    expect(errors).toBe('')
    const journal = readFileSync(join(out, 'journal.csv'), 'utf8')
    expect(journal).toMatch(/,correction,default,[0-9a-f]{32},.*,corrections,,NOK,,12\.50/)
    expect(journal).toMatch(/,write_off,.*,written_off,,NOK,150\.00,/)
    expect(journal).toMatch(/,invoice,.*,invoices,sandbox,NOK,\d/)
    expect(journal).toMatch(/,invoice_paid,.*,bank,,NOK,100\.00,/)
    const saft = readFileSync(join(out, 'saf-t-NOK.xml'), 'utf8')
    expect(saft).toContain('<GroupingCode>7830</GroupingCode>')
  })
})
