import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'

type Environment = Readonly<Record<string, string | undefined>>

/** File descriptors of sockets that listen: for requests, and for `/metrics`. */
export type Sockets = { readonly http?: number | undefined; readonly metrics?: number | undefined }

const firstSocket = 3

/**
 * The sockets that systemd, or the process that this one replaces, has handed to a process
 * (sd_listen_fds(3)).
 */
export const socketsIn = (environment: Environment, pid = process.pid): Sockets => {
  const { LISTEN_PID, LISTEN_FDS } = environment
  const count = Number(LISTEN_PID) === pid ? Number(LISTEN_FDS) : 0
  return {
    http: count > 0 ? firstSocket : undefined,
    metrics: count > 1 ? firstSocket + 1 : undefined,
  }
}

/** The descriptor of a server that listens. Node has no public name for it. */
export const socketOf = (server: Server): number | undefined =>
  (server as unknown as { readonly _handle: { readonly fd: number } | null })._handle?.fd

/** Tells a process that it replaces one that runs: what the older one reads (`eventLevel`). */
export const replacing = 'DAYBOOK_REPLACES'

/** Why a service ends; `replaced` if another process takes new connections from its sockets. */
export type Stop = 'stop' | 'replaced'

/** Said to a process once the one that it replaces has ended. */
export type Alone = 'alone'

/** The level that the process which this one replaces reads, while it is alive. */
export const olderReads = (
  environment: Environment,
  listen: (onMessage: (message: unknown) => void) => unknown,
): (() => number) | undefined => {
  const text = environment[replacing]
  if (text === undefined) return undefined
  let level = Number(text)
  listen((message) => {
    if (message === ('alone' satisfies Alone)) level = Infinity
  })
  return () => level
}

/** Sets the variable to the process that the shell becomes: a parent cannot know its id. */
const withOwnPid = 'LISTEN_PID=$$ exec "$0" "$@"'

/**
 * Starts the program on disk with the sockets, and waits until it answers on them. Returns its id.
 * @throws Error if it ends before that
 */
export const startNext = async (
  environment: Environment,
  { http, metrics }: Sockets,
  level: number,
): Promise<number> => {
  const sockets = [http, metrics].filter((socket) => socket !== undefined)
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const child = spawn('/bin/sh', ['-c', withOwnPid, ...words], {
    stdio: ['ignore', 'inherit', 'inherit', ...sockets, 'ipc'],
    env: {
      ...environment,
      LISTEN_FDS: String(sockets.length),
      [replacing]: String(level),
      // It would end with this process.
      npm_lifecycle_event: undefined,
    },
  })
  // Each is rejected if there is no shell.
  const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (said !== 'ready')
    throw new Error(`the new process is not ready, and this one goes on: it ended with ${said}`)
  // Open until this process has ended, which the new one waits for.
  child.unref()
  child.channel?.unref()
  const pid = Number(child.pid)
  if (environment['NOTIFY_SOCKET']) spawnSync('systemd-notify', [`--pid=${pid}`])
  return pid
}
