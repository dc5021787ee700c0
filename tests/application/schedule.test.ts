import { describe, expect, test } from 'vitest'
import type { QueueRow } from '../../application/callback-queue.ts'
import { deliverCallbacks } from '../../application/deliver-callbacks.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import { expirePayments } from '../../application/expire-requests.ts'
import { allWork } from '../../application/share.ts'
import type { Handle, Recall } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import { schedule, type DueWork } from '../../application/schedule.ts'
import type { Attempt } from '../../domain/callback.ts'
import type { Instant } from '../../domain/time.ts'

/** A clock and timers that the test controls. */
const timeOfOurOwn = () => {
  let now: Instant = 0
  let timers: { readonly at: Instant; readonly wake: () => void }[] = []
  return {
    now: () => now,
    after: (milliseconds: number, wake: () => void) => {
      const timer = { at: now + milliseconds, wake }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    /** Due times of the timers. */
    pending: () => timers.map(({ at }) => at),
    passTo: (instant: Instant): void => {
      now = instant
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { wake } of due) wake()
    },
  }
}

const scheduled = (work: DueWork) => {
  const time = timeOfOurOwn()
  const failures: unknown[] = []
  const looks: Instant[] = []
  const needs = { ...time, onFailure: (error: unknown) => failures.push(error) }
  const schedule_ = schedule(needs, (now, stopped) => {
    looks.push(now)
    return work(now, stopped)
  })
  return { ...time, ...schedule_, looks, failures }
}

/** Lets all pending microtasks and immediates run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('scheduled work', () => {
  test('rests until it is due again, and a minute at most, for clocks jump', async () => {
    const hour = scheduled(async () => 3_600_000)
    await hour.settle()
    expect(hour.pending()).toEqual([60_000])
    const soon = scheduled(async (now) => now + 250)
    await soon.settle()
    soon.passTo(250)
    await turn()
    expect([soon.looks, soon.pending()]).toEqual([[0, 250], [500]])
    const past = scheduled(async (now) => (now === 0 ? -5 : null))
    await past.settle()
    expect(past.pending()).toEqual([0])
  })

  test('runs once more when it is woken while it runs, and never twice at once', async () => {
    let running = 0
    let finish = (): void => {}
    const work = scheduled(async () => {
      expect(++running).toBe(1)
      await new Promise<void>((resolve) => (finish = resolve))
      running--
      return null
    })
    work.wake()
    await turn()
    for (let n = 0; n < 5; n++) work.wake()
    const settled = [work.settle(), work.settle()]
    finish()
    await turn()
    expect(work.looks).toHaveLength(2)
    finish()
    await Promise.all(settled)
    expect(work.looks).toHaveLength(2)
  })

  test('backs off for a second after a failure, however often it is woken', async () => {
    let isDown = true
    const work = scheduled(async () => {
      if (isDown) throw new StoreUnavailable('down')
      return null
    })
    for (let n = 0; n < 100; n++) {
      work.wake()
      await turn()
    }
    expect(work.looks).toHaveLength(1)
    expect([work.failures.length, work.pending()]).toEqual([1, [1000]])
    isDown = false
    work.passTo(1000)
    await turn()
    work.wake()
    await turn()
    expect(work.looks).toHaveLength(3)
  })

  test('continues after work that fails before it starts', async () => {
    const work = scheduled(() => {
      throw new Error('at once')
    })
    await work.settle()
    await work.settle()
    expect(work.failures).toHaveLength(2)
  })

  test('is over once it is stopped', async () => {
    const work = scheduled(async (now) => now + 1)
    await work.settle()
    await work.stop()
    work.wake()
    work.passTo(1000)
    await turn()
    expect([work.looks, work.pending()]).toEqual([[0], []])
  })

  test('gets the stop signal, and work aborted by it has not failed', async () => {
    const work = scheduled(
      (_, stopped) =>
        new Promise((_, giveUp) => stopped.addEventListener('abort', () => giveUp(stopped.reason))),
    )
    work.wake()
    await turn()
    await work.stop()
    expect([work.failures, work.pending()]).toEqual([[], []])
  })
})

test('a payment listed as due that does not expire is a failure, not an endless loop', async () => {
  const asked: string[] = []
  const failures: string[] = []
  const expire = expirePayments({
    share: allWork(async (_, id) => {
      asked.push(id)
      return { state: undefined as never, events: [] }
    }),
    rows: { due: () => [{ tid: 'a', merchant: 'sandbox' }], nextDeadline: () => null },
    caughtUp: turn,
    newId: () => 'id',
    outageOf: () => ({ failed: (error) => failures.push(String(error)), worked: () => {} }),
  })
  expect(await expire(0, new AbortController().signal)).toBe(1000)
  // The first list may have been outdated.
  expect(asked).toEqual(['a', 'a'])
  expect(failures).toEqual(['Error: payment a is listed as due, but nothing is recorded'])
})

describe('deliveries', () => {
  const row = (subject: string, callbackUri: string, messages: number): QueueRow => ({
    subject,
    merchant: 'sandbox',
    callbackUri,
    destination: 'http://receiver',
    dueAt: 0,
    waiting: Array.from({ length: messages }, (_, at) => ({
      id: at === 0 ? subject : `${subject}-${at}`,
      ...{ subject, revision: at, event: 'payment_captured', seqno: at + 1 },
      ...{ attempts: 0, nextAttemptAt: 0 },
    })),
  })

  type DeliveryNeeds = Parameters<typeof deliverCallbacks>[0]

  /** Deliveries of subjects to one receiver; recorded ones are no longer due. */
  const deliver = (
    subjects: readonly string[],
    recorded: ReadonlySet<string>,
    {
      handle,
      ...needs
    }: Pick<DeliveryNeeds, 'find' | 'recall' | 'caughtUp'> & {
      readonly handle: Handle
    } & Partial<Pick<DeliveryNeeds, 'onEnd' | 'caughtUpInBackground' | 'send'>>,
    uri = () => 'http://receiver/',
    messages = 1,
  ) => {
    const time = timeOfOurOwn()
    const sent: string[] = []
    const failures: unknown[] = []
    let kept = 0
    const lane = { merchant: 'sandbox', destination: 'http://receiver' }
    const left = () => subjects.filter((name) => !recorded.has(name))
    const delivery = deliverCallbacks({
      caughtUpInBackground: needs.caughtUp,
      send: async ({ subject }) => {
        await turn()
        sent.push(subject)
        return { result: 'delivered', httpStatus: 204, problem: null }
      },
      ...needs,
      share: {
        ...allWork(handle),
        using: (_, work) => work({ leftMs: () => Infinity, keep: () => (kept += 1) }),
      },
      findTrouble: () => undefined,
      restIfDead: async () => {},
      queue: {
        newlyDue: (at, lastCheck) => ({
          changed: [],
          elapsed: lastCheck ? [] : [lane],
          lastCheck: { at, position: 0 },
        }),
        due: (_, __, limit) => left().slice(0, limit),
        dueAfter: () => [],
        dueAnywhere: (_, limit) => left().slice(0, limit),
        find: (subject) => row(subject, uri(), messages),
        laneOf: (subject) => (left().includes(subject) ? lane : undefined),
        nextDue: () => null,
      },
      now: time.now,
      newId: () => 'id',
      random: () => 0,
      onEnd: needs.onEnd ?? (() => void delivery.work(time.now())),
      onFailure: (error) => failures.push(error),
    })
    return { delivery, time, sent, failures, kept: () => kept }
  }
  const goesOn = new AbortController().signal
  const untried: Find = async ({ decider }) => decider.initial
  const forgotten: Recall = () => undefined

  test('that cannot be recorded are recorded later, not sent again, and hold up none', async () => {
    const subjects = Array.from({ length: 20 }, (_, n) => `payment-${n}`)
    const recorded = new Set<string>()
    let isDown = true
    const { delivery, time, sent, failures, kept } = deliver(subjects, recorded, {
      // The first sixteen cannot be recorded: as many as can be in flight.
      handle: async (_, id) => {
        if (isDown && subjects.indexOf(id) < 16) throw new StoreUnavailable('down')
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: untried,
      recall: forgotten,
      caughtUp: turn,
    })
    // Both check at once, and neither sends what the other is sending.
    await Promise.all([delivery.settle(goesOn), delivery.settle(goesOn)])
    await delivery.idle()
    expect(sent.toSorted()).toEqual(subjects.toSorted())
    expect(failures).toHaveLength(16)
    // Another lease holder would send them again.
    expect(kept()).toBe(16)
    expect(await delivery.work(time.now())).toBe(1000)
    isDown = false
    time.passTo(1000)
    await delivery.settle(goesOn)
    expect(recorded).toEqual(new Set(subjects))
    expect([sent.length, kept()]).toEqual([20, 16])
  })

  test('that rest when the clock is put back are tried again at once', async () => {
    const recorded = new Set<string>()
    let isDown = true
    const { delivery, time } = deliver(['payment-1'], recorded, {
      handle: async (_, id) => {
        if (isDown) throw new StoreUnavailable('down')
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: untried,
      recall: forgotten,
      caughtUp: turn,
    })
    time.passTo(3_600_000)
    await delivery.settle(goesOn)
    await delivery.idle()
    expect(await delivery.work(time.now())).toBe(3_601_000)
    isDown = false
    time.passTo(0)
    await delivery.work(time.now())
    await delivery.idle()
    expect(recorded).toEqual(new Set(['payment-1']))
  })

  test('that could not be recorded are sent once more where messages now go', async () => {
    const uris: unknown[] = []
    let uri = 'http://receiver/old'
    const { delivery, time, sent } = deliver(
      ['payment-a'],
      new Set(),
      {
        handle: async (_, __, command) => {
          uris.push((command as { attempt: Attempt }).attempt.uri)
          throw new StoreUnavailable('down')
        },
        find: untried,
        recall: forgotten,
        caughtUp: turn,
      },
      () => uri,
    )
    for (const address of ['old', 'old', 'new', 'new']) {
      uri = `http://receiver/${address}`
      await delivery.settle(goesOn)
      await delivery.idle()
      time.passTo(time.now() + 1000)
    }
    expect(sent).toHaveLength(2)
    expect(uris.map((told) => String(told).slice(-3))).toEqual(['old', 'old', 'new', 'new'])
  })

  test('that were never attempted are sent without reading the log', async () => {
    const recorded = new Set<string>()
    const { delivery, sent, failures } = deliver(['payment-a', 'payment-b'], recorded, {
      handle: async (_, id) => {
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: () => Promise.reject(new Error('the log was asked')),
      recall: forgotten,
      caughtUp: turn,
    })
    await delivery.settle(goesOn)
    expect([sent, failures]).toEqual([['payment-a', 'payment-b'], []])
  })

  test('that are waiting do not start once the service stops', async () => {
    const subjects = Array.from({ length: 40 }, (_, n) => `payment-${n}`)
    const recorded = new Set<string>()
    const stopping = new AbortController()
    const { delivery, sent } = deliver(subjects, recorded, {
      handle: async (_, id) => {
        stopping.abort()
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: untried,
      recall: forgotten,
      caughtUp: turn,
      onEnd: () => {},
    })
    await delivery.settle(stopping.signal)
    await delivery.idle()
    // Two start per turn, and two more before the first are recorded.
    expect(sent).toHaveLength(4)
  })

  const failed = { result: 'failed', httpStatus: 500, problem: 'answered with status 500' } as const

  type Given = Partial<Pick<DeliveryNeeds, 'send'>> & {
    readonly name: string
    readonly uri?: string
    readonly messages?: number
    readonly isSettled?: boolean
    readonly recording: readonly string[]
  }

  test.each<Given>([
    { name: 'that arrived, with nothing behind them', recording: ['soon', 'in its own time'] },
    {
      name: 'that arrived, with a message behind them',
      messages: 2,
      recording: ['now', 'hurried'],
    },
    { name: 'that failed', send: async () => failed, recording: ['now', 'hurried'] },
    {
      ...{ name: 'that a channel hears of', uri: 'pusher:m-sandbox-till' },
      recording: ['now', 'in its own time'],
    },
    { name: 'that somebody waits for', isSettled: true, recording: ['now', 'hurried'] },
  ])('$name are recorded $recording', async (given) => {
    const { uri = 'http://receiver/', messages = 1, isSettled = false, recording, send } = given
    const seen: unknown[] = []
    const recorded = new Set<string>()
    const { delivery } = deliver(
      ['payment-a'],
      recorded,
      {
        handle: async (_, id, __, { urgency }) => {
          recorded.add(id)
          seen.push(urgency)
          return { state: undefined as never, events: [] }
        },
        find: untried,
        recall: forgotten,
        caughtUp: async () => void seen.push('hurried'),
        caughtUpInBackground: async () => void seen.push('in its own time'),
        ...(send && { send }),
      },
      () => uri,
      messages,
    )
    await (isSettled ? delivery.settle(goesOn) : delivery.work(0))
    await delivery.idle()
    expect(seen).toEqual(recording)
  })

  test('that arrived make place for others before they are recorded, up to 256', async () => {
    const subjects = Array.from({ length: 300 }, (_, n) => `payment-${n}`)
    let open = (): void => {}
    const mayRecord = new Promise<void>((resolve) => (open = resolve))
    const recorded = new Set<string>()
    const { delivery, time, sent } = deliver(subjects, recorded, {
      handle: async (_, id) => {
        await mayRecord
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: untried,
      recall: forgotten,
      caughtUp: turn,
      onEnd: () => {},
    })
    for (let before = -1; sent.length > before;) {
      before = sent.length
      await delivery.work(time.now())
      await turn()
    }
    // Including those that hold the destination's slots.
    expect([sent.length, new Set(sent).size]).toEqual([256 + 16, 256 + 16])
    open()
    await delivery.settle(goesOn)
  })

  test('that the queue does not know of yet are not sent again', async () => {
    let attempts = 0
    const { delivery, time, sent, failures } = deliver(['payment-a'], new Set(), {
      handle: async () => {
        attempts += 1
        return { state: undefined as never, events: [] }
      },
      find: async ({ decider }) => ({ ...decider.initial, attempts }),
      recall: forgotten,
      caughtUp: async () => {
        throw new StoreUnavailable('the read models are stuck')
      },
    })
    await delivery.settle(goesOn)
    await delivery.idle()
    time.passTo(1000)
    await delivery.settle(goesOn)
    await delivery.idle()
    expect(sent).toEqual(['payment-a'])
    expect(failures).toHaveLength(2)
  })

  test('whose attempt another process recorded first have another turn', async () => {
    const recorded = new Set<string>()
    let others = 1
    const { delivery, sent } = deliver(['payment-a'], recorded, {
      handle: async (_, id) => {
        recorded.add(id)
        return { state: undefined as never, events: [] }
      },
      find: untried,
      recall: ({ decider }) => ({ ...decider.initial, attempts: others-- }),
      caughtUp: turn,
    })
    await delivery.settle(goesOn)
    expect(sent).toEqual(['payment-a'])
  })
})
