import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import Database from '../../infrastructure/sqlite.ts'

/**
 * Read models with this many captures as their only lines, folded up to them; returns the report's
 * job.
 */
export const jobOf = (
  folder: string,
  lines: number,
  tid = `'t' || position`,
  taxcode = `'NO:2013'`,
  position = lines + 1,
) => {
  const database = join(mkdtempSync(join(folder, 'lines-')), 'lines.sqlite')
  new Database(database)
    .exec(
      `CREATE VIEW payments AS SELECT '' tid, '' posId, '' posTid, '' text WHERE false;
       CREATE VIEW permissions AS SELECT '' rid, '' posId, '' posTid, '' text WHERE false;
       CREATE VIEW checkpoint AS SELECT ${position} position;
       CREATE VIEW transaction_lines AS
       WITH RECURSIVE line(position) AS
         (SELECT 1 UNION ALL SELECT position + 1 FROM line WHERE position < ${lines})
       SELECT position, NULL text, 'shop' merchant, 'default' ledger, ${tid} tid, NULL subId, 0 at,
              'capture' action, 0 credit, 'sealed:' || hex(zeroblob(400)) customer, 'NOK' currency,
              100 amount, 0 additionalAmount, 1 fee, 0 interchange, 0 vat, ${taxcode} taxcode
       FROM line`,
    )
    .close()
  const whole = { merchant: 'shop', ledger: 'default', after: 0, before: lines + 1 }
  return { database, ...whole, settlements: [], settlementFees: [], format: 2 }
}
