// A thousand random alterations of a log: `npm run alterations -- [count] [seed]`.
import { rmSync } from 'node:fs'
import { alterations, seeded } from '../../harness/alter/alterations.ts'
import { auditAltered, makeAlterableLog } from './shop-to-alter.ts'

const [count = 1_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)

process.stdout.write(`${count} alterations from seed ${seed}\n`)
const log = await makeAlterableLog()
const choose = seeded(seed)
const found = new Map<string, { found: number; of: number }>()
try {
  for (let number = 1; number <= count; number += 1) {
    const alteration = alterations[choose(alterations.length)]
    if (!alteration) continue
    const own = seed + number
    const { holds } = await auditAltered(log, alteration, seeded(own))
    const before = found.get(alteration.name) ?? { found: 0, of: 0 }
    found.set(alteration.name, { found: before.found + Number(!holds), of: before.of + 1 })
    if (holds) process.stdout.write(`NOT FOUND: ${alteration.name}, by its own seed ${own}\n`)
    if (number % 100 === 0) process.stdout.write(`${number} of ${count}\n`)
  }
} finally {
  rmSync(log.folder, { recursive: true })
}
for (const { name } of alterations) {
  const sum = found.get(name) ?? { found: 0, of: 0 }
  process.stdout.write(`${String(sum.found).padStart(5)} of ${sum.of}  ${name}\n`)
  if (sum.found < sum.of) process.exitCode = 1
}
