import { existsSync } from 'node:fs'
import { command, preset, value, type ValuesOf } from './command.ts'
import { jsonLinesIn } from '../infrastructure/logs/daily-file.ts'
import { fail } from '../infrastructure/failures.ts'
import { securityLogFiles, type SecurityLine } from '../infrastructure/logs/security-log.ts'
import { instantOf } from './arguments.ts'

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time, or how long ago: `30m`, `24h`, `7d`. */
const sinceOf = (text: string): number => {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const unitMs = unitsMs[unit]
  return unitMs === undefined ? instantOf(text) : Date.now() - Number(count) * unitMs
}

const options = {
  since: preset(
    '<time>',
    'a time such as 2026-05-17, or how long ago such as 24h or 7d',
    0,
    sinceOf,
  ),
  type: value('<type>', 'only events of this type, for instance authentication_failed'),
  merchant: value('<id>', 'only events of this merchant'),
  actor: value('<name>', 'only what this one did, for instance user:pos1'),
}

type Chosen = ValuesOf<typeof options>

const linesIn = (file: string): SecurityLine[] =>
  jsonLinesIn(file, (line) => {
    process.stderr.write(`${file}: a line cannot be read: ${line.slice(0, 80)}\n`)
    process.exitCode = 1
  }) as SecurityLine[]

const isChosen =
  ({ since, type, merchant, actor }: Chosen) =>
  (line: SecurityLine): boolean =>
    Date.parse(line.at) >= since &&
    (type === undefined || line.type === type) &&
    (merchant === undefined || line.merchant === merchant) &&
    (actor === undefined || line.actor === actor)

const printed = ({ at, type, actor, merchant, times, ...rest }: SecurityLine): string => {
  const { since: _, ...more } = rest
  const details = Object.entries(more).map(([name, value]) => `${name}=${value}`)
  const counted = times === undefined ? [] : [`${times} more times`]
  return [
    at,
    type,
    actor,
    ...(merchant ? [`merchant=${merchant}`] : []),
    ...details,
    ...counted,
  ].join('  ')
}

export const securityCommand = command({
  name: 'security',
  about: 'print the security log, with --json as JSON Lines',
  options,
  run: ({ settings: { DATA_DIR }, isJson }, chosen) => {
    if (!existsSync(DATA_DIR)) fail(`there is no folder ${DATA_DIR}`)
    const firstDay = new Date(chosen.since).toISOString().slice(0, 10)
    for (const { day, file } of securityLogFiles(DATA_DIR))
      if (day >= firstDay)
        for (const line of linesIn(file).filter(isChosen(chosen)))
          process.stdout.write(`${isJson() ? JSON.stringify(line) : printed(line)}\n`)
  },
})
