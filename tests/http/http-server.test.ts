import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeHttpServer } from '../../infrastructure/http-server.ts'

test('of the requests of one turn, those whose client has gone meanwhile are not answered, the others are', async () => {
  const asked: string[] = []
  const { server } = makeHttpServer({
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response(null, { status: 204 })
    },
    hostname: 'localhost',
    refusal: (status) => ({ status, headers: {}, body: '' }),
  })
  const ask = (url: string): ServerResponse => {
    const incoming = new IncomingMessage(new Socket())
    Object.assign(incoming, { method: 'GET', url, httpVersion: '1.1', rawHeaders: [] })
    incoming.headers = { host: 'localhost' }
    const outgoing = new ServerResponse(incoming)
    server.emit('request', incoming, outgoing)
    return outgoing
  }
  ask('/stays')
  ask('/goes').destroy()
  ask('/stays-too')
  expect(asked).toEqual([])
  await nextTurn()
  expect(asked).toEqual(['/stays', '/stays-too'])
})
