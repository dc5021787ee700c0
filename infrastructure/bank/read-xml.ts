import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isDay } from '../../domain/time.ts'
import { fail } from '../failures.ts'

/** Text for XML: without characters that XML 1.0 (2.2) forbids, on one line, trimmed and cut. */
export const textOf = (text: string, longest: number): string =>
  [...text.replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF\s]+/gu, ' ').trim()]
    .slice(0, longest)
    .join('')
    .trim() || '-'

type XmlContent =
  | string
  | { readonly [name: string]: XmlContent }
  | readonly { readonly [name: string]: XmlContent }[]

const escaped = (text: string): string =>
  !/[&<>]/.test(text)
    ? text
    : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Elements as indented lines. xmlbuilder2 takes eight times as long for many elements. */
export const xmlLines = (elements: { readonly [name: string]: XmlContent }, depth = 0): string => {
  const indent = '  '.repeat(depth)
  const element = (name: string, content: XmlContent): string => {
    if (typeof content === 'string') return `${indent}<${name}>${escaped(content)}</${name}>\n`
    if (Array.isArray(content)) return content.map((one) => element(name, one)).join('')
    const inner = xmlLines(content as { readonly [name: string]: XmlContent }, depth + 1)
    return `${indent}<${name}>\n${inner}${indent}</${name}>\n`
  }
  return Object.entries(elements)
    .map(([name, content]) => element(name, content))
    .join('')
}

/** An element: its children by name, always as lists; also `#text`, and attributes as `@name`. */
export type Element = { readonly [name: string]: readonly (Element | string)[] | string }

const largestFile = 100_000_000

const encodings: ReadonlySet<string> = new Set([
  ...['utf-8', 'utf8', 'us-ascii', 'ascii', 'latin1', 'windows-1252', 'cp1252'],
  ...['iso-8859-1', 'iso8859-1', 'iso-8859-15', 'iso8859-15'],
])

const isAscii = (encoding: string): boolean => encoding.endsWith('ascii')

/** Decodes bytes in the encoding that the file declares. */
const decode = (bytes: Uint8Array, name: string): string => {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const declared = /<\?xml[^>]*\sencoding\s*=\s*["']([\w-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  const encoding = declared.toLowerCase()
  if (!encodings.has(encoding)) return fail(`${name} is in ${declared}; it has to be in UTF-8`)
  if (isAscii(encoding) && bytes.some((byte) => byte > 127))
    return fail(`${name} says that it is in ${declared}, and is not`)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return fail(`${name} says that it is in ${declared}, and is not`)
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  alwaysCreateTextNode: true,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
})

/** Parses untrusted XML: no document type, and so only the five built-in entities. */
export const readXml = (bytes: Uint8Array, name: string): Element => {
  if (bytes.byteLength > largestFile) fail(`${name} is larger than ${largestFile} bytes`)
  const text = decode(bytes, name)
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    return fail(`${name} has a document type: such files are not read, for it may hide anything`)
  const validity = XMLValidator.validate(text)
  if (validity !== true)
    return fail(`${name} is not XML: line ${validity.err.line}: ${validity.err.msg}`)
  try {
    return parser.parse(text) as Element
  } catch (error) {
    // Nested too deeply, or with names that the parser refuses.
    return fail(`${name} cannot be read: ${(error as Error).message}`)
  }
}

export const elementsAt = (within: Element, ...path: readonly string[]): readonly Element[] => {
  let found: readonly Element[] = [within]
  for (const name of path)
    found = found.flatMap((one) => {
      const next = one[name]
      return Array.isArray(next)
        ? (next as Element[]).filter((child) => typeof child === 'object')
        : []
    })
  return found
}

const deepestEnvelope = 10

/** The outermost elements that have a child of one of the names, as banks wrap documents. */
export const elementsWith = (
  within: Element,
  names: readonly string[],
  depth = 0,
): readonly Element[] => {
  if (names.some((name) => elementsAt(within, name).length > 0)) return [within]
  if (depth === deepestEnvelope) return []
  return Object.keys(within).flatMap((name) =>
    elementsAt(within, name).flatMap((one) => elementsWith(one, names, depth + 1)),
  )
}

export const textIn = (element: Element | undefined): string | null => {
  const text = element?.['#text']
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

/** The text of the first element at a path; null if there is none. */
export const textAt = (within: Element, ...path: readonly string[]): string | null =>
  textIn(elementsAt(within, ...path)[0])

/** A day, or an instant with the bank's offset; null if there is none. */
export const dayAt = (within: Element, ...path: readonly string[]): string | null => {
  const text = textAt(within, ...path)
  const day = text?.slice(0, 10) ?? null
  return day === null || isDay(day) ? day : fail(`${text} is not a day`)
}
