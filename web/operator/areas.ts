import type { OperatorAction } from '../../domain/people/operator-roles.ts'
import type { StaffArea } from '../staff/frame.tsx'
import type { Catalogue } from '../../texts/generated/texts.ts'
import type { PlainKey } from '../../texts/message.ts'

type Place = StaffArea<PlainKey<Catalogue['operator']>, OperatorAction>

/** The parts of the operator's pages, in the order of the menu. */
export const operatorAreas = {
  overview: {
    path: '',
    text: 'overview',
    action: 'see_overview',
    icon: 'M3 17V9m4.7 8V3m4.6 14v-6M17 17V6',
  },
  merchants: {
    path: 'merchants',
    text: 'merchants',
    action: 'see_merchants',
    icon: 'M3 8l1.5-5h11L17 8M3 8h14M4 8v9h12V8M8 17v-5h4v5',
  },
  payouts: {
    path: 'payouts',
    text: 'payouts',
    action: 'see_payouts',
    icon: 'M2.5 6h15v9h-15zM10 8.5v4M10 13l-2-2m2 2l2-2',
  },
  funding: {
    path: 'funding',
    text: 'funding',
    action: 'see_payouts',
    icon: 'M2.5 6h15v9h-15zM10 13V8.5M10 8.5l-2 2m2-2l2 2',
  },
  disputes: {
    path: 'disputes',
    text: 'disputes',
    action: 'see_journal',
    icon: 'M10 3v14M5 17h10M4 6h12M4 6l-2 5h4zM16 6l-2 5h4z',
  },
  corrections: {
    path: 'corrections',
    text: 'corrections',
    action: 'see_journal',
    icon: 'M4 16.5l1-4L14 3.5l3 3L8 15.5zM12 5.5l3 3M4 18.5h13',
  },
  invoices: {
    path: 'invoices',
    text: 'invoices',
    action: 'see_journal',
    icon: 'M5 2.5h10v15l-2.5-1.5-2.5 1.5-2.5-1.5L5 17.5zM8 7h4M8 10.5h4',
  },
  journal: {
    path: 'journal',
    text: 'journal',
    action: 'see_journal',
    icon: 'M4 3h12v14H4zM7 3v14M9.5 7H14M9.5 10.5H14',
  },
  health: {
    path: 'health',
    text: 'health',
    action: 'see_health',
    icon: 'M2.5 10.5h4l2-5 3 9 2-4h4',
  },
  security: {
    path: 'security',
    text: 'security',
    action: 'see_security',
    icon: 'M10 2.5l6.5 2.5v5c0 4-3 6.5-6.5 7.5-3.5-1-6.5-3.5-6.5-7.5v-5z',
  },
  keys: {
    path: 'keys',
    text: 'keys',
    action: 'see_keys',
    icon: 'M7 14.5a4 4 0 110-8 4 4 0 010 8zM11 10.5h6.5v3M14.5 10.5v2',
  },
  staff: {
    path: 'staff',
    text: 'staff',
    action: 'see_staff',
    icon: 'M7.5 9a3 3 0 100-6 3 3 0 000 6zM2 17c0-6.5 11-6.5 11 0M13 3.5a3 3 0 010 5.3M15 12l3 5',
  },
} as const satisfies Readonly<Record<string, Place>>

export type OperatorArea = keyof typeof operatorAreas

/** `operatorPath('merchants/shop')`. */
export const operatorPath = (path = ''): string => `/operator/${path}`
