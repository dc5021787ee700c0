import type { z } from 'zod'
import type { Changes } from '../../domain/register.ts'
import { pos } from '../../domain/merchant/pos.ts'
import { examplesOf } from './given.ts'

export const given = examplesOf(pos.decider)

export type Event = ReturnType<typeof pos.decider.decide>[number]

export type Data = z.output<typeof pos.events.PosRegistered>

export const till = {
  merchant: 'sandbox',
  id: 'till-1',
  name: 'Till',
  type: 'store',
  location: null,
} as const

export const renamed = { ...till, name: 'Front till' }

export const located = { ...till, location: { latitude: 59.9, longitude: 10.7, accuracy: null } }

export const register = (data: Data = till) => ({ type: 'Register', data }) as const

export const change = (changes: Changes<Data>) => ({ type: 'Change', changes }) as const

export const remove = { type: 'Remove' } as const

export const registered: Event = { type: 'PosRegistered', data: till }

export const changed: Event = { type: 'PosChanged', data: renamed }

export const removed: Event = { type: 'PosRemoved', data: {} }
