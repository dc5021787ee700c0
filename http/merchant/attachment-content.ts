import type { AttachmentKind } from '../../domain/merchant/attachment.ts'
import { isPng } from '../../domain/merchant/png.ts'
import type { Names } from '../brand.ts'
import { Malformed, mostIssues } from '../errors.ts'
import { readJson } from '../exact-json.ts'
import type { Part } from '../multipart.ts'
import { readSheet } from './attachment-sheet.ts'

const largestPng = 1_000_000
const largestJson = 1_000_000

type Problem = { readonly path: readonly PropertyKey[]; readonly message: string }

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const problemsOfJson = (
  kind: 'itemlist' | 'receipt',
  content: Uint8Array,
  currency: string,
): readonly Problem[] => {
  if (content.byteLength > largestJson)
    return [{ path: [], message: `Larger than ${largestJson} bytes.` }]
  const json = readJson(content)
  if ('problem' in json) return [{ path: [], message: sentence(json.problem) }]
  const read = readSheet(kind, json.value, currency)
  return 'problems' in read ? read.problems : []
}

const problemsOfPng = (content: Uint8Array): readonly Problem[] => {
  if (content.byteLength > largestPng)
    return [{ path: [], message: `Larger than ${largestPng} bytes.` }]
  return isPng(content) ? [] : [{ path: [], message: 'Is no PNG image.' }]
}

export const mediaTypesOf = (names: Names): Readonly<Record<AttachmentKind, string>> => ({
  itemlist: names.itemList,
  receipt: names.receipt,
  png: 'image/png',
})

type Checked = { readonly kind: AttachmentKind; readonly content: Uint8Array }

/** The kind of each part, checked by content. @throws Malformed with the problems, up to a limit */
export const checkParts = (
  parts: readonly Part[],
  names: Names,
  currency: string,
): readonly Checked[] => {
  const types = mediaTypesOf(names)
  const kinds = Object.keys(types) as AttachmentKind[]
  const details: Record<string, string[]> = {}
  let noted = 0
  const note = (index: number, { path, message }: Problem): void => {
    if (++noted <= mostIssues) (details[['parts', index, ...path].join('.')] ??= []).push(message)
  }
  const problemsOf = (kind: AttachmentKind, content: Uint8Array): readonly Problem[] => {
    switch (kind) {
      case 'itemlist':
      case 'receipt':
        return problemsOfJson(kind, content, currency)
      case 'png':
        return problemsOfPng(content)
    }
  }
  const checked = parts.flatMap(({ contentType, content }, index) => {
    // Stop at the limit.
    if (noted >= mostIssues) return []
    const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
    const kind = kinds.find((kind) => types[kind].toLowerCase() === type)
    if (kind === undefined) {
      const message = `Its Content-Type must be one of ${Object.values(types).join(', ')}.`
      note(index, { path: [], message })
      return []
    }
    for (const problem of problemsOf(kind, content)) note(index, problem)
    return [{ kind, content }]
  })
  if (parts.length === 0) details['parts'] = ['There must be at least one part.']
  if (Object.keys(details).length > 0) throw new Malformed(details)
  return checked
}
