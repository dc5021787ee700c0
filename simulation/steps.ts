import type { DiskFault } from './disk.ts'
import type { StoreFault } from './event-store.ts'
import type { Answer, Payment, RequestedPart } from './oracle/payment.ts'
import type { LinkPayer, Person } from './names.ts'
import type { Shop } from './furnish.ts'
import type { Who } from './world.ts'

/** What happens to a request: nobody gets its answer, it is sent again, or what is below fails. */
export type Fault =
  | 'sent twice'
  | 'sent twice at once'
  | 'answer lost'
  | { readonly killedAfter: number }
  | { readonly frozenAfter: number }
  | { readonly disk: DiskFault }
  | { readonly store: StoreFault; readonly ms: number }

/** What people do about a payment link (18.1), its payers, its shop and the operator. */
export const linkWays = [
  ...(['open', 'open', 'open', 'open together', 'open together', 'look', 'stock', 'end'] as const),
  ...(['accept', 'accept', 'decline', 'release', 'refund', 'disabled'] as const),
]

/**
 * One thing that somebody does in a world. A step names what it needs by the number of the step
 * that made it, so that a list of steps without some others can still be played.
 */
export type Step =
  | {
      readonly do: 'create'
      readonly shop: Shop
      readonly currency: string
      /** Minor units. */
      readonly amount: number
      readonly extra: number
      readonly seconds: number
      readonly customer: 'alice' | 'bob' | 'nobody'
      readonly pos?: string
      readonly fault?: Fault
    }
  | { readonly do: 'create again'; readonly of: number; readonly isChanged: boolean }
  | { readonly do: 'answer'; readonly of: number; readonly answer: Answer; readonly fault?: Fault }
  | {
      readonly do: 'capture' | 'refund'
      readonly of: number
      readonly wanted: RequestedPart
      readonly fault?: Fault
    }
  | { readonly do: 'release' | 'renew'; readonly of: number; readonly fault?: Fault }
  | { readonly do: 'read' | 'read as the other shop' | 'refund without a key'; readonly of: number }
  | {
      readonly do: 'expire'
      readonly of: number
      readonly seconds: -1 | 0 | 1
      /** The machine's clock jumps there, and nothing that is due is done meanwhile. */
      readonly jumps: boolean
    }
  | {
      readonly do: 'dispute'
      readonly of: number
      readonly number: number
      /** Minor units. */
      readonly gross: number | 'everything'
      readonly fee: number
      readonly isTwice: boolean
    }
  | {
      readonly do: 'close dispute'
      readonly of: number
      readonly number: number
      readonly outcome: 'won' | 'lost'
      readonly isTwice: boolean
    }
  | {
      readonly do: 'correct'
      readonly shop: Shop
      readonly currency: string
      readonly amount: number
      readonly isApproved: boolean
    }
  | {
      readonly do: 'destination'
      readonly shop: Shop
      readonly events: readonly string[]
      readonly signature: 'hmac' | 'rsa'
    }
  | {
      readonly do: 'change destination'
      readonly of: number
      readonly way: 'enable' | 'disable' | 'replay' | 'remove'
      /** How far a replay goes back. */
      readonly seconds: number
    }
  | { readonly do: 'transactions'; readonly shop: Shop; readonly size: number }
  | {
      readonly do: 'payments'
      readonly shop: Shop
      readonly size: number
      readonly status: Payment['status']
    }
  | { readonly do: 'feed' | 'close report' | 'settle'; readonly shop: Shop }
  | { readonly do: 'register'; readonly shop: Shop; readonly id: string }
  | { readonly do: 'unregister'; readonly of: number }
  | { readonly do: 'list'; readonly shop: Shop }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'pass' | 'jump'; readonly ms: number }
  /** One of the nodes ends amid what it does in the background, after some steps. */
  | { readonly do: 'kill' | 'freeze'; readonly steps: number }
  | { readonly do: 'store fails'; readonly fault: StoreFault; readonly ms: number }
  | { readonly do: 'restart'; readonly forgets: boolean }
  | { readonly do: 'receivers fail' | 'bank fails'; readonly share: number }
  | { readonly do: 'act'; readonly act: string; readonly seed: number }
  | { readonly do: 'visit'; readonly who: Person; readonly seed: number; readonly times: number }
  | {
      readonly do: 'make link'
      /** Minor units. */
      readonly amount: number
      readonly stock: number | null
      /** Until its last day; null for no end. */
      readonly days: number | null
      readonly isTwice: boolean
    }
  | {
      readonly do: 'link'
      readonly link: number
      readonly way: (typeof linkWays)[number]
      readonly payer: LinkPayer
      readonly stock: number | null
    }
  | {
      /** About a code (7.4): scanned, named by a request, asked for its last scan. */
      readonly do: 'code'
      readonly code: number
      readonly way: 'scan' | 'ask' | 'last' | 'abort'
      readonly payer: LinkPayer
      readonly label: string
      readonly seconds: number
    }
  | {
      readonly do: 'ask'
      readonly method: string
      readonly path: string
      readonly route: string
      readonly as?: Who
      readonly isSigned: boolean
      readonly type?: string
      readonly body?: string
    }

export type Numbered = Step & { readonly n: number }
