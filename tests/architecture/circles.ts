import { posix } from 'node:path'
import type { Source } from './sources.ts'

const statements = /^(?:import|export)\s[^'"()=]*?from\s'(\.[^']+)'|^import\s'(\.[^']+)'/gm

const importsOf = ({ file, text }: Source): string[] =>
  [...text.matchAll(statements)].map(([, from, alone]) =>
    posix.join(posix.dirname(file), from ?? alone ?? ''),
  )

/** Import cycles, including type imports: the files of each, back to the first. */
export const circlesIn = (sources: readonly Source[]): string[] => {
  const imports = new Map(sources.map((source) => [source.file, importsOf(source)]))
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) return void circles.push([...path.slice(at), file].join(' > '))
    if (done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const { file } of sources) visit(file, [])
  return circles
}
