import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = {
  readonly id: string
  readonly to: string
  readonly from: string
  readonly body: string
}

const decoded = (quoted: string): string => {
  const plain = quoted.replaceAll(/=\r?\n/g, '')
  const bytes = plain.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\u00a0', ' ').trim()
}

const headerIn = (head: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''

const readMail = (raw: string): ReceivedMail => {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const [id, to, from] = ['Message-ID', 'To', 'From'].map((name) => headerIn(head, name))
  return { id: id ?? '', to: to ?? '', from: from ?? '', body: decoded(rest.join('\r\n\r\n')) }
}

/** A mail server, which asks for a password. */
export const openMailbox = async () => {
  const mails: ReceivedMail[] = []
  const listen = async (port: number): Promise<SMTPServer> => {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === 'daybook' && password === 'p@ss'
          ? done(null, { user: username })
          : done(new Error('wrong')),
      onData: (stream, _, done) => {
        void text(stream).then((raw) => {
          mails.push(readMail(raw))
          done()
        })
      },
    })
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  }
  let server = await listen(0)
  const { port } = server.server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return {
    url: `smtp://daybook:p%40ss@127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    mails,
    close,
    open: async () => void (server = await listen(port)),
  }
}
