import { explain, sumUp } from '../audit/explain/explain.ts'
import { storyInWords, sumInWords } from '../audit/explain/plain-words.ts'
import { openAuditedLog } from '../audit/verify/read-log.ts'
import { fail } from '../infrastructure/failures.ts'
import { sealAddresses } from '../infrastructure/people/sealing.ts'
import { withVaultBeside } from '../infrastructure/vault-streams/vault-beside.ts'
import { textsIn } from '../texts/catalogue.ts'
import { catalogueCommand, consentsCommand, eventsCommand, proofCommand } from './audit-events.ts'
import { asOfCommand, exportCommand } from './audit-export.ts'
import { refusalsCommand } from './audit-refusals.ts'
import { replayCommand } from './audit-replay.ts'
import { serveLogCommand } from './audit-serve.ts'
import { checkCommand, treeCommand, verifyCommand } from './audit-verify.ts'
import { command, group, show, value } from './command.ts'
import { securityCommand } from './security-audit.ts'

const texts = textsIn.en.story

const { subjects } = texts

/** `daybook audit explain`: explains a subject in words, and what its numbers add up from. */
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

/** Commands for auditors: the log as stored, and the catalogue of events. */
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
