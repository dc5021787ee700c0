import { statSync } from 'node:fs'
import { fail, OperatorError } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import type { FilesCompared, Cell } from '../audit/what-if/compare-files.ts'
import { replayWithBuild } from '../audit/what-if/replay-build.ts'
import { replayWithFees } from '../audit/what-if/replay-fees.ts'
import { countOfBuild, cellText, textOfBuild, textOfFees } from '../audit/what-if/replay-words.ts'
import { command, preset, required, show } from './command.ts'
import { showProgress } from './show-progress.ts'
import { z } from 'zod'
import type { FeeSchedule, FeeSchedules } from '../domain/accounting/fees.ts'
import {
  charged,
  shippedTaxcode,
  taxcodePattern,
  type VatRates,
} from '../domain/accounting/taxcodes.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { rateOf, contentOf, instantOf } from './arguments.ts'
import { fixedOf } from './fees.ts'

const text = z.string()

const none = text.default('0')

/** A schedule in the format of `daybook fees list --json`. */
const entry = z.strictObject({
  merchant: text.min(1),
  from: text.default('1970-01-01'),
  currency: text,
  transaction_rate: none,
  transaction_fixed: none,
  interchange_rate: none,
  permission_fixed: none,
  settlement_fixed: none,
  taxcode: text.regex(taxcodePattern).default(shippedTaxcode.code),
  vat_on_transaction_fees: none,
  vat_on_permission_fees: none,
  vat_on_settlement_fees: none,
  refunds_return_fees: z.boolean().default(false),
  holds_now: z.boolean().optional(),
})

type Entry = z.output<typeof entry>

const vatOf = (one: Entry): VatRates => {
  const rates = charged.map((what) => [what, rateOf(one[`vat_on_${what}_fees`])])
  return Object.fromEntries(rates) as VatRates
}

const scheduleOf = (one: Entry): FeeSchedule => {
  const currency = one.currency.toUpperCase()
  if (!isCurrency(currency)) fail(`${currency} must be a current ISO 4217 code`)
  return {
    from: instantOf(one.from),
    currency,
    transactionRate: rateOf(one.transaction_rate),
    transactionFixed: fixedOf(one.transaction_fixed, currency),
    interchangeRate: rateOf(one.interchange_rate),
    permissionFixed: fixedOf(one.permission_fixed, currency),
    settlementFixed: fixedOf(one.settlement_fixed, currency),
    taxcode: one.taxcode,
    ...(one.taxcode !== shippedTaxcode.code && { vat: vatOf(one) }),
    refundsReturnFees: one.refunds_return_fees,
  }
}

const entriesIn = (file: string, content: Buffer): readonly unknown[] => {
  try {
    const found: unknown = JSON.parse(content.toString('utf8'))
    if (Array.isArray(found) && found.length > 0) return found
  } catch {
    // Reported below.
  }
  return fail(`${file} contains no fees: give a list in the format of daybook fees list --json`)
}

/** The schedules in a file, by merchant. @throws OperatorError that describes the error */
const feesInFile = async (file: string): Promise<ReadonlyMap<string, FeeSchedules>> => {
  const found = new Map<string, FeeSchedule[]>()
  for (const [index, one] of entriesIn(file, await contentOf(file)).entries()) {
    const place = `${file}, entry ${index + 1}`
    const read = entry.safeParse(one)
    if (!read.success) return fail(`${place}: ${z.prettifyError(read.error).replaceAll('\n', ' ')}`)
    try {
      const { merchant } = read.data
      found.set(merchant, [...(found.get(merchant) ?? []), scheduleOf(read.data)])
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return fail(`${place}: ${error.message}`)
    }
  }
  return found
}

const limitOf = (text: string): number =>
  /^\d{1,7}$/.test(text) ? Number(text) : fail(`${text} is not a number of differences`)

const isFolder = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? found.isDirectory() : fail(`${path}: there is no such folder or file`)
}

/** JSON cannot contain bytes. */
const plain = (cell: Cell): Cell => (cell instanceof Uint8Array ? cellText(cell) : cell)

const plainTables = ({ tablesOnlyIn, tables }: FilesCompared) => ({
  tables_only_here: tablesOnlyIn.here,
  tables_only_there: tablesOnlyIn.there,
  tables: tables.map(({ table, rows, columnsOnlyIn, isComparable, count, differences }) => ({
    table,
    rows,
    count,
    columns_only_here: columnsOnlyIn.here,
    columns_only_there: columnsOnlyIn.there,
    compared: isComparable,
    differences: differences.map(({ table: _, ...one }) =>
      'onlyIn' in one
        ? { key: one.key, only: one.onlyIn }
        : { ...one, here: plain(one.here), there: plain(one.there) },
    ),
  })),
})

type Replayed = { readonly count: number; readonly text: string; readonly json: object }

const withBuild = async (settings: Settings, folder: string, limit: number): Promise<Replayed> => {
  const { tell, stop } = showProgress()
  const found = await replayWithBuild(settings, folder, limit, tell).finally(stop)
  const { position, here, there } = found
  const count = countOfBuild(found)
  const versions = {
    here: { made_by: here.madeBy },
    there: { build: there.build, made_by: there.madeBy },
  }
  const rest = 'problem' in found ? { problem: found.problem } : plainTables(found)
  return { count, text: textOfBuild(found), json: { position, count, ...versions, ...rest } }
}

const withFees = async (settings: Settings, file: string, limit: number): Promise<Replayed> => {
  const fees = await feesInFile(file)
  const { tell, stop } = showProgress()
  const found = await replayWithFees(settings, fees, limit, tell).finally(stop)
  return { count: found.count, text: textOfFees(found), json: found }
}

export const replayCommand = command({
  name: 'replay',
  about: 'fold the log with another build, or other fees, and list every difference',
  options: {
    with: required(
      '<path>',
      'a built checkout or its dist; or a file of fees, as fees list --json prints them',
    ),
    limit: preset(
      '<n>',
      'list so many of each table, or of all fees; all are counted',
      20,
      limitOf,
    ),
  },
  run: async (terminal, { with: path, limit }) => {
    const replay = isFolder(path) ? withBuild : withFees
    const { count, text, json } = await replay(terminal.settings, path, limit)
    show(terminal, json, `${text}\n`)
    if (count > 0) process.exitCode = 1
  },
})
