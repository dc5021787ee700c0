import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { StaffArea } from '../staff/frame.tsx'

type Place = Omit<StaffArea<never, StaffAction>, 'text'>

/** The parts of the portal, in the order of the menu; `texts.ts` has their names. */
export const areas = {
  overview: { path: '', action: 'see_overview', icon: 'M3 17V9m4.7 8V3m4.6 14v-6M17 17V6' },
  take: { path: 'take', action: 'take_payment', icon: 'M10 3.5v13M3.5 10h13' },
  payments: {
    path: 'payments',
    action: 'see_payments',
    icon: 'M2.5 5.5h15v9h-15zM2.5 8.5h15M5 12h4',
  },
  money: {
    path: 'money',
    action: 'see_money',
    icon: 'M4 3h12v14l-2-1.3L12 17l-2-1.3L8 17l-2-1.3L4 17zM7 7h6M7 10.5h6',
  },
  pointsOfSale: {
    path: 'points-of-sale',
    action: 'see_points_of_sale',
    icon: 'M3 8l1.5-5h11L17 8M3 8h14M4 8v9h12V8M8 17v-5h4v5',
  },
  developers: {
    path: 'developers',
    action: 'see_developers',
    icon: 'M6.5 5L2 10l4.5 5M13.5 5L18 10l-4.5 5M11.5 3.5l-3 13',
  },
  staff: {
    path: 'staff',
    action: 'see_staff',
    icon: 'M7.5 9a3 3 0 100-6 3 3 0 000 6zM2 17c0-6.5 11-6.5 11 0M13 3.5a3 3 0 010 5.3M15 12l3 5',
  },
  messages: {
    path: 'messages',
    action: 'see_messages',
    icon: 'M5 14V9a5 5 0 0110 0v5l1.5 1.5h-13zM8.3 17.3h3.4',
  },
} as const satisfies Readonly<Record<string, Place>>

export type Area = keyof typeof areas

/** A page of a merchant: `portalPath('shop', 'payments/abc')`. */
export const portalPath = (merchant: string, path = ''): string =>
  `/portal/${encodeURIComponent(merchant)}/${path}`

/** What each person chooses for themselves. */
export const ownSettingsPath = '/portal/account'
