import { explain, sumUp } from '../audit/explain/explain.ts'
import { plainForms } from '../audit/explain/story-forms.ts'
import { storyInWords, sumInWords } from '../audit/explain/story.ts'
import { openAuditedLog } from '../audit/verify/read-log.ts'
import { fail } from '../infrastructure/failures.ts'
import { sealAddresses } from '../infrastructure/people/sealing.ts'
import { withVaultBeside } from '../infrastructure/vault-streams/vault.ts'
import { textsIn } from '../texts/catalogue.ts'
import { catalogueCommand, consentsCommand, eventsCommand, proofCommand } from './audit-events.ts'
import { refusalsCommand } from './audit-refusals.ts'
import { replayCommand } from './audit-replay.ts'
import { serveLogCommand } from './audit-serve.ts'
import { checkCommand, treeCommand, verifyCommand } from './audit-verify.ts'
import { command, group, show, value, line, preset, required, withStore } from './command.ts'
import { securityCommand } from './security-audit.ts'
import { resolve } from 'node:path'
import { momentForms, readMoment } from '../audit/as-of/asked-moment.ts'
import { writeAsOf } from '../audit/as-of/write-as-of.ts'
import { writeExport } from '../audit/export/write-export.ts'
import { version } from '../infrastructure/version.ts'
import { instantOf } from './arguments.ts'

const asOfCommand = command({
  name: 'as-of <moment>',
  about: 'fold the log up to a time or a position into a file of SQLite',
  options: { out: required('<file>', 'where to write it; a new file') },
  run: ({ settings }, moment, { out }) => {
    const request = readMoment(moment) ?? fail(`${moment} is not a moment: give ${momentForms}`)
    return withStore(
      settings,
      async (store) => void line(await writeAsOf(store, request, resolve(out))),
    )
  },
})

const exportCommand = command({
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
    const request = { ...period, company, version, now: Date.now() }
    const written = await withStore(settings, (store) => writeExport(store, resolve(out), request))
    line(written)
    if (!written.checkpoint)
      process.stderr.write(
        'No checkpoint covers all of these events yet: export them again later, or without ' +
          '--to up to the newest checkpoint\n',
      )
  },
})

const texts = { ...textsIn.en.story, as: plainForms }

const { subjects } = texts

const explainCommand = command({
  name: 'explain <subject>',
  about: `tell in plain words what has happened to ${subjects}`,
  options: {
    number: value('<name>', 'the events that add up to this number of it, such as payout'),
  },
  run: (terminal, subject, { number }) =>
    withVaultBeside(terminal.settings, async (vault) => {
      const log = await openAuditedLog(terminal.settings)
      try {
        const openAddress = vault ? sealAddresses(vault).openAddress : () => undefined
        const needs = { ...log, openAddress, texts }
        const story =
          (await explain(needs, subject)) ?? fail(`there is no ${subject}: give ${subjects}`)
        const names = story.numbers.map(({ name, currency }) => `${name}:${currency}`).join(', ')
        const sum = number === undefined ? undefined : await sumUp(needs, subject, story, number)
        if (number !== undefined && !sum)
          fail(`${story.title} has no number ${number}, but ${names || 'none'}`)
        const text = sum ? sumInWords(story.title, sum) : storyInWords(story)
        show(terminal, sum ?? story, text)
        if (sum?.agrees === false) process.exitCode = 1
      } finally {
        await log.close()
      }
    }),
})

export const auditCommands = group('audit', 'read the log, without a service', [
  eventsCommand,
  proofCommand,
  explainCommand,
  refusalsCommand,
  consentsCommand,
  checkCommand,
  treeCommand,
  catalogueCommand,
  asOfCommand,
  exportCommand,
  verifyCommand,
  replayCommand,
  securityCommand,
  serveLogCommand,
])
