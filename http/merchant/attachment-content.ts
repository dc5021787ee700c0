import type { AttachmentKind } from '../../domain/merchant/attachment.ts'
import type { Names } from '../assets.ts'
import { malformed, mostIssues } from '../errors.ts'
import { readJson } from '../exact-json.ts'
import { nextTurn } from '../../application/time-budget.ts'
import type { Part } from '../forms.ts'
import { readSheet } from './attachment-sheet.ts'

const largestPng = 1_000_000

const largestJson = 1_000_000

type Problem = { readonly path: readonly PropertyKey[]; readonly message: string }

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const problemsOfJson = async (
  kind: 'itemlist' | 'receipt',
  content: Uint8Array,
  currency: string,
): Promise<readonly Problem[]> => {
  if (content.byteLength > largestJson)
    return [{ path: [], message: `Larger than ${largestJson} bytes.` }]
  const json = readJson(content)
  if ('problem' in json) return [{ path: [], message: sentence(json.problem) }]
  await nextTurn()
  const read = await readSheet(kind, json.value, currency)
  return 'problems' in read ? read.problems : []
}

export const mediaTypesOf = (names: Names): Readonly<Record<AttachmentKind, string>> => ({
  itemlist: names.itemList,
  receipt: names.receipt,
  png: 'image/png',
})

const noParts: Problem = { path: ['parts'], message: 'There must be at least one part.' }

type Checked = { readonly kind: AttachmentKind; readonly content: Uint8Array }

type Needs = {
  readonly names: Names
  readonly problemOfPng: (content: Uint8Array) => Promise<string | null>
}

const problemsOf = async (
  { problemOfPng }: Needs,
  kind: AttachmentKind,
  content: Uint8Array,
  currency: string,
): Promise<readonly Problem[]> => {
  if (kind !== 'png') return problemsOfJson(kind, content, currency)
  if (content.byteLength > largestPng)
    return [{ path: [], message: `Larger than ${largestPng} bytes.` }]
  const message = await problemOfPng(content)
  return message === null ? [] : [{ path: [], message }]
}

/**
 * The kind of each part, checked by content over several turns. @throws Malformed with the
 * problems, up to a limit
 */
export const checkParts = async (
  parts: readonly Part[],
  needs: Needs,
  currency: string,
): Promise<readonly Checked[]> => {
  const { names } = needs
  const types = mediaTypesOf(names)
  const kinds = Object.keys(types) as AttachmentKind[]
  const problems: Problem[] = parts.length === 0 ? [noParts] : []
  const checked: Checked[] = []
  for (const [index, { contentType, content }] of parts.entries()) {
    if (problems.length > mostIssues) break
    await nextTurn()
    const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
    const kind = kinds.find((kind) => types[kind].toLowerCase() === type)
    const message = `Its Content-Type must be one of ${Object.values(types).join(', ')}.`
    const found = kind ? await problemsOf(needs, kind, content, currency) : [{ path: [], message }]
    for (const { path, message } of found)
      problems.push({ path: ['parts', index, ...path], message })
    if (kind) checked.push({ kind, content })
  }
  const unlisted = problems.length > mostIssues ? 'some' : 0
  if (problems.length > 0) throw malformed({ issues: problems.slice(0, mostIssues), unlisted })
  return checked
}
