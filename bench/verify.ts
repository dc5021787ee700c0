// Measures `daybook audit verify`: `npm run bench:verify -- [events]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { makeAuditedLog } from './audited-log.ts'

const [events = 1_000_000] = process.argv.slice(2).map(Number)
const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url))
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Peak memory of a process in megabytes (Linux only). */
const mostMemory = (pid: number): number => {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) / 1024
  } catch {
    return 0
  }
}

const directory = await makeAuditedLog(events, say)
try {
  const began = performance.now()
  const env = { ...process.env, DATA_DIR: directory }
  const command = ['--max-semi-space-size=64', program, 'audit', 'verify']
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  let megabytes = 0
  const watching = setInterval(() => {
    megabytes = Math.max(megabytes, mostMemory(child.pid ?? 0))
  }, 50)
  const [code] = (await once(child, 'exit')) as [number]
  clearInterval(watching)
  const seconds = (performance.now() - began) / 1_000
  const load = loadavg().map((one) => one.toFixed(1))
  say(`${seconds.toFixed(1)} s, at most ${megabytes.toFixed(0)} MB, exit ${code}`)
  say(`load of the machine: ${load.join(', ')}`)
  process.exitCode = code
} finally {
  if (process.env['KEEP'] === undefined) rmSync(directory, { recursive: true })
  else say(directory)
}
