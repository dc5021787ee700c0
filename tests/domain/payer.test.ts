import { expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import { payer, type PayerCommand } from '../../domain/people/payer.ts'
import type { PayerEvent } from '../../domain/people/payer-state.ts'

const registered: PayerEvent = {
  type: 'PayerRegistered',
  data: { profile: 'p', credentials: 'c' },
}

/** The history of some commands, each decided on the previous state. */
const after = (...commands: readonly PayerCommand[]) =>
  commands.reduce<readonly PayerEvent[]>(
    (events, command) => [...events, ...payer.decide(command, fold(payer, events))],
    [registered],
  )

const decide = (events: readonly PayerEvent[], command: PayerCommand) =>
  payer.decide(command, fold(payer, events))

const wrongPin = (at: number) => ({ type: 'CheckPin', at, isRight: false }) as const

const signIn = (codeStep: number | null, at = 0, codesWorkOnce = true) =>
  ({ type: 'SignIn', at, codeStep, codesWorkOnce, session: 's', expiresAt: at + 1 }) as const

test('given two wrong PINs, when a third follows, the next attempt waits 30 seconds', () => {
  const events = after(wrongPin(0), wrongPin(0), wrongPin(0))
  const right = { type: 'CheckPin', isRight: true } as const
  expect(() => decide(events, { ...right, at: 29_999 })).toThrow('sign in is locked')
  expect(decide(events, { ...right, at: 30_000 })).toEqual([])
})

test('given guesses as fast as allowed, no more than eleven are made in a day', () => {
  let events: readonly PayerEvent[] = [registered]
  let at = 0
  let guesses = 0
  while (at < 86_400_000) {
    events = [...events, ...decide(events, wrongPin(at))]
    guesses += 1
    const last = events.at(-1)
    at = last?.type === 'PayerSignInFailed' ? Math.max(at, last.data.lockedUntil) : at
  }
  expect(guesses).toBeLessThanOrEqual(11)
})

test('given failures of the code, then they count with those of the PIN', () => {
  const events = after(wrongPin(0), signIn(null), signIn(null))
  expect(() => decide(events, signIn(5))).toThrow('sign in is locked')
})

test('given a code that was used, then it counts as wrong, unless the sandbox allows it', () => {
  const events = after(signIn(7))
  expect(decide(events, signIn(7))).toMatchObject([{ type: 'PayerSignInFailed' }])
  expect(decide(events, signIn(8))).toMatchObject([{ type: 'PayerSignedIn' }])
  expect(decide(events, signIn(7, 0, false))).toMatchObject([{ type: 'PayerSignedIn' }])
})

test('given failures, when a sign-in succeeds, then they are forgotten', () => {
  const events = after(wrongPin(0), wrongPin(0), signIn(1), wrongPin(0), wrongPin(0))
  expect(decide(events, signIn(2))).toMatchObject([{ type: 'PayerSignedIn' }])
})

test('given a profile, a repeated change adds nothing, and an outdated one conflicts', () => {
  const change = (before: string, profile: string) =>
    ({ type: 'ChangeProfile', before, profile }) as const
  const events = after(change('p', 'q'))
  expect(events.at(-1)).toEqual({ type: 'PayerProfileChanged', data: { profile: 'q' } })
  expect(decide(events, change('p', 'q'))).toEqual([])
  expect(decide(events, change('q', 'q'))).toEqual([])
  for (const profile of ['p', 'r'])
    expect(() => decide(events, change('p', profile))).toThrow('conflicting changes')
})

test('given an erased payer, when anything is asked of them, then they are unknown', () => {
  const events = after({ type: 'ErasePayer' })
  expect(() => decide(events, signIn(1))).toThrow('payer is unknown')
  expect(decide(events, { type: 'ErasePayer' })).toEqual([])
})
