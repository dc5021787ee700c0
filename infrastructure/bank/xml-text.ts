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
