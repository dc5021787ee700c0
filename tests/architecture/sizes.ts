import { parseAst } from 'vitest/node'
import type { Source } from './sources.ts'

const columns = 100
const linesOfFile = 400
const linesOfFunction = 60

/** A comment with the reason, at the top of the file or directly above the function. */
const reason = /^\s*(?:\/\/|\/\*\*?|\*) Long because \S/

/** Lines over the limit: `file:line`. */
export const wideLines = ({ file, text }: Source): string[] =>
  text
    .split('\n')
    .map((line, index) => ({ width: [...line].length, at: `${file}:${index + 1}` }))
    .filter(({ width }) => width > columns)
    .map(({ at }) => at)

export const isLongFile = ({ text }: Source): boolean => {
  const lines = text.trimEnd().split('\n')
  return lines.length > linesOfFile && !lines.slice(0, 3).some((line) => reason.test(line))
}

type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: unknown
  readonly key?: unknown
  readonly name?: unknown
  readonly value?: unknown
  readonly body?: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

const isFunction = ({ type }: Node): boolean =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)

const nameIn = (node: Node): string | undefined => {
  const named = node.id ?? node.key
  return isNode(named) ? String(named.name ?? named.value) : undefined
}

/** `describe(…)` in all its forms: a group of tests does not count as a function. */
const isGroup = (text: string, { type, start }: Node): boolean =>
  type === 'CallExpression' && /^describe\b/.test(text.slice(start, start + 9))

type Found = { readonly found: Node; readonly named: Node }

/** Every function below a node, with its declaration or member. */
function* functionsIn(text: string, node: Node, named: Node = node): Generator<Found> {
  const names = nameIn(node) === undefined ? named : node
  if (isFunction(node)) yield { found: node, named: names }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue
      const isInGroup = isGroup(text, node) && isFunction(child)
      yield* isInGroup ? functionsIn(text, child.body as Node) : functionsIn(text, child, names)
    }
}

/** Whether the comment directly above gives a reason. */
const hasReason = (text: string, start: number): boolean => {
  const above = text.slice(0, start).split('\n').slice(0, -1)
  while (/^\s*(?:\/\/|\/\*|\*)/.test(above.at(-1) ?? '')) if (reason.test(above.pop()!)) return true
  return false
}

/** Functions that are too long without a reason: `file name`. */
export const longFunctions = ({ file, text }: Source): string[] => {
  const [, lang] = /\.[mc]?(js|tsx?)$/.exec(file) ?? []
  if (lang === undefined) return []
  const program = parseAst(text, { lang: lang as 'js' | 'ts' | 'tsx' }) as unknown as Node
  const names = [...functionsIn(text, program)]
    .filter(({ found, named }) => {
      const lines = text.slice(found.start, found.end).split('\n').length
      return lines > linesOfFunction && !hasReason(text, named.start)
    })
    .map(({ named }) => `${file} ${nameIn(named) ?? 'without a name'}`)
  return [...new Set(names)]
}
