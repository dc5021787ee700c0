import { expect, test } from 'vitest'
import { changeAccounts } from '../../application/change-accounts.ts'
import { accountChange as change } from '../../domain/accounting/settlement-account.ts'
import { fold } from '../../domain/decider.ts'

const accountChange = change.decider

test('given a row that is older than the withdrawal, then the account stays', async () => {
  const asked = {
    change: 'c-1',
    payoutAccount: 'NO9386011117947',
    before: null,
    by: 'm-1',
    takesEffectAt: 1,
  }
  const withdrawn = fold(
    accountChange,
    [
      { type: 'AccountChangeAsked', data: asked },
      { type: 'AccountChangeWithdrawn', data: { change: 'c-1', by: 'm-1' } },
    ],
    accountChange.initial,
  )
  const handled: unknown[] = []
  let due = [{ merchant: 'shop', asked }]
  const work = changeAccounts({
    handle: async (_, __, command) => void handled.push(command) as never,
    find: (async () => withdrawn) as never,
    rows: { due: () => due, nextDue: () => null },
    caughtUp: async () => void (due = []),
    outageOf: () => ({ failed: () => {}, worked: () => {} }),
  })
  await work(2, new AbortController().signal)
  expect(handled).toEqual([])
})
