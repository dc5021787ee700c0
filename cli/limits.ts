import type { Command } from 'commander'
import { requestLimits, users } from '../domain/aggregates.ts'
import { mostRequests } from '../domain/merchant/registers.ts'
import { within } from '../domain/stream.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { presentMerchant } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type LimitOptions = {
  readonly perSecond?: number
  readonly burst?: number
  readonly default?: true
}

const countOf = (text: string): number => {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= mostRequests
    ? count
    : fail(`${text} must be a whole number from 1 to ${mostRequests}`)
}

/** Only prints if there are no options. */
const setLimit = async (
  core: Core,
  merchant: string,
  caller: string | null,
  { perSecond, burst, default: isDefault }: LimitOptions,
) => {
  const key = caller === null ? merchant : within(merchant, caller)
  const context = core.contextOf('operator', merchant)
  const known = await core.find(requestLimits, key, 'log')
  if (isDefault) {
    if (known.status === 'present')
      await core.handle(requestLimits, key, { type: 'Remove' }, context)
  } else if (perSecond !== undefined) {
    const data = {
      merchant,
      caller,
      perSecond,
      burst: burst ?? Math.min(mostRequests, perSecond * 10),
    }
    const command =
      known.status === 'present'
        ? ({ type: 'Change', changes: data } as const)
        : ({ type: 'Register', data } as const)
    await core.handle(requestLimits, key, command, context)
  } else if (burst !== undefined) fail('--burst needs --per-second')
  const now = await core.find(requestLimits, key, 'log')
  const limit = now.status === 'present' ? now.data : undefined
  return {
    merchant,
    ...(caller !== null && { caller }),
    per_second: limit?.perSecond ?? 'as set by default',
    ...(limit && { burst: limit.burst }),
  }
}

const limitMerchant = async (core: Core, merchant: string, options: LimitOptions) => {
  await presentMerchant(core, merchant)
  return setLimit(core, merchant, null, options)
}

const limitUser = async (core: Core, merchant: string, user: string, options: LimitOptions) => {
  const known = await core.find(users, within(merchant, user), 'log')
  if (known.status !== 'present') fail(`${merchant} has no user ${user}`)
  return setLimit(core, merchant, `user:${user}`, options)
}

const limitOptions = (command: Command): Command =>
  command
    .option('--per-second <count>', 'requests a second, in the long run', countOf)
    .option('--burst <count>', 'requests at once after a pause; ten seconds of them', countOf)
    .option('--default', 'take the limit away: that of the settings counts')

/** `daybook merchant limit` and `daybook user limit`. */
export const addLimitCommands = (program: Command, withCore: WithCore): void => {
  const of = (name: string) => program.commands.find((command) => command.name() === name)
  const [merchant, user] = [of('merchant'), of('user')]
  if (merchant)
    limitOptions(
      merchant.command('limit <id>').description('set or print how much a merchant may ask'),
    ).action(withCore(limitMerchant))
  if (user)
    limitOptions(
      user
        .command('limit <merchant> <user>')
        .description('set or print how much an API user may ask'),
    ).action(withCore(limitUser))
}
