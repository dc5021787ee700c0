import { Option, type Command } from 'commander'
import { Refusal } from '../domain/refusal.ts'
import { OperatorError } from '../infrastructure/failures.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { openStoreToRead, type OpenedStore } from '../infrastructure/stores.ts'
import { openCore, type Core } from '../service/core.ts'
import { refuseSandboxCommand } from '../service/mode-of-log.ts'

/** What every command can use. */
type Terminal = {
  readonly settings: Settings
  /** That of a service in this process; else a command opens its own. */
  readonly core?: Core | undefined
  readonly isJson: () => boolean
}

type OptionOf<Value> = {
  /** As in `<name>`; empty for a flag. */
  readonly form: string
  readonly about: string
  readonly set?: ((option: Option) => Option) | undefined
  /** Its type; never there. */
  readonly value?: Value
}

type Options = Readonly<Record<string, OptionOf<unknown>>>

type Read<Value> = (text: string) => Value

const reading =
  <Value>(read: Read<Value> | undefined) =>
  (option: Option): Option =>
    read ? option.argParser((text) => read(text)) : option

export const flag = (about: string): OptionOf<boolean | undefined> => ({ form: '', about })

/** An option with a text, or with what is read in it. */
type TextOption<Absent> = {
  (form: string, about: string): OptionOf<string | Absent>
  <Value>(form: string, about: string, read: Read<Value>): OptionOf<Value | Absent>
}

export const value: TextOption<undefined> = (
  form: string,
  about: string,
  read?: Read<unknown>,
): OptionOf<never> => ({ form, about, set: reading(read) })

export const required: TextOption<never> = (
  form: string,
  about: string,
  read?: Read<unknown>,
): OptionOf<never> => ({
  form,
  about,
  set: (option) => reading(read)(option).makeOptionMandatory(),
})

export const preset = <Value>(
  form: string,
  about: string,
  usual: Value,
  read?: Read<Value>,
): OptionOf<Value> => ({ form, about, set: (option) => reading(read)(option).default(usual) })

/** May be repeated; each text is read as one value or more. */
export const several = <Value = string>(
  form: string,
  about: string,
  read: Read<readonly Value[]> = (text) => [text as Value],
): OptionOf<readonly Value[] | undefined> => ({
  form,
  about,
  set: (option) =>
    option.argParser((text, earlier: readonly Value[] = []) => [...earlier, ...read(text)]),
})

/** One of these; `usual` when it is left out. */
export const oneOf = <Value extends string, Usual extends Value | undefined = undefined>(
  form: string,
  about: string,
  values: readonly Value[],
  usual?: Usual,
): OptionOf<Value | Usual> => ({
  form,
  about,
  set: (option) => {
    const chosen = option.choices(values)
    return usual === undefined ? chosen : chosen.default(usual)
  },
})

type Argument<Word extends string> = Word extends `${string}...${string}`
  ? string[]
  : Word extends `[${string}`
    ? string | undefined
    : string

/** The arguments in a usage such as `add <merchant> [name]`. */
type ArgumentsIn<Usage extends string> = Usage extends `${infer Word} ${infer Rest}`
  ? [...ArgumentsIn<Word>, ...ArgumentsIn<Rest>]
  : Usage extends `<${string}` | `[${string}`
    ? [Argument<Usage>]
    : []

export type ValuesOf<Chosen extends Options> = {
  readonly [Name in keyof Chosen]: Chosen[Name] extends OptionOf<infer Value> ? Value : never
}

type Answer = object | void

type About<Usage extends string, Chosen extends Options, First> = {
  /** With its arguments: `add <merchant> <id>`. */
  readonly name: Usage
  readonly about: string
  /** What its argument is. */
  readonly argument?: string
  readonly options?: Chosen
  /** Reads, calls a use case, and returns what is printed. */
  readonly run: (
    first: First,
    ...rest: [...ArgumentsIn<Usage>, ValuesOf<Chosen>]
  ) => Promise<Answer> | Answer
}

export type Listed = (program: Command, terminal: Terminal) => void

const optionFor = ([name, { form, about, set }]: [string, OptionOf<unknown>]): Option => {
  const flags = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const option = new Option(form === '' ? flags : `${flags} ${form}`, about)
  return set ? set(option) : option
}

const print = (answer: object, isJson: boolean): void => {
  const rows = Array.isArray(answer) ? (answer as object[]) : [answer]
  const printed = (field: unknown) => (typeof field === 'string' ? field : JSON.stringify(field))
  const text = rows.map((row) =>
    Object.entries(row)
      .map(([name, field]) => `${name}: ${printed(field)}`)
      .join('\n'),
  )
  process.stdout.write(`${isJson ? JSON.stringify(answer, null, 2) : text.join('\n\n')}\n`)
}

export const command =
  <Usage extends string, Chosen extends Options = Record<never, never>>(
    about: About<Usage, Chosen, Terminal>,
  ): Listed =>
  (program, terminal) => {
    const own = program.command(about.name).description(about.about)
    const [argument] = own.registeredArguments
    if (argument && about.argument !== undefined) argument.description = about.argument
    for (const option of Object.entries(about.options ?? {})) own.addOption(optionFor(option))
    own.action(async (...words) => {
      // Commander adds the command itself.
      const args = words.slice(0, -1) as [...ArgumentsIn<Usage>, ValuesOf<Chosen>]
      const answer = await about.run(terminal, ...args)
      if (answer) print(answer, terminal.isJson())
    })
  }

const withCore = async (
  { settings, core: opened }: Terminal,
  work: (core: Core) => Promise<Answer> | Answer,
): Promise<Answer> => {
  const core = opened ?? (await openCore(settings, makePlainLog()))
  try {
    await refuseSandboxCommand(core, settings)
    return await work(core)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof OperatorError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    if (!opened) await core.close()
  }
}

/** A command on the log and its read models, beside a service or without one. */
export const onData = <Usage extends string, Chosen extends Options = Record<never, never>>(
  about: About<Usage, Chosen, Core>,
): Listed =>
  command<Usage, Chosen>({
    ...about,
    run: (terminal, ...args) => withCore(terminal, (core) => about.run(core, ...args)),
  })

/** As `onData`, with read models of all that the log has by now. */
export const onRows = <Usage extends string, Chosen extends Options = Record<never, never>>(
  about: About<Usage, Chosen, Core>,
): Listed =>
  onData<Usage, Chosen>({
    ...about,
    run: async (core, ...args) => {
      await core.readModels.caughtUp()
      return about.run(core, ...args)
    },
  })

/** Reads a log, or a copy of one, without a service. */
export const withStore = async <Result>(
  settings: Settings,
  read: (store: OpenedStore) => Promise<Result>,
): Promise<Result> => {
  const store = await openStoreToRead(settings)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

/** A command on the log alone, or a copy of it. */
export const onLog = <Usage extends string, Chosen extends Options = Record<never, never>>(
  about: About<Usage, Chosen, Terminal & { readonly store: OpenedStore }>,
): Listed =>
  command<Usage, Chosen>({
    ...about,
    run: ({ settings, isJson }, ...args) =>
      withStore(settings, async (store) => about.run({ settings, isJson, store }, ...args)),
  })

export const group =
  (name: string, about: string, commands: readonly Listed[]): Listed =>
  (program, terminal) => {
    const own = program.command(name).description(about)
    for (const add of commands) add(own, terminal)
  }

/** Prints JSON, or a text that ends its lines itself. */
export const show = ({ isJson }: Terminal, json: object, text: string): void =>
  void process.stdout.write(isJson() ? `${JSON.stringify(json, null, 2)}\n` : text)

export const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)
