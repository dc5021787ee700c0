import { parseAst } from 'vitest/node'
import type { Source } from './sources.ts'

type Node = { readonly type: string; readonly start: number; readonly end: number }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

/**
 * Spreads of one object into another, also as the rest of a pattern: a name that stands twice would
 * be overwritten silently, and nobody sees what is taken. Lists may be spread.
 */
export const spreadsIn = ({ file, text }: Source): string[] => {
  const found: string[] = []
  const visit = (node: Node, parent: Node | undefined): void => {
    const isOfObject =
      (node.type === 'SpreadElement' && parent?.type === 'ObjectExpression') ||
      (node.type === 'RestElement' && parent?.type === 'ObjectPattern')
    if (isOfObject) found.push(`${file} ${text.slice(node.start, node.end)}`)
    for (const value of Object.values(node))
      for (const child of [value].flat()) if (isNode(child)) visit(child, node)
  }
  visit(parseAst(text, { lang: 'ts' }), undefined)
  return found
}
