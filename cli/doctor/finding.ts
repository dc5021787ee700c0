import { failureOf } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'

export type Finding = {
  readonly state: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** What to do; absent if all is well. */
  readonly advice?: string
}

export const ok = (found: string): Finding => ({ state: 'ok', found })

export const warning = (found: string, advice: string): Finding => ({
  ...{ state: 'warning', found, advice },
})

export const fault = (found: string, advice: string): Finding => ({
  ...{ state: 'fault', found, advice },
})

/** The worst of several, with all that is wrong; `well` if nothing is. */
export const worst = (all: readonly (Finding | false | undefined)[], well: string): Finding => {
  const problems = all.flatMap((one) => (one && one.state !== 'ok' ? one : []))
  const [first] = problems
  if (!first) return ok(well)
  const state = problems.some((one) => one.state === 'fault') ? 'fault' : first.state
  const join = (texts: readonly string[]) => [...new Set(texts)].join('; ')
  return {
    state,
    found: join(problems.map(({ found }) => found)),
    advice: join(problems.flatMap(({ advice }) => advice ?? [])),
  }
}

/** What a check finds; one that fails is a fault with the reason. */
export const finding = async (
  settings: Settings,
  check: () => Promise<Finding> | Finding,
): Promise<Finding> => {
  try {
    return await check()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const text = failureOf(error, settings)?.text ?? message
    return fault(text.replaceAll(/\s+/g, ' '), 'repair this, and run daybook doctor again')
  }
}
