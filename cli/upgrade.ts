import { fail } from '../infrastructure/failures.ts'
import { isServing, readRecord, recordIn } from '../infrastructure/serving-record.ts'
import { printSetting } from '../infrastructure/settings.ts'
import { pause, steadyTime } from '../application/machine.ts'
import { constants, setPriority } from 'node:os'
import { prepareUpgrade } from '../audit/what-if/prepare-upgrade.ts'
import { countOfBuild, textOfBuild } from '../audit/what-if/replay-words.ts'
import { command, group, preset, show } from './command.ts'

const shareOf = (text: string): number =>
  /^(?:0?\.\d+|[1-4](?:\.0+)?)$/.test(text) && Number(text) > 0
    ? Number(text)
    : fail(`--share ${text}: give a share of a core, such as 0.5`)

/** How many differences of a table are listed. */
const listed = 20

/** A line a second: how many events are folded, how fast, and how long the rest will take. */
const tellProgress = () => {
  const began = steadyTime()
  let [toldAt, first] = [0, -1]
  return (events: number, position: number, head: number): void => {
    const now = steadyTime()
    if (first < 0) first = position
    if (now - toldAt < 1_000) return
    toldAt = now
    const seconds = (now - began) / 1_000
    const left = position > first ? (seconds * (head - position)) / (position - first) : 0
    const done = Math.floor((100 * position) / Math.max(head, 1))
    const rate = `${Math.round(events / seconds)}/s, ${Math.round(left)} s left`
    process.stderr.write(`${done} %: ${events} events, ${rate}\n`)
  }
}

export const upgradeCommands = group('upgrade', 'prepare an upgrade beside the running service', [
  command({
    name: 'prepare',
    about: 'fold the read models of this build beside those in use, for its next start',
    options: { share: preset('<n>', 'the most that it takes of a core', 0.5, shareOf) },
    run: async (terminal, { share }) => {
      setPriority(constants.priority.PRIORITY_LOW)
      const began = steadyTime()
      const options = { share, most: listed, progress: tellProgress() }
      const { compared, ...prepared } = await prepareUpgrade(terminal.settings, options)
      const seconds = Number(((steadyTime() - began) / 1_000).toFixed(1))
      const differences = compared ? countOfBuild(compared) : null
      const answer = { ...prepared, seconds, differences }
      const words = compared
        ? textOfBuild(compared)
        : 'No read models of another version to compare.'
      show(terminal, answer, `${prepared.events} events in ${seconds} s.\n${words}\n`)
      if (differences) process.exitCode = 1
    },
  }),
])

/** How often to look whether the new process answers, in ms. */
const lookEveryMs = 100

export const reloadCommand = command({
  name: 'reload',
  about: 'replace the running service by the program on disk, without a failed request',
  run: async ({ settings }) => {
    const path = recordIn(settings)
    const before = readRecord(path)
    const printed = printSetting('DATA_DIR', settings.DATA_DIR)
    if (!before || !isServing(before)) return fail(`${printed}: no service runs in it`)
    const began = steadyTime()
    process.kill(before.pid, 'SIGHUP')
    for (;;) {
      await pause(lookEveryMs)
      const now = readRecord(path)
      if (now?.problem !== undefined && now.at !== before.at)
        return fail(`${printed}: ${now.problem}`)
      if (now && now.at !== before.at)
        return { pid: now.pid, seconds: Number(((steadyTime() - began) / 1_000).toFixed(1)) }
      if (!now && !isServing(before)) return fail(`${printed}: the service has ended`)
    }
  },
})
