import { z } from 'zod'
import { fileTypes } from './money-files.tsx'
import { shopParams } from './pages.ts'

export const moneyRoot = '/portal/:merchant/money'
export const number = z.string().regex(/^[1-9]\d{0,9}$/)
export const fileName = z.string().max(40)
export const settlementParams = shopParams.extend({ serial: number })
export const ledgerParams = shopParams.extend({ ledger: z.string().max(100) })

export const seeing = { action: 'see_money', area: 'money' } as const
export const downloading = {
  action: 'download',
  area: 'money',
  replyTypes: fileTypes,
  errors: { 503: 'The workbook takes too long now.' },
} as const
