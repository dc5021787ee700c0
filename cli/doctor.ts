import { makePlainLog } from '../infrastructure/logs/log.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { everythingFunded, fundingOf } from '../service/funding.ts'
import { openCore, type Core } from '../service/core.ts'
import { refuseLogOfOtherMode } from '../service/mode-of-log.ts'
import { command, show, value } from './command.ts'
import { ask, fault, finding, ok, warning, worst, type Finding } from './doctor/ask.ts'
import { clockFinding, diskFinding, nodeFinding, spaceFinding } from './doctor/machine.ts'
import {
  addressFinding,
  callbackFinding,
  gatewayFinding,
  mailFinding,
  serviceFinding,
  trustOf,
  twinFinding,
} from './doctor/network.ts'
import { backupFinding, logFinding, vaultFinding } from './doctor/safekeeping.ts'

const recommended = ['SECURITY_CONTACT', 'HELP_URL', 'TERMS_URL', 'PRIVACY_URL'] as const

const settingsFinding = (settings: Settings): Finding => {
  const { MODE, PRIVATE_CALLBACKS, AUDIT_EVERY_MINUTES } = settings
  const absent = recommended.filter((name) => settings[name] === undefined)
  const problems = [
    MODE === 'sandbox' && fault('MODE is sandbox', 'set MODE=production on a new log'),
    PRIVATE_CALLBACKS === 'allow' &&
      warning('merchants may have this network asked', 'leave PRIVATE_CALLBACKS out'),
    AUDIT_EVERY_MINUTES === 0 &&
      warning('the service does not audit itself', 'leave AUDIT_EVERY_MINUTES out'),
    absent.length > 0 &&
      warning(`${absent.join(', ')}: not set`, 'name them, so that people find help'),
  ]
  return worst(problems, 'those of production')
}

const bankFinding = (settings: Settings): Finding => {
  const { BANK_ACCOUNT, BANK_ACCOUNT_NAME, BANK_BIC, BANK_PROFILE } = settings
  if (BANK_ACCOUNT === undefined)
    return fault('payouts cannot be ordered', 'set BANK_ACCOUNT, BANK_ACCOUNT_NAME and BANK_BIC')
  const problems = [
    BANK_ACCOUNT_NAME === 'daybook' &&
      fault('the holder of BANK_ACCOUNT is not named', 'set BANK_ACCOUNT_NAME as the bank has it'),
    BANK_BIC === undefined && warning('BANK_BIC is not set', 'set it if your bank wants it'),
    BANK_PROFILE === undefined &&
      warning(
        'BANK_PROFILE is not set: payout files have the usual fields',
        "try such a file in your bank's test portal",
      ),
  ]
  return worst(problems, `${BANK_ACCOUNT} of ${BANK_ACCOUNT_NAME}, with a profile of the bank`)
}

const fundingFinding = (settings: Settings): Finding =>
  fundingOf(settings) === everythingFunded
    ? warning(
        'every payment is approved: nothing stands behind payers',
        'put your bank, card scheme or wallet into service/funding.ts',
      )
    : ok('a funding source approves payments')

type Options = {
  readonly backup: string | undefined
  readonly clock: string | undefined
}

type Check = () => Promise<Finding> | Finding

type WithCore = (check: (core: Core) => ReturnType<Check>) => Check

const clockCheck = async ({ clock }: Options, settings: Settings): Promise<Finding> => {
  const other = clock ?? settings.MESSAGE_URL
  return other === undefined
    ? warning('compared with no other clock', 'give --clock an https address that you trust')
    : clockFinding(other, await ask(other, 'HEAD', trustOf(settings)))
}

/** In the order in which they are shown. */
const checksOf = (
  settings: Settings,
  withCore: WithCore,
  options: Options,
): Readonly<Record<string, Check>> => {
  const { backup } = options
  const now = Date.now()
  return {
    settings: () => settingsFinding(settings),
    node: () => nodeFinding(process.version, now),
    clock: () => clockCheck(options, settings),
    disk: () => diskFinding(settings),
    space: () => spaceFinding(settings),
    log: withCore(() => logFinding(settings, now)),
    'vault key': withCore((core) => vaultFinding(core, settings, backup)),
    backup: withCore((core) => backupFinding(core, settings, backup, now)),
    'public address': () => addressFinding(settings, now),
    service: () => serviceFinding(settings, now),
    callbacks: withCore((core) => callbackFinding(core, settings)),
    gateway: () => gatewayFinding(settings),
    mail: () => mailFinding(settings),
    twin: () => twinFinding(settings),
    bank: () => bankFinding(settings),
    funding: () => fundingFinding(settings),
  }
}

const examine = async (settings: Settings, options: Options) => {
  let core: Core | undefined
  let failure: unknown
  try {
    await refuseLogOfOtherMode(settings)
    core = await openCore(settings, makePlainLog())
    await core.readModels.caughtUp()
  } catch (error) {
    failure = error
  }
  // Each check that needs the log says why it cannot be opened.
  const withCore: WithCore = (check) => () => {
    if (failure !== undefined || !core) throw failure
    return check(core)
  }
  const checks = checksOf(settings, withCore, options)
  const points: (Finding & { readonly point: string })[] = []
  // One after another: the disk is measured alone.
  for (const [point, check] of Object.entries(checks))
    points.push({ point, ...(await finding(settings, check)) })
  await core?.close()
  return points
}

const exitCodes = { ok: 0, warning: 1, fault: 2 } as const

export const doctorCommand = command({
  name: 'doctor',
  about:
    'check a set-up before it goes live, and print what to do; exit code 0: all is well, ' +
    '1: warnings, 2: faults',
  options: {
    backup: value('<folder>', 'where your backups are: a backup, or a folder of them'),
    clock: value('<address>', 'whose time the clock is compared with; default: MESSAGE_URL'),
  },
  run: async (terminal, options) => {
    const points = await examine(terminal.settings, options)
    const countOf = (state: Finding['state']) => points.filter((one) => one.state === state).length
    const [faults, warnings] = [countOf('fault'), countOf('warning')]
    const verdict = faults > 0 ? 'fault' : warnings > 0 ? 'warning' : 'ok'
    const lines = points.map(({ state, point, found, advice }) => {
      const line = `${state.padEnd(8)} ${point.padEnd(15)} ${found}\n`
      return advice === undefined ? line : `${line}${' '.repeat(25)}> ${advice}\n`
    })
    const text = `${lines.join('')}${faults} faults, ${warnings} warnings\n`
    show(terminal, { verdict, faults, warnings, points }, text)
    process.exitCode = exitCodes[verdict]
  },
})
