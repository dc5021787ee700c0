import { expect, test } from 'vitest'
import { storyTexts } from '../../application/audit/texts.ts'
import { auditTexts } from '../../http/audit/texts.ts'

const english = /\b(?:the|is|are|with|must|no|not|by|from|has|been|than|there|this)\b/i
const blanks = (text: string) => text.split('{}').length - 1

test.each([
  ['stories', storyTexts],
  ['pages of auditors', auditTexts],
])('Norwegian texts of %s have the same blanks, and no English words', (_, { en, nb }) => {
  for (const [name, text] of Object.entries(nb)) {
    expect([name, blanks(text)]).toEqual([name, blanks((en as Record<string, string>)[name] ?? '')])
    expect(text, name).not.toMatch(english)
  }
})
