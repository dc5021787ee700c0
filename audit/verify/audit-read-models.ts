import { DamagedEvent, type Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import Database from '../../infrastructure/sqlite.ts'
import {
  checkpointOf,
  openReadModelsToRead,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { currentReadModels, type OpenedStore, type Place } from '../../infrastructure/stores.ts'
import { auditDocuments } from './audit-documents.ts'
import { comparedTables, comparePages } from './compare-rows.ts'
import { freshReadModels, type FreshReadModels, reportDifference } from './report-difference.ts'
import type { Pause, Problems, Progress } from './problems.ts'
import { journalQueries } from '../../projections/journal.ts'

/** The net of unsettled lines, and what the journal owes for them. */
const owedQuery = `
  WITH taken AS (
    SELECT merchant, max(startedPosition) AS cut FROM settlements
    WHERE made IS NOT NULL GROUP BY merchant
  ), unsettled AS (
    SELECT line.merchant, currency,
      sum(amount + additionalAmount - fee - interchange - vat) AS net
    FROM transaction_lines line LEFT JOIN taken ON taken.merchant = line.merchant
    WHERE fee IS NOT NULL AND line.position > coalesce(cut, 0)
    GROUP BY line.merchant, currency
  ), owed AS (
    SELECT merchant, currency, -CAST(balance AS INTEGER) AS net FROM journal_balances
    WHERE account = 'merchant_payable'
  )
  SELECT coalesce(owed.merchant, unsettled.merchant) AS merchant,
    coalesce(owed.currency, unsettled.currency) AS currency,
    coalesce(owed.net, 0) AS owed, coalesce(unsettled.net, 0) AS unsettled
  FROM owed FULL JOIN unsettled
    ON owed.merchant = unsettled.merchant AND owed.currency = unsettled.currency
  WHERE coalesce(owed.net, 0) <> coalesce(unsettled.net, 0)`

type Owed = {
  readonly merchant: string
  readonly currency: string
  readonly owed: bigint
  readonly unsettled: bigint
}

/** The journal must balance, and owe each merchant the sum of its unsettled lines. */
export const auditJournal = ({ sqlite, db }: ReadModelFile, problems: Problems): void => {
  const tell = (problem: string): void => problems.add({ check: 'books', position: null, problem })
  for (const { currency, imbalance } of journalQueries(db).trialBalance())
    if (imbalance !== '0') tell(`the journal is off by ${imbalance} minor units of ${currency}`)
  for (const wrong of sqlite.prepare<[], Owed>(owedQuery).safeIntegers().all()) {
    const { merchant, currency, owed, unsettled } = wrong
    tell(
      `the journal owes ${merchant} ${owed} minor units of ${currency}, ` +
        `and its unsettled lines add up to ${unsettled}`,
    )
  }
}

/** Number of events folded between pauses. */
const eventsOfRest = 2_000

/** Number of rows compared in one read transaction. */
const rowsOfPage = 2_000

type Needs = {
  readonly store: OpenedStore
  readonly place: Place
  /** The log's end when the audit began. */
  readonly end: Position
  readonly problems: Problems
  readonly progress: Progress
  readonly pause: Pause
}

/** Folds one event at a time to find the one that fails, and reports it. */
const nameUnfoldable = async ({ store, problems }: Needs, fresh: FreshReadModels) => {
  for await (const batch of store.readAll(fresh.position()))
    for (const event of batch)
      try {
        parseEvent(event)
        await fresh.foldTo(event.position)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        problems.at(event, 'read models', `it cannot be folded into the read models: ${reason}`)
        return
      }
}

/** Whether the log could be folded up to `end`. */
const foldTo = async (needs: Needs, fresh: FreshReadModels, end: Position): Promise<boolean> => {
  const { progress, pause, problems } = needs
  try {
    await fresh.foldTo(end, (position) => {
      progress('folding the log anew', position, needs.end)
      return pause()
    })
    return true
  } catch (error) {
    if (error instanceof DamagedEvent)
      problems.at(error.event, 'read models', 'the read models cannot be made beyond it')
    else await nameUnfoldable(needs, fresh)
    return false
  }
}

/**
 * Folds almost up to where the service is: an open read transaction keeps its file from shrinking.
 */
const catchUp = async (needs: Needs, live: ReadModelFile, fresh: FreshReadModels) => {
  for (;;) {
    const { position } = checkpointOf(live)
    if (position - fresh.position() < eventsOfRest) return
    if (!(await foldTo(needs, fresh, position))) return
  }
}

/** Compares all tables, one page per read transaction, while a service may be folding. */
const compareAll = async (needs: Needs, live: ReadModelFile, fresh: FreshReadModels) => {
  const { progress, pause } = needs
  const began = live.sqlite.prepare('BEGIN')
  const ended = live.sqlite.prepare('COMMIT')
  let [rows, differences] = [0, 0]
  for (const [index, table] of comparedTables.entries()) {
    const compare = comparePages(live, fresh.file, table)
    let after: Parameters<typeof compare>[0]
    do {
      await catchUp(needs, live, fresh)
      began.run()
      const { position } = checkpointOf(live)
      const isFolded = await foldTo({ ...needs, pause: () => {} }, fresh, position)
      const page = isFolded ? compare(after, rowsOfPage) : { rows: 0, last: undefined }
      ended.run()
      rows += page.rows
      after = 'last' in page ? page.last : undefined
      if ('difference' in page)
        await reportDifference(needs, fresh, page.difference, (differences += 1) === 1)
      await pause()
    } while (after)
    progress('comparing the read models', index + 1, comparedTables.length)
  }
  return rows
}

const openLive = ({ place, problems }: Needs): ReadModelFile | undefined => {
  const file = currentReadModels(place)
  if (file === undefined) return undefined
  try {
    const live = openReadModelsToRead(file)
    const reports = live.sqlite.pragma('integrity_check') as readonly { integrity_check: string }[]
    for (const { integrity_check: text } of reports)
      if (text !== 'ok')
        problems.add({
          check: 'read models',
          position: null,
          problem: `the file is damaged: ${text}`,
        })
    return live
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    const problem = `the file of the read models cannot be read: ${error.message}`
    problems.add({ check: 'read models', position: null, problem })
    return undefined
  }
}

type Compared = {
  /** Undefined if there are no read models of this version. */
  readonly rows: number | undefined
  readonly documents: number
}

/**
 * Folds the log into new read models and compares them, row by row, with those in use. Checks that
 * the new journal balances, and writes the logs of reports and settlements again from the new rows.
 */
export const auditReadModels = async (needs: Needs): Promise<Compared> => {
  const { store, end, problems } = needs
  const fresh = freshReadModels(store)
  const live = openLive(needs)
  const nothing = { rows: undefined, documents: 0 }
  try {
    const foldedTo = live ? checkpointOf(live) : undefined
    const head = await store.head()
    if (foldedTo && foldedTo.position > head) {
      const problem =
        `the read models hold event ${foldedTo.position}, and the log ends at ${head}: ` +
        'its end was cut off, or an older copy was put back'
      problems.add({ check: 'log', position: head + 1, problem })
      return nothing
    }
    if (!(await foldTo(needs, fresh, Math.min(end, foldedTo?.position ?? end)))) return nothing
    const rows = live && (await compareAll(needs, live, fresh))
    if (!(await foldTo(needs, fresh, end))) return { rows, documents: 0 }
    auditJournal(fresh.file, problems)
    return { rows, documents: await auditDocuments({ ...needs, file: fresh.file }) }
  } finally {
    live?.sqlite.close()
    fresh.discard()
  }
}
