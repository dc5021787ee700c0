// Typical receivers of merchants, which verify callbacks in a handler.
import { serve } from '@hono/node-server'
import { createRequire } from 'node:module'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CallbackRequest } from '../../client/index.ts'

/** Answers the status of its response. */
type Handle = (request: CallbackRequest) => Promise<number>

const require = createRequire(import.meta.url)
const express = require('express')

const node = (handle: Handle): Server =>
  createServer(async (request: IncomingMessage, response) =>
    response.writeHead(await handle(request)).end(),
  )

const fetching = (handle: Handle): Server =>
  serve({
    fetch: async (request) => new Response(null, { status: await handle(request) }),
    port: 0,
  }) as Server

/** With or without a body parser for all routes. */
const expressWith =
  (...parsers: unknown[]) =>
  (handle: Handle): Server => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.post('/hook', async (request: CallbackRequest, response: any) =>
      response.status(await handle(request)).end(),
    )
    return createServer(app)
  }

const keepBytes = (request: any, _: unknown, bytes: Buffer) => void (request.rawBody = bytes)

export const receivers = {
  'http of Node': node,
  'the Fetch API': fetching,
  'Express without a parser': expressWith(),
  'Express with express.json() for all routes': expressWith(express.json()),
  'Express with express.raw()': expressWith(express.raw({ type: () => true })),
  'Express with express.text()': expressWith(express.text({ type: () => true })),
  'Express with a parser that keeps the bytes': expressWith(
    express.json({ type: () => true, verify: keepBytes }),
  ),
} as const

export const parsedAlready = expressWith(express.json({ type: () => true }))

export const startReceiver = async (make: (handle: Handle) => Server, handle: Handle) => {
  const server = make(handle)
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
