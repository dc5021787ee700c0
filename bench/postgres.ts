import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf, withChildren } from './processes.ts'

/* PostgreSQL of Debian's package, in a folder of its own, with the settings that it comes with. */

const installed = '/usr/lib/postgresql'

const programs = (): string => {
  if (!existsSync(installed)) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  const newest = readdirSync(installed).toSorted((a, b) => Number(b) - Number(a))[0]
  return join(installed, newest ?? '', 'bin')
}

/** It refuses to run as root. */
const owner = () => {
  if (process.getuid?.() !== 0) return {}
  const id = (of: string): number => Number(execFileSync('id', [of, 'postgres']))
  return { uid: id('-u'), gid: id('-g') }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts a server on the data in a folder, made if it is empty. */
export const startPostgres = async (folder: string) => {
  const [bin, as, data] = [programs(), owner(), join(folder, 'data')]
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const cwd = folder
  if (!existsSync(data))
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust'], { ...as, cwd })
  const port = await freePort()
  const words = ['-D', data, '-k', folder, '-p', String(port)]
  const stdio = ['ignore', 'ignore', 'pipe'] as const
  const child = spawn(join(bin, 'postgres'), words, { ...as, cwd, stdio: [...stdio] })
  const pid = child.pid ?? 0
  const ended = once(child, 'exit')
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const all = withChildren(pid)
    if (signal === 'SIGKILL') for (const one of all) process.kill(one, signal)
    else child.kill(signal)
    await ended
    while (all.some((one) => memoryOf(one, 'VmRSS') > 0)) await pause(10)
  }
  const log: string[] = []
  for await (const line of createInterface(child.stderr)) {
    log.push(line)
    if (!line.includes('ready to accept connections')) continue
    child.stderr.resume()
    const url = `postgresql://bench@127.0.0.1:${port}/postgres`
    return { pid, url, stop: () => end('SIGINT'), kill: () => end('SIGKILL') }
  }
  throw new Error(`PostgreSQL did not start: ${log.join('\n')}`)
}
