import { translating } from '../../texts/translated.ts'
import type { Language } from '../../texts/generated/texts.ts'

const translated = translating('callbackProblems')

/**
 * Why a callback was not delivered. The log has it in English, so that other readers of it can
 * compare; what a library or a system has told stays as it is.
 */
export const problemText = (problem: string, language: Language): string =>
  translated(problem, language) ?? problem
