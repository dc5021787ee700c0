import { resolve } from 'node:path'
import { momentForms, readMoment } from '../audit/as-of/asked-moment.ts'
import { writeAsOf } from '../audit/as-of/write-as-of.ts'
import { writeExport } from '../audit/export/write-export.ts'
import { fail } from '../infrastructure/failures.ts'
import { version } from '../infrastructure/version.ts'
import { instantOf } from './arguments.ts'
import { command, line, preset, required, value, withStore } from './command.ts'

/** `daybook audit as-of`: writes the state at a moment to a file. */
export const asOfCommand = command({
  name: 'as-of <moment>',
  about: 'fold the log up to a time or a position into a file of SQLite',
  options: { out: required('<file>', 'where to write it; a new file') },
  run: ({ settings }, moment, { out }) => {
    const asked = readMoment(moment) ?? fail(`${moment} is not a moment: give ${momentForms}`)
    return withStore(
      settings,
      async (store) => void line(await writeAsOf(store, asked, resolve(out))),
    )
  },
})

/** `daybook audit export`: exports a period for other programs. */
export const exportCommand = command({
  name: 'export',
  about: 'write the events and the journal of a period, for other programs',
  options: {
    from: value('<time>', 'from this time on, such as 2026-11-01; else from the first', instantOf),
    to: value('<time>', 'before this time; else what the newest checkpoint covers', instantOf),
    out: required('<folder>', 'where to write; a new folder'),
    registrationNumber: preset('<n>', 'of the company, for SAF-T', 'NotUsed'),
    contact: value('<name>', 'who answers for the books, for SAF-T'),
  },
  run: async ({ settings }, { from, to, out, registrationNumber, contact }) => {
    if (from !== undefined && to !== undefined && from >= to) fail('--to must be after --from')
    const { BANK_ACCOUNT_NAME: name } = settings
    const company = { name, registrationNumber, contact: contact ?? name }
    const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const asked = { ...period, company, version, now: Date.now() }
    const written = await withStore(settings, (store) => writeExport(store, resolve(out), asked))
    line(written)
    if (!written.checkpoint)
      process.stderr.write(
        'No checkpoint covers all of these events yet: export them again later, or without ' +
          '--to up to the newest checkpoint\n',
      )
  },
})
