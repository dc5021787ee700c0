import { textsIn } from './catalogue.ts'
import type { Language } from './generated/texts.ts'

/** Why a bank sent money back: the code of ISO 20022 with what it means, and the bank's words. */
export const bankReason = (
  language: Language,
  { code, text }: { readonly code: string | null; readonly text: string | null },
): string => {
  const meaning = code === null ? '' : textsIn[language].money.bankReason({ code })
  return [meaning === '' ? code : `${code} (${meaning})`, text].filter(Boolean).join(', ')
}
