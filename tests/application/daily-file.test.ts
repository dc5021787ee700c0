import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonLinesIn } from '../../infrastructure/logs/daily-file.ts'

test('given a damaged file of JSON Lines, then the other lines are read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-lines-'))
  try {
    const file = join(folder, 'security.log')
    writeFileSync(file, ['{"a":1}', '{"b"', 'null', '0', '"x"', '{"c":2}', '{"d'].join('\n'))
    const unreadable: string[] = []
    expect(jsonLinesIn(file, (line) => unreadable.push(line))).toEqual([{ a: 1 }, { c: 2 }])
    expect(unreadable).toEqual(['{"b"', 'null', '0', '"x"'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
