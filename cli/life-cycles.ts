import { setTimeout } from '../application/machine.ts'
import type { Aggregate, DecidedEvent } from '../application/find-state.ts'
import type { Context } from '../application/handle.ts'
import { isEnabled, type Changes, type Entry, type RegisterCommand } from '../domain/register.ts'
import type { SwitchCommand } from '../domain/switchable.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { presentMerchant } from './arguments.ts'
import { onData, onRows, type Listed } from './command.ts'

/** By then every running process has read the event: each polls every 20 ms. */
const untilFollowedMs = 100

type Removal = { readonly type: 'Remove' }

/** A kind of entries that the operator disables, enables and removes. */
type Kind<Data> = {
  /** As in "no user pos1". */
  readonly one: string
  /** The arguments that identify an entry; the last one is its id. */
  readonly named: string
  readonly aggregate: Aggregate<SwitchCommand | Removal, DecidedEvent, Entry<Data>>
  /** The stream's id for these arguments. */
  readonly keyOf: (...args: string[]) => string
  readonly merchantOf: (data: Data) => string | null
  /** Disables or enables an entry, if there is more to it. */
  readonly turn?: (
    core: Core,
  ) => (key: string, type: 'Disable' | 'Enable', context: Context) => Promise<boolean>
  readonly about: Readonly<Partial<Record<'disable' | 'enable' | 'remove', string>>>
}

const change = async <Data>(
  core: Core,
  { one, aggregate, keyOf, merchantOf, turn }: Kind<Data>,
  type: 'Disable' | 'Enable' | 'Remove',
  args: readonly string[],
) => {
  const key = keyOf(...args)
  const id = args.at(-1) ?? ''
  const entry = await core.find(aggregate, key, 'log')
  if (entry.status !== 'present') return fail(`no ${one} ${id}`)
  const context = core.contextOf('operator', merchantOf(entry.data))
  const isOn =
    turn && type !== 'Remove'
      ? await turn(core)(key, type, context)
      : isEnabled((await core.handle(aggregate, key, { type }, context)).state)
  await new Promise<void>((resolve) => void setTimeout(resolve, untilFollowedMs))
  return type === 'Remove' ? { id, removed: true } : { id, enabled: isOn }
}

/** Makes an entry, or changes all of its data. */
export const put = async <Data>(
  { find, handle }: Core,
  aggregate: Aggregate<RegisterCommand<Data>, DecidedEvent, Entry<Data>>,
  key: string,
  data: Data,
  context: Context,
): Promise<void> => {
  const { status } = await find(aggregate, key, 'log')
  const changes = data as Changes<Data>
  await handle(
    aggregate,
    key,
    status === 'present' ? { type: 'Change', changes } : { type: 'Register', data },
    context,
  )
}

export const listOf = <Row extends { readonly data: { readonly merchant: string } }>(
  about: string,
  rowsIn: (core: Core) => { all(): readonly Row[] },
  view: (row: Row) => object,
): Listed =>
  onRows({
    name: 'list <merchant>',
    about,
    run: async (core, merchant) => {
      await presentMerchant(core, merchant)
      const rows = rowsIn(core).all()
      return rows.filter(({ data }) => data.merchant === merchant).map(view)
    },
  })

export const lifeCycle = <Data>(kind: Kind<Data>): readonly Listed[] => {
  const types = { disable: 'Disable', enable: 'Enable', remove: 'Remove' } as const
  return Object.entries(types).flatMap(([name, type]) => {
    const about = kind.about[name as keyof typeof types]
    if (about === undefined) return []
    return [
      onData({
        name: `${name} ${kind.named}`,
        about,
        run: (core, ...args: unknown[]) => {
          const words = args.filter((word) => typeof word === 'string')
          return change(core, kind, type, words)
        },
      }),
    ]
  })
}
