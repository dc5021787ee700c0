/** [name, minimum, maximum, content], in the order of the format's definition. */
export type Element = readonly [name: string, least: number, most: number, content: Content]
type Content = RegExp | { readonly choice: readonly Element[] } | readonly Element[]

export const many = Number.POSITIVE_INFINITY

export type Node = Record<string, unknown>

const unescape = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** Elements in order: each child is an object with one member, its text or its children. */
export const parseXml = (xml: string): Node[] => {
  const children: Node[] = []
  const pattern = /<([A-Za-z0-9]+)>(.*?)<\/\1>/gs
  for (const [, name = '', content = ''] of xml.matchAll(pattern))
    children.push({ [name]: content.includes('<') ? parseXml(content) : unescape(content) })
  return children
}

export const problemsOf = (node: Node, content: Content, path: string): string[] => {
  if (content instanceof RegExp) {
    const text = String(node['#'] ?? '')
    return content.test(text) ? [] : [`${path} holds ${JSON.stringify(text)}`]
  }
  const isChoice = 'choice' in content
  const elements = isChoice ? content.choice : content
  const children = (node['#'] as Node[] | undefined) ?? []
  const names = children.flatMap((child) => Object.keys(child).filter((name) => name !== '@'))
  const allowed = elements.map(([name]) => name)
  const problems = names.flatMap((name, index) => {
    if (!allowed.includes(name)) return [`${path} holds ${name}`]
    const before = names[index - 1]
    const isBehind = before !== undefined && allowed.indexOf(before) > allowed.indexOf(name)
    return isBehind ? [`${path}: ${name} comes after ${before}`] : []
  })
  if (isChoice && names.length !== 1) problems.push(`${path} holds ${names.length} of a choice`)
  for (const [name, least, most, inner] of elements) {
    const own = children.filter((child) => name in child)
    if (!isChoice && (own.length < least || own.length > most))
      problems.push(`${path} holds ${own.length} ${name}`)
    for (const child of own) {
      const value = child[name]
      problems.push(...problemsOf({ '#': value }, inner, `${path}/${name}`))
    }
  }
  return problems
}

export const numbersIn = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(
    ([, text = '']) => text,
  )
